"""Two or three runs under one scrubber."""

import re

from app_page import as_said
from player_page import ALL_BUT_COLOURS, COURSE, FITTED, course, trained, words_of
from playwright.sync_api import expect

from tokviz.text.samples import SAMPLES

HISTORIES = {"BPE": ("bpe", 50), "WordPiece": ("wordpiece", 60), "Unigram": ("unigram", 100)}


#: How each lane cuts the word in focus; where its first and its last letter stand.
FOCUS = "() => [...document.querySelectorAll('.tv-focus-cut')].map(e => e.ariaLabel)"
ENDS = """() => [...document.querySelectorAll('.tv-focus-cut')].map(e => {
    const letters = [...e.querySelectorAll('.chip > span:not(.m)')];
    return [letters.at(0), letters.at(-1)].map(l => Math.round(l.getBoundingClientRect().right));
})"""

#: What the card of a token covers.
COVERED = """() => {
    const card = document.querySelector('.tv-card').getBoundingClientRect();
    const parts = '.tv-panel, .tv-say, .tv-name, .tv-tools > *, .tv-focus small, .tv-play';
    const covers = ({ left, right, top, bottom }) =>
        left < card.right && right > card.left && top < card.bottom && bottom > card.top;
    const seen = [...document.querySelectorAll(parts)].filter(e => e.checkVisibility());
    return seen.filter(e => covers(e.getBoundingClientRect())).map(e => e.className);
}"""

#: What of the player lies where a note is.
NOTE_COVERS = """note => {
    const { left, right, top, bottom } = note.getBoundingClientRect();
    const parts = [...document.querySelectorAll('.tv-player :is(button, select, input, p, li, b)')];
    return parts.filter(e => e !== note && e.checkVisibility()).filter(e => {
        const box = e.getBoundingClientRect();
        return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    }).map(e => e.className || e.textContent);
}"""


#: Notes what is written where nobody sees it: rows behind the corpus, the rule of the focus word.
WATCH = """() => {
    window.written = [];
    const note = changes => window.written.push(...changes.map(({ target }) => target.className));
    const watch = new MutationObserver(note);
    const all = { childList: true, subtree: true, attributes: true, characterData: true };
    for (const part of document.querySelectorAll(".tv-candidates tbody, .tv-focus style"))
        watch.observe(part, all);
}"""


#: Whether no lane's text scrolls, and all letters are equally large.
WHOLE = """() => { const all = [...document.querySelectorAll('.tv-corpus')];
    const sizes = all.map(e => getComputedStyle(e.querySelector('.tv-lines')).fontSize);
    return new Set(sizes).size === 1 && all.every(e => e.scrollHeight <= e.clientHeight); }"""
#: How much of what is said of each lane is not seen.
UNSAID = """() => [...document.querySelectorAll('.tv-say')].map(e =>
    Math.max(0, e.scrollHeight - e.clientHeight))"""
SIZE = "e => parseFloat(getComputedStyle(e).fontSize)"
#: The words in several lines for which one line has room, together with what stays with them.
PARTED = """() => [...document.querySelectorAll('.tv-corpus .tv-word')].filter(word => {
    const boxes = e => [...e.querySelectorAll('.chip')].map(chip => chip.getBoundingClientRect());
    const lines = new Set(boxes(word).map(({ top }) => Math.round(top)));
    const whole = boxes(word.closest('.tv-held') ?? word);
    const width = whole.reduce((sum, { width }) => sum + width + 3, 0);
    return lines.size > 1 && width < word.closest('.tv-lines').clientWidth - 16;
}).map(word => word.textContent)"""
#: Notes who trained the runs that come into the player.
TRAINED = """() => {
    window.trained = [];
    const player = document.querySelector("[data-steps]");
    const who = () => (player.tokvizView.head.isAhead ? "by the page" : "by Python");
    const note = () => window.trained.push(who());
    new MutationObserver(note).observe(player, { attributeFilter: ["data-steps"] });
}"""


def cut_of(text, history, step):
    word = next(word for word in history.words.words if word.strip() == text)
    return " ".join(history.segmentation(word, min(step, len(history))))


def test_three_lanes_move_together(player):
    histories = {label: course(*kind) for label, kind in HISTORIES.items()}
    player.open(*histories.values())
    page, state = player.page, player.state
    assert player.steps == max(map(len, histories.values()))
    curves = {label: history.curve() for label, history in histories.items()}
    for step, view in zip((0, 1, 9, player.steps), ("text", "candidates") * 2, strict=True):
        player.button(view).click()
        player.go(step)
        for label, history in histories.items():
            t = min(step, len(history))
            lane = player.lane(label)
            assert state(label) == t
            assert player.words(label) == words_of(history, COURSE, t)
            assert lane.locator(".tv-say p").first.text_content() == as_said(history, t)
            row = curves[label].iloc[t]
            figures = lane.locator(".tv-figures").inner_text()
            assert f"{row.vocab_size:,}" in figures
            assert f"{row.corpus_tokens:,}" in figures
            assert f"{row.characters_per_token:.2f}" in figures
            # A lane has room for the corpus or for the candidates.
            table = lane.get_by_role("table", name="Candidates")
            assert table.count() == (view == "candidates")
            assert lane.locator(".tv-lines").is_visible() == (view == "text")
    player.button("text").click()
    # One word is cut by all lanes, one under the other.
    player.select("Word that all lanes cut", "understand")
    expect(page.locator(".tv-focus-name")).to_have_text([*histories])
    for step in (0, 7, player.steps):
        player.go(step)
        assert page.evaluate(FOCUS) == [cut_of("understand", h, step) for h in histories.values()]
    # What is not seen costs a step nothing, and is right once it is.
    page.evaluate(WATCH)
    player.go(5)
    assert page.evaluate("window.written") == []
    player.button("candidates").click()
    first = player.lane("WordPiece").locator(".tv-candidates tbody tr").first.locator(".chip")
    step = histories["WordPiece"].steps[5]
    expect(first).to_have_text([step.left, step.right])
    player.button("text").click()
    player.go(player.steps)
    # Letter under letter; a click on another word has that one in focus.
    assert len({*map(tuple, page.evaluate(ENDS))}) == 1
    seen = cut_of("several", histories["WordPiece"], player.steps).replace(" ", "")
    player.lane("WordPiece").locator(".tv-word").filter(has_text=re.compile(f"^{seen}$")).click()
    assert page.evaluate(FOCUS) == [cut_of("several", h, player.steps) for h in histories.values()]
    page.keyboard.press("Escape")
    # By size: the first lane keeps its state.
    player.go(10)
    player.select("Align lanes", "by vocabulary size")
    assert state("BPE") == 10
    player.go(45)
    for label in ("BPE", "WordPiece"):
        assert histories[label].vocab_size(state(label)) == 45
    player.go(histories["Unigram"].vocab_size(5))
    assert state("Unigram") == 5
    player.button("Next step").click()
    assert state("Unigram") == 4, "sizes grow, so pruning runs backwards"
    page.keyboard.press("End")
    ends = [len(history) for history in histories.values()]
    assert [state(label) for label in histories] == ends, "the end is each run's own"
    scrub = page.get_by_role("slider", name="Training step")
    expect(scrub).to_have_attribute("aria-valuetext", "the end of every lane")
    expect(player.field).to_have_value("")
    player.select("Align lanes", "by step")
    assert [state(label) for label in histories] == ends, "the end stays the end"
    player.select("Align lanes", "by share of training")
    player.go(50)
    for label, history in histories.items():
        assert abs(state(label) - len(history) / 2) <= 0.5
    player.click("Last step")
    assert [state(label) for label in histories] == ends
    # A token is marked wherever it is.
    player.select("Align lanes", "by step")
    player.go(0)
    outlined = "e => getComputedStyle(e).outlineStyle"
    chip = '.tv-corpus .chip[data-token="{}"]'
    player.lane("BPE").locator(chip.format("t")).first.click()
    for label in ("BPE", "WordPiece"):
        mark = player.lane(label).locator(chip.format("t")).first.evaluate(outlined)
        assert mark == "solid", label
    assert player.lane("BPE").locator(chip.format("s")).first.evaluate(outlined) == "none"
    # Its card covers nothing that is read or pressed.
    expect(player.card).to_be_visible()
    for width in (1366, 1150):
        player.resize(width, 768)
        assert page.evaluate(COVERED) == []
    # A long word scrolls on a small phone, by the keyboard, too.
    player.select("Word that all lanes cut", "understand")
    player.resize(320, 640)
    player.accessible(".tv-focus", **ALL_BUT_COLOURS)
    player.resize(1366, 768)
    # The first word that two lanes cut differently.
    one = course()
    two = course("bpe", 200, tie_break="largest-pair")
    player.open(one, two)
    player.click("First difference")
    said = page.locator(".tv-found").inner_text()
    assert all(label in said for label in player.lanes())
    # It stands beside the word that it is about: on a projector it covers nothing, and nowhere
    # does anything move for it.
    for width in (1366, 1150):
        player.resize(width, 768)
        note, rows = page.locator(".tv-found"), page.locator(".tv-focus-rows")
        assert width < 1366 or note.evaluate(NOTE_COVERS) == []
        before = rows.bounding_box()
        note.evaluate("e => { e.style.display = 'none'; }")
        assert rows.bounding_box() == before
        note.evaluate("e => e.style.removeProperty('display')")

    def apart(t):
        return [w for w in one.words.words if one.segmentation(w, t) != two.segmentation(w, t)]

    assert player.step == next(t for t in range(21) if apart(t)) > 0
    assert said.split("“")[1].rstrip(".”") in {word.strip() for word in apart(player.step)}


def test_words_that_have_room_in_one_line_of_the_smallest_letters_are_not_parted(player):
    player.open(*(course(*kind) for kind in HISTORIES.values()))
    player.page.set_viewport_size({"width": 1100, "height": 700})
    player.page.wait_for_function(FITTED)
    for step in (0, 5):
        player.go(step)
        assert player.page.evaluate(PARTED) == []


def test_what_is_said_of_tokens_of_several_words_is_not_cut_off(player):
    text = SAMPLES["udhr-en"].corpus
    settings = [("boundless-bpe", {"threshold": 0.9}), ("bpe", {}), ("boundless-bpe", {})]
    runs = [trained(text, algorithm, 120, **more) for algorithm, more in settings]
    player.page.set_viewport_size({"width": 1366, "height": 768})
    player.open(*runs)
    player.set_letters()
    for step in (0, 44, 48, 52, 60, 68, 88):
        player.go(step)
        assert player.page.evaluate(UNSAID) == [0, 0, 0], step
    # A long token is shortened, and whole in its card.
    long = player.page.locator(".tv-say .chip.long").first
    assert long.evaluate("e => e.scrollWidth > e.clientWidth && e.offsetHeight < 30")
    long.click()
    token = player.page.locator(".tv-card .chip").first.get_attribute("data-token")
    assert token == long.get_attribute("data-token")


def test_lanes_come_and_go_and_what_was_chosen_stays(app):
    page = app.page
    app.select("Speed", "30 steps/s")
    app.button("words").click()
    app.add_lane("WordPiece", 60)
    app.lane("WordPiece").wait_for()
    assert page.get_by_role("combobox", name="Speed").input_value() == "30"
    expect(app.button("words")).to_have_attribute("aria-pressed", "true")
    assert page.locator(".tv-corpus .tv-times").count() > 0
    page.wait_for_function(FITTED)
    before = page.locator(".tv-lines").first.evaluate(SIZE)
    # Texts are as large as there is room for.
    app.button("text").click()
    page.wait_for_function(WHOLE)
    expect(app.button("Compare with the frequency score")).to_be_visible()
    # Another setting of a lane is trained on the page; what Python sends then is there already.
    app.click("WordPiece")
    app.settle()
    page.evaluate(TRAINED)
    for score in ("frequency", "likelihood"):
        app.pick("Score", score)
        history = course("wordpiece", 60, score=score)
        app.button("text").click()
        assert app.words("WordPiece") == words_of(history, COURSE, app.state("WordPiece"))
        app.button("words").click()
    assert page.evaluate("window.trained") == ["by the page"] * 2
    app.click("Close")
    app.add_lane("Unigram", 100)
    app.lane("Unigram").wait_for()
    app.charts()
    app.select("Align lanes", "by share of training")
    app.go(50)
    app.wait_settled()
    for label, kind in HISTORIES.items():
        assert abs(app.state(label) - len(course(*kind)) / 2) <= 0.5
    expect(page).to_have_url(re.compile("align=share"))
    app.click("WordPiece")
    app.click("Remove")
    expect(app.button("Add a lane")).to_be_focused()
    expect(page.locator(".tv-lane")).to_have_count(2)
    assert app.lanes() == ["BPE", "Unigram"]
    assert app.step == 0
    # Text and size are those of both.
    app.type_text("low lower lowest")
    app.fill("spinbutton", "Vocabulary size of all", "12")
    app.click("Last step")
    for label in ("BPE", "Unigram"):
        expect(app.lane(label).locator(".tv-figures b").first).to_have_text("12")
        assert len(app.words(label)) == 3
    # Few words fill their lanes, too.
    larger = f"most => ({SIZE})(document.querySelector('.tv-lines')) > most"
    page.wait_for_function(larger, arg=before)
    page.wait_for_function(WHOLE)
    app.click("Unigram")
    # Colours of lanes are those of Compare, colours of a panel those of a single lane's.
    app.accessible(".stMain", **ALL_BUT_COLOURS)
    for size in ((1366, 768), (390, 844)):
        app.resize(*size)
        app.fits()
    app.click("Close")
    for width, height in ((390, 844), (683, 384), (320, 640)):
        app.resize(width, height)
        app.fits()
        app.fits(".tv-focus-rows")
        # The text comes first, above what plays; the word in focus and what was done come after it.
        page.locator(".stMain").evaluate("e => e.scrollTo(0, 0)")
        chip = app.lane("BPE").locator(".tv-corpus .chip").first
        box = chip.bounding_box()
        assert box["y"] < 230
        assert box["y"] + box["height"] < app.button("Play").bounding_box()["y"]
        chip.click(trial=True)
        said = app.lane("BPE").get_by_role("group", name="Narration of BPE")
        focus = page.get_by_role("combobox", name="Word that all lanes cut")
        assert box["y"] < said.bounding_box()["y"] < focus.bounding_box()["y"]
    # Lanes are swiped, or their tabs chosen; what sets them up has a tab of its own.
    for name in ("Unigram", "BPE"):
        app.click(name)
        expect(app.lane(name).locator(".tv-corpus .chip").first).to_be_in_viewport(ratio=1)
        expect(app.button("Settings")).to_have_attribute("aria-current", "false")
    page.locator(".stMain").evaluate("e => e.scrollTo(0, 9999)")
    app.click("Settings")
    expect(page.get_by_role("spinbutton", name="Vocabulary size of all")).to_be_in_viewport()
    expect(page.locator(".st-key-settings_1")).to_be_in_viewport(ratio=1)
    app.fits("html", ".st-key-strip_lanes", ".st-key-strip_lanes button p")
