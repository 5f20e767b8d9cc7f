"""The Compare page as a person uses it."""

from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from app_page import App
from player_page import COLOURS
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import Corpus, Run
from tokviz.trainers import TRAINERS

COURSE = tokviz.SAMPLES["course"].corpus

#: The names that reach over the inner edge of their button.
CUT = """names => names.filter(name => {
    const button = name.closest('button');
    const padding = parseFloat(getComputedStyle(button).paddingRight);
    const end = button.getBoundingClientRect().right - padding;
    return name.checkVisibility() && name.getBoundingClientRect().right > end + 1;
}).map(name => name.textContent)"""

#: How much of the panels of lanes the bar covers at the top of the page.
UNDER_BAR = """() => {
    document.querySelector('.stMain').scrollTop = 0;
    const box = e => e.getBoundingClientRect();
    const ends = [...document.querySelectorAll('.tv-corpus')].map(e => box(e).bottom);
    return Math.max(...ends) - box(document.querySelector('.tv-transport')).top;
}"""


@pytest.fixture
def compare(page, server):
    app = App(page, f"{server}/compare")
    app.charts()
    return app


#: Drags the scrub bar to a step: where the charts stand before anything else is done.
DRAGGED = """step => {
    const scrub = document.querySelector("[aria-label='Training step']");
    scrub.value = step;
    scrub.dispatchEvent(new Event('input', { bubbles: true }));
    const inputs = [...document.querySelectorAll('.vega-bind input[name=tokviz_step]')];
    return inputs.map(input => input.value); }"""


#: Drags it there and back for a second and a half: every value that the first chart had meanwhile.
DRAGGED_ON = """async steps => {
    const scrub = document.querySelector("[aria-label='Training step']");
    const input = document.querySelector('.vega-bind input[name=tokviz_step]');
    const seen = new Set();
    for (let n = 0; n < 30; n++) {
        scrub.value = steps[n % steps.length];
        scrub.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(done => setTimeout(done, 50));
        seen.add(input.value);
    }
    return [...seen]; }"""


def view(app, name):
    app.page.get_by_role("radio", name=name, exact=True).click()
    app.settle()


def test_every_view_of_families_is_accessible_and_tie_breaks_part_where_the_page_says(compare):
    page = compare.page
    lanes = page.locator(".tv-lane")
    assert lanes.evaluate_all("all => all.map(e => e.ariaLabel)") == [
        "BPE",
        "WordPiece",
        "Unigram",
    ]
    inputs = page.locator(".vega-bind input[name=tokviz_step]")
    expect(inputs).to_have_count(3)
    compare.go(35)
    expect(inputs.nth(2)).to_have_value("35")
    assert inputs.evaluate_all("all => all.map(e => e.value)") == ["35"] * 3
    # At once where people see them, so that what nobody sees slows no drag down.
    assert page.evaluate(DRAGGED, 6) == ["35"] * 3
    assert page.evaluate(DRAGGED_ON, [3, 6]) == ["35"]
    page.locator(".stVegaLiteChart svg").last.scroll_into_view_if_needed()
    page.evaluate(DRAGGED, 5)
    expect(inputs.nth(2)).to_have_value("25")
    assert page.evaluate(DRAGGED, 4) == ["20"] * 3
    page.locator(".stMain").evaluate("e => e.scrollTo(0, 0)")

    page.locator(".tv-corpus .chip").first.click()
    compare.click("First difference")
    found, bar = (
        page.locator(".tv-found").bounding_box(),
        page.locator(".tv-transport").bounding_box(),
    )
    assert found["y"] + found["height"] <= bar["y"], "what is said of it does not cover the bar"
    compare.accessible()
    compare.click("Keys")
    compare.accessible(".tv-help")
    # A theme draws all charts anew: once for the page and what lies on it.
    compare.theme("dark")
    compare.accessible(".tv-help", **COLOURS)
    page.keyboard.press("Escape")
    compare.accessible(**COLOURS)
    compare.theme("light")
    view(compare, "Metrics")
    compare.accessible(".st-key-lenses")
    view(compare, "Held-out text")
    compare.fill("textbox", "Held-out text", "This zebra")
    expect(page.get_by_role("region", name="Held-out text")).to_contain_text("0.00 %")
    compare.accessible(".st-key-lenses")
    for tab in ("Grid", "Languages"):
        view(compare, tab)
        page.locator(".stVegaLiteChart svg").first.wait_for()
        compare.accessible()
    view(compare, "Side by side")
    view(compare, "Where they part")

    compare.pick("Compare", "Four tie-breaks")
    expect(lanes).to_have_count(4)
    assert page.locator("[data-steps]").get_attribute("data-align") == "share"
    assert compare.step == compare.steps == 20
    expect(page.locator(".tv-parting h3")).to_have_text("They first part at 25 % of training")
    expect(page.locator(".tv-why")).to_contain_text(
        "A tie. After 4 merges that both made, 2 pairs are counted 4 times."
    )
    for width, height in ((390, 844), (1920, 1080), (1366, 768)):
        compare.resize(width, height)
        compare.charts()
        compare.fits("html", ".stMain", ".tv-corpus", ".tv-candidates", ".tv-parting")
        # The bar lies on no text of a lane: what the page has above them is the panels' loss.
        assert width == 390 or page.evaluate(UNDER_BAR) <= 1
    compare.pick("Pair of lanes", "BPE · first-seen ↔ smallest-ids")
    expect(page.locator(".tv-parting h3")).to_have_text("They first part at 10 % of training")
    compare.click("Go there")
    compare.opened()
    assert compare.step == 2
    first, last = (
        tokviz.train(COURSE, "bpe", 50, unit="byte", tie_break=rule)
        for rule in ("first-seen", "smallest-ids")
    )
    words = first.words.words
    for t in (2, 12):
        compare.go(5 * t)
        compare.wait_settled()
        n = sum(first.segmentation(word, t) != last.segmentation(word, t) for word in words)
        said = f"At {5 * t} % of training they cut {n} different words differently"
        expect(page.get_by_text(said)).to_be_visible()
    address = urlparse(page.url)
    query = parse_qs(address.query)
    assert (address.path, len(query["lane"]), query["step"]) == ("/compare", 4, ["12"])

    # Four algorithms, the last with a long name: the button of each lane's settings has it whole.
    kinds = ("bpe", "wordpiece", "unigram", "sentencepiece-unigram")
    query["lane"] = [to_link(Run(Corpus("Four", COURSE), kind, 60, "metaspace")) for kind in kinds]
    compare.go_on(urlencode(query, doseq=True))
    expect(lanes).to_have_count(4)
    assert compare.step == 12
    names = page.locator(".st-key-strip_lanes button > div p")
    expect(names.last).to_have_text("SentencePiece Unigram")
    assert names.evaluate_all(CUT) == []

    # Nor does the bar where a sentence stands below the text, or what lanes say has more lines.
    turns = Corpus("Turns", "=== a ===\nlow lower lowest\n=== b ===\nnew newer", "languages")
    for corpus, size, kinds in (
        (turns, 14, ("bpe", "parity-bpe", "unigram")),
        (Corpus("Course", COURSE), 40, ["boundless-bpe"] * 3),
    ):
        runs = [Run(corpus, kind, size, TRAINERS[kind].default_pretokenizer) for kind in kinds]
        query |= {"lane": [to_link(run) for run in runs], "step": ["1"]}
        compare.go_on(urlencode(query, doseq=True))
        expect(lanes).to_have_count(3)
        expect(lanes.last).to_contain_text(TRAINERS[kinds[-1]].label)
        compare.wait_settled()
        assert page.evaluate(UNDER_BAR) <= 1, kinds
