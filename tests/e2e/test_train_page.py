"""What a person does on the Train page, compared with the engine run in this process."""

import os
import random
import re
from pathlib import Path

import pytest
from app_page import as_said
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus
KINDS = [("BPE", "bpe", 60), ("WordPiece", "wordpiece", 60), ("Unigram", "unigram", 100)]


def expected_words(history, text, t):
    """The tokens of every word of a text, in text order."""
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    return [history.segmentation(word, t) for word in words]


def test_opening_shows_a_trained_sample(app):
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    assert (app.step, app.steps) == (13, 20)
    assert app.words() == expected_words(history, COURSE, 13)
    assert app.narration == as_said(history, 13)
    rows = history.candidates(13, 20)
    shown = app.candidates()
    assert [tokens for tokens, _ in shown] == rows[["left", "right"]].values.tolist()
    notes = ["next, tied", "first-seen"] + ["tied"] * 14 + [""] * 4
    assert [note for _, note in shown] == notes
    app.charts()


def test_every_way_to_step(app):
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
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


@pytest.mark.parametrize(("label", "algorithm", "size"), KINDS)
def test_own_text(app, label, algorithm, size):
    text = "the cat sat on the mat\nthe cats sat on the mats\na rat sat on a cat"
    size = min(size, 36)
    app.train(text, label, size)
    settings = {"unit": "byte"} if algorithm == "bpe" else {}
    history = tokviz.train(text, algorithm, size, **settings)
    assert (app.step, app.steps) == (0, len(history))
    for t in (0, 1, len(history) // 2, len(history)):
        app.go(t)
        assert app.step == t
        assert app.narration == as_said(history, t)
        assert app.words() == expected_words(history, text, t)
        rows = history.candidates(t, 20)
        names = ["token"] if algorithm == "unigram" else ["left", "right"]
        assert [r[0] for r in app.candidates()][: len(rows)] == rows[names].values.tolist()


def test_upload_of_a_text_and_of_word_counts(app):
    app.open_form()
    file = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"ab ab abc"}
    app.upload(file, "It has 3 words")
    corpus = app.page.get_by_role("textbox", name="Corpus", exact=True)
    expect(corpus).to_have_value("ab ab abc")
    file = {"name": "words.csv", "mimeType": "text/csv", "buffer": b"word,count\nhug,10\npug,5\n"}
    app.upload(file, "It has 15 words")
    app.fill("spinbutton", "Vocabulary size", "6")
    app.press_train()
    history = tokviz.train({"hug": 10, "pug": 5}, "bpe", 6, "gpt2", unit="byte")
    app.click("Last step")
    assert app.narration == as_said(history, 2)
    assert app.words() == [["hug"], ["p", "ug"]]


def test_a_file_that_is_no_text_leaves_a_sentence(app):
    app.open_form()
    file = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"\xff\xfe\x00"}
    app.upload(file, "a.txt is not UTF-8")
    expect(app.page.get_by_role("alert")).to_contain_text("a.txt is not UTF-8")


def test_bad_input_leaves_a_sentence_and_what_was_typed(app):
    app.train("abcdefg", "BPE", 5)
    said = "vocab_size=5 is smaller than the alphabet (7 characters); ask for at least 7."
    expect(app.page.get_by_role("alert")).to_have_text(said)
    corpus = app.page.get_by_role("textbox", name="Corpus", exact=True)
    expect(corpus).to_have_value("abcdefg")
    assert app.step == 13, "the run before stays on the page"
    app.fill("spinbutton", "Vocabulary size", "9")
    app.press_train()
    assert app.steps == 2


def test_a_bad_pattern_leaves_a_sentence(app):
    app.open_form()
    app.pick("Pre-tokenizer", "Regular expression")
    app.fill("textbox", "Pattern", "(a")
    app.press_train()
    expect(app.page.get_by_role("alert")).to_contain_text("pattern", ignore_case=True)


def test_what_was_typed_survives_closing_the_form(app):
    """And the player below is the same all the time: it only moves down and up."""
    player = app.page.locator(".tv-transport").element_handle()
    app.open_form()
    app.fill("textbox", "Corpus", "my own words")
    app.click("Close")
    app.open_form()
    corpus = app.page.get_by_role("textbox", name="Corpus", exact=True)
    expect(corpus).to_have_value("my own words")
    assert player.evaluate("e => e.isConnected")


HOSTILE = [
    "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1>",
    "**bold** [link](javascript:window.hacked=1) $x^2$ :smile: `code` ~~gone~~",
    "Ġ ▁ ## </w> ⟨Ġ⟩ &amp; &#60; \" ' `",
    "مرحبا בעולם 👩‍🚀👨‍👩‍👧 é 日本語 \u202eevil",
    "=1+1 @sum -2 +3 {{7*7}} ${7*7} %s %n ../../etc/passwd",
    "NUL\0 bell\a zero\u200bwidth soft\xadhyphen \ufeffmark é́ ́alone",
]


def test_a_hostile_corpus_is_only_text(app):
    text = "\n".join(HOSTILE)
    app.train(text, "BPE", 400)
    history = tokviz.train(text, "bpe", 400, unit="byte")
    assert app.words() == expected_words(history, text, 0)
    app.click("Last step")
    assert app.words() == expected_words(history, text, len(history))
    for algorithm in ("WordPiece", "Unigram"):
        app.open_form()
        app.algorithm(algorithm)
        app.fill("spinbutton", "Vocabulary size", "250")
        app.press_train()
        app.click("Last step")
        assert app.step == app.steps > 1
    for lens in ("Score table", "Steps", "Vocabulary"):
        app.page.get_by_role("radio", name=lens, exact=True).click()
        app.settle()
    assert app.page.evaluate("window.hacked") is None
    assert app.page.locator(".tv-corpus img, .tv-corpus script, .tv-corpus b").count() == 0


def test_an_empty_corpus(app):
    app.train("", "BPE", 10)
    assert (app.step, app.steps) == (0, 0)
    expect(app.page.get_by_text("This corpus has no words.")).to_be_visible()


def test_nothing_in_a_hostile_corpus_is_unseen(app):
    """Control and invisible characters stand on the page by their code points; emoji and what is
    written from right to left stay whole."""
    app.train("\n".join([*HOSTILE, "👩‍🚀 👩‍🚀 👩‍🚀"]), "Unigram", 300)
    shown = app.page.locator(".tv-corpus").inner_text()
    for point in ("0000", "0007", "200B", "00AD", "FEFF", "202E"):
        assert f"⟨U+{point}⟩" in shown
    whole = app.page.locator(".tv-corpus").text_content()
    assert "\0" not in whole
    assert "\u202e" not in whole
    assert whole.count("👩‍🚀") >= 3
    lines = app.page.locator(".tv-corpus p").evaluate_all("lines => lines.map(p => p.dir)")
    assert lines == ["ltr", "ltr", "ltr", "rtl", "ltr", "ltr", "ltr"]


def test_right_to_left_text_keeps_its_direction_while_bytes_become_letters(app):
    """Line by line and word by word, from the first byte to the last merge."""
    text = "كتاب كتاب كتاب 123 abc\nthe كتاب"
    app.train(text, "BPE", 60)
    directions = "all => all.map(e => e.dir)"
    places = """words => words.map(w => [...w.querySelectorAll('.chip')]
        .map(c => c.getBoundingClientRect().x))"""
    for step in (0, 1, 3, app.steps):
        app.go(step)
        lines = app.page.locator(".tv-corpus p")
        assert lines.evaluate_all(directions) == ["rtl", "ltr"]
        words = app.page.locator(".tv-corpus .tv-word")
        assert words.evaluate_all(directions) == ["rtl"] * 3 + ["ltr"] * 3 + ["rtl"]
        chips = words.evaluate_all(places)
        for word, x in enumerate(chips):
            assert x == sorted(x, reverse=word in (0, 1, 2, 6)), (step, word)
        firsts = [x[0] for x in chips[:5]]
        assert firsts == sorted(firsts, reverse=True)
    app.page.locator(".tv-corpus .chip.rtl").first.click()
    word = app.page.locator(".tv-card .tv-word").first
    assert word.get_attribute("dir") == "rtl"


def test_the_lines_of_a_broken_word_start_one_below_the_other(app):
    app.train("ab" * 300, "BPE", 2)
    places = "chips => chips.map(c => c.getBoundingClientRect()).map(r => [r.y, r.x])"
    first = {}
    for y, x in app.page.locator(".tv-corpus .chip").evaluate_all(places):
        first[y] = min(x, first.get(y, x))
    assert len(first) > 5
    assert max(first.values()) - min(first.values()) < 1


def assert_accessible(app):
    app.settle()
    # Streamlit's own upload area has a label on an element of role "presentation".
    found = Axe().run(app.page, context={"exclude": [['[data-testid="stFileUploaderDropzone"]']]})
    assert not found.violations_count, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(app, scheme):
    app.page.emulate_media(color_scheme=scheme)
    app.reload()
    app.open_form()
    # Forms differ in their fields, not in their colours.
    for label, _, size in KINDS if scheme == "light" else KINDS[-1:]:
        app.algorithm(label)
        app.fill("spinbutton", "Vocabulary size", str(size))
        assert_accessible(app)
    app.press_train()
    assert_accessible(app)
    app.page.locator(".tv-corpus .chip").first.click()
    app.add_lane("BPE")
    app.add_lane("WordPiece", 60)
    assert_accessible(app)
    app.page.locator(".tv-corpus .chip").first.click()
    app.page.get_by_role("button", name="First difference").click()
    assert_accessible(app)
    app.page.get_by_role("button", name="Keys").click()
    assert_accessible(app)


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080), (390, 844)])
def test_nothing_is_cut_off_sideways(app, width, height):
    app.resize(width, height)
    app.charts()
    for part in ("html", ".tv-corpus", ".tv-candidates"):
        app.fits(part)
    said = app.page.locator(".tv-say")
    # There is least room for a narration on a phone and on a projector.
    for _ in range(app.steps if width < 1920 else 1):
        assert said.evaluate("e => e.scrollHeight - e.clientHeight") <= 0, app.narration
        app.click("Next step") if app.step < app.steps else app.click("First step")
    app.add_lane("WordPiece", 60)
    app.add_lane("Unigram", 100)
    app.charts()
    app.fits()


@pytest.mark.skipif(
    "TOKVIZ_TEXTS" not in os.environ, reason="needs pg16457.txt in the folder TOKVIZ_TEXTS"
)
@pytest.mark.parametrize(("label", "algorithm", "size"), KINDS)
def test_a_whole_book(app, label, algorithm, size):
    """600 KB uploaded and trained from the page, 1,000 tokens, its last step shown."""
    size = 1100
    app.open_form()
    app.upload(Path(os.environ["TOKVIZ_TEXTS"]) / "pg16457.txt", r"It has \d{3},\d{3} words")
    app.algorithm(label)
    app.fill("spinbutton", "Vocabulary size", str(size))
    if algorithm == "unigram":
        app.fill("spinbutton", "Seed vocabulary", "3000")
    app.press_train()
    app.click("Last step")
    assert app.step == app.steps > 5
    assert f"{size:,}" in app.page.locator(".tv-figures").inner_text()
    app.page.wait_for_function(
        "() => document.querySelectorAll('.tv-corpus .tv-word .chip').length > 3000"
    )


def test_a_word_of_100_000_characters(app):
    text = "ab" * 50_000
    app.train(text, "BPE", 10)
    history = tokviz.train(text, "bpe", 10, unit="byte")
    assert (app.step, app.steps) == (0, 8)
    assert app.words()[0] == ["a", "b"] * 150
    assert "and 99,700 more tokens" in app.page.locator(".tv-corpus").inner_text()
    app.click("Last step")
    assert app.words()[0] == history.segmentation(text, 8)[:300]


def begin_a_long_training(app, seed):
    draw = random.Random(seed)
    words = ("".join(draw.choices("abcdefghijklmnop", k=9)) for _ in range(150_000))
    text = " ".join(words)
    app.open_form()
    file = {"name": "long.txt", "mimeType": "text/plain", "buffer": text.encode()}
    app.upload(file, "It has 150,000 words")
    app.fill("spinbutton", "Vocabulary size", "60000")
    app.page.get_by_role("button", name="Train", exact=True).click()


def test_a_training_can_be_stopped_and_shows_what_it_has(app):
    begin_a_long_training(app, 1)
    app.page.get_by_text(re.compile(r"\d[\d,]+ of 59,\d+ merges")).wait_for()
    run = app.page.locator(".tv-transport").element_handle()
    app.click("Stop here")
    app.page.wait_for_function("old => !old.isConnected", arg=run)
    app.opened()
    expect(app.page.get_by_role("alert")).to_have_count(0)
    size = app.page.locator(".tv-setup div", has_text="Vocabulary").locator("dd").inner_text()
    assert int(size.replace(",", "")) == 17 + app.steps, "sixteen letters, a space, the merges"


def test_training_can_be_cancelled_and_clicks_do_not_lose_it(app):
    begin_a_long_training(app, 0)
    app.page.get_by_role("button", name="Cancel").click()
    expect(app.page.get_by_role("alert")).to_contain_text("cancelled", ignore_case=True)
    app.settle()
    assert app.steps == 20, "the run before stays"


def test_the_unigram_of_sentencepiece_is_played(app):
    history = tokviz.train(COURSE, "sentencepiece-unigram", 40)
    app.open_form()
    app.algorithm("SentencePiece Unigram")
    app.fill("spinbutton", "Vocabulary size", "40")
    app.press_train()
    assert (app.step, app.steps) == (0, len(history))
    assert app.page.locator(".tv-agreement, .exact-delta").count() == 0
    for button, t in (("Next step", 1), ("Last step", len(history)), ("First step", 0)):
        app.click(button)
        assert app.words() == expected_words(history, COURSE, t)
        assert app.narration == as_said(history, t)
    app.page.locator(".tv-corpus .chip").first.click()
    assert_accessible(app)
