"""What a teacher does: presents, asks the class, walks through a lesson, asks what if."""

import pytest

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus


@pytest.fixture(scope="module")
def history():
    """What the page shows first."""
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


def test_presents_from_the_keyboard(tab, server):
    tab.open(f"{server}/?lane=course&step=3")
    size = "() => parseFloat(getComputedStyle(document.querySelector('.tv-word .chip')).fontSize)"
    small = tab.run(size)
    tab.press("p")
    tab.sees("html.tv-present")
    assert tab.run(size) > small
    tab.press("PageDown")
    tab.stands_at(4)
    tab.press("k")
    tab.sees(".tv-keys")
    tab.press("l")
    tab.hover(".tv-corpus .chip")
    tab.sees(".chip.lit, .chip.lasered, [data-laser]")
    tab.press("Escape")
    tab.press("p")
    tab.wait("() => !document.querySelector('html.tv-present')")
    tab.settle()


def test_asks_the_class_which_pair_comes(tab, server, history):
    tab.open(f"{server}/?lane=course&step=0&quiz=1")
    for t in range(2):
        tab.sees(".tv-question .tv-option")
        options = tab.run(
            "() => [...document.querySelectorAll('.tv-question .tv-option')]"
            ".map(o => [...o.querySelectorAll('.chip')].map(c => c.dataset.token))"
        )
        step = history.steps[t]
        place = options.index([step.left, step.right])
        if t:
            tab.press(str(place + 1))
        else:
            tab.click_on(".tv-question .tv-option", place)
        tab.says(".tv-result", "✓ Right.")
        tab.stands_at(t + 1)
        tab.press("Enter")
    tab.settle()


def test_walks_through_a_lesson(tab, server):
    tab.go(f"{server}/learn?lesson=why-subwords&scene=3")
    tab.sees(".tv-scene")
    tab.settle()
    tab.stands_at(0)
    seen = "() => getComputedStyle(document.querySelector('.tv-candidates table')).visibility"
    assert tab.run(seen) == "hidden", "what comes is not shown before a guess"
    tab.click_on(".st-key-lesson_options button", 0)
    tab.stands_at(1)
    tab.wait(f"() => ({seen})() === 'visible'")
    tab.settle()
    tab.click("button", "Next")
    tab.settle()
    tab.wait("() => new URLSearchParams(location.search).get('scene') === '4'")


def test_asks_what_if_another_pair_were_merged(tab, server):
    tab.open(server)
    tab.hover(".tv-candidates tbody tr", 1)
    tab.click("button", "What if “Ġt” + “h” were merged instead?")
    tab.wait("() => document.querySelectorAll('.tv-lane').length === 2")
    tab.settle()
    assert tab.step == 13
    assert "What if" in tab.texts(".tv-name")[1]
