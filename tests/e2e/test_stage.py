"""Presenting: one picture at a time, by its key, and slides that are walked with a clicker."""

import re
from dataclasses import replace
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

import pytest
from app_page import App
from player_page import course
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
UNIGRAM = replace(COURSE, algorithm="unigram", vocab_size=45, settings=())
#: By key: what fills the screen, and its heading in the stage's line.
PICTURES = {
    "x": (".tv-corpus", "Text"),
    "c": (".tv-candidates", "Candidates"),
    "v": (".tv-vocabulary", "Vocabulary"),
    "o": (".tv-inside svg.tree", "Tree"),
    "n": (".st-key-token_lens", "Token"),
    "r": (".tv-encoder", "Trace"),
    "h": (".tv-pseudo", "Pseudocode"),
    "u": (".tv-curves", "Curves"),
}
#: The pictures that are seen now, and whether each is inside the screen and clear of line and bar.
SEEN = """parts => {
    const box = e => e.getBoundingClientRect();
    const shown = s => [...document.querySelectorAll(s)]
        .find(e => e.checkVisibility() && box(e).height > 0);
    const [top, bottom] = [box(shown('.tv-say')).bottom, box(shown('.tv-transport')).top];
    return parts.filter(shown).map(part => {
        const { left, right, y } = box(shown(part));
        return [part, left >= 0 && right <= innerWidth + 1 && y >= top - 1 && y < bottom];
    });
}"""
#: Whether no lane's text scrolls, and all letters are equally large.
WHOLE = """() => { const all = [...document.querySelectorAll('.tv-corpus')];
    const sizes = all.map(e => getComputedStyle(e.querySelector('.tv-lines')).fontSize);
    return new Set(sizes).size === 1 && all.every(e => e.scrollHeight <= e.clientHeight); }"""
#: What moves of an EM step.
FLOWS = """() => [...new Set(document.getAnimations().map(a => a.animationName)
    .filter(name => ['tv-flow', 'tv-fill', 'tv-estimate'].includes(name)))]"""
#: Which parts on the screen have more than there is room for.
SCROLLS = """parts => parts.filter(part => [...document.querySelectorAll(part)]
    .some(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1))"""
#: The best way to where Viterbi's algorithm stands, and the pieces whose arcs have a chip.
WALKED = """() => { const all = s => [...document.querySelectorAll(s)];
    const told = all('.tv-told .tv-word:first-of-type .chip').map(e => e.textContent);
    const faces = all('.arcs .edge .face')
        .filter(e => e.checkVisibility({ visibilityProperty: true }));
    return [told, faces.map(e => e.textContent)]; }"""
#: Whether it stands at a place.
AT_PLACE = """place => document.querySelector('.tv-walk').textContent
    .includes(`place ${place} of`)"""
#: What is said beside and above the lattice and has no room.
WALK_SCROLLS = f"() => ({SCROLLS})(['.tv-side', '.tv-told'])"
SIZE = "e => parseFloat(getComputedStyle(e).fontSize)"
#: Whether each curve is drawn for the room that it has, and the last one has most.
CURVES_WHOLE = """() => { const all = [...document.querySelectorAll('.tv-drawn-curves svg')];
    const rooms = all.map(e => e.clientHeight);
    return all.every((e, i) => Number(e.getAttribute('height')) === rooms[i])
        && rooms[2] > 1.5 * rooms[0]; }"""
#: How large the letters of the text are.
LETTERS = "() => parseFloat(getComputedStyle(document.querySelector('.tv-lines')).fontSize)"

#: Whether what is said of the longest match stands clear below its tokens.
BELOW_MATCH = """() => { const box = e => e.getBoundingClientRect();
    const [...tokens] = document.querySelectorAll('.tree .encoded rect');
    return box(document.querySelector('.tree .encoded .label')).top
        >= Math.max(...tokens.map(e => box(e).bottom)); }"""
#: Of each row of a table, whether its upper and its lower edge are seen.
ROWS = """part => [...document.querySelectorAll(`${part} tbody tr`)].map(row => {
    const { left, top, bottom } = row.getBoundingClientRect();
    return [top + 3, bottom - 3]
        .map(y => document.elementFromPoint(left + 3, y)?.closest('tr') === row); })"""
TRACE = ".tv-rows:not(.tv-samples)"
#: The same at the first rows of the trace, with the button that goes to the next one.
EACH_ROW = f"""(next, [part, rows]) => Array.from({{ length: rows }}, (_, row) => {{
    if (row) next.click();
    return ({ROWS})(part); }})"""
#: The chips after which a line begins with what closes a sentence or a part of it.
TORN = """all => all.flatMap(e => [...e.querySelectorAll('.chip')]).filter(chip => {
    const next = chip.nextSibling ?? chip.parentElement.nextSibling;
    if (!/^[.,:;]/.test(next?.data ?? '')) return false;
    const range = new Range();
    range.setStart(next, 0);
    range.setEnd(next, 1);
    return range.getBoundingClientRect().top > chip.getBoundingClientRect().bottom;
}).map(chip => chip.textContent)"""
#: Which numbers beside a chart lie on one another.
ON_ANOTHER = """() => { const all = [...document.querySelectorAll(
        '.st-key-token_curve .role-axis-label text')].filter(e => e.textContent)
        .map(e => e.getBoundingClientRect());
    return all.length && all.filter((a, i) => all.slice(0, i).some(b => a.left < b.right
        && b.left < a.right && a.top + 4 < b.bottom && b.top + 4 < a.bottom)).length; }"""


def seen(app):
    """The pictures on the screen; one alone is between narration and bar."""
    found = app.page.evaluate(SEEN, [part for part, _name in PICTURES.values()])
    assert len(found) > 1 or all(fits for _part, fits in found), found
    return [part for part, _fits in found]


@pytest.fixture
def presented(page, server):
    """The app while somebody presents a run."""

    def presented(run, **parts):
        query = "".join(f"&{name}={value}" for name, value in parts.items())
        return App(page, f"{server}/?lane={to_link(run)}&v=2&present=1{query}")

    return presented


def test_each_picture_fills_the_screen_by_its_key(presented):
    app = presented(COURSE, step=13)
    page, stage = app.page, app.page.locator(".tv-stage")
    assert seen(app) == [".tv-corpus", ".tv-candidates"]
    for width, height in ((1366, 768), (1920, 1080)):
        app.resize(width, height)
        app.press("a")
        before = page.evaluate(LETTERS)
        for key, (part, name) in PICTURES.items():
            app.press(key)
            page.locator(part).filter(visible=True).wait_for()
            app.settle()
            assert seen(app) == [part]
            # Words, a trace, the lines: nothing of it has to be scrolled to.
            cut = [".tv-pseudo", ".tv-side", ".tv-columns", ".st-key-lenses"]
            assert page.evaluate(SCROLLS, cut) == []
            # Of longer tables, whole rows.
            rows = page.evaluate(ROWS, part) if key in "cv" else [[True, True]]
            assert [True, True] in rows
            assert all(upper == lower for upper, lower in rows)
            pressed = stage.locator("[aria-pressed=true]")
            expect(pressed).to_have_text(f"{key.upper()} {name}")
            expect(stage).to_contain_text("BPE")
            expect(page.get_by_role("spinbutton", name="Go to step")).to_be_visible()
        sizes = stage.locator("button, kbd").evaluate_all(f"all => all.map({SIZE})")
        assert min(sizes) >= 16
        app.press("h")
        assert page.locator(".tv-pseudo code").first.evaluate(SIZE) >= height / 36
        app.press("o")
        app.settle()
        tree = page.locator(".tv-inside svg.tree")
        token, label = (tree.locator(part).last.evaluate(SIZE) for part in (".face", ".label"))
        assert label > 0.9 * token
        app.press("x")
        assert page.evaluate(LETTERS) > before
        # Keys step, whatever the picture is.
        app.press("ArrowRight", "ArrowLeft")
        assert app.step == 13
    # All pictures, and the slides, are named in one line, beside the longest name too.
    page.evaluate(
        "document.querySelector('.tv-stage strong').textContent = 'SentencePiece Unigram'"
    )
    lines = "all => new Set(all.map(e => Math.round(e.getBoundingClientRect().top))).size"
    assert stage.locator("button").evaluate_all(lines) == 1
    # Whoever chooses by key after a click sees one button marked.
    stage.get_by_role("button", name="Candidates").click()
    app.press("x")
    stage.get_by_role("button", name="Candidates").focus()
    page.keyboard.press("x")
    expect(stage.get_by_role("button", name="Text")).to_be_focused()
    app.press("o")
    app.settle()
    app.accessible(".tv-stage")
    # Out of Present all is there again.
    app.press("p")
    expect(stage).to_be_hidden()
    assert page.evaluate("() => document.documentElement.dataset.picture") is None
    app.press("x")
    expect(page.locator(".tv-candidates")).to_be_visible()


def test_em_is_presented_by_the_shares_of_a_word_and_the_probabilities_they_make(presented, page):
    settings = (("min_expected_count", 0.1),)
    run = replace(COURSE, algorithm="sentencepiece-unigram", vocab_size=40, settings=settings)
    page.set_viewport_size({"width": 1920, "height": 1080})
    app = presented(run, step=0)
    app.press("v")
    expect(page.locator(".tv-pruned")).to_contain_text("longer tokens")
    app.press("o")
    shares = page.locator(".tv-side .tv-flows")
    expect(shares.locator("tbody tr")).to_have_count(5)
    for row in shares.locator("tbody tr").all_text_contents():
        count, share, part = re.search(r"(\d+) × (\d\.\d{4}) = (\d+\.\d{4})", row).groups()
        assert int(count) * Decimal(share) == Decimal(part)
        assert "→" in row
    expect(shares).to_be_in_viewport(ratio=1)
    lines = "chips => chips.map(chip => chip.getClientRects().length)"
    assert set(shares.locator("td .chip").evaluate_all(lines)) == {1}
    # On the arcs stand the shares; once, where there is motion, they flow.
    arcs = page.locator(".tv-inside .arcs .edge.best .numbers")
    assert all("%" in text for text in arcs.all_text_contents())
    assert page.evaluate(FLOWS) == []
    page.emulate_media(reduced_motion="no-preference")
    # Noted as it begins: it is over after 2.4 s.
    page.evaluate(
        "() => { window.flowed = new Set();"
        " addEventListener('animationstart', e => window.flowed.add(e.animationName), true); }"
    )
    app.press("ArrowRight")
    # There and back within one frame, nothing would have changed.
    page.locator("[data-state='1'] .tv-side").wait_for()
    app.press("ArrowLeft")
    flows = "['tv-flow', 'tv-fill', 'tv-estimate'].every(name => window.flowed.has(name))"
    page.wait_for_function(f"() => {flows}")
    app.settle()
    page.emulate_media(reduced_motion="reduce")
    app.settle()
    app.accessible(".tv-side")
    app.fits(".tv-side")
    # A pruning estimates nothing.
    history = course("sentencepiece-unigram", 40, "gpt2", min_expected_count=0.1)
    actions = [step.action for step in history.steps]
    app.go(actions.index("prune"))
    expect(page.locator(".tv-side table").first).to_be_visible()
    expect(shares).to_have_count(0)
    # The objective by sub-iteration.
    page.locator(".tv-inside .tv-side").focus()
    app.press("u")
    expect(page.locator(".tv-iteration")).to_have_count(actions.count("em"))
    expect(page.locator(".tv-pruning")).to_have_count(actions.count("prune"))
    # It has most of the room, and nothing of the other two curves is cut off.
    page.wait_for_function(CURVES_WHOLE)


def test_unigram_is_presented_by_its_vocabulary_a_delta_and_a_lattice(presented, page):
    page.set_viewport_size({"width": 1920, "height": 1080})
    app = presented(UNIGRAM, step=17)
    app.press("v")
    expect(page.locator(".tv-pruned .tv-goes .chip.doomed")).not_to_have_count(0)
    assert seen(app) == [".tv-corpus"]
    expect(page.locator(".tv-stage [aria-pressed=true]")).to_have_text("V Vocabulary")
    app.press("x")
    expect(page.locator(".tv-corpus .tv-pruned")).to_have_count(0)
    expect(page.locator(".tv-stage [aria-pressed=true]")).to_have_text("X Text")
    # A token of the text is looked into without a way back to the page.
    app.press("n")
    doomed = course("unigram", 45, "gpt2").steps[17].removed[-1]
    why = page.locator(".st-key-loss_delta")
    expect(why.locator("h3 .chip")).to_have_attribute("data-token", doomed)
    assert why.bounding_box()["y"] < page.get_by_role("textbox", name="Token").bounding_box()["y"]
    # The delta, and what is told of the token besides, is seen whole.
    expect(why.locator("tfoot td")).to_be_in_viewport(ratio=1)
    app.settle()
    assert page.evaluate(SCROLLS, [".st-key-lenses"]) == []
    app.fits(".tv-terms")
    # It stands there once, and later not at all: these numbers are apart.
    page.locator(".st-key-token_curve .role-axis-label text").first.wait_for()
    assert page.evaluate(ON_ANOTHER) == 0
    app.resize(1366, 768)
    app.press("x")
    app.chip("Ġtokenization").click()
    page.get_by_role("button", name="Look into this word").click()
    expect(page.locator(".tv-inside svg.arcs .edge.best")).to_have_count(1)
    expect(page.locator(".tv-stage [aria-pressed=true]")).to_have_text("O Lattice")
    # Wherever Viterbi's algorithm stands, each piece of the best way has its chip on its arc, and
    # what is said has room: of the seeds, too, where up to 13 pieces arrive.
    word = "".join(course("unigram", 45, "gpt2").segmentation(" tokenization", 17))
    for step in (17, 0):
        if not step:
            app.press("Home")
        page.locator(f"[data-state='{step}'] svg.arcs").wait_for()
        app.settle()
        found = app.at_each_press("g", len(word) + 1, AT_PLACE, WALKED, WALK_SCROLLS)
        for place, ((way, named), scrolls) in enumerate(found):
            assert "".join(way) == word[:place]
            assert set(way) <= set(named)
            assert scrolls == []
        expect(page.locator(".tv-walk")).to_contain_text(f"place {place} of {len(word)}")
        app.press("g")
    # A quiz has the pictures that give no answer away.
    app.press("q")
    pictures = page.locator(".tv-pictures button").filter(visible=True)
    expect(pictures).to_have_text(["A Overview", "X Text", "Y Question"])
    question, text = page.locator(".tv-question"), page.locator(".tv-corpus")
    for key, shown in (("o", (True, True)), ("y", (True, False)), ("x", (False, True))):
        app.press(key)
        assert (question.is_visible(), text.is_visible()) == shown
    app.press("y")
    app.fits(".tv-question")
    heading = question.locator("h3")
    assert heading.bounding_box()["height"] > 20
    expect(heading).to_be_in_viewport(ratio=1)
    app.press("q")
    expect(question).to_have_count(0)


def test_wordpiece_is_presented_whole_above_the_main_keys(presented):
    settings = {"algorithm": "wordpiece", "pretokenizer": "bert", "settings": ()}
    app = presented(replace(COURSE, vocab_size=70, **settings), step=1, keys=1)
    page = app.page
    for width, height in ((1366, 768), (1920, 1080)):
        app.resize(width, height)
        app.press("m")
        assert page.locator(".tv-say p, .tv-score-said").evaluate_all(TORN) == []
        app.press("o")
        page.locator(".tv-inside svg.tree").wait_for()
        app.settle()
        expect(page.locator(".tv-side")).to_contain_text("and 7 more")
        assert page.evaluate(SCROLLS, [".tv-side", ".tv-picture"]) == []
        assert page.evaluate(BELOW_MATCH)
        # Of the trace, whole rows are seen, and the current one.
        app.press("r")
        page.locator(".tv-rows tbody tr").last.wait_for(state="attached")
        app.settle()
        assert page.evaluate(SCROLLS, [".tv-columns"]) == []
        for row, rows in enumerate(app.button("Next row").evaluate(EACH_ROW, [TRACE, 10])):
            assert all(upper == lower for upper, lower in rows)
            assert rows[row] == [True, True]
            assert [upper for upper, _lower in rows].count(True) >= 5


def test_slides_are_made_walked_and_taken_along(presented):
    app = presented(COURSE, step=3)
    page, stage = app.page, app.page.locator(".tv-stage")
    app.press("x", "s")
    expect(page.locator(".tv-found")).to_have_text("Slide 1 of 1 added.")
    # It covers neither the bar nor what is taught.
    said, narration = (page.locator(part).bounding_box() for part in (".tv-found", ".tv-say"))
    assert said["y"] + said["height"] <= narration["y"] + 4
    app.press("End", "o")
    page.locator(".tv-inside svg.tree").wait_for()
    page.get_by_role("textbox", name="Word").fill("tokens")
    expect(page.locator(".tv-told .tv-word").first).to_have_text("Ġtokens")
    app.settle()
    page.locator(".tv-inside .tv-side").focus()
    app.press("s", "c")
    # What had the focus is gone, and a button of the stage has it.
    expect(stage.get_by_role("button", name="C Candidates")).to_be_focused()
    app.press("Home", "s")
    expect(stage.get_by_role("button", name="Slide 3 of 3")).to_be_visible()
    # A clicker goes from slide to slide, and stays at the last.
    app.press("PageUp")
    page.locator(".tv-inside svg.tree").wait_for()
    assert app.step == 20
    app.press("PageUp")
    expect(stage.get_by_role("button", name="Slide 1 of 3")).to_be_visible()
    assert (app.step, seen(app)) == (3, [".tv-corpus"])
    app.press("PageUp")
    assert app.step == 3
    # Who steps away from the first one is not taken back.
    app.press("ArrowRight", "PageUp")
    assert app.step == 4
    slides = parse_qs(urlsplit(page.url).query)["slides"]
    assert slides == ["3/text,20/word/%20tokens,0/candidates"]
    # Each of them has a link, which has all.
    stage.get_by_role("button", name="Slide 1 of 3").click()
    links = page.get_by_role("dialog", name="Slides").get_by_role("link")
    expect(links).to_have_text(
        ["Text, position 3", "Tree, position 20,  tokens", "Candidates, position 0"]
    )
    app.accessible("dialog[open]")
    linked = links.nth(1).get_attribute("href")
    page.get_by_role("button", name="Remove slide 1").click()
    expect(links).to_have_count(2)
    links.last.click()
    assert (app.step, seen(app)) == (0, [".tv-candidates"])
    page.goto(page.url.split("?")[0] + linked)
    app.opened()
    expect(page.locator(".tv-told .tv-word").first).to_have_text("Ġtokens")
    assert (app.step, seen(app)) == (20, [".tv-inside svg.tree"])
    # Whoever comes by a slide's link goes on behind it.
    app.press("PageDown")
    assert (app.step, seen(app)) == (0, [".tv-candidates"])
    expect(stage.get_by_role("button", name="Slide 3 of 3")).to_be_visible()


def test_a_page_of_its_own_has_the_pictures_that_need_no_server(player):
    player.open(course(), course("unigram", 100, "gpt2"))
    player.press("p")
    names = player.page.locator(".tv-pictures button")
    expect(names).to_have_text(["A Lanes", "X Text", "C Candidates", "H Pseudocode", "U Curves"])
    player.press("u")
    expect(player.page.locator(".tv-curve").first).to_be_visible()
    player.press("x")
    assert player.page.locator(".tv-corpus").count() == 2
    expect(player.page.locator(".tv-candidates").first).to_be_hidden()
    # Each lane's text is whole, in letters of one size, beside the others' pictures too.
    player.resize(1920, 1080)
    for key in ("x", "a"):
        player.press(key)
        player.page.wait_for_function(WHOLE)
    player.press("x")
    # Another axis keeps what a slide shows.
    player.go(5)
    player.press("s")
    state = player.state("BPE")
    player.select("Align lanes", "by share of training")
    player.go(0)
    player.press("s", "PageUp")
    assert player.state("BPE") == state
    # Another one stands behind the slide on the screen.
    player.press("s")
    expect(player.page.locator(".tv-found")).to_have_text("Slide 2 of 3 added.")
    # It has no address that would open a slide.
    player.page.get_by_role("button", name="Slide 2 of 3").click()
    dialog = player.page.get_by_role("dialog", name="Slides")
    expect(dialog.get_by_role("link")).to_have_count(0)
    first, second, last = dialog.locator("li .tv-wide").all_text_contents()
    assert (first == second, last) == (True, "Text, position 0")
    dialog.get_by_role("button", name="Text, position 0").click()
    assert player.step == 0
