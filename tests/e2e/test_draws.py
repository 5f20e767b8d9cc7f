"""Words that are drawn many times on the page Encode, compared with the engine."""

import re
from dataclasses import replace

import pytest
from app_page import App
from playwright.sync_api import expect
from test_encode_page import RUN, WORDPIECE, Encode
from test_train_page import assert_accessible

import tokviz
from tokviz.encoding.dropout import DropoutChain
from tokviz.encoding.sampling import sample_merges, sample_unigram
from tokviz.pages.lenses.sampled import MOST_ROWS
from tokviz.pages.visit.link import to_links

COURSE = tokviz.SAMPLES["course"].corpus
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


@pytest.fixture
def sampling(app):
    return Sampling(app)


def opened(page, server, run):
    return Sampling(App(page, f"{server}/?lane={to_links([run])[0]}"))


@pytest.fixture(scope="module")
def history():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


def merges(history, word, p="0.1", draws=1_000, seed=1):
    chain = DropoutChain.of(history.tokenizer().encoder, word, p)
    return sample_merges(chain, draws, seed, MOST_ROWS)


def test_a_word_is_drawn_by_dropout(sampling, history):
    sampling.look()
    expected = merges(history, " token")
    sampling.says(
        f"{expected.segmentations:,} segmentations, entropy {expected.entropy:.2f} bits. "
        "1,000 draws with seed 1."
    )
    assert sampling.drawn() == as_shown(expected)
    sampling.panel.get_by_role("button", name="Draw").click()
    sampling.says("with seed 2.")
    assert sampling.drawn() == as_shown(merges(history, " token", seed=2))
    sampling.panel.get_by_role("spinbutton", name="Seed").fill("1")
    sampling.page.keyboard.press("Enter")
    sampling.says("with seed 1.")
    assert sampling.drawn() == as_shown(expected)
    sampling.panel.get_by_role("combobox", name="Draws").select_option("10,000")
    sampling.says("10,000 draws with seed 1.")
    assert sampling.drawn() == as_shown(merges(history, " token", draws=10_000))


def test_the_slider_takes_keys_and_its_ends_are_certain(sampling, history):
    sampling.look()
    sampling.says("with seed 1.")
    slider = sampling.panel.get_by_role("slider", name="p: chance to skip a merge")
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "0.15")
    expected = as_shown(merges(history, " token", "0.15"))
    expect(sampling.rows_shown.first).to_contain_text(expected[0][1])
    assert sampling.drawn() == expected
    slider.press("Home")
    sampling.says("1 segmentation, entropy 0.00 bits.")
    assert sampling.drawn() == [["Ġtoken", "100.00 %", "1,000", "100.00 %"]]
    slider.press("End")
    expect(sampling.rows_shown.locator(".chip")).to_have_count(6)
    assert sampling.drawn() == [["Ġ t o k e n", "100.00 %", "1,000", "100.00 %"]]


def test_unigram_is_drawn_by_powers_of_its_probabilities(page, server):
    sampling = opened(page, server, UNIGRAM)
    sampling.look()
    encoder = tokviz.train(COURSE, "unigram", 100, "gpt2").tokenizer().encoder
    sampling.says("with seed 1.")
    assert sampling.drawn() == as_shown(sample_unigram(encoder, " token", 0.5, 1_000, 1, MOST_ROWS))
    slider = sampling.panel.get_by_role("slider", name=re.compile("^α"))
    slider.focus()
    slider.press("Home")
    expected = sample_unigram(encoder, " token", 0.0, 1_000, 1, MOST_ROWS)
    sampling.says(f"entropy {expected.entropy:.2f} bits")
    assert sampling.drawn() == as_shown(expected)
    assert len({row[1] for row in sampling.drawn()[:MOST_ROWS]}) == 1


def test_the_choice_stays_for_other_tokens_and_visits(sampling, history):
    sampling.look()
    sampling.says("with seed 1.")
    sampling.panel.get_by_role("button", name="Draw").click()
    sampling.says("with seed 2.")
    column = sampling.column("After 20 merges")
    column.locator('.chip[data-token="Ġis"]').click()
    expect(sampling.panel.get_by_role("heading")).to_contain_text("How “␣is” can be cut")
    expect(sampling.rows_shown).to_have_count(3)
    assert sampling.drawn() == as_shown(merges(history, " is", seed=2))
    sampling.page.get_by_role("link", name="Train", exact=True).click()
    sampling.page.locator(".tv-corpus .chip").first.wait_for()
    sampling.app.settle()
    again = Sampling(sampling.app)
    again.says("with seed 2.")
    again.panel.get_by_role("button", name="Trace").click()
    expect(again.panel.get_by_role("heading")).to_contain_text("was cut")
    expect(again.panel.locator(".tv-sampling")).to_be_hidden()


def test_a_word_is_drawn_once_it_is_typed(sampling, history):
    """Nothing of the word before is seen meanwhile."""
    sampling.look()
    sampling.says("with seed 1.")
    sampling.field.fill("")
    sampling.field.press_sequentially("hugging tokens", delay=30)
    expect(sampling.panel.get_by_role("heading")).to_contain_text("“hugging”")
    sampling.says("with seed 1.")
    assert sampling.drawn() == as_shown(merges(history, "hugging"))


def test_ways_without_chance_say_which_way_has_it(page, server):
    sampling = opened(page, server, WORDPIECE)
    sampling.look()
    expect(sampling.said).to_contain_text("“Longest match first” draws nothing at random")
    expect(sampling.panel.get_by_role("slider")).to_have_count(0)
    page.get_by_role("radio", name="Merges in order").click()
    sampling.says("with seed 1.")
    expect(sampling.panel.get_by_role("slider")).to_be_visible()


@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1366, 768, "light"), (1366, 768, "dark"), (390, 844, "dark")]
)
def test_it_is_accessible_and_fits(sampling, width, height, scheme):
    sampling.page.emulate_media(color_scheme=scheme)
    sampling.page.set_viewport_size({"width": width, "height": height})
    sampling.type("tokenization of é, and pneumonoultramicroscopic words")
    sampling.look()
    sampling.says("with seed 1.")
    sampling.app.settle()
    assert_accessible(sampling.app)
    for part in (".tv-trace", ".tv-sampling", ".tv-samples", ".tv-token"):
        wider = sampling.page.locator(part).evaluate("e => e.scrollWidth - e.clientWidth")
        assert wider <= 0, part


def test_nothing_moves_when_something_is_drawn(sampling):
    sampling.look()
    sampling.says("with seed 1.")
    boxes = "() => [...document.querySelectorAll('.tv-column, .tv-token, .tv-trace, .tv-samples')]"
    boxes += ".map(e => JSON.stringify(e.getBoundingClientRect())).join()"
    before = sampling.page.evaluate(boxes)
    sampling.panel.get_by_role("button", name="Draw").click()
    sampling.says("with seed 2.")
    assert sampling.page.evaluate(boxes) == before
