"""The page without a server, from a file and with no network: what a person does with it."""

import re

import pytest
from app_page import as_said
from player_page import COLOURS, COURSE, PlayerPage, course, trained, words_of
from playwright.sync_api import expect

import tokviz
from tokviz.pages.share.take_files import FRAME
from tokviz.player.site import write_site
from tokviz.player.web_page import MOST_WORDS, web_page

HOSTILE = '</script><img src=x onerror="alert(1)"> שלום\u202e\u0000 &amp; <b>b</b>'
IDLE = "window.requestIdleCallback", "window.cancelIdleCallback"
DARK = "getComputedStyle(document.body).backgroundColor === 'rgb(20, 22, 26)'"


@pytest.fixture(scope="module")
def desk(browser, browser_context_args):
    """A browser profile without a network."""
    context = browser.new_context(**browser_context_args, offline=True)
    # One tab stays: the next one opens no window.
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def paper(desk, folder_of_pages):
    """A page that may ask for nothing but its own file, and may leave no complaint."""
    asked = []

    def only_files(route):
        if route.request.url.startswith(folder_of_pages.as_uri()):
            return route.continue_()
        asked.append(route.request.url)
        return route.abort()

    page = desk.new_page()
    page.route("**/*", only_files)
    paper = PlayerPage(page, folder_of_pages)
    yield paper
    page.close()
    assert (asked, paper.complaints) == ([], [])


#: Whether chips have the numbers that their run has for what they show.
NUMBERED = """chips => {
    const [run] = document.querySelector('.tv-player').tokvizView.runs;
    return chips.every(c => run.strings[c.dataset.t] === c.dataset.token);
}"""


def test_a_page_is_played_and_read(paper):
    history, page = course(), paper.page
    title = HOSTILE.replace("\0", "")
    paper.open(history, position=13, title=title)
    assert paper.step == 13
    shown = title.replace("\u202e", "⟨U+202E⟩")
    expect(page.locator("h1")).to_have_text(shown)
    # The browser closes up no white space here.
    assert page.title() == f"{shown} · tokviz"
    assert page.locator("img").count() == 0
    # What needs Python is not there.
    page.locator(".tv-corpus .chip").first.click()
    expect(paper.card).to_contain_text("code points")
    expect(paper.card.get_by_role("button")).to_have_count(1)
    expect(page.locator(".tv-if")).to_have_count(0)
    paper.click("Close")
    visited = []
    for name in ("First step", "Next step", "Next step", "Last step", "Previous step"):
        paper.click(name)
        visited.append(paper.step)
        assert paper.narration == as_said(history, paper.step)
    assert visited == [0, 1, 2, 20, 19]
    assert paper.words() == words_of(history, COURSE, 19)
    page.keyboard.press("?")
    paper.click("Close keys")
    paper.click("Present")
    expect(page.locator(".tv-page-head")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".tv-page-head")).to_be_visible()
    page.keyboard.press("w")
    expect(paper.button("words")).to_have_attribute("aria-pressed", "true")
    paper.click("text")
    # The address keeps the step, and leads to another one.
    paper.click("First step")
    paper.select("Speed", "60 steps/s")
    paper.click("Play")
    paper.wait_step(20)
    expect(page).to_have_url(re.compile("#step=20$"))
    page.reload()
    paper.wait_step(20)
    page.evaluate("() => { location.hash = 'step=7'; }")
    paper.wait_step(7)
    # The curves follow and lead.
    paper.click("Curves")
    curve, figures = history.curve(), page.locator(".tv-curve")
    titles = ["Corpus tokens", "Count of the next pair", "Characters per token"]
    expect(figures.locator("figcaption")).to_have_text(titles)
    here = figures.locator(".tv-here")
    expect(here.nth(0)).to_have_text(str(curve["corpus_tokens"][7]))
    expect(here.nth(1)).to_have_text(str(int(curve["score"][7])))
    box = figures.nth(0).locator(".tv-line").bounding_box()
    mouse, middle = page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] * 0.25, middle)
    mouse.down()
    assert paper.step == 5
    mouse.move(box["x"] + box["width"] * 0.75, middle)
    mouse.up()
    paper.wait_step(15)
    cursor = figures.nth(2).locator(".tv-cursor line").bounding_box()
    line = figures.nth(2).locator(".tv-line").bounding_box()
    assert (cursor["x"] - line["x"]) / line["width"] == pytest.approx(0.75, abs=0.02)
    # The last state chooses nothing: no dot, no number.
    paper.click("Last step")
    expect(here.nth(1)).to_be_empty()
    expect(figures.nth(1).locator("circle")).to_have_attribute("visibility", "hidden")
    paper.go(13)
    paper.click("Your own text")
    paper.accessible()
    paper.click("Dark theme")
    assert page.evaluate(DARK)
    paper.accessible(**COLOURS)
    paper.click("Light theme")
    assert not page.evaluate(DARK)
    paper.resize(390, 844)
    paper.fits()

    # A text of one's own is trained as it is typed: the place stays, the choices are followed.
    field = page.get_by_role("textbox", name="Your text")
    expect(field).to_have_value(COURSE)
    field.fill(HOSTILE)
    own = tokviz.train(HOSTILE, "bpe", 50, "gpt2", unit="byte")
    expect(page.locator("[data-steps]")).to_have_attribute("data-steps", str(len(own)))
    assert paper.step == round(13 / 20 * len(own))
    assert paper.narration == as_said(own, paper.step)
    # A key changes nothing but its own line, in the same elements, and in the text of another run.
    field.fill(f"{HOSTILE}\nlow lower lowest")
    expect(page.locator(".tv-corpus p").last).to_contain_text("lowest")
    kept = page.locator(".tv-corpus p").last.locator("[data-kept]")
    page.locator(".tv-corpus p").last.evaluate("p => { p.firstChild.dataset.kept = ''; }")
    field.press("Control+Home")
    page.keyboard.type("ab")
    text = f"ab{HOSTILE}\nlow lower lowest"
    own = tokviz.train(text, "bpe", 50, "gpt2", unit="byte")
    expect(page.locator(".tv-corpus p").first).to_contain_text("ab </")
    expect(kept).to_have_count(1)
    for t, name in ((len(own), "Last step"), (0, "First step")):
        paper.click(name)
        assert paper.words() == words_of(own, text, t)
    assert page.locator(".tv-corpus .chip").evaluate_all(NUMBERED)
    field.fill(HOSTILE)
    exchanged_in_place(paper)
    page.get_by_role("radio", name="WordPiece").check()
    size = page.get_by_role("spinbutton", name="Vocabulary size")
    size.fill("40")
    own = tokviz.train(HOSTILE, "wordpiece", 40)
    expect(page.locator("[data-steps]")).to_have_attribute("data-steps", str(len(own)))
    paper.click("Last step")
    assert paper.words() == words_of(own, HOSTILE, len(own))
    expect(page.get_by_role("slider", name="Vocabulary")).to_have_value("40")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your own text")
    expect(page.locator(".tv-page-foot dl").first).to_be_hidden()
    field.fill(" ")
    # What takes longer is trained in a worker, which the page's policy lets be.
    assert not page.workers
    long = HOSTILE + "low lower lowest " * 3000
    field.fill(long)
    own = tokviz.train(long, "wordpiece", 40)
    expect(page.locator("[data-steps]")).to_have_attribute("data-steps", str(len(own)))
    assert len(page.workers) == 1
    field.fill("ab " * 200_000)
    expect(page.locator(".tv-own-said")).to_have_text(re.compile("up to 500,000 characters"))
    assert paper.steps == len(own), "it stays"
    assert figures.first.locator("svg").bounding_box()["width"] <= 390
    paper.open(history, hash="#step=999")
    paper.wait_step(20)


#: Of each kind of run: the columns of its candidates, and the tabs beside the text.
KINDS = {
    "WordPiece": ("wordpiece", ["Pair", "Score"], ["Candidates", "Scores", "Token"]),
    "Unigram": ("unigram", ["Token", "Count", "Loss delta"], ["Candidates", "Token", "Delta"]),
    "BPE": ("bpe", ["Pair", "Count"], ["Candidates", "Token"]),
}
PARTS = ".tv-transport, .tv-lane, .tv-corpus, .tv-candidates, .tv-pseudo, .tv-stage, .tv-swiped"


def exchanged_in_place(paper):
    """Another algorithm is shown by the same elements, at the same share of the way, and the choice
    keeps the focus; all that differs between algorithms follows."""
    page = paper.page
    page.locator(PARTS).evaluate_all("all => all.forEach(e => { e.dataset.same = ''; })")
    parts = page.locator("[data-same]").count()
    paper.resize(1366, 768)
    paper.click("Candidates")
    paper.click("Last step")
    for label, (algorithm, columns, tabs) in KINDS.items():
        choice = page.get_by_role("radio", name=label)
        choice.check()
        settings = {"unit": "byte"} if algorithm == "bpe" else {}
        own = tokviz.train(HOSTILE, algorithm, 50, **settings)
        expect(page.get_by_role("region", name=label, exact=True)).to_be_visible()
        expect(page.get_by_role("group", name=f"Corpus of {label}")).to_be_visible()
        assert (paper.step, paper.steps) == (len(own), len(own))
        expect(choice).to_be_focused()
        assert page.locator("[data-same]").count() == parts
        assert page.locator(".tv-transport[data-same]").count() == 1
        heads = page.get_by_role("table", name=f"Candidates of {label}").get_by_role("columnheader")
        assert [text.split("\n")[0] for text in heads.all_inner_texts()] == columns
        shown = page.locator(".tv-candidates .tv-tabs button")
        expect(shown).to_have_text([*tabs, "Curves", "Pseudocode"])
        if algorithm == "bpe":
            # It has no vocabulary to show: its words stand there.
            expect(paper.button("words")).to_have_attribute("aria-pressed", "true")
            expect(page.locator(".tv-corpus .tv-counted").first).to_be_visible()
            paper.click("text")
        for t, name in ((0, "First step"), (len(own), "Last step")):
            paper.click(name)
            assert paper.words() == words_of(own, HOSTILE, t)
            assert paper.narration == as_said(own, t)
        expect(page.locator(".tv-pruned")).to_have_count(0)
        if algorithm == "unigram":
            page.locator("[data-view=vocabulary]").and_(page.locator("button")).click()
            expect(page.locator(".tv-pruned .tv-item").first).to_be_visible()
        paper.click("Pseudocode")
        expect(page.locator(".tv-pseudo h3")).to_have_text(f"Pseudocode {label}")
        expect(page.locator(".tv-pseudo .lit")).to_be_visible()
        paper.click("Candidates")
        pictures = page.locator(".tv-stage [data-picture=scores]")
        assert pictures.count() == ("Scores" in tabs)
        stops = page.get_by_role("combobox", name="Stop at").locator("option").all_inner_texts()
        assert ("birth of the selected token" in stops) == ("Delta" not in tabs)
    assert page.locator(".tv-corpus .chip").evaluate_all(NUMBERED)
    # In a panel too low for any row, too.
    paper.click("First step")
    low = page.add_style_tag(
        content=".tv-candidates { min-height: 0 !important; height: 1rem !important; padding: 0 }"
    )
    for label, (algorithm, *_others) in [("WordPiece", KINDS["WordPiece"]), ("BPE", KINDS["BPE"])]:
        page.get_by_role("radio", name=label).check()
        expect(page.get_by_role("region", name=label, exact=True)).to_be_visible()
        settings = {"unit": "byte"} if algorithm == "bpe" else {}
        rows = tokviz.train(HOSTILE, algorithm, 50, **settings).candidates(0, 20)
        expect(page.locator(".tv-candidates tbody tr:not([hidden])")).to_have_count(len(rows))
        assert [row[0] for row in paper.candidates()] == rows[["left", "right"]].values.tolist()
    low.evaluate("e => e.remove()")
    paper.resize(390, 844)
    expect(page.locator(".tv-swiped button")).to_have_text(
        ["Corpus", "Candidates", "Token", "Curves"]
    )


#: The tokens of each word of the text, and what is said of the step.
WORDS = """() => [...document.querySelectorAll('.tv-corpus .tv-word')]
    .map(word => [...word.querySelectorAll('.chip')].map(chip => chip.dataset.token))"""
NARRATION = "() => document.querySelector('.tv-say p').textContent"


def said(sentence):
    """A sentence without the marks that stand for chips."""
    return sentence.replace('"', "")


def test_a_token_is_taken_back(paper):
    """It is seen going, with its numbers, and where it stood it comes apart."""
    history, page = course("picky-bpe", threshold=0.7), paper.page
    paper.open(history)
    # The first one that the text still uses.
    t = next(s.index for s in history.steps if s.action == "remove" and s.left_over)
    step = history.steps[t]
    paper.go(t)
    going = page.locator(".tv-lines .chip.doomed")
    expect(going).to_have_count(step.left_over)
    expect(going.first).to_have_attribute("data-token", step.token)
    expect(going.first).to_have_css("outline-style", "dashed")
    expect(going.first).to_have_css("rotate", "-3deg")
    row = page.locator("tr.chosen")
    expect(row).to_contain_text(f"its share {step.score:.4g}")
    expect(row).to_contain_text("goes")
    assert said(paper.narration) == said(history.narrate(t))
    paper.click("Next step")
    assert said(paper.narration) == said(history.narrate(t + 1))
    assert paper.words() == words_of(history, COURSE, t + 1)
    expect(going).to_have_count(0)
    # Another token may be taken back that no word uses any more.
    t = next(s.index for s in history.steps if s.action == "remove" and not s.left_over)
    paper.go(t)
    expect(going).to_have_count(0)
    alone = page.locator("tr.chosen .pair .chip")
    expect(alone).to_have_attribute("data-token", history.steps[t].token)
    expect(alone).to_have_css("outline-style", "dashed")
    paper.accessible_in_both_themes()
    # Every state, as the engine has it.
    for at, (words, narration) in enumerate(paper.at_each_step(WORDS, NARRATION)):
        assert words == words_of(history, COURSE, at)
        assert said(narration) == said(history.narrate(at))


def test_whole_numbers_beside_a_curve_are_whole(paper):
    history = tokviz.train(tokviz.SAMPLES["course"].corpus * 20, "bpe", 40)
    paper.open(history)
    paper.click("Curves")
    tokens = history.curve()["corpus_tokens"]
    bounds = paper.page.locator(".tv-curve").first.locator("svg text[text-anchor=end]")
    expect(bounds.nth(0)).to_have_text(f"{tokens.min():,}")
    expect(bounds.nth(1)).to_have_text(f"{tokens.max():,}")


def test_what_nobody_sees_is_drawn_without_idle_callbacks(paper):
    """As in Safari, which does not tell when it is idle."""
    text = "\n".join(tokviz.SAMPLES["alice"].documents[:40])
    history = trained(text, "bpe", 120, "gpt2", unit="byte")
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    assert 2000 < len(words) < MOST_WORDS
    paper.page.add_init_script("; ".join(f"delete {name}" for name in IDLE))
    paper.open(history)
    assert paper.page.evaluate(f"[{', '.join(IDLE)}]") == [None, None]
    shown = """words => {
        const all = [...document.querySelectorAll('.tv-corpus .tv-word')];
        const names = word => [...word.querySelectorAll('.chip')].map(chip => chip.dataset.token);
        const tokens = all.map(names);
        return JSON.stringify(tokens) === JSON.stringify(words);
    }"""
    for step in (40, len(history)):
        paper.go(step)
        expected = [history.segmentation(word, step) for word in words]
        paper.page.wait_for_function(shown, arg=expected, polling=100)


def test_lanes_in_a_frame_that_may_do_nothing_else(paper):
    """As a notebook shows it; with a corpus that would like to be markup."""
    text = f"{HOSTILE}\n{HOSTILE} aa bb aa"
    runs = [trained(text, kind, 70) for kind in ("bpe", "unigram")]
    notebook = paper.folder / "notebook.html"
    frame = tokviz.compare(runs, text)._repr_html_()
    notebook.write_text(f'<!doctype html><meta charset="utf-8"><title>x</title>{frame}', "utf-8")
    paper.page.goto(notebook.as_uri())
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
        assert shown == [token for word in words_of(run, text, 0) for token in word]
    assert inside.locator("img, b:not(.tv-figures b)").count() == 0
    # The player has come to rest: it says the step aloud when it would write its address.
    expect(inside.locator(".tv-player > [role=status]")).to_contain_text("Before training")


#: What reaches out of its panel in a page that is as wide as the frame of a course page.
OUT = """() => {
    const right = css => document.querySelector(css).getBoundingClientRect().right;
    const wide = ['.tv-corpus', '.tv-candidates'].map(css => document.querySelector(css))
        .filter(e => e.scrollWidth > e.clientWidth);
    return [wide.length, right('.tv-curve-ends') > right('.tv-scrub')];
}"""


def test_a_course_page_shows_it_in_the_frame_that_share_offers(paper):
    history = trained(COURSE, "unigram", 45)
    web_page([history], position=17, path=paper.folder / "saved.html")
    course = paper.folder / "course.html"
    frame = FRAME.format(src="saved.html", title="Four sentences")
    course.write_text(f"<!doctype html><title>x</title><h1>Course</h1>{frame}", "utf-8")
    paper.page.goto(course.as_uri())
    inside = paper.page.frame_locator("iframe[title='Four sentences']")
    steps = inside.locator("[data-steps]")
    inside.get_by_role("button", name="Next step").click()
    expect(steps).to_have_attribute("data-step", "18")
    for width in (1000, 820):
        paper.resize(width, 768)
        # Folded and unfolded, the sentence on the stretch covers no field beside the bar.
        for _ in range(2):
            assert steps.evaluate(OUT) == [0, False], width
            inside.get_by_role("slider").first.press("z")


def test_the_gallery_can_be_read_on_a_phone(paper, monkeypatch):
    monkeypatch.setattr(tokviz.player.site, "SIDE_BY_SIDE", tokviz.player.site.SIDE_BY_SIDE[:1])
    write_site(paper.folder)
    paper.page.goto((paper.folder / "index.html").as_uri())
    paper.accessible_in_both_themes()
    paper.resize(390, 844)
    paper.fits()
    paper.page.get_by_role("link", name="The three families").click()
    paper.page.locator(".tv-lanes[data-lanes='3'] .chip").first.wait_for()
    paper.fits()
    paper.accessible()


def test_the_borders_of_words_fall(paper):
    """They stand in the text and on the bar; when they fall, pairs go across them, and nothing else
    has moved."""
    history, page = course("super-bpe", transition_size=40), paper.page
    paper.open(history)
    borders, t = page.locator(".tv-lines .chip.border"), history.border
    paper.go(t - 1)
    words = [word for line in COURSE.splitlines() for word in history.trainer.words_in(line)]
    runs = [run for line in COURSE.splitlines() for run in history.pretokenizer.words(line)]
    expect(borders).to_have_count(len(words) - len(runs))
    expect(page.locator(".tv-fall")).to_have_count(1)
    assert said(paper.narration) == said(history.narrate(t - 1))
    paper.click("Next step")
    expect(borders).to_have_count(0)
    expect(page.locator(".tv-next")).to_contain_text("The borders of words fall.")
    assert paper.words() == words_of(history, COURSE, t)
    first = int(history.crosses.argmax())
    paper.go(first + 1)
    expect(page.locator(".tv-say")).to_contain_text("across words into")
    expect(page.locator(".tv-lines .chip.new").first).to_have_attribute(
        "data-token", history.steps[first].token
    )


def test_a_border_falls_where_whole_words_are_joined(paper):
    """The others stand, in the text and in the table."""
    text = "one of the men\none of the ways\nsome of the men of the way"
    history, page = tokviz.train(text, "boundless-bpe", 36), paper.page
    paper.open(history, texts=(text,))
    borders = page.locator(".tv-lines .chip.border")
    words = sum(len(history.trainer.words_in(line)) for line in text.splitlines())
    step = int(history.record.across.argmax())
    paper.go(step)
    expect(borders).to_have_count(words - 3)
    chosen = page.get_by_role("row").filter(has_text="next")
    expect(chosen.locator(".plus.border")).to_have_count(1)
    paper.click("Next step")
    expect(borders).to_have_count(words - 3 - history.steps[step].times)
    assert said(paper.narration) == said(history.narrate(step + 1))
    assert "across words into" in history.narrate(step + 1)
    assert paper.words() == words_of(history, text, step + 1)
