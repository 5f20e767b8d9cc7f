"""Looking into a word on the Train page: its tree, its lattice, what is asked of them."""

import os
import re
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from app_page import App
from playwright.sync_api import expect
from test_train_page import assert_accessible

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import Corpus, Run, run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
PUG = run_of_sample(tokviz.SAMPLES["hug-pug"])
PARTED = Run(
    Corpus("Parted", "xbc,5\nabd,3\nabc,1", True),
    *("wordpiece", 11, "whitespace", (), (("score", "frequency"),)),
)
SVG = "{http://www.w3.org/2000/svg}"


class Lens:
    """The lens as a person uses it."""

    def __init__(self, app):
        self.app, self.page = app, app.page
        self.root = self.page.get_by_role("group", name="Inside a word")
        self.said = self.root.get_by_role("status")
        self.side = self.root.get_by_role("group", name="About the picture")
        self.now = self.root.locator(".node.now, .node.new")

    def open(self):
        self.page.get_by_role("radio", name="A word", exact=True).click()
        self.root.locator("svg.tree, svg.arcs").wait_for()
        self.app.settle()
        return self

    def type(self, word):
        self.root.get_by_role("textbox", name="Word").fill(word)

    def title(self, word):
        expect(self.root.locator("h2")).to_have_text(f"“{word}”")

    def state(self, t):
        expect(self.root).to_have_attribute("data-state", str(t))

    def tokens(self, *tokens):
        """Waits until the word is cut like this."""
        expect(self.said.locator(".tv-word").first.locator(".chip")).to_have_text(list(tokens))

    def arc(self, piece):
        return self.root.locator(".edge").filter(
            has=self.page.locator(".face", has_text=re.compile(f"^{piece}$"))
        )


def opened(page, server, run, step):
    query = urlencode({"lane": to_link(run), "step": step})
    return Lens(App(page, f"{server}/?{query}")).open()


def test_a_tree_grows_with_the_scrubber(app):
    lens = Lens(app).open()
    lens.title("␣tokenization")
    history = tokviz.train(COURSE.corpus.text, "bpe", 50, "gpt2", unit="byte")
    for t in (13, 20, 0, 5, 12):
        app.go(t)
        lens.state(t)
        lens.tokens(*history.segmentation(" tokenization", t))
        expect(lens.now).to_have_count(len(history.segmentation(" tokenization", t)))
    expect(lens.root.locator(".node.new")).to_have_attribute(
        "aria-label", "Ġtoken, made by step 12, count 3"
    )
    lens.root.get_by_role("button", name="Next step of the training").click()
    lens.state(13)
    assert app.step == 13


def test_a_node_tells_what_it_won_against(app):
    lens = Lens(app).open()
    lens.root.get_by_role("button", name="Ġto, made by step 5", exact=False).press("Enter")
    expect(lens.side).to_contain_text("step 5")
    step = tokviz.train(COURSE.corpus.text, "bpe", 50, "gpt2", unit="byte").steps[4]
    expect(lens.side).to_contain_text(f"tied with {step.tied - 1} other")
    expect(lens.side.locator("tbody tr")).not_to_have_count(0)
    lens.side.get_by_role("button", name="Go to merge 5").click()
    lens.state(5)
    expect(lens.root.locator(".node.new")).to_contain_text("Ġto")


def test_a_clicked_word_is_looked_into(app):
    app.page.locator('.tv-corpus .tv-word:has(.chip[data-token="ou"]) .chip').first.click()
    app.page.get_by_role("button", name="Look into this word").click()
    lens = Lens(app)
    lens.title("␣Course")
    expect(lens.root).to_be_in_viewport()
    app.page.locator('.tv-corpus .tv-word:has-text("Hugging") .chip').first.click()
    lens.title("␣Hugging")


def test_any_word_can_be_typed(app):
    lens = Lens(app).open()
    lens.type("tokens")
    lens.title("␣tokens")
    lens.root.get_by_role("button", name="tokens 0×", exact=True).click()
    lens.title("tokens")
    expect(lens.root).to_contain_text("not in the corpus: cut as a new word")
    lens.type("<img src=x onerror=alert(1)>")
    lens.title("<")
    lens.type("x" * 61)
    expect(lens.root).to_contain_text("This word has 61 characters; words of up to 60 are drawn.")
    lens.type("naïve")
    lens.title("naïve")
    expect(lens.root.locator(".box.unknown")).to_have_count(2)


def test_the_lattice_of_pug_has_an_exact_tie(page, server):
    lens = opened(page, server, PUG, 0)
    lens.title("pug")
    expect(lens.said).to_contain_text("3 segmentations; the best: ")
    expect(lens.said).to_contain_text("1 other is exactly as probable")
    expect(lens.side.locator("tr.tied")).to_have_count(2)
    expect(lens.side.locator("tr.tied small")).to_have_text(["17 × 20 / 210²"] * 2)
    expect(lens.root.locator(".edge.best")).to_have_count(2)
    names = lens.root.locator(".edge").evaluate_all("es => es.map(e => e.ariaLabel).sort()")
    history = tokviz.train(
        tokviz.SAMPLES["hug-pug"].corpus, "unigram", 13, "whitespace", whole_words=False
    )
    lattice = history.lattice("pug", 0)
    for edge, share in zip(lattice.edges, lattice.posteriors(), strict=True):
        said = f"{edge.token}, log-probability {edge.log_prob:.2f}".replace("-0", "−0")
        said = said.replace("log−", "log-").replace(" -", " −")
        assert any(name.startswith(f"{said}, posterior {100 * share:.1f} %") for name in names)


def test_a_piece_can_be_removed_and_put_back(page, server):
    lens = opened(page, server, PUG, 0)
    lens.type("hug")
    lens.title("hug")
    lens.arc("hug").press("Enter")
    expect(lens.side).to_contain_text("−2.639057")
    lens.side.get_by_role("button", name="Remove this piece").click()
    expect(lens.said.locator(".tv-word").nth(0).locator(".chip")).to_have_text(["h", "ug"])
    expect(lens.said).to_contain_text("a loss of 4.9904 instead of 2.6391 (+2.3514) for the word")
    expect(lens.said).to_contain_text("10 times that, +23.5138, for the corpus")
    expect(lens.arc("hug")).to_have_class(re.compile("gone"))
    lens.said.get_by_role("button", name="Put it back").click()
    lens.tokens("hug")
    lens.app.go(2)
    lens.state(2)
    expect(lens.said).to_contain_text("segmentation")


def test_wordpiece_shows_where_training_and_encoding_part(page, server):
    lens = opened(page, server, PARTED, 3)
    lens.type("abc")
    lens.title("abc")
    expect(lens.said).to_contain_text("They part at character 2.")
    expect(lens.said.locator(".chip")).to_have_text(["a", "##bc", "ab", "##c"])
    expect(lens.root.locator(".parts")).to_have_count(1)
    lens.app.go(1)
    expect(lens.said).to_contain_text("the same")
    expect(lens.root.locator(".parts")).to_have_count(0)


@pytest.mark.parametrize("run", [COURSE, PUG], ids=["tree", "lattice"])
def test_a_picture_is_saved_in_every_kind(page, server, run):
    lens = opened(page, server, run, 2)
    for kind in ("SVG", "PDF", "PNG"):
        with page.expect_download() as saving:
            lens.root.get_by_role("button", name=f"Save the picture as {kind}").click()
        data = Path(saving.value.path()).read_bytes()
        noun = "merge" if run is COURSE else "round"
        word = "tokenization" if run is COURSE else "pug"
        assert saving.value.suggested_filename == f"tokviz-{word}-{noun}-2.{kind.lower()}"
        if kind == "PNG":
            assert data.startswith(b"\x89PNG")
            assert len(data) > 4000
            continue
        if kind == "PDF":
            assert data.startswith(b"%PDF")
            continue
        picture = ElementTree.fromstring(data)
        texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
        assert ("Ġt" if run is COURSE else "pu") in texts
        assert all("var(" not in value for e in picture.iter() for value in e.attrib.values())


def test_the_picture_is_also_text(page, server):
    lens = opened(page, server, PUG, 0)
    lens.root.get_by_text("The picture as text").click()
    items = lens.root.locator(".tv-astext li")
    expect(items).to_have_count(5)
    expect(items.first).to_have_text(
        "p, characters [0, 1): log-probability −2.513894, posterior 53.9 %, on the best path"
    )


def test_scripts_are_drawn_whole(page, server):
    text = "👩‍🚀👩‍🚀 👩‍🚀 日本語 日本 مرحبا مرحبا कमल कमल"
    run = Run(Corpus("Scripts", text), "bpe", 40, "whitespace", (), (("unit", "char"),))
    lens = opened(page, server, run, 99)
    for word in ("👩‍🚀👩‍🚀", "日本語", "مرحبا", "कमल"):
        lens.type(word)
        lens.title(word)
        expect(lens.now).to_have_count(1)
        expect(lens.now.locator(".face")).to_have_text(word)
    lens.type("مرحبا")
    lens.title("مرحبا")
    leaves = lens.root.locator(".node:not(:has(.label)) .face")
    places = leaves.evaluate_all(
        "es => es.map(e => [e.getBoundingClientRect().x, e.textContent])"
        ".sort((a, b) => b[0] - a[0]).map(p => p[1]).join('')"
    )
    assert places == "مرحبا", "read from right to left"


@pytest.mark.parametrize(
    ("run", "scheme"),
    [(COURSE, "light"), (PUG, "dark"), (PARTED, "dark")],
    ids=["tree", "lattice", "parted"],
)
def test_no_accessibility_violation(page, server, run, scheme):
    page.emulate_media(color_scheme=scheme)
    lens = opened(page, server, run, 2)
    lens.app.settle()
    lens.root.get_by_text("The picture as text").click()
    assert_accessible(lens.app)


def test_a_presentation_keeps_the_word(app):
    lens = Lens(app).open()
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    title = lens.root.locator("h2")
    before = title.evaluate(size)
    app.page.get_by_role("button", name="Present").click()
    expect(lens.root).to_be_visible()
    assert title.evaluate(size) > 1.2 * before
    expect(lens.root.locator("svg.tree")).to_be_visible()


@pytest.mark.skipif(
    "TOKVIZ_TEXTS" not in os.environ, reason="needs pg16457.txt in the folder TOKVIZ_TEXTS"
)
def test_a_word_of_a_novel_is_cut_as_published(app):
    """After 100 merges `mountains` is m ou n ta in s</w>, as in the article; after 1,000 mountain
    and s</w>."""
    app.open_form()
    app.upload(Path(os.environ["TOKVIZ_TEXTS"]) / "pg16457.txt", r"It has \d{3},\d{3} words")
    app.pick("Pre-tokenizer", "Whitespace")
    app.pick("Unit", "char")
    app.page.get_by_text("More settings").click()
    app.fill("textbox", "End-of-word suffix", "</w>")
    app.fill("spinbutton", "Vocabulary size", "1100")
    app.press_train()
    app.go(100)
    lens = Lens(app).open()
    lens.type("mountains")
    lens.title("mountains")
    lens.tokens("m", "ou", "n", "ta", "in", "s</w>")
    app.go(1000)
    lens.tokens("mountain", "s</w>")
    app.page.get_by_role("link", name="Encode").click()
    app.page.locator(".tv-columns[data-characters]").wait_for()
    app.settle()
    app.page.get_by_role("textbox", name="Text").fill("mountains")
    app.page.locator(".tv-columns[data-characters='9']").wait_for()
    app.settle()
    app.page.get_by_role("spinbutton", name="Step to add").fill("100")
    app.page.get_by_role("button", name="Add", exact=True).click()
    tokens = app.page.get_by_role("region", name="After 100 merges").locator(".tv-tokens .chip")
    expect(tokens).to_have_text(["m", "ou", "n", "ta", "in", "s</w>"])
