"""The colours of the player in both themes, as its style sheet has them."""

import re

import pytest

from tokviz.player.assets import CSS

PAIRS = re.findall(
    r"--tv-(\w+): light-dark\((#\w+), (#\w+)\)", (CSS / "base.css").read_text("utf-8")
)
THEMES = {
    theme: {name: pair[i] for name, *pair in PAIRS} for i, theme in enumerate(("light", "dark"))
}


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """As WCAG 2.2 defines it.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("hue", range(8))
def test_a_token_has_an_edge_that_is_seen_and_letters_that_are_read(theme, hue):
    colours = THEMES[theme]
    assert contrast(colours[f"e{hue}"], colours["panel"]) >= 3
    assert contrast(colours["ink"], colours[f"h{hue}"]) >= 4.5
    assert contrast(colours["mark"], colours[f"h{hue}"]) >= 4.5
