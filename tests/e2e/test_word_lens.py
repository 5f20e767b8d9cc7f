"""Looking into a word on the Train page: its tree, its lattice, what is asked of them."""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

from app_page import App
from player_page import course
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import Corpus, Run, run_of_sample

PUG = run_of_sample(tokviz.SAMPLES["hug-pug"])
SCRIPTS = Run(
    Corpus("Scripts", "👩‍🚀👩‍🚀 👩‍🚀 日本語 日本 مرحبا مرحبا कमल कमल"),
    *("bpe", 40, "whitespace", (), (("unit", "char"),)),
)
PARTED = Run(
    Corpus("Parted", "xbc,5\nabd,3\nabc,1", "counts"),
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
        self.root.locator("svg.tree, svg.arcs").first.wait_for()
        self.app.settle()
        return self

    def go_on(self, *runs, step):
        """To other runs."""
        self.app.go_on(f"{query_of(*runs, step=step)}&lens=word")
        self.root.locator("svg.tree, svg.arcs").first.wait_for()

    def type(self, word):
        self.root.get_by_role("textbox", name="Word").fill(word)

    def title(self, word):
        expect(self.root.locator("h2")).to_have_text(f"“{word}”")

    def walks(self):
        """Goes through the lattice of pug as Viterbi's algorithm does."""
        here, arrivals = self.root.locator(".label.here"), self.side.locator("table").first
        rows = arrivals.locator("tbody tr")
        places = self.root.get_by_text("Viterbi, place")
        self.app.press("g")
        expect(here).to_have_text("0.000")
        expect(self.said).to_contain_text("From left to right")
        for text, best, ways in [
            ("p", "−2.514", ["p0.000−2.514−2.514"]),
            ("pu", "−2.514", ["pu0.000−2.514−2.514", "u−2.514−1.764−4.278"]),
            ("pug", "−4.865", ["ug−2.514−2.351−4.865", "g−2.514−2.351−4.865"]),
        ]:
            self.app.press("g")
            expect(places).to_have_text(f"Viterbi, place {len(text)} of 3")
            expect(self.side.locator("h3").first).to_have_text(f"Ways to “{text}”")
            expect(rows).to_have_text(ways)
            expect(here).to_have_text(best)
            expect(arrivals.locator("tr.tied b")).to_have_text(best)
            expect(self.root.locator(".edge.candidate")).to_have_count(len(ways))
        self.tokens("p", "ug")
        # At the end the path is found: all of it is bold, and beside it stand the most probable.
        expect(self.root.locator(".edge.best .face")).to_have_text(["p", "ug"])
        expect(self.side.locator("h3").last).to_have_text("Most probable segmentations")
        expect(self.side.locator("table").last.locator("tbody tr")).to_have_count(3)
        self.app.accessible(".st-key-lenses")
        self.root.get_by_role("button", name="One place back through the lattice").click()
        expect(here).to_have_text("−2.514")
        self.app.press("g", "g")
        # Behind the end is the whole lattice again.
        expect(here).to_have_count(0)
        expect(self.said).to_contain_text("3 segmentations; the best: ")

    def state(self, t):
        expect(self.root).to_have_attribute("data-state", str(t))

    def tokens(self, *tokens):
        """Waits until the word is cut like this."""
        expect(self.said.locator(".tv-word").first.locator(".chip")).to_have_text(list(tokens))

    def arc(self, piece):
        return self.root.locator(".edge").filter(
            has=self.page.locator(".face", has_text=re.compile(f"^{piece}$"))
        )

    def saves_pictures(self, name, label):
        """A picture in every kind of file, with this text in it."""
        for kind in ("SVG", "PDF", "PNG"):
            with self.page.expect_download() as saving:
                self.root.get_by_role("button", name=f"Save the picture as {kind}").click()
            data = Path(saving.value.path()).read_bytes()
            assert saving.value.suggested_filename == f"{name}.{kind.lower()}"
            if kind == "PNG":
                assert data.startswith(b"\x89PNG")
                assert len(data) > 4000
            elif kind == "PDF":
                assert data.startswith(b"%PDF")
            else:
                picture = ElementTree.fromstring(data)
                texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
                assert label in texts
                values = [value for e in picture.iter() for value in e.attrib.values()]
                assert all("var(" not in value for value in values)


def query_of(*runs, step):
    return urlencode({"lane": [*map(to_link, runs)], "v": 2, "step": step}, doseq=True)


def opened(page, server, *runs, step):
    return Lens(App(page, f"{server}/?{query_of(*runs, step=step)}")).open()


def test_a_word_is_looked_into_as_a_tree(app):
    page, history = app.page, course()
    page.locator('.tv-corpus .tv-word:has(.chip[data-token="ou"]) .chip').first.click()
    app.button("Look into this word").click()
    lens = Lens(app)
    lens.title("␣Course")
    expect(lens.root).to_be_in_viewport()
    expect(lens.root.get_by_role("textbox", name="Word")).to_be_focused()
    page.locator('.tv-corpus .tv-word:has-text("Hugging") .chip').first.click()
    lens.title("␣Hugging")
    page.keyboard.press("Escape")
    lens.type("tokenization")
    lens.title("␣tokenization")
    for t in (13, 20, 0, 5, 12):
        app.go(t)
        lens.state(t)
        lens.tokens(*history.segmentation(" tokenization", t))
        expect(lens.now).to_have_count(len(history.segmentation(" tokenization", t)))
    new = lens.root.locator(".node.new")
    expect(new).to_have_attribute("aria-label", "Ġtoken, made by step 12, count 3")
    lens.root.get_by_role("button", name="Next step of the training").click()
    lens.state(13)
    assert app.step == 13
    # A node tells what it won against.
    lens.root.get_by_role("button", name="Ġto, made by step 5", exact=False).press("Enter")
    expect(lens.side).to_contain_text("step 5")
    expect(lens.side).to_contain_text(f"tied with {history.steps[4].tied - 1} other")
    expect(lens.side.locator("tbody tr")).not_to_have_count(0)
    lens.side.get_by_role("button", name="Go to merge 5").click()
    lens.state(5)
    expect(new).to_contain_text("Ġto")
    lens.saves_pictures("tokviz-tokenization-merge-5", "step 5 · 4×")
    lens.root.get_by_text("The picture as text").click()
    app.accessible(".st-key-lenses")
    # Any word can be typed.
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
    # A presentation keeps the word.
    size = "e => e.getBoundingClientRect().height"
    tree = lens.root.locator("svg.tree")
    app.button("Present").click()
    expect(lens.root).to_be_hidden()
    app.press("o")
    lens.type("tokenization")
    expect(tree).to_have_attribute("aria-label", re.compile("tokenization"))
    room = lens.root.locator(".tv-picture").evaluate(size)
    assert 0.5 * room < tree.evaluate(size) <= room + 1


def test_a_word_is_looked_into_as_a_lattice(page, server):
    lens = opened(page, server, PUG, step=0)
    # Only who asked the player for it goes on in the lens.
    expect(lens.root.get_by_role("textbox", name="Word")).not_to_be_focused()
    lens.title("pug")
    expect(lens.said).to_contain_text("3 segmentations; the best: ")
    expect(lens.said).to_contain_text("1 other is exactly as probable")
    expect(lens.side.locator("tr.tied")).to_have_count(2)
    expect(lens.side.locator("tr.tied small")).to_have_text(
        ["−2.514 − 2.351", "P = 17 × 20 / 210²"] * 2
    )
    expect(lens.side.locator("tr.tied b")).to_have_text(["= −4.865"] * 2)
    expect(lens.root.locator(".edge.best")).to_have_count(2)
    names = lens.root.locator(".edge").evaluate_all("es => es.map(e => e.ariaLabel).sort()")
    corpus = tokviz.SAMPLES["hug-pug"].corpus
    lattice = tokviz.train(corpus, "unigram", 13, "whitespace", whole_words=False).lattice("pug", 0)
    for edge, share in zip(lattice.edges, lattice.posteriors(), strict=True):
        said = f"{edge.token}, log-probability {edge.log_prob:.2f}".replace("-0", "−0")
        said = said.replace("log−", "log-").replace(" -", " −")
        assert any(name.startswith(f"{said}, posterior {100 * share:.1f} %") for name in names)
    lens.root.get_by_text("The picture as text").click()
    items = lens.root.locator(".tv-astext li")
    expect(items).to_have_count(5)
    expect(items.first).to_have_text(
        "p, characters [0, 1): log-probability −2.513894, posterior 53.9 %, on the best path"
    )
    lens.app.theme("dark")
    lens.app.accessible(".st-key-lenses")
    lens.walks()
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
    lens.type("pug")
    lens.title("pug")
    lens.saves_pictures("tokviz-pug-round-2", "pu")
    # A tree stands beside it where another lane merges, in the same step of the scrubber.
    lens.go_on(PUG, replace(PUG, algorithm="bpe", vocab_size=10, settings=()), step=1)
    lens.type("hugs")
    titles = lens.root.locator("h2")
    expect(titles).to_have_text(["Unigram: “hugs”", "BPE: “hugs”"])
    pictures = [lens.root.locator(f"svg.{kind}").bounding_box() for kind in ("arcs", "tree")]
    assert pictures[0]["x"] + pictures[0]["width"] < pictures[1]["x"]
    made = lens.root.get_by_role("button", name=re.compile("^ug, made by step 1"))
    # Whoever reads in a picture goes on there when another step has come.
    made.focus()
    page.keyboard.press("ArrowRight")
    lens.state(2)
    lens.app.settle()
    expect(made).to_be_focused()
    lens.app.accessible(".st-key-lenses")
    lens.app.resize(390, 844)
    lens.app.fits()
    above, below = (lens.root.locator(f"svg.{kind}").bounding_box() for kind in ("arcs", "tree"))
    assert above["y"] + above["height"] < below["y"]


#: Whether the place that Viterbi's algorithm has reached is in the picture and on the screen, with
#: its sum; by how much the picture is wider than its room; whether what is said beside it has room.
REACHED = """() => {
    const [picture, side] = ['.tv-picture', '.tv-side'].map(css => document.querySelector(css));
    const room = picture.getBoundingClientRect();
    const isSeen = element => {
        const box = element.getBoundingClientRect();
        return box.left >= room.left - 1 && box.right <= room.right + 1 && box.top >= room.top - 1
            && box.bottom <= room.bottom + 1 && box.top >= 0 && box.bottom <= innerHeight;
    };
    const place = [...picture.querySelectorAll('circle.reached')].at(-1);
    return [[place, picture.querySelector('.label.here')].every(isSeen),
        picture.scrollWidth - picture.clientWidth, side.scrollWidth <= side.clientWidth];
}"""
#: Whether it stands there, and is seen.
STANDS = f"""place => ({REACHED})()[0] && (!place
    || document.querySelector('.tv-walk').textContent.includes(`place ${{place}} of`))"""


def test_the_lattice_of_a_long_word_scrolls_with_viterbi(page, server):
    word = "Donaudampfschifffahrtsgesellschaftskapitän"
    text = f"{word} Donau Dampf Schiff Fahrt Gesellschaft Kapitän Schifffahrt Dampfschiff"
    run = Run(Corpus("Long", text), "unigram", 60, "metaspace")
    query = urlencode({"lane": to_link(run), "v": 2, "step": 1, "lens": "word", "word": word})
    app = App(page, f"{server}/?{query}")
    picture = page.locator("svg.arcs")
    for width, height, presents in ((390, 844, False), (1366, 768, True)):
        app.resize(width, height)
        if presents:
            app.press("p", "o")
        picture.wait_for()
        app.settle()
        picture.evaluate("e => e.scrollIntoView({ block: 'center' })")
        places = len(word) + 2
        found = app.at_each_press("g", places, STANDS, REACHED)
        for place, ((seen, wider, fits),) in enumerate(found):
            assert (seen, fits, wider > 200) == (True, True, True), (width, place)
        expect(page.get_by_text(f"Viterbi, place {places - 1} of {places - 1}")).to_be_visible()
        # Behind the end is the whole lattice again.
        page.keyboard.press("g")


def test_training_and_encoding_part_scripts_are_whole_and_what_is_taken_back_is_no_merge(
    page, server
):
    lens = opened(page, server, PARTED, step=3)
    lens.type("abc")
    lens.title("abc")
    expect(lens.said).to_contain_text("They part at character 2.")
    expect(lens.said.locator(".chip")).to_have_text(["a", "##bc", "ab", "##c"])
    expect(lens.root.locator(".parts")).to_have_count(1)
    lens.root.get_by_text("The picture as text").click()
    lens.app.theme("dark")
    lens.app.accessible(".st-key-lenses")
    lens.app.go(1)
    expect(lens.said).to_contain_text("the same")
    expect(lens.root.locator(".parts")).to_have_count(0)
    lens.app.theme("light")
    lens.go_on(SCRIPTS, step=99)
    for word in ("👩‍🚀👩‍🚀", "日本語", "कमल", "مرحبا"):
        lens.type(word)
        lens.title(word)
        expect(lens.now).to_have_count(1)
        expect(lens.now.locator(".face")).to_have_text(word)
    leaves = lens.root.locator(".node.leaf .face")
    places = leaves.evaluate_all(
        "es => es.map(e => [e.getBoundingClientRect().x, e.textContent])"
        ".sort((a, b) => b[0] - a[0]).map(p => p[1]).join('')"
    )
    assert places == "مرحبا", "read from right to left"
    # A step that takes a token back is no merge.
    picky = replace(run_of_sample(tokviz.SAMPLES["course"]), algorithm="picky-bpe")
    lens.go_on(replace(picky, settings=(("threshold", 0.7),)), step=20)
    history = tokviz.train(picky.corpus.text, "picky-bpe", 50, "gpt2", threshold=0.7)
    [step, *_] = [s for s in history.steps if s.action == "merge" and s.token == "Ġto"]
    lens.type("tokenization")
    lens.title("␣tokenization")
    said = {
        "English": ("after 20 steps: ", f"Go to step {step.step}"),
        "简体中文": ("在 20 步之后的合并树：", f"转到第 {step.step} 步"),
    }
    for language, (about, button) in said.items():
        page.locator(".st-key-languages").get_by_text(language, exact=True).click()
        lens.app.settle()
        expect(page.locator("svg.tree")).to_have_attribute("aria-label", re.compile(about))
        page.locator("svg.tree .node", has_text=re.compile("^Ġto$")).press("Enter")
        expect(page.get_by_role("button", name=button)).to_be_visible()
