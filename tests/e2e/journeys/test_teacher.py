"""What a teacher does: asks the class, presents, asks what if, walks through a lesson."""

import pytest

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus


@pytest.fixture(scope="module")
def history():
    """What the page shows first."""
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


#: Pictures of a presentation by their keys; whether one is seen, and none of the others.
PICTURES = {
    "x": ".tv-corpus",
    "c": ".tv-candidates",
    "o": ".tv-inside svg.tree",
    "u": ".tv-curve",
    "h": ".tv-pseudo",
}
SEEN_ALONE = """(part, others) => {
    const seen = css => [...document.querySelectorAll(css)].some(e => {
        const { height, top } = e.getBoundingClientRect();
        return height > 0 && top < innerHeight;
    });
    return seen(part) && !others.some(seen);
}"""


# Chromium does the same in tests of its own: test_quiz.py, test_present.py, test_what_if_lanes.py,
# test_learn.py.
@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_asks_the_class_presents_asks_what_if_and_tells_a_lesson(tab, server, history):
    tab.open(f"{server}/?lane=course&step=0&quiz=1")
    tab.settle()
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
    tab.press("q")
    tab.wait("() => !document.querySelector('html.tv-quiz')")
    tab.settle()

    size = "parseFloat(getComputedStyle(document.querySelector('.tv-word .chip')).fontSize)"
    small = tab.run(f"() => {size}")
    tab.go_to(3)
    tab.run("() => document.activeElement.blur()")
    tab.press("p")
    tab.sees("html.tv-present")
    tab.wait(f"small => {size} > small", small)
    tab.press("PageDown")
    tab.stands_at(4)
    # One picture after the other, each alone; what a clicker walks through is added on the way.
    for key, part in PICTURES.items():
        tab.press(key)
        tab.sees(part)
        tab.press("s")
        others = [other for other in PICTURES.values() if other != part]
        tab.wait(SEEN_ALONE, part, others)
    tab.press("PageUp")
    tab.sees(PICTURES["u"])
    tab.press("a")
    tab.sees(".tv-candidates")
    tab.press("k")
    tab.sees(".tv-keys")
    tab.press("l")
    tab.hover(".tv-corpus .chip")
    tab.sees(".chip.lit, .chip.lasered, [data-laser]")
    tab.press("Escape")
    tab.press("p")
    tab.wait("() => !document.querySelector('html.tv-present')")
    tab.settle()

    tab.go_to(13)
    tab.hover(".tv-candidates tbody tr", 1)
    tab.click("button", "What if “Ġt” + “h” were merged instead?")
    tab.wait("() => document.querySelectorAll('.tv-lane').length === 2")
    tab.settle()
    assert tab.step == 13
    assert "What if" in tab.texts(".tv-name")[1]
    tab.click("button", "Add a lane")
    tab.settle()
    assert tab.run("() => document.querySelectorAll('.tv-lane').length") == 3
    tab.go_to(0)
    tab.click("button", "First difference")
    tab.sees(".tv-found")
    shown = [tab.words(lane) for lane in (0, 2)]
    plain = [[[token.strip("#Ġ") for token in word] for word in words] for words in shown]
    assert plain[0] != plain[1]
    tab.settle()

    tab.go_on(f"{server}/learn?lesson=why-subwords&scene=3")
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
