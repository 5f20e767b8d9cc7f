"""A stretch of a training as an animated SVG, for slides: the tokens of some words as coloured
chips, and what each step did and why.

The picture is one file without scripts or fonts of its own, moved by CSS. Where motion is not
wanted (`prefers-reduced-motion`), or CSS animation is not known, it shows the last state.
`tokviz.pictures.animation_files` makes a GIF or PNG files of the same drawing.
"""

from collections.abc import Sequence

from tokviz.basics.errors import SettingError
from tokviz.history.base import History
from tokviz.pictures.animation_drawing import COLOURS, Drawing
from tokviz.pictures.animation_layout import place_words
from tokviz.pictures.words import check_stretch

#: The longest stretch, in steps.
MOST_STEPS = 60


def animated_svg(
    history: History,
    word_or_lines: str | Sequence[str],
    first: int = 0,
    last: int | None = None,
    seconds_per_step: float = 1.5,
    theme: str = "light",
) -> str:
    """An animated SVG of the states `first` to `last` (the last one if None), over and over.

    `word_or_lines` is a word of the corpus, a line whose words are in it, or several of them; they
    are cut as in training. What the next step joins is underlined, a new token has a ring, what
    goes is struck through; below stands what the step did, and what comes next. Colours are those
    of the player, `theme` is "light" or "dark". The same run gives the same bytes.

    Raises IndexError for a state that the run does not have, and ValueError for states in the wrong
    order, more than 60 steps, no time for a step, another theme, and as `place_words` does.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> svg = animated_svg(history, "low")
    >>> svg[:4], "low</text>" in svg, "<script" in svg
    ('<svg', True, False)
    """
    if not seconds_per_step > 0:
        raise SettingError.saying(
            "seconds_per_step={seconds_per_step} is no time; give more than 0.",
            seconds_per_step=seconds_per_step,
        )
    return drawing_of(history, word_or_lines, first, last, theme).animated(seconds_per_step)


def drawing_of(
    history: History,
    word_or_lines: str | Sequence[str],
    first: int = 0,
    last: int | None = None,
    theme: str = "light",
) -> Drawing:
    """The drawing that `animated_svg` moves. Raises as it does.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> drawing_of(history, "low", last=1).frames
    2
    """
    last = check_stretch(history, first, last)
    if last - first > MOST_STEPS:
        raise SettingError.saying(
            "These are {n:,} steps, and an animation has {most_steps} at most; begin with state "
            "{state} or later.",
            n=last - first,
            most_steps=MOST_STEPS,
            state=last - MOST_STEPS,
        )
    if theme not in COLOURS:
        raise SettingError.saying(
            "theme={theme!r} is not known; choose light or dark.", theme=theme
        )
    texts = [word_or_lines] if isinstance(word_or_lines, str) else word_or_lines
    return Drawing(history, place_words(history, texts, first, last), first, last, theme)
