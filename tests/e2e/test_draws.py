"""Words that are drawn many times on the page Encode, compared with the engine."""

import re
from dataclasses import replace

from app_page import App
from player_page import ALL_BUT_COLOURS, COLOURS, course
from playwright.sync_api import expect
from test_encode_page import RUN, WORDPIECE, Encode

from tokviz.encoding.dropout import DropoutChain
from tokviz.encoding.sampling import sample_merges, sample_unigram
from tokviz.pages.lenses.sampled import MOST_ROWS
from tokviz.pages.visit.link import to_links

UNIGRAM = replace(RUN, algorithm="unigram", vocab_size=100, settings=())


class Sampling(Encode):
    """The panel of draws."""

    def __init__(self, app):
        super().__init__(app)
        self.panel = self.page.get_by_role("region", name="How the word was cut")
        self.said = self.panel.get_by_role("status")
        self.rows_shown = self.panel.locator(".tv-samples tbody tr")

    def look(self):
        self.panel.get_by_role("button", name="Sampling").click()
        return self.panel.get_by_role("slider")

    def heading(self, text):
        expect(self.panel.get_by_role("heading")).to_contain_text(text)

    def says(self, text):
        expect(self.said).to_contain_text(text)
        expect(self.panel.locator(".tv-sampling")).to_have_attribute("aria-busy", "false")

    def drawn(self):
        """The rows: the tokens of each (or the text of the last one), then the other cells."""
        return self.rows_shown.evaluate_all(
            "rows => rows.map(r => {"
            " const chips = [...r.querySelectorAll('.chip')].map(e => e.dataset.token);"
            " const cells = [...r.cells].map(c => c.textContent);"
            " return [chips.join(' ') || cells[0], ...cells.slice(1, 4)]; })"
        )


BOXES = """() => [...document.querySelectorAll('.tv-column, .tv-token, .tv-trace, .tv-samples')]
    .map(e => JSON.stringify(e.getBoundingClientRect())).join()"""


def as_shown(samples):
    rows = [
        [" ".join(p.token for p in row.pieces), *cells(row.probability, row.times, samples.draws)]
        for row in samples.rows
    ]
    n = samples.segmentations - len(rows)
    if n:
        rows.append(
            [f"{n:,} others", *cells(samples.other_probability, samples.other_times, samples.draws)]
        )
    return rows


def cells(probability, times, draws):
    return [share(probability), f"{times:,}", share(times / draws)]


def share(x):
    if x == 0:
        return "0"
    if x >= 0.00005:
        return f"{100 * x:.2f} %"
    digits, power = f"{x:.1e}".split("e-")
    return f"{digits} × 10⁻" + str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def merges(word, p="0.1", draws=1_000, seed=1):
    chain = DropoutChain.of(course().tokenizer().encoder, word, p)
    return sample_merges(chain, draws, seed, MOST_ROWS)


def test_a_word_is_drawn_by_dropout(app):
    sampling = Sampling(app)
    slider = sampling.look()
    expected = merges(" token")
    sampling.says(
        f"{expected.segmentations:,} segmentations, entropy {expected.entropy:.2f} bits. "
        "1,000 draws with seed 1."
    )
    assert sampling.drawn() == as_shown(expected)
    before = app.page.evaluate(BOXES)
    sampling.panel.get_by_role("button", name="Draw").click()
    sampling.says("with seed 2.")
    assert sampling.drawn() == as_shown(merges(" token", seed=2))
    assert app.page.evaluate(BOXES) == before, "nothing moves when something is drawn"
    sampling.panel.get_by_role("spinbutton", name="Seed").fill("1")
    app.page.keyboard.press("Enter")
    sampling.says("with seed 1.")
    assert sampling.drawn() == as_shown(expected)
    sampling.panel.get_by_role("combobox", name="Draws").select_option("10,000")
    sampling.says("10,000 draws with seed 1.")
    assert sampling.drawn() == as_shown(merges(" token", draws=10_000))
    sampling.panel.get_by_role("combobox", name="Draws").select_option("1,000")
    sampling.says("1,000 draws with seed 1.")
    # The slider takes keys, and its ends are certain.
    expect(slider).to_have_accessible_name("p: chance to skip a merge")
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "0.15")
    expected = as_shown(merges(" token", "0.15"))
    expect(sampling.rows_shown.first).to_contain_text(expected[0][1])
    assert sampling.drawn() == expected
    slider.press("Home")
    sampling.says("1 segmentation, entropy 0.00 bits.")
    assert sampling.drawn() == [["Ġtoken", "100.00 %", "1,000", "100.00 %"]]
    slider.press("End")
    expect(sampling.rows_shown.locator(".chip")).to_have_count(6)
    assert sampling.drawn() == [["Ġ t o k e n", "100.00 %", "1,000", "100.00 %"]]
    slider.press("Home")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "0.10")
    sampling.panel.get_by_role("button", name="Draw").click()
    sampling.says("with seed 2.")
    # The choice stays for other tokens and visits.
    sampling.column("After 20 merges").locator('.chip[data-token="Ġis"]').click()
    sampling.heading("How “␣is” can be cut")
    expect(sampling.rows_shown).to_have_count(3)
    assert sampling.drawn() == as_shown(merges(" is", seed=2))
    app.come_back()
    sampling = Sampling(app)
    sampling.says("with seed 2.")
    # A word is drawn once it is typed; nothing of the word before is seen meanwhile.
    sampling.field.fill("")
    sampling.field.press_sequentially("hugging tokens", delay=30)
    sampling.heading("“hugging”")
    sampling.says("with seed 2.")
    assert sampling.drawn() == as_shown(merges("hugging", seed=2))
    sampling.type("tokenization of é, and pneumonoultramicroscopic words")
    sampling.says("with seed 2.")
    parts = ".tv-trace", ".tv-sampling", ".tv-samples", ".tv-token"
    app.fits(*parts)
    app.accessible(".tv-encoder")
    app.resize(390, 844)
    app.fits(*parts)
    app.accessible(**ALL_BUT_COLOURS)
    app.theme("dark")
    app.accessible(".tv-encoder", **COLOURS)
    sampling.panel.get_by_role("button", name="Trace").click()
    sampling.heading("was cut")
    expect(sampling.panel.locator(".tv-sampling")).to_be_hidden()


def test_who_draws_by_probabilities_and_who_draws_nothing(page, server):
    query = "&".join(f"lane={link}" for link in to_links([UNIGRAM, WORDPIECE]))
    sampling = Sampling(App(page, f"{server}/?{query}"))
    slider = sampling.look()
    encoder = course("unigram", 100, "gpt2").tokenizer().encoder
    sampling.says("with seed 1.")
    assert sampling.drawn() == as_shown(sample_unigram(encoder, " token", 0.5, 1_000, 1, MOST_ROWS))
    expect(slider).to_have_accessible_name(re.compile("^α"))
    slider.focus()
    slider.press("Home")
    expected = sample_unigram(encoder, " token", 0.0, 1_000, 1, MOST_ROWS)
    sampling.says(f"entropy {expected.entropy:.2f} bits")
    assert sampling.drawn() == as_shown(expected)
    assert len({row[1] for row in sampling.drawn()[:MOST_ROWS]}) == 1
    page.get_by_role("radio", name="WordPiece", exact=True).click()
    sampling.app.settle()
    expect(sampling.said).to_contain_text("“Longest match first” draws nothing at random")
    expect(slider).to_have_count(0)
    page.get_by_role("radio", name="Merges in order").click()
    sampling.says("with seed 1.")
    expect(slider).to_be_visible()
