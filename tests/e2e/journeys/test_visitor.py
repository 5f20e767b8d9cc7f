"""What a visitor does: opens, steps, scrubs, plays, pastes a text, looks into a word, encodes, goes
through every page. No page complains of anything (see `visit`)."""

import re

import pytest
from app_page import as_said

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus
#: Each letter of it is typed.
TEXT = "the cat sat\na rat sat"
SLIDER = "[aria-label='Training step']"
#: A file that is dropped on the text, which no driver can drag: events made up in the page.
DROP = """text => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "mine.txt", { type: "text/plain" }));
    for (const name of ["dragover", "drop"])
        document.querySelector("textarea").dispatchEvent(
            new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
}"""
#: The pages that the menu leads to, and something that each has once it is drawn.
PAGES = {
    "Encode": ".tv-columns[data-characters]",
    "Compare": ".tv-lane ~ .tv-lane .tv-corpus .chip",
    "Learn": ".tv-lessons",
    "Open": "input[type=file]",
    "How it works": "h1",
    "Train": ".tv-corpus .chip",
}


@pytest.fixture(scope="module")
def history():
    """What the page shows first."""
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


def words_of(history, text, t):
    """The tokens of every word of a text at a step, in text order."""
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    return [history.segmentation(word, t) for word in words]


def shows(tab, history, text, step):
    """The words and the narration on the page are those of the engine."""
    assert tab.words() == words_of(history, text, step)
    assert tab.texts(".tv-say p")[0] == as_said(history, step)


def is_whole(tab):
    """The page is drawn, says nothing of an error, and is not cut off sideways."""
    tab.settle()
    assert not tab.run("() => document.querySelector('.stException, [role=alert]')?.textContent")
    wide = tab.run("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], "nothing is cut off sideways"


def pick(tab, lens, seen):
    tab.click("radio", lens)
    tab.sees(seen)
    is_whole(tab)


def plays_a_run_looks_into_it_and_trains_a_text(tab, history):
    """From the first state on."""
    tab.click("button", "Next step")
    tab.stands_at(1)
    tab.press("ArrowRight")
    tab.stands_at(2)
    tab.press("Home")
    tab.stands_at(0)
    for step in (1, 7, 20):
        tab.go_to(step)
        shows(tab, history, COURSE, step)
    tab.drag(SLIDER, 0.1, 0.9)
    assert tab.step > 15
    tab.drag(SLIDER, 0.9, 0.3)
    assert 4 <= tab.step <= 8
    shows(tab, history, COURSE, tab.step)
    tab.choose("Speed", "60 steps/s")
    tab.click("button", "Play")
    tab.stands_at(len(history))
    tab.sees("[aria-label='Play'], [title='Play']")
    is_whole(tab)

    tab.press("w")
    tab.sees(".tv-corpus .tv-times")
    tab.click("button", "text")
    pick(tab, "Score table", ".stDataFrame canvas")
    pick(tab, "A token", ".st-key-lenses svg")
    pick(tab, "A word", "svg.tree")
    tab.fill("textbox", "Word", "tokens")
    tab.says("[aria-label='Inside a word'] h2", "tokens")
    is_whole(tab)

    tab.run("() => document.querySelector('.stMain').scrollTo(0, 0)")
    tab.run(DROP, "hug pug hugs bun")
    tab.says(".tv-pane h3", "Corpus 4 words")
    text = "() => document.querySelector('textarea').value"
    tab.until(lambda: tab.run(text) == "hug pug hugs bun", "the text is in its field")
    tab.press("Escape")
    tab.settle()
    tab.fill("textbox", "Your text", TEXT)
    tab.says(".tv-pane h3", "Corpus 6 words")
    tab.settle()
    tab.press("Control+Enter")
    tab.settle()
    tab.click("radio", "Unigram")
    tab.settle()
    tab.fill("spinbutton", "Vocabulary size", "16")
    tab.press("Enter")
    tab.settle()
    own = tokviz.train(TEXT, "unigram", 16)
    assert tab.steps == len(own)
    # It is the vocabulary that is seen to change.
    tab.sees(".tv-stays .tv-item")
    is_whole(tab)
    tab.click("button", "text")
    for step in (1, len(own)):
        tab.go_to(step)
        shows(tab, own, TEXT, step)
    tab.sees("svg.arcs .edge")
    is_whole(tab)


def test_walks_through_every_page_takes_the_moment_to_a_dark_phone_and_plays(
    visit, engine, server, history
):
    """A finger is touch events of the browser in Chromium; in the others a script makes them."""
    # In Chromium the phone is another one; the others are dark, and become as small.
    tab = visit(dark=engine != "chromium")
    tab.open(server)
    assert (tab.step, tab.steps) == (0, len(history))
    tab.sees(".tv-invitation")
    tab.go_to(5)
    tab.wait("() => new URLSearchParams(location.search).get('step') === '5'")
    is_whole(tab)
    link = tab.run("() => location.href")
    for name, seen in PAGES.items():
        tab.click("link", name)
        tab.wait("css => document.querySelector(css) !== null", seen)
        is_whole(tab)
        if name == "Encode":
            text = "This tokenizer"
            tab.fill("textbox", "Text", text)
            tab.sees(f".tv-columns[data-characters='{len(text)}']")
            tab.settle()
            shown = tab.run(
                "() => [...document.querySelectorAll('.tv-column')].at(-1)"
                ".querySelectorAll('.tv-tokens .chip').length"
            )
            assert shown == len(history.tokenizer().encode(text).tokens)
    assert tab.step == 5

    # In test_phone_in_class.py the others open a page that is as small.
    if engine == "chromium":
        phone = visit(dark=True, finger=True)
        phone.open(link)
    else:
        phone = tab
        phone.resize(390, 844)
    assert phone.step == 5
    shows(phone, history, COURSE, 5)
    ground = phone.run("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert ground == "rgb(20, 22, 26)"
    chip = phone.run("() => getComputedStyle(document.querySelector('.tv-corpus .chip')).color")
    assert min(int(part) for part in re.findall(r"\d+", chip)[:3]) > 150, "light letters"
    phone.click("button", "Next step")
    phone.stands_at(6)
    phone.swipe(SLIDER, 0.3, 0.65)
    phone.wait("() => document.querySelector('[data-steps]').dataset.step > 8")
    phone.swipe(SLIDER, 0.65, 0.25)
    phone.wait("() => document.querySelector('[data-steps]').dataset.step < 8")
    assert phone.words() == words_of(history, COURSE, phone.step)
    is_whole(phone)
    # A word that is wider than the screen takes two lines.
    phone.go_to(0)
    phone.resize(260, 640)
    phone.wait(
        "() => { const right = e => e.getBoundingClientRect().right;"
        " const words = [...document.querySelectorAll('.tv-corpus .tv-word')];"
        " return words.every(word => right(word) <= right(word.closest('.tv-panel'))); }"
    )
    phone.wait(
        "() => { const box = css => document.querySelector(css).getBoundingClientRect();"
        " return box('[data-testid=stExpandSidebarButton]').right"
        " < box('.st-key-languages').left; }"
    )

    # Chromium does the same in tests of its own: test_typed_text.py, test_player.py.
    if engine != "chromium":
        tab.resize(1366, 768)
        tab.go_to(0)
        plays_a_run_looks_into_it_and_trains_a_text(tab, history)
