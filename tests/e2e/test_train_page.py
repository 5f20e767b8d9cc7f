"""What a person does on the Train page, compared with the engine run in this process."""

import random
import re
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

from app_page import App, as_said
from effort import LONG
from helpers import book_bytes
from PIL import Image
from player_page import ALL_BUT_COLOURS
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus
RUN = run_of_sample(tokviz.SAMPLES["course"])
KINDS = [("BPE", "bpe"), ("WordPiece", "wordpiece"), ("Unigram", "unigram")]


def expected_words(history, text, t):
    """The tokens of every word of a text, in text order."""
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    return [history.segmentation(word, t) for word in words]


def test_a_first_visit_begins_with_a_guess_and_every_way_to_step_moves_it(page, server):
    app = App(page, server)
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    assert (app.step, app.steps) == (0, 20)
    assert app.narration == as_said(history, 0)
    # Who knows no key of the player has two presses left to put another text here.
    for key in ("Tab", "Enter", *["Tab"] * 4):
        page.keyboard.press(key)
    expect(page.get_by_role("textbox", name="Your text", exact=True)).to_be_focused()
    guess = page.get_by_role("region", name="Your guess")
    expect(guess).to_contain_text("3 pairs tie at 5")
    picks = guess.get_by_role("button")
    second = history.steps[1]
    expect(picks).to_have_count(3)
    expect(picks.filter(has_text=f"{second.left}+{second.right}")).to_have_count(1)
    app.accessible(".tv-invitation")
    picks.filter(has_text="Ġ+a").click()
    expect(guess.get_by_role("status")).to_contain_text("Not this one. The answer is i+s")
    app.click("Next step")
    expect(guess).to_have_count(0)
    app.click("First step")
    expect(guess).to_have_count(0)
    app.go(13)
    assert app.words() == expected_words(history, COURSE, 13)
    assert app.narration == as_said(history, 13)
    rows = history.candidates(13, 20)
    shown = app.candidates()
    assert [tokens for tokens, _ in shown] == rows[["left", "right"]].values.tolist()
    notes = ["next, tied", "first-seen"] + ["tied"] * 14 + [""] * 4
    assert [note for _, note in shown] == notes
    app.charts()
    visited = []
    for name in ("First step", "Next step", "Next step", "Last step", "Previous step"):
        app.page.get_by_role("button", name=name).click()
        visited.append(app.step)
        assert app.narration == as_said(history, app.step)
        assert app.words() == expected_words(history, COURSE, app.step)
    assert visited == [0, 1, 2, 20, 19]
    app.go(7)
    assert app.step == 7
    slider = app.page.get_by_role("slider", name="Training step")
    slider.focus()
    slider.press("ArrowRight")
    assert (app.step, app.narration) == (8, as_said(history, 8))
    assert app.page.locator(".chip.new").first.get_attribute("data-token") == "This"


#: Notes when the player has a run of another length, and when something is sent to the server.
EVENTS = """() => {
    window.events = [];
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (data) {
        window.events.push("asked");
        return send.call(this, data);
    };
    const player = document.querySelector("[data-steps]");
    const watch = new MutationObserver(() => {
        window.events.push("trained", player.tokvizView.head.isAhead ? "by the page" : "by Python");
    });
    watch.observe(player, { attributeFilter: ["data-steps"] });
}"""


#: Pastes a text at what has the focus.
PASTE = """text => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const about = { clipboardData, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", about));
}"""


#: Whether the player has a run of so many steps, and Python has it too.
HEARD = """steps => {
    const player = document.querySelector("[data-steps]");
    return player.dataset.steps === steps && !player.tokvizView.head.isAhead;
}"""

#: How large the letters of the corpus are.
LETTERS = "() => parseFloat(getComputedStyle(document.querySelector('.tv-lines')).fontSize)"

#: Whether the words of the corpus are cut so.
SHOWN = """wanted => {
    const words = [...document.querySelectorAll(".tv-corpus .tv-word")];
    const cut = words.map(w => [...w.querySelectorAll(".chip")].map(c => c.dataset.token));
    return JSON.stringify(cut) === JSON.stringify(wanted);
}"""


def test_a_text_is_trained_while_it_is_typed_pasted_or_dropped_by_every_algorithm(app):
    """The caret stays where it is, and Ctrl+Z is the browser's. Back and Forward lead from training
    to training; what is typed at one go is one."""
    page = app.page
    assert (app.step, app.steps) == (13, 20), "as the address says"
    entries = page.evaluate("history.length")
    field = page.get_by_role("textbox", name="Your text", exact=True)
    page.keyboard.press("e")
    expect(field).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.evaluate(EVENTS)
    address, letters = page.url, page.evaluate(LETTERS)
    page.keyboard.type("low lower lowest")
    page.get_by_text("Corpus 3 words").wait_for()
    page.evaluate("() => document.querySelector('.tv-transport').toggleAttribute('data-first')")
    page.wait_for_url(lambda url: url != address)
    events = page.evaluate("window.events")
    assert "trained" in events[: events.index("asked")], "the page, then Python"
    assert page.locator(".tv-transport[data-first]").count(), "the player stays"
    # Fewer words have room for larger letters, which they get at rest.
    page.wait_for_function(f"before => ({LETTERS})() > 1.5 * before", arg=letters)
    page.keyboard.press("Home")
    page.keyboard.type("a ")
    page.get_by_text("Corpus 4 words").wait_for()
    app.settle()
    assert field.evaluate("e => [e === document.activeElement, e.selectionStart]") == [True, 2]
    for _key in "a ":
        page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value("low lower lowest")
    page.get_by_text("Corpus 3 words").wait_for()
    page.keyboard.type("a ")
    page.get_by_text("Corpus 4 words").wait_for()
    typed = tokviz.train("a low lower lowest", "bpe", 50, "gpt2", unit="byte")
    page.wait_for_function(HEARD, arg=str(len(typed)))
    page.evaluate("window.events = []")
    page.get_by_role("radio", name="WordPiece", exact=True).click()
    app.settle()
    assert page.locator(".tv-transport[data-first]").count(), "the player still stays"
    assert [who for who in page.evaluate("window.events") if "by" in who] == ["by the page"]
    history = tokviz.train("a low lower lowest", "wordpiece", 50)
    assert app.steps == len(history)
    app.click("Last step")
    app.wait_settled()
    assert page.evaluate("history.length") == entries + 2
    course = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    for move, text, steps in (
        (page.go_back, "a low lower lowest", len(typed)),
        (page.go_back, COURSE, len(course)),
        (page.go_forward, "a low lower lowest", len(typed)),
        (page.go_forward, "a low lower lowest", len(history)),
    ):
        move()
        expect(field).to_have_value(text)
        expect(page.locator("[data-steps]")).to_have_attribute("data-steps", str(steps))
        page.wait_for_function("() => !location.search.includes('went')")
        if text == COURSE:
            assert app.step == 13
    assert app.step == app.steps
    assert page.evaluate("history.length") == entries + 2
    # Escape leads to the player, before and after the new one is there.
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" bugs")
    page.keyboard.press("Escape")
    corpus = page.get_by_role("group", name="Corpus of WordPiece")
    expect(corpus).to_be_focused()
    page.get_by_text("Corpus 5 words").wait_for()
    expect(corpus).to_be_focused()
    page.keyboard.press("Home")
    app.wait_step(0)
    field.evaluate(
        """field => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["hug pug hugs"], "mine.txt", { type: "text/plain" }));
            const about = { dataTransfer, bubbles: true, cancelable: true };
            for (const name of ["dragover", "drop"])
                field.dispatchEvent(new DragEvent(name, about));
        }"""
    )
    expect(field).to_have_value("hug pug hugs")
    page.get_by_text("Corpus 3 words").wait_for()
    app.settle()

    # What is pasted where no field takes it is the text, and Ctrl+Z brings back what was there.
    page.keyboard.press("Escape")
    corpus.focus()
    page.evaluate(PASTE, "low low new")
    expect(field).to_have_value("low low new")
    expect(field).to_be_focused()
    page.get_by_text("Corpus 3 words").wait_for()
    page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value("hug pug hugs")
    app.settle()

    slider = page.locator(".st-key-strip_size").get_by_role("slider")
    page.evaluate("() => void (window.events.length = 0)")
    slider.focus()
    slider.press("Home")
    app.settle()
    assert page.evaluate("window.events")[0] == "trained", "while the slider moves"
    assert app.steps == 0

    text = "the cat sat on the mat\nthe cats sat on the mats\na rat sat on a cat"
    app.type_text(text)
    app.size(36)
    for label, algorithm in [*KINDS, ("SentencePiece Unigram", "sentencepiece-unigram")]:
        app.algorithm(label)
        # On a busy machine Python's own takes longer than a moment.
        app.train_long()
        # Two of them take as many steps.
        expect(page.get_by_role("group", name=f"Corpus of {label}")).to_be_visible()
        settings = {"unit": "byte"} if algorithm == "bpe" else {}
        history = tokviz.train(text, algorithm, 36, **settings)
        assert app.steps == len(history)
        if algorithm == "unigram":
            expect(app.page.locator(".tv-pruned .tv-item").first).to_be_visible()
            app.click("text")
        for t in (1, 0, len(history) // 2, len(history)):
            app.go(t)
            assert app.step == t
            assert app.narration == as_said(history, t)
            assert app.words() == expected_words(history, text, t)
            if algorithm != "sentencepiece-unigram":
                rows = history.candidates(t, 20)
                names = ["token"] if algorithm == "unigram" else ["left", "right"]
                shown = [r[0] for r in app.candidates()]
                assert shown[: len(rows)] == rows[names].values.tolist()
    assert app.page.locator(".tv-agreement, .exact-delta").count() == 0
    # Another algorithm's words come into the place of those of a longer text, also out of sight.
    longer = "\n".join([f"{text} sat" * 9, text, "on" * 3])
    app.type_text(longer)
    for label, algorithm in (*KINDS[:2], KINDS[0]):
        app.algorithm(label)
        # Two of them take as many steps.
        expect(page.get_by_role("group", name=f"Corpus of {label}")).to_be_visible()
        settings = {"unit": "byte"} if algorithm == "bpe" else {}
        shown = expected_words(tokviz.train(longer, algorithm, 36, **settings), longer, app.step)
        app.page.wait_for_function(SHOWN, arg=shown)
    for width in (1366, 390):
        app.resize(width, 768)
        choices = app.page.get_by_role("radiogroup", name="Algorithm").bounding_box()
        more = app.button("More").bounding_box()
        assert choices["x"] + choices["width"] < more["x"] < width, "in one row"
        assert abs(more["y"] - choices["y"]) < 8
    app.resize(1366, 768)
    app.page.locator(".tv-corpus .chip").first.click()
    app.settle()
    app.accessible(".tv-card")


def test_where_a_browser_refuses_webassembly_the_server_trains_what_is_typed(page, server):
    page.add_init_script("WebAssembly.compile = () => Promise.reject(new Error('refused'))")
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    app = App(page, f"{server}/?lane=course&v=2&step=13")
    page.keyboard.press("e")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("low lower lowest")
    page.get_by_text("Corpus 3 words").wait_for()
    page.get_by_role("radio", name="WordPiece", exact=True).click()
    history = tokviz.train("low lower lowest", "wordpiece", 50)
    page.wait_for_function(HEARD, arg=str(len(history)))
    app.settle()
    app.click("Last step")
    assert app.words() == expected_words(history, "low lower lowest", len(history))
    assert not errors


def file_of(name, data):
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def test_what_is_wrong_with_texts_files_and_settings_is_said_and_the_run_stays(app):
    page = app.page
    corpus = page.get_by_role("textbox", name="Your text", exact=True)
    said = page.locator(".st-key-strip_said")
    app.go(0)
    app.wait_settled()
    app.type_text("my own words")
    app.click("Settings")
    app.pick("Pre-tokenizer", "Regular expression")
    app.fill("textbox", "Pattern", "(a")
    expect(said).to_contain_text("pattern", ignore_case=True)
    app.fill("textbox", "Pattern", r"\w+")
    expect(said).to_have_text(re.compile("No pair is left"))
    assert app.words()[1] == list("own")

    app.type_text("abcdefg")
    app.size(9)
    assert app.steps == 2
    app.size(5)
    # Beside the field, and the run that was there stays.
    too_small = page.locator(".st-key-strip .stColumn").last.get_by_role("status")
    expect(too_small).to_have_text(
        "A vocabulary size of 5 is too small: it must hold the alphabet (7 characters), so ask"
        " for at least 7."
    )
    expect(said).to_have_count(0)
    expect(corpus).to_have_value("abcdefg")
    assert app.steps == 2
    app.size(9)
    expect(too_small).to_have_count(0)
    assert app.steps == 2
    app.type_text("")
    expect(said).to_have_text("Type or paste a text: it is trained as you type.")
    assert app.words() == [list("abcdefg")], "the run before stays on the page"
    app.click("Close")
    expect(app.button("Settings")).to_be_focused()

    app.open_file(file_of("a.txt", b"\xff\xfe\x00"), "a.txt is not UTF-8")
    expect(page.get_by_role("alert")).to_contain_text("a.txt is not UTF-8")
    app.open_file(file_of("b.txt", b"ab ab abc"), "Corpus 3 words")
    expect(corpus).to_have_value("ab ab abc")
    app.open_file(file_of("words.csv", b"word,count\nhug,10\npug,5\n"), "Corpus 2 different words")
    app.size(6)
    history = tokviz.train({"hug": 10, "pug": 5}, "bpe", 6, "gpt2", unit="byte")
    app.click("Last step")
    assert app.narration == as_said(history, 2)
    assert app.words() == [["hug"], ["p", "ug"]]


#: Opens "More", and chooses what it says as soon as it is there.
CHOOSE_AT_ONCE = """async name => {
    const buttons = () => [...document.querySelectorAll("button")].filter(b => b.offsetParent);
    buttons().find(b => b.textContent.startsWith("More")).click();
    const choice = () => buttons().find(b => b.textContent === name);
    while (!choice()) await new Promise(requestAnimationFrame);
    choice().click();
}"""


#: What has the focus, if nobody sees that by a ring in the accent.
WITHOUT_RING = """() => {
    const accent = getComputedStyle(document.querySelector('.tv-play')).backgroundColor;
    const found = document.activeElement;
    let at = found;
    for (let i = 0; i < 4 && at; i++, at = at.parentElement) {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(at);
        const has = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        if ((has && outlineColor === accent) || boxShadow.includes(accent)) return '';
    }
    return `${found.tagName} ${found.ariaLabel ?? found.textContent}`;
}"""


def test_the_panel_stands_beside_the_player_keeps_the_focus_and_is_accessible(app):
    """Three lanes: tests/e2e/test_compare_page.py."""
    page = app.page
    for _ in range(55):
        page.keyboard.press("Tab")
        assert page.evaluate(WITHOUT_RING) == ""
    page.locator(".tv-corpus .chip").first.click()
    app.accessible_in_both_themes()
    app.press("Escape")
    expect(app.card).to_be_hidden()
    beside = page.locator(".st-key-shown")
    player = page.get_by_role("group", name="Training player")
    # A projector at 200 % shows some lines of the text above the bar, and all that trains.
    app.resize(683, 384)
    app.fits()
    third = page.locator(".tv-corpus .chip").nth(30).bounding_box()
    assert third["y"] + third["height"] < app.button("Play").bounding_box()["y"]
    for name in ("Compare side by side", "Share", "Open a file", "More", "Settings"):
        expect(app.button(name)).to_be_in_viewport(ratio=1)
    app.resize(1366, 768)
    before, same = player.bounding_box(), player.element_handle()
    app.button("Settings").focus()
    page.keyboard.press("Enter")
    app.settle()
    expect(app.button("Settings")).to_be_focused()
    panel = page.locator(".st-key-panel").bounding_box()
    now = player.bounding_box()
    assert now["y"] == before["y"] == panel["y"], "nothing moves down"
    assert now["x"] + now["width"] < panel["x"]
    app.fits(".st-key-panel")
    page.keyboard.press("Tab")
    expect(app.button("Close")).to_be_focused()
    page.keyboard.press("Escape")
    app.settle()
    expect(app.button("Settings")).to_be_focused()
    expect(page.locator(".st-key-panel")).to_have_count(0)
    app.click("Settings")
    assert same.evaluate("e => e.isConnected"), "the player has only made room"
    # Panels differ in their fields, not in their colours.
    app.accessible(".st-key-beside", **ALL_BUT_COLOURS)
    app.algorithm("WordPiece")
    app.accessible(".st-key-panel", **ALL_BUT_COLOURS)
    app.algorithm("Unigram")
    app.accessible_in_both_themes(".st-key-panel")
    for width, height in ((683, 384), (390, 844)):
        app.resize(width, height)
        app.fits()
        panel = page.locator(".st-key-panel").bounding_box()
        assert panel["y"] + panel["height"] <= beside.bounding_box()["y"], "above the player"

    # A popover by keyboard, and by mouse: once an algorithm is chosen it is closed.
    app.button("More").focus()
    page.keyboard.press("Enter")
    expect(app.button("SentencePiece BPE")).to_be_focused()
    page.keyboard.press("Tab")
    expect(app.button("SentencePiece Unigram")).to_be_focused()
    page.keyboard.press("Enter")
    app.settle()
    expect(app.button("More")).to_be_focused()
    expect(app.button("SentencePiece BPE")).to_have_count(0)
    # Whoever chooses before Python knows that it is open, too.
    page.evaluate(CHOOSE_AT_ONCE, "SentencePiece BPE")
    app.settle()
    expect(app.button("More")).to_be_focused()
    expect(app.button("SentencePiece BPE")).to_have_count(0)
    assert page.get_by_role("radio", name="SentencePiece BPE").is_checked()


HOSTILE = [
    "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1>",
    "**bold** [link](javascript:window.hacked=1) $x^2$ :smile: `code` ~~gone~~",
    "Ġ ▁ ## </w> ⟨Ġ⟩ &amp; &#60; \" ' `",
    "مرحبا בעולם 👩‍🚀👨‍👩‍👧 é 日本語 \u202eevil",
    "=1+1 @sum -2 +3 {{7*7}} ${7*7} %s %n ../../etc/passwd",
    "NUL\0 bell\a zero\u200bwidth soft\xadhyphen \ufeffmark é́ ́alone",
    "👩‍🚀 👩‍🚀 👩‍🚀",
]


def test_a_hostile_corpus_is_only_text_and_nothing_in_it_is_unseen(app):
    """Control and invisible characters stand on the page by their code points; emoji and what is
    written from right to left stay whole. Words run from right to left line by line and word by
    word, from the first byte to the last merge, and long ones over several lines."""
    page = app.page
    text = "\n".join(HOSTILE)
    app.train(text, "BPE", 400)
    history = tokviz.train(text, "bpe", 400, unit="byte")
    for t, button in ((0, "First step"), (len(history), "Last step")):
        app.click(button)
        assert app.words() == expected_words(history, text, t)
    for lens in ("Score table", "Steps", "Vocabulary"):
        page.get_by_role("radio", name=lens, exact=True).click()
        app.settle()
    for algorithm in ("WordPiece", "Unigram"):
        app.algorithm(algorithm)
        app.size(250)
        app.go(app.steps)
        assert app.step == app.steps > 1
        for lens in ("Score table", "Steps", "Vocabulary"):
            page.get_by_role("radio", name=lens, exact=True).click()
            app.settle()
    app.click("First step")
    assert page.locator(".tv-corpus :is(img, script, b)").count() == 0, "in the vocabulary"
    app.click("text")
    assert page.evaluate("window.hacked") is None
    assert page.locator(".tv-corpus img, .tv-corpus script, .tv-corpus b").count() == 0
    shown = page.locator(".tv-corpus").inner_text()
    for point in ("0000", "0007", "200B", "00AD", "FEFF", "202E"):
        assert f"⟨U+{point}⟩" in shown
    whole = page.locator(".tv-corpus").text_content()
    assert "\0" not in whole
    assert "\u202e" not in whole
    assert whole.count("👩‍🚀") >= 3
    lines = page.locator(".tv-corpus p").evaluate_all("lines => lines.map(p => p.dir)")
    assert lines == ["ltr", "ltr", "ltr", "rtl", "ltr", "ltr", "ltr"]

    app.train("كتاب كتاب كتاب 123 abc\nthe كتاب", "BPE", 60)
    directions = "all => all.map(e => e.dir)"
    places = """words => words.map(w => [...w.querySelectorAll('.chip')]
        .map(c => c.getBoundingClientRect().x))"""
    tops = "words => words.map(w => w.getBoundingClientRect().top)"
    for step in (0, 1, 3, app.steps):
        app.go(step)
        lines = page.locator(".tv-corpus p")
        assert lines.evaluate_all(directions) == ["rtl", "ltr"]
        words = page.locator(".tv-corpus .tv-word")
        assert words.evaluate_all(directions) == ["rtl"] * 3 + ["ltr"] * 3 + ["rtl"]
        chips = words.evaluate_all(places)
        for word, x in enumerate(chips):
            assert x == sorted(x, reverse=word in (0, 1, 2, 6)), (step, word)
        firsts = [(x[0], y) for x, y in zip(chips, words.evaluate_all(tops), strict=True)][:5]
        for (x, y), (after, below) in pairwise(firsts):
            assert after < x or below > y + 15, "further left, or on the next line"
    page.locator(".tv-corpus .chip.rtl").first.click()
    assert page.locator(".tv-card .tv-word").first.get_attribute("dir") == "rtl"

    text = "ab" * 50_000
    app.train(text, "BPE", 10)
    history = tokviz.train(text, "bpe", 10, unit="byte")
    assert app.steps == 8
    app.go(0)
    assert app.words()[0] == ["a", "b"] * 150
    assert "and 99,700 more tokens" in page.locator(".tv-corpus").inner_text()
    places = "chips => chips.map(c => c.getBoundingClientRect()).map(r => [r.y, r.x])"
    first = {}
    for y, x in page.locator(".tv-corpus .chip").evaluate_all(places):
        first[y] = min(x, first.get(y, x))
    assert len(first) > 5
    assert max(first.values()) - min(first.values()) < 1, "lines start one below the other"
    app.click("Last step")
    assert app.words()[0] == history.segmentation(text, 8)[:300]


AT_LEFT = "() => document.querySelector('.tv-panels').getBoundingClientRect().left"
#: How many lines of its text a field shows.
LINES = """field => { const { lineHeight, paddingTop } = getComputedStyle(field);
    return (field.clientHeight - parseFloat(paddingTop) + 0.5) / parseFloat(lineHeight); }"""
#: What is read in the field of the sample, its own name or that of the sample; "" if it is cut.
READ_WHOLE = """() => {
    const field = document.querySelector('.st-key-strip_text .stSelectbox');
    const input = field.querySelector('input');
    const label = field.querySelector('label');
    const seen = e => e.checkVisibility({ opacityProperty: true });
    const read = [[input, input.value], [label, label.textContent]].filter(([e]) => seen(e));
    return read.length === 1 && read[0][0].scrollWidth <= read[0][0].clientWidth ? read[0][1] : '';
}"""


#: Words of the corpus that take two lines, and closing marks that do not follow their word.
PARTED = """() => [...document.querySelectorAll('.tv-lines .tv-word')].filter(word => {
    const first = word.getClientRects()[0], tokens = [...word.querySelectorAll('.chip')];
    if (tokens.some(chip => chip.getBoundingClientRect().top > first.bottom)) return true;
    const before = /^[.,]$/.test(word.textContent) && word.previousElementSibling;
    return before && before.getClientRects()[0].bottom < first.top;
}).map(word => word.textContent)"""


def ring_is_whole(page, field):
    """Whether the ring around a field that has the focus is seen on all four sides."""
    # A key says that the ring is wanted.
    page.keyboard.press("Shift")
    field.focus()
    box = field.bounding_box()
    clip = {"x": box["x"] - 4, "y": box["y"] - 4, "width": box["width"] + 8}
    picture = Image.open(BytesIO(page.screenshot(clip={**clip, "height": box["height"] + 8})))
    accent = page.evaluate("""() =>
        getComputedStyle(document.activeElement).outlineColor.match(/\\d+/g).map(Number)""")
    width, height = picture.size
    sides = [(0, height // 2), (width - 4, height // 2), (width // 2, 0), (width // 2, height - 4)]
    return all(
        tuple(accent) in picture.convert("RGB").crop((x, y, x + 4, y + 4)).get_flattened_data()
        for x, y in sides
    )


#: The query of three lanes: tests/e2e/test_lanes.py adds them one by one.
THREE_LANES = "&".join(
    f"lane={to_link(replace(RUN, algorithm=algorithm, vocab_size=size, settings=()))}"
    for algorithm, size in (("bpe", 50), ("wordpiece", 60), ("unigram", 100))
)


def test_nothing_is_cut_off_and_on_a_phone_the_text_comes_first_and_what_plays_at_the_thumb(
    app, server
):
    page = app.page
    sizes = [(1920, 1080), (390, 844), (1366, 768)]
    for width, height in [*sizes, (1024, 768), (760, 1000), (683, 768)]:
        app.resize(width, height)
        app.charts()
        app.fits("html", ".stMain", ".tv-corpus", ".tv-candidates")
        # On a phone its tab names the corpus.
        if width > 640:
            app.fits(".tv-corpus h3")
        assert page.evaluate(AT_LEFT) % 1 == 0, "WebKit cuts right edges that are between pixels"
        more = app.button("More").bounding_box()
        assert more["x"] + more["width"] <= width
        hidden = """() => { const said = document.querySelector('.tv-say');
            return said.scrollHeight - said.clientHeight; }"""
        for step, [pixels] in enumerate(app.at_each_step(hidden)):
            assert pixels <= 0, (width, step)
    quiz = page.locator(".tv-actions .tv-named").first
    expect(quiz).to_have_text("Quiz", use_inner_text=True)
    expect(page.locator(".tv-play")).to_have_text("Play", use_inner_text=True)
    app.resize(1366, 768)
    assert 3 <= page.get_by_role("textbox", name="Your text", exact=True).evaluate(LINES) < 3.2

    # Each word of the corpus is in one line, with the full stop or comma behind it.
    app.algorithm("WordPiece")
    for width, height in sizes[::2]:
        app.resize(width, height)
        assert page.evaluate(PARTED) == []
    app.algorithm("BPE")
    assert page.evaluate(PARTED) == []
    app.go(13)
    moves = [page.get_by_role("button", name=name) for name in ("First step", "Play", "Last step")]
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_have_text(re.compile("language models read.$"), use_inner_text=True)
    for width, height in ((390, 844), (320, 640)):
        app.resize(width, height)
        app.charts()
        app.fits()
        expect(headline).to_have_text(
            "Watch a tokenizer learn to cut your text into tokens.", use_inner_text=True
        )
        assert page.locator(".tv-corpus .chip").first.bounding_box()["y"] < 260
        assert page.evaluate(READ_WHOLE) == "Sample"
        # The page was wide before, with both in sight.
        expect(page.locator(".tv-swiped [aria-current=true]")).to_have_text("Corpus")
        text = page.get_by_role("textbox", name="Your text", exact=True)
        for part in (text, page.locator(".tv-candidates"), page.locator(".tv-corpus")):
            part.scroll_into_view_if_needed()
            for move in moves:
                expect(move).to_be_in_viewport(ratio=1)
                move.click(trial=True)
            page.get_by_role("spinbutton", name="Go to step").click(trial=True)
        for one in ("slider", "spinbutton"):
            assert ring_is_whole(page, page.locator(".tv-transport").get_by_role(one).first), one
        assert text.bounding_box()["y"] < page.locator(".tv-corpus").bounding_box()["y"]
    for move in moves[::2]:
        move.click()
    assert app.step == app.steps
    # The field folds when a press leaves it, and what was under the finger is pressed all the same.
    page.get_by_role("textbox", name="Your text", exact=True).focus()
    wordpiece = page.get_by_role("radio", name="WordPiece", exact=True)
    wordpiece.click()
    expect(wordpiece).to_be_checked()
    app.algorithm("BPE")
    # What is set less often has a tab of its own.
    size = page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
    expect(size).to_be_hidden()
    app.click("Settings")
    expect(page.locator(".tv-corpus")).to_be_hidden()
    assert page.evaluate(READ_WHOLE) == "Four course sentences"
    app.fits()
    steps = app.steps
    app.fill("spinbutton", "Vocabulary size", "5")
    said = page.get_by_text("A vocabulary size of 5 is too small", exact=False)
    expect(said.first).to_be_in_viewport()
    assert app.steps == steps, "the run before stays on the page"
    app.size(50)
    # What plays, and the way back to the text, stay in sight below the open settings.
    app.resize(390, 844)
    page.locator(".st-key-settings_0 button").filter(visible=True).click()
    expect(page.get_by_role("combobox", name="Preset")).to_be_in_viewport(ratio=1)
    for part in (app.button("Play"), *page.locator(".tv-swiped button").all()):
        expect(part).to_be_in_viewport(ratio=1)
    app.click("Close")

    app.resize(1366, 768)
    page.goto(f"{server}/?{THREE_LANES}")
    app.opened()
    expect(page.locator(".tv-lane")).to_have_count(3)
    for width, height in [*sizes, (1024, 768)]:
        app.resize(width, height)
        app.charts()
        expect(page.locator(".tv-play")).to_have_text("Play", use_inner_text=True)
        app.fits()
        if width > 900:
            sample = page.locator(".st-key-strip_text .stSelectbox").bounding_box()
            file = app.button("Open a file").bounding_box()
            assert sample["x"] + sample["width"] <= file["x"]


def test_a_whole_book_and_a_longer_text_that_is_cancelled_and_stopped_with_what_there_is(app):
    page = app.page
    # 600 KB uploaded and trained from the page, 1,000 tokens, its last step shown.
    book = {"name": "book.txt", "mimeType": "text/plain", "buffer": book_bytes()}
    app.size(1100)
    app.open_file(book, r"The corpus is the file book.txt")
    for label, algorithm in KINDS[2::-2] if LONG else KINDS[:1]:
        app.algorithm(label)
        if algorithm == "unigram":
            app.click("Settings")
            app.fill("spinbutton", "Seed vocabulary", "3000")
        app.train_long()
        app.click("Last step")
        assert app.step == app.steps > 5
        assert "1,100" in app.page.locator(".tv-figures").inner_text()
        app.page.wait_for_function(
            "() => document.querySelectorAll('.tv-corpus .tv-word .chip').length > 3000"
        )

    draw = random.Random(1)
    words = ("".join(draw.choices("abcdefghijklmnop", k=9)) for _ in range(400_000))
    app.size(60000)
    before = app.steps
    app.open_file(file_of("long.txt", " ".join(words).encode()), "Training on this takes")
    train = page.get_by_role("button", name="Train", exact=True)
    train.click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert")).to_contain_text("cancelled", ignore_case=True)
    app.settle()
    assert app.steps == before, "the run before stays"
    train.click()
    page.get_by_text(re.compile(r"\d[\d,]+ of 59,\d+ merges")).wait_for()
    run = page.locator(".tv-transport").element_handle()
    app.click("Stop here")
    page.wait_for_function("old => !old.isConnected", arg=run)
    app.opened()
    expect(page.get_by_role("alert")).to_have_count(0)
    size = page.get_by_role("spinbutton", name="Vocabulary size", exact=True).input_value()
    assert int(size) == 17 + app.steps, "sixteen letters, a space, the merges"
