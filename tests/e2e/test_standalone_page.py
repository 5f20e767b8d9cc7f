"""The page without a server, from a file and with no network: what a person does with it."""

import re

import pytest
from app_page import as_said
from axe_playwright_python.sync_playwright import Axe
from helpers import PATIENCE
from playwright.sync_api import expect

import tokviz
from tokviz.player.site import write_site
from tokviz.player.web_page import MOST_WORDS, web_page

COURSE = tokviz.SAMPLES["course"].corpus
HOSTILE = '</script><img src=x onerror="alert(1)"> שלום\u202e\u0000 &amp; <b>b</b>'


class Paper:
    """A page from a file; everything that it asks for and complains of is noted."""

    def __init__(self, context):
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.asked, self.said = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))

    def open(self, path, hash=""):
        self.page.goto(f"file://{path}{hash}")
        self.page.locator(".tv-corpus .chip").first.wait_for()

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def go(self, step):
        self.page.evaluate("step => { location.hash = `step=${step}`; }", step)
        self.wait(step)

    def wait(self, step):
        expect(self.page.locator("[data-steps]")).to_have_attribute("data-step", str(step))

    @property
    def step(self):
        return int(self.page.locator("[data-steps]").get_attribute("data-step"))

    def violations(self):
        return Axe().run(self.page).response["violations"]


@pytest.fixture(scope="module")
def history():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, history):
    folder = tmp_path_factory.mktemp("pages")
    title = HOSTILE.replace("\0", "")
    web_page([history], position=13, title=title, path=folder / "course.html")
    return folder


@pytest.fixture(scope="module")
def paper(browser, browser_context_args, folder):
    """One page for all tests: none of them may ask for anything, or leave a complaint."""
    context = browser.new_context(**browser_context_args, offline=True)
    paper = Paper(context)

    def only_files(route):
        if route.request.url.startswith(f"file://{folder}"):
            return route.continue_()
        paper.asked.append(route.request.url)
        return route.abort()

    context.route("**/*", only_files)
    paper.open(folder / "course.html")
    yield paper
    context.close()


@pytest.fixture(autouse=True)
def quiet(paper):
    yield
    assert (paper.asked, paper.said) == ([], [])


def test_buttons_and_keys(paper, history):
    assert paper.step == 13
    visited = []
    for name in ("First step", "Next step", "Next step", "Last step", "Previous step"):
        paper.press(name)
        visited.append(paper.step)
        said = paper.page.locator(".tv-say p").first.text_content()
        assert said == as_said(history, paper.step)
    for key in ("Home", "ArrowRight", "PageDown", "t", "ArrowLeft", "PageUp", "End"):
        paper.page.keyboard.press(key)
        visited.append(paper.step)
    assert visited == [0, 1, 2, 20, 19, 0, 1, 2, 4, 3, 2, 20]
    words = [word.text for line in COURSE.split("\n") for word in history.pretokenizer.words(line)]
    shown = paper.page.locator(".tv-corpus .tv-word").evaluate_all(
        "words => words.map(w => [...w.querySelectorAll('.chip')].map(c => c.dataset.token))"
    )
    assert shown == [history.segmentation(word, 20) for word in words]
    paper.page.keyboard.press("?")
    paper.press("Close keys")
    paper.press("Present")
    expect(paper.page.locator(".tv-page-head")).to_be_hidden()
    paper.page.keyboard.press("Escape")
    expect(paper.page.locator(".tv-page-head")).to_be_visible()
    paper.page.keyboard.press("w")
    expect(paper.page.get_by_role("button", name="words")).to_have_attribute("aria-pressed", "true")
    paper.press("text")


def test_playing_moves_and_the_address_keeps_the_step(paper, folder):
    paper.press("First step")
    paper.page.get_by_role("combobox", name="Speed").select_option("60 steps/s")
    paper.press("Play")
    paper.wait(20)
    expect(paper.page).to_have_url(re.compile("#step=20$"))
    paper.page.reload()
    paper.wait(20)
    paper.go(7)
    paper.open(folder / "course.html", "#step=999")
    paper.wait(20)


def test_what_nobody_sees_is_drawn_without_idle_callbacks(browser, browser_context_args, tmp_path):
    """As in Safari, which does not tell when it is idle."""
    text = "\n".join(tokviz.SAMPLES["alice"].documents[:40])
    history = tokviz.train(text, "bpe", 120, "gpt2", unit="byte")
    web_page([history], path=tmp_path / "long.html")
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    assert 2000 < len(words) < MOST_WORDS
    context = browser.new_context(**browser_context_args, offline=True)
    idle = "window.requestIdleCallback", "window.cancelIdleCallback"
    context.add_init_script("; ".join(f"delete {name}" for name in idle))
    paper = Paper(context)
    paper.open(tmp_path / "long.html")
    assert paper.page.evaluate(f"[{', '.join(idle)}]") == [None, None]
    shown = """words => {
        const all = [...document.querySelectorAll('.tv-corpus .tv-word')];
        const names = word => [...word.querySelectorAll('.chip')].map(chip => chip.dataset.token);
        const tokens = all.map(names);
        return JSON.stringify(tokens) === JSON.stringify(words);
    }"""
    for step in (40, len(history)):
        paper.go(step)
        expected = [history.segmentation(word, step) for word in words]
        paper.page.wait_for_function(shown, arg=expected)
    assert paper.said == []
    context.close()


def test_the_curves_follow_and_lead(paper, history):
    paper.go(7)
    curve = history.curve()
    figures = paper.page.locator(".tv-curve")
    titles = ["Corpus tokens", "Count of the next pair", "Characters per token"]
    expect(figures.locator("figcaption")).to_have_text(titles)
    here = figures.locator(".tv-here")
    expect(here.nth(0)).to_have_text(str(curve["corpus_tokens"][7]))
    expect(here.nth(1)).to_have_text(str(int(curve["score"][7])))
    box = figures.nth(0).locator(".tv-line").bounding_box()
    mouse, middle = paper.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] * 0.25, middle)
    mouse.down()
    assert paper.step == 5
    mouse.move(box["x"] + box["width"] * 0.75, middle)
    mouse.up()
    paper.wait(15)
    cursor = figures.nth(2).locator(".tv-cursor line").bounding_box()
    line = figures.nth(2).locator(".tv-line").bounding_box()
    assert (cursor["x"] - line["x"]) / line["width"] == pytest.approx(0.75, abs=0.02)
    # The last state chooses nothing: no dot, no number.
    paper.press("Last step")
    expect(here.nth(1)).to_be_empty()
    expect(figures.nth(1).locator("circle")).to_have_attribute("visibility", "hidden")


def test_what_needs_python_is_not_there(paper):
    paper.go(13)
    paper.page.locator(".tv-corpus .chip").first.click()
    card = paper.page.locator(".tv-card")
    expect(card).to_contain_text("code points")
    expect(card.get_by_role("button")).to_have_count(1)
    expect(paper.page.locator(".tv-if")).to_have_count(0)
    paper.press("Close")


def test_a_hostile_title_is_text(paper):
    title = HOSTILE.replace("\0", "").replace("\u202e", "⟨U+202E⟩")
    expect(paper.page.locator("h1")).to_have_text(title)
    # The browser closes up no white space here.
    assert paper.page.title() == f"{title} · tokviz"
    assert paper.page.locator("img").count() == 0


def test_both_themes_pass_axe(paper):
    paper.go(13)
    dark = []
    for name in ("Dark theme", "Light theme"):
        assert paper.violations() == []
        paper.press(name)
        dark.append(
            paper.page.evaluate("getComputedStyle(document.body).backgroundColor")
            == "rgb(20, 22, 26)"
        )
    assert dark == [True, False]


def test_a_phone_scrolls_down_only(paper):
    paper.page.set_viewport_size({"width": 390, "height": 844})
    width = "[document.documentElement.scrollWidth, innerWidth]"
    assert paper.page.evaluate(width) == [390, 390]
    box = paper.page.locator(".tv-curve svg").first.bounding_box()
    assert box["width"] <= 390
    paper.page.set_viewport_size({"width": 1366, "height": 768})


def test_lanes_in_a_frame_that_may_do_nothing_else(paper, folder):
    """As a notebook shows it; with a corpus that would like to be markup."""
    text = f"{HOSTILE}\n{HOSTILE} aa bb aa"
    runs = [tokviz.train(text, kind, 70) for kind in ("bpe", "unigram")]
    frame = tokviz.compare(runs, text)._repr_html_()
    (folder / "notebook.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>x</title>{frame}', encoding="utf-8"
    )
    paper.page.goto(f"file://{folder}/notebook.html")
    inside = paper.page.frame_locator("iframe")
    inside.locator(".tv-corpus .chip").first.wait_for()
    steps = inside.locator("[data-steps]")
    inside.get_by_role("button", name="Last step").click()
    expect(steps).to_have_attribute("data-step", steps.get_attribute("data-steps"))
    inside.get_by_role("combobox", name="Align lanes").select_option("by share of training")
    expect(inside.locator("figcaption").first).to_have_text(
        "Corpus tokens by share of training, in percent"
    )
    expect(inside.locator(".tv-curve").first.locator(".tv-line")).to_have_count(2)
    # A frame may not fill the screen: there is no button that could not.
    expect(inside.get_by_role("button", name="Full screen")).to_have_count(0)
    inside.get_by_role("button", name="First step").press("f")
    inside.get_by_role("button", name="First step").click()
    for lane, run in enumerate(runs):
        tokens = inside.locator(f".tv-lane[data-lane='{lane}'] .tv-corpus .chip")
        shown = tokens.evaluate_all("chips => chips.map(chip => chip.dataset.token)")
        words = [w.text for line in text.split("\n") for w in run.pretokenizer.words(line)]
        assert shown == [token for word in words for token in run.segmentation(word, 0)]
    assert inside.locator("img, b:not(.tv-figures b)").count() == 0
    # The player has come to rest: it says the step aloud when it would write its address.
    expect(inside.locator(".tv-player > [role=status]")).to_contain_text("Before training")
    paper.open(folder / "course.html")


def test_the_gallery_passes_axe(paper, folder, monkeypatch):
    monkeypatch.setattr(tokviz.player.site, "SIDE_BY_SIDE", tokviz.player.site.SIDE_BY_SIDE[:1])
    write_site(folder)
    for scheme in ("light", "dark"):
        paper.page.emulate_media(color_scheme=scheme)
        paper.page.goto(f"file://{folder}/index.html")
        assert paper.violations() == []
    paper.page.set_viewport_size({"width": 390, "height": 844})
    assert paper.page.evaluate("document.documentElement.scrollWidth") == 390
    paper.page.get_by_role("link", name="The three families").click()
    paper.page.locator(".tv-lanes[data-lanes='3'] .chip").first.wait_for()
    assert paper.page.evaluate("document.documentElement.scrollWidth") == 390
    assert paper.violations() == []
