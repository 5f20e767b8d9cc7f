"""What a person does on the Train page, compared with the engine run in this process."""

import random
import re
from itertools import pairwise

from app_page import App, as_said
from effort import LONG
from helpers import book_bytes
from player_page import ALL_BUT_COLOURS, words_of
from playwright.sync_api import expect

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus
KINDS = [("BPE", "bpe"), ("WordPiece", "wordpiece"), ("Unigram", "unigram")]


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
    assert app.words() == words_of(history, COURSE, 13)
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
        assert app.words() == words_of(history, COURSE, app.step)
    assert visited == [0, 1, 2, 20, 19]
    app.go(7)
    assert app.step == 7
    slider = app.page.get_by_role("slider", name="Training step")
    slider.focus()
    slider.press("ArrowRight")
    assert (app.step, app.narration) == (8, as_said(history, 8))
    assert app.page.locator(".chip.new").first.get_attribute("data-token") == "This"


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
    page.locator(".stMain").evaluate("e => e.scrollTo(0, 0)")
    beside = page.locator(".st-key-shown")
    player = page.get_by_role("group", name="Training player")
    before, same = player.bounding_box(), player.element_handle()
    app.button("Settings").focus()
    page.keyboard.press("Enter")
    app.settle()
    expect(app.button("Settings")).to_be_focused()
    assert same.evaluate("e => e.isConnected"), "the player has only made room"
    panel = page.locator(".st-key-panel").bounding_box()
    now = player.bounding_box()
    assert now["y"] == before["y"] == panel["y"], "nothing moves down"
    assert now["x"] + now["width"] < panel["x"]
    app.fits(".st-key-panel")
    page.keyboard.press("Tab")
    expect(app.button("Close")).to_be_focused()
    page.locator(".tv-corpus .chip").first.click()
    app.accessible_in_both_themes()
    app.press("Escape")
    expect(app.card).to_be_hidden()
    # Panels differ in their fields, not in their colours.
    for algorithm in ("WordPiece", "Unigram"):
        app.algorithm(algorithm)
        app.accessible(".st-key-panel", **ALL_BUT_COLOURS)
    for width, height in ((390, 844), (683, 384)):
        app.resize(width, height)
        app.fits()
        panel = page.locator(".st-key-panel").bounding_box()
        assert panel["y"] + panel["height"] <= beside.bounding_box()["y"], "above the player"
    app.button("Close").focus()
    page.keyboard.press("Escape")
    app.settle()
    expect(app.button("Settings")).to_be_focused()
    expect(page.locator(".st-key-panel")).to_have_count(0)

    # A popover by keyboard, and by mouse: once an algorithm is chosen it is closed.
    app.button("More").focus()
    page.keyboard.press("Enter")
    expect(app.button("SentencePiece BPE")).to_be_focused()
    page.keyboard.press("Tab")
    expect(app.button("SentencePiece Unigram")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    app.settle()
    expect(app.button("More")).to_be_focused()
    expect(app.button("SentencePiece BPE")).to_have_count(0)
    # Whoever chooses before Python knows that it is open, too.
    page.evaluate(CHOOSE_AT_ONCE, "PickyBPE")
    app.settle()
    expect(app.button("More")).to_be_focused()
    expect(app.button("PickyBPE")).to_have_count(0)
    assert page.get_by_role("radio", name="PickyBPE").is_checked()
    # A projector at 200 % shows some lines of the text above the bar, and all that trains.
    app.algorithm("BPE")
    app.go(13)
    app.fits()
    chip = page.locator(".tv-corpus .chip").nth(30)
    expect(chip).to_be_visible()
    third = chip.bounding_box()
    assert third["y"] + third["height"] < app.button("Play").bounding_box()["y"]
    for name in ("Compare side by side", "Share", "Open a file", "More", "Settings"):
        expect(app.button(name)).to_be_in_viewport(ratio=1)


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
        assert app.words() == words_of(history, text, t)
    for lens in ("Score table", "Steps", "Vocabulary"):
        page.get_by_role("radio", name=lens, exact=True).click()
        app.settle()
    app.algorithm("Unigram")
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


def test_a_whole_book_and_a_longer_text_that_is_stopped_with_what_there_is(app):
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
    words = ("".join(draw.choices("abcdefghijklmnop", k=30)) for _ in range(100_000))
    # A busy machine would say it of the book as well, with so many tokens.
    app.open_file(file_of("long.txt", " ".join(words).encode()), "Training on this takes")
    app.size(60000)
    app.settle()
    page.get_by_role("button", name="Train", exact=True).click()
    run = page.locator(".tv-transport").element_handle()
    # Clicked in the frame that first shows merges: on a busy machine it would end meanwhile.
    page.wait_for_function(
        """() => {
            const said = document.querySelector("[data-testid=stProgress]")?.textContent;
            if (!/\\d[\\d,]+ of 59,\\d+ merges/.test(said)) return false;
            const named = button => button.innerText.trim() === "Stop here";
            [...document.querySelectorAll("button")].find(named).click();
            return true;
        }"""
    )
    page.wait_for_function("old => !old.isConnected", arg=run)
    app.opened()
    expect(page.get_by_role("alert")).to_have_count(0)
    size = page.get_by_role("spinbutton", name="Vocabulary size", exact=True).input_value()
    assert int(size) == 17 + app.steps, "sixteen letters, a space, the merges"
