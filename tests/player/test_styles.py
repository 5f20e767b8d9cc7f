"""The colours of the player in both themes, as its style sheet has them."""

import re
from collections import defaultdict

import numpy as np
import pytest
from helpers import ROOT

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


#: What remains of a colour (linear red, green, blue) without one kind of cones: Machado, Oliveira
#: and Fernandes (2009), severity 1.
WITHOUT = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def channels(colour):
    return np.asarray([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def written(values):
    return "#" + "".join(f"{round(255 * float(v)):02x}" for v in np.clip(values, 0, 1))


def grey(colour):
    """As a printer without colour has it: luma, as in Rec. 601.

    >>> grey("#ff0000")
    '#4c4c4c'
    """
    return written([channels(colour) @ [0.299, 0.587, 0.114]] * 3)


def seen_without(kind, colour):
    """
    >>> seen_without("deuteranopia", "#ffffff")
    '#ffffff'
    """
    values = channels(colour)
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.asarray(WITHOUT[kind]) @ linear, 0, 1)
    return written(
        np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    )


EYES = {
    "as it is": lambda colour: colour,
    "in grey": grey,
    **{kind: lambda colour, kind=kind: seen_without(kind, colour) for kind in WITHOUT},
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("hue", range(8))
def test_a_token_has_an_edge_that_is_seen_and_letters_that_are_read(theme, hue):
    colours = THEMES[theme]
    for see in EYES.values():
        assert contrast(see(colours[f"e{hue}"]), see(colours["panel"])) >= 3
    assert contrast(colours["ink"], colours[f"h{hue}"]) >= 4.5
    assert contrast(colours["mark"], colours[f"h{hue}"]) >= 4.5


#: Sheets that change what others say, on narrow screens and on pages of their own.
VARIANTS = {"narrow.css", "standalone.css", "gallery.css"}


def test_no_two_sheets_mean_different_things_by_a_class():
    """All sheets are on the page together, whichever of them an element is made for."""
    sheets = defaultdict(set)
    for path in (ROOT / "tokviz").rglob("*.css"):
        if path.name in VARIANTS:
            continue
        rules = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        for name in re.findall(r"^\s*(\.[\w-]+)\s*\{", rules, re.MULTILINE):
            sheets[name].add(path.name)
    assert len(sheets) > 100
    assert {name: names for name, names in sheets.items() if len(names) > 1} == {}


def test_no_container_is_looked_for_again_at_each_token_that_a_step_draws():
    """With `*` or `:not` inside of `:has()`, whatever comes and goes may matter to Chromium."""
    argument = re.compile(r":has\(((?:[^()]|\([^()]*\))*)\)")
    sheets = [path.read_text("utf-8") for path in sorted((ROOT / "tokviz").rglob("*.css"))]
    found = [inside for sheet in sheets for inside in argument.findall(sheet)]
    assert len(found) > 30
    assert not [inside for inside in found if "*" in re.sub(r"\*=", "", inside) or ":not" in inside]
