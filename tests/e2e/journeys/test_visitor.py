"""What a visitor does: opens, steps, scrubs, plays, pastes a text, looks into a word, encodes."""

import re

import pytest
from app_page import as_said

import tokviz
from tokviz.basics.messages import _, using

COURSE = tokviz.SAMPLES["course"].corpus
TEXT = "the cat sat on the mat\nthe cats sat on the mats\na rat sat on a cat"
SLIDER = "[aria-label='Training step']"


@pytest.fixture(scope="module")
def history():
    """What the page shows first."""
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


def words_of(history, text, t):
    """The tokens of every word of a text at a step, in text order."""
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    return [history.segmentation(word, t) for word in words]


def test_opens_and_steps_by_button_key_and_number(tab, server, history):
    tab.open(server)
    assert (tab.step, tab.steps) == (13, len(history))
    tab.click("button", "Next step")
    tab.stands_at(14)
    tab.press("ArrowRight")
    tab.stands_at(15)
    tab.press("Home")
    tab.stands_at(0)
    for step in (1, 7, 20):
        tab.go_to(step)
        assert tab.words() == words_of(history, COURSE, step)
        assert tab.texts(".tv-say p")[0] == as_said(history, step)
    tab.settle()


def test_scrubs_by_mouse(tab, server, history):
    tab.open(server)
    tab.drag(SLIDER, 0.1, 0.9)
    assert tab.step > 15
    tab.drag(SLIDER, 0.9, 0.3)
    assert 4 <= tab.step <= 8
    assert tab.words() == words_of(history, COURSE, tab.step)
    tab.settle()


def test_scrubs_by_touch(visit, server, history):
    """By touch events of the browser in Chromium; in the others by events made up in the page."""
    tab = visit(finger=True)
    tab.open(server)
    tab.swipe(SLIDER, 0.65, 0.25)
    tab.wait("() => document.querySelector('[data-steps]').dataset.step < 8")
    assert tab.words() == words_of(history, COURSE, tab.step)
    tab.settle()


def test_plays_to_the_end(tab, server, history):
    tab.open(f"{server}/?lane=course&step=0&speed=60")
    tab.stands_at(0)
    tab.click("button", "Play")
    tab.stands_at(len(history))
    tab.sees("[aria-label='Play'], [title='Play']")
    tab.settle()


def test_pastes_a_text_and_trains(tab, server):
    tab.open(server)
    tab.click("button", "Change")
    tab.settle()
    tab.fill("textbox", "Corpus", TEXT)
    tab.press("Control+Enter")
    tab.settle()
    tab.click("radio", "Unigram")
    tab.settle()
    tab.fill("spinbutton", "Vocabulary size", "36")
    tab.press("Enter")
    tab.settle()
    tab.press_train()
    history = tokviz.train(TEXT, "unigram", 36)
    assert (tab.step, tab.steps) == (0, len(history))
    for step in (1, len(history)):
        tab.go_to(step)
        assert tab.texts(".tv-say p")[0] == as_said(history, step)
        assert tab.words() == words_of(history, TEXT, step)
    tab.settle()


def test_a_link_brings_another_browser_to_the_same_moment(visit, server, history):
    tab = visit()
    tab.open(server)
    tab.go_to(5)
    tab.wait("() => new URLSearchParams(location.search).get('step') === '5'")
    tab.settle()
    other = visit()
    other.open(tab.run("() => location.href"))
    assert other.step == 5
    assert other.words() == words_of(history, COURSE, 5)


def test_looks_into_a_word_by_merges_and_by_lattice(tab, server):
    tab.open(server)
    tab.click("radio", "A word")
    tab.sees("svg.tree")
    tab.settle()
    tab.fill("textbox", "Word", "tokens")
    tab.says("[aria-label='Inside a word'] h2", "tokens")
    tab.settle()
    tab.open(f"{server}/?lane=hug-pug&lens=word&word=pug")
    tab.sees("svg.arcs .edge")
    tab.settle()


def test_encodes_while_typing(tab, server, history):
    tab.go(f"{server}/encode")
    tab.sees(".tv-columns[data-characters]")
    tab.settle()
    text = "This tokenizer"
    tab.fill("textbox", "Text", text)
    tab.sees(f".tv-columns[data-characters='{len(text)}']")
    tab.settle()
    shown = tab.run(
        "() => [...document.querySelectorAll('.tv-column')].at(-1)"
        ".querySelectorAll('.tv-tokens .chip').length"
    )
    assert shown == len(history.tokenizer().encode(text).tokens)


def test_reads_it_in_chinese(tab, server):
    tab.open(server)
    tab.click("radio", "简体中文")
    with using("zh_CN"):
        candidates = _("Candidates")
    tab.says(".tv-candidates h3", candidates)
    tab.settle()
    assert tab.run("() => document.documentElement.lang").startswith("zh")


def test_reads_it_in_the_dark(visit, server):
    tab = visit(dark=True)
    tab.open(server)
    ground = tab.run("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert ground == "rgb(20, 22, 26)"
    chip = tab.run("() => getComputedStyle(document.querySelector('.tv-corpus .chip')).color")
    assert min(int(part) for part in re.findall(r"\d+", chip)[:3]) > 150, "light letters"


def test_holds_it_as_a_phone(visit, server):
    tab = visit(finger=True)
    tab.resize(390, 844)
    tab.open(server)
    tab.click("button", "Next step")
    tab.stands_at(14)
    tab.settle()
    wide = tab.run("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], "nothing is cut off sideways"
