"""A stretch of a training for programs that show no animated SVG: as an animated GIF, and as a PNG
file of each state.

Both are what `tokviz.pictures.animation` draws. vl-convert turns it into pixels, with the fonts of
the machine that does it; Pillow puts them together (the extra `figures`).
"""

import io
import math
from collections.abc import Sequence
from types import ModuleType

from tokviz.basics.errors import FileError, SettingError
from tokviz.basics.messages import message
from tokviz.formats.archive import archived
from tokviz.history.base import History
from tokviz.pictures.animation import animated_svg, drawing_of
from tokviz.pictures.animation_drawing import REST, Drawing
from tokviz.pictures.files import converter

#: What an animation is saved as, with the kind of file that the Web calls it.
ANIMATIONS = {"svg": "image/svg+xml", "gif": "image/gif", "zip": "application/zip"}
#: What to install where that is not there.
NEEDED = message(
    "An animation as GIF or PNG needs the packages vl-convert-python and Pillow: "
    'pip install "tokviz[figures]".'
)
#: Pixels to the pixel of the SVG: a GIF is on web pages too, frames are for slides of 1,920 pixels.
GIF_SCALE, PNG_SCALE = 1.5, 2.0
#: Pixels of a frame, at most: a word of hundreds of symbols is drawn smaller.
MOST_PIXELS = 4_000_000
#: Seconds for a step of a GIF: browsers take less for a tenth, and a format of 16 bits ends where
#: the last state, which stays for three steps, has ten minutes.
LEAST_SECONDS, MOST_SECONDS = 0.02, 200.0
#: Shades between a ground and what is written on it.
_SHADES = 12


def animated_gif(
    history: History,
    word_or_lines: str | Sequence[str],
    first: int = 0,
    last: int | None = None,
    seconds_per_step: float = 1.5,
    theme: str = "light",
) -> bytes:
    """What `tokviz.pictures.animation.animated_svg` draws as an animated GIF: a frame for each
    state, the last one three times as long, over and over. The same run gives the same bytes on a
    machine with the same fonts.

    Raises as `animated_svg` does, SettingError for less than 0.02 or more than 200 seconds, and
    FileError without the extra `figures`, and for a text that vl-convert cannot draw.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> animated_gif(history, "low", last=1)[:6]
    b'GIF89a'
    """
    return gif_of(drawing_of(history, word_or_lines, first, last, theme), seconds_per_step)


def state_pngs(
    history: History,
    word_or_lines: str | Sequence[str],
    first: int = 0,
    last: int | None = None,
    theme: str = "light",
) -> dict[str, bytes]:
    """A PNG file of each state of `tokviz.pictures.animation.animated_svg`, by names that sort.

    Raises as `animated_gif` does.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> [*state_pngs(history, "low", last=1)]
    ['step-0000.png', 'step-0001.png']
    """
    return pngs_of(drawing_of(history, word_or_lines, first, last, theme))


def animation_file(
    kind: str,
    history: History,
    word_or_lines: str | Sequence[str],
    first: int = 0,
    last: int | None = None,
    seconds_per_step: float = 1.5,
    theme: str = "light",
) -> bytes:
    """An animation as a file of a kind: "svg", "gif", or "zip", an archive of `state_pngs`.

    Raises FileError for another kind, and as `animated_gif` does.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> animation_file("zip", history, "low", last=1)[:2]
    b'PK'
    """
    if kind not in ANIMATIONS:
        raise FileError.saying(
            "kind={kind!r} is not known; an animation is saved as svg, gif or zip.", kind=kind
        )
    if kind == "svg":
        text = animated_svg(history, word_or_lines, first, last, seconds_per_step, theme)
        return text.encode("utf-8")
    if kind == "gif":
        return animated_gif(history, word_or_lines, first, last, seconds_per_step, theme)
    return archived(state_pngs(history, word_or_lines, first, last, theme))


def pngs_of(drawing: Drawing) -> dict[str, bytes]:
    """What `state_pngs` makes of a drawing.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> pngs_of(drawing_of(history, "low"))["step-0002.png"][1:4]
    b'PNG'
    """
    digits = max(4, len(str(drawing.last)))
    return {f"step-{t:0{digits}}.png": png_of(drawing, t, PNG_SCALE) for t in drawing.states}


def gif_of(drawing: Drawing, seconds_per_step: float) -> bytes:
    """What `animated_gif` makes of a drawing.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> gif_of(drawing_of(history, "low", last=0), 1.0)[:6]
    b'GIF89a'
    """
    if not LEAST_SECONDS <= seconds_per_step <= MOST_SECONDS:
        raise SettingError.saying(
            "seconds_per_step={seconds_per_step} is not possible in a GIF; give {least} to "
            "{most:g}.",
            seconds_per_step=seconds_per_step,
            least=LEAST_SECONDS,
            most=MOST_SECONDS,
        )
    image = _pillow()
    # One palette for all frames: only what changes from one to the next is written.
    palette = image.new("P", (1, 1))
    palette.putpalette(palette_of(drawing.colours))
    first, *more = (
        image.open(io.BytesIO(png_of(drawing, t, GIF_SCALE)))
        .convert("RGB")
        .quantize(palette=palette, dither=image.Dither.NONE)
        for t in drawing.states
    )
    # The unit of the format is a hundredth of a second.
    step = 10 * round(100 * seconds_per_step)
    file = io.BytesIO()
    first.save(
        file,
        "GIF",
        save_all=True,
        append_images=more,
        duration=[step] * len(more) + [step * REST],
        loop=0,
        optimize=True,
        disposal=1,
    )
    return file.getvalue()


def check_files(drawing: Drawing) -> None:
    """Raises FileError if neither a GIF nor PNG files can be made of a drawing here: without the
    extra `figures`, and for a text that vl-convert cannot draw.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> check_files(drawing_of(history, "low"))
    """
    _pillow()
    # What it gives up on is the text; so few pixels take no time.
    png_of(drawing, drawing.last, 0.1)


def png_of(drawing: Drawing, state: int, scale: float) -> bytes:
    """A state as PNG, with so many pixels to the pixel of the SVG, unless these were too many."""
    convert = converter(NEEDED)
    scale = min(scale, math.sqrt(MOST_PIXELS / (drawing.width * drawing.height)))
    try:
        data: bytes = convert.svg_to_png(drawing.still(state), scale=scale)
    except RuntimeError as error:
        raise FileError.saying(
            "vl-convert cannot draw the text of this animation, so there is neither GIF nor PNG of "
            "it; save it as .svg."
        ) from error
    return data


def palette_of(colours: dict[str, str]) -> list[int]:
    """Red, green and blue of the colours, and of the shades at the edges of letters and shapes.

    A palette that is made of the pixels, as usual, gives most of its 256 colours to what there is
    most of, and letters on a rare chip get none; this one has as many for each ground.

    >>> from tokviz.pictures.animation_drawing import COLOURS
    >>> sorted(len(palette_of(colours)) // 3 for colours in COLOURS.values())
    [250, 250]
    """
    chips = [f"h{i}" for i in range(8)]
    edges = [
        *((ground, letters) for ground in ("page", *chips) for letters in ("ink", "dim")),
        ("page", "accent"),
    ]
    shades = [_rgb(colour) for name, colour in colours.items() if name != "panel"]
    for ground, drawn in edges:
        one, other = _rgb(colours[ground]), _rgb(colours[drawn])
        for k in range(1, _SHADES + 1):
            share = k / (_SHADES + 1)
            shades.append([round(a + share * (b - a)) for a, b in zip(one, other, strict=True)])
    # The round corners of chips and of the axis.
    for name in (*chips, "line"):
        pair = zip(_rgb(colours["page"]), _rgb(colours[name]), strict=True)
        shades.append([round((a + b) / 2) for a, b in pair])
    return [value for shade in shades for value in shade]


def _rgb(colour: str) -> list[int]:
    """Red, green and blue.

    >>> _rgb("#d3e7f8")
    [211, 231, 248]
    """
    return [*bytes.fromhex(colour.removeprefix("#"))]


def _pillow() -> ModuleType:
    """What puts the frames of a GIF together. Raises FileError where it is not installed."""
    try:
        from PIL import Image
    except ImportError as error:
        raise FileError(NEEDED) from error
    return Image
