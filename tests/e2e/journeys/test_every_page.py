"""Every page of the app is drawn whole, and complains of nothing (see `visit`)."""

import pytest

#: The pages, and something that each has once it is drawn.
PAGES = {
    "train": ("", ".tv-corpus .chip"),
    "words": ("?lane=course&view=words", ".tv-corpus .tv-times"),
    "tokens": ("?lane=course&lens=token&find=is", ".tv-token-lens, .st-key-lenses svg"),
    "scores": ("?lane=course&lens=scores", ".stDataFrame canvas"),
    "unigram": ("?lane=hug-pug", ".tv-corpus .chip"),
    "compare": ("compare", ".tv-corpus .chip"),
    "encode": ("encode", ".tv-columns[data-characters]"),
    "learn": ("learn", ".tv-lessons"),
    "open": ("open", "input[type=file]"),
    "how it works": ("how-it-works", "h1"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_and_complains_of_nothing(tab, server, name):
    address, seen = PAGES[name]
    tab.go(f"{server}/{address}")
    tab.wait("css => document.querySelector(css)", seen)
    tab.settle()
    assert not tab.run("() => document.querySelector('.stException, [role=alert]')?.textContent")
    wide = tab.run("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], "nothing is cut off sideways"
