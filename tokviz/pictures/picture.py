"""A picture, and the pen that draws it. The unit is the point, 72 to the inch."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from html import escape
from operator import add
from pathlib import Path
from typing import Any

from tokviz.basics.whole_file import write_whole
from tokviz.encoding.faces import drawn, face
from tokviz.pictures.animation_layout import cells, scale
from tokviz.pictures.files import PPI, kind_of, made
from tokviz.text.symbols import Spelling, Symbol

#: The parts of a token as `tokviz.encoding.faces.face` has them.
Parts = Sequence[tuple[str, str]]

#: Fonts that are there with most systems, each list ending in one that everything has.
PLAIN = "Arial, Helvetica, sans-serif"
MONO = "'DejaVu Sans Mono', 'Source Code Pro', monospace"
#: Sizes of tokens and of what is said of them; smaller ones are not read on paper.
TOKEN, LABEL, LEAST_TYPE = 8.0, 6.5, 5.0
#: How wide a letter of MONO is.
_LETTER = 0.61
INK, DIM, RULE = "#000000", "#595959", "#8c8c8c"
#: What stands out, as a line and as a ground; both differ from black and white in grey as well.
STRONG, TINT = "#0072B2", "#dcebf5"
BOLD: dict[str, Any] = {"font_weight": "bold"}


@dataclass(frozen=True)
class Picture:
    """A picture of `width` × `height` points on white; `label` says what it shows.

    >>> import tokviz
    >>> picture = tokviz.train("low lower", "bpe", 8).word_chart("low")
    >>> picture
    <Picture “Merge tree of “low” in state 2”: 240 × 70 points>
    >>> picture.file("svg")[:4]
    b'<svg'
    """

    label: str
    width: float
    height: float
    body: str = field(repr=False)

    @property
    def svg(self) -> str:
        """The picture as SVG, one unit a point."""
        w, h, label = f"{self.width:.6g}", f"{self.height:.6g}", escape(drawn(self.label))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" '
            f'viewBox="0 0 {w} {h}" role="img" aria-label="{label}"><title>{label}</title>'
            f'<rect width="{w}" height="{h}" fill="white"/>{self.body}</svg>\n'
        )

    def file(self, kind: str, ppi: int = PPI) -> bytes:
        """The picture as a file: "svg", "pdf" or "png", the last with `ppi` dots to the inch.

        Raises FileError for another kind, and for PDF and PNG where the extra `figures` is not
        installed.
        """
        return made(self.svg, kind, ppi)

    def save(self, path: str | Path, ppi: int = PPI) -> None:
        """Writes the picture to a file, whose ending says the kind: .svg, .pdf or .png.

        Raises as `file` does, and OSError if the file cannot be written.
        """
        write_whole(path, self.file(kind_of(path), ppi))

    def _repr_mimebundle_(self, **_more: Any) -> dict[str, Any]:
        """How a notebook shows it."""
        return {"image/svg+xml": self.file("svg").decode("utf-8"), "text/plain": repr(self)}

    def __repr__(self) -> str:
        label = drawn(self.label)
        short = label if len(label) <= 120 else f"{label[:119]}…"
        return f"<Picture “{short}”: {self.width:.0f} × {self.height:.0f} points>"


# --- the pen --------------------------------------------------------------------------------------


def shape(tag: str, inside: str = "", **attributes: Any) -> str:
    """An element; `_` in names stands for `-`, numbers are written short.

    >>> shape("rect", x=1.25, stroke_width=2)
    '<rect x="1.25" stroke-width="2"/>'
    """
    written = "".join(
        f' {name.replace("_", "-")}="{_value(value)}"' for name, value in attributes.items()
    )
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{round(value, 2):g}"
    return escape(str(value))


def text(said: str, x: float, y: float, size: float = LABEL, **more: Any) -> str:
    """Plain text, its first letter at x unless `text_anchor` says otherwise."""
    look: dict[str, Any] = {"font_family": PLAIN, "font_size": size, "fill": INK, **more}
    return shape("text", escape(drawn(said)), x=x, y=y, **look)


def token(parts: Parts, x: float, y: float, size: float = TOKEN, **more: Any) -> str:
    """A token around x: markers and spaces are grey, bytes small."""
    spans = []
    for kind, string in parts:
        if kind:
            small: dict[str, Any] = (
                {"font_size": size * scale(kind, string)} if scale(kind, string) < 1 else {}
            )
            spans.append(shape("tspan", escape(drawn(string)), fill=DIM, **small))
            continue
        # A mark without its letter has a circle to stand on.
        alone = unicodedata.category(string[:1] or " ") in ("Mn", "Me")
        shown = drawn(f"◌{string}" if alone else string)
        spans.append(shape("tspan", "␣", fill=DIM).join(map(escape, shown.split(" "))))
    look: dict[str, Any] = {
        "font_family": MONO,
        "font_size": size,
        "fill": INK,
        "text_anchor": "middle",
    }
    return shape("text", "".join(spans), x=x, y=y, **{**look, **more})


def box(x: float, y: float, width: float, height: float, kind: str = "") -> str:
    """The frame of a token: "strong", plain, or dashed around what is "unknown"."""
    look: dict[str, Any] = {"fill": "white", "stroke": RULE, "stroke_width": 0.5}
    if kind == "strong":
        look = {"fill": TINT, "stroke": STRONG, "stroke_width": 1.2}
    elif kind == "unknown":
        look = {"fill": "white", "stroke": INK, "stroke_width": 0.75, "stroke_dasharray": "2 1.5"}
    return shape("rect", x=x, y=y, width=width, height=height, rx=2, **look)


def token_width(parts: Parts, size: float = TOKEN) -> float:
    """How wide a token is drawn, about."""
    return size * _LETTER * sum(cells(string) * scale(kind, string) for kind, string in parts)


def text_width(said: str, size: float = LABEL) -> float:
    """How wide plain text is, rather too much than too little: fonts differ.

    >>> round(text_width("10 pairs", 10), 1)
    40.8
    """
    widths = (
        0.3 if char in " .,:;|ilj'’!()[]" else 0.58 * cells(char) if not char.isupper() else 0.72
        for char in drawn(said)
    )
    return size * sum(widths)


def parts_of(spelling: Spelling, symbols: Sequence[Symbol], shown: str) -> Parts:
    """The face of the token that some starting symbols make, which is displayed as `shown`: what
    stands for an unknown symbol is another string, and is only text."""
    symbol = reduce(add, symbols)
    return face(spelling, symbol) if spelling.show(symbol) == shown else [("", shown)]


def note(said: str, x: float, y: float, width: float) -> tuple[str, float]:
    """A sentence below y in lines no wider than `width`, and where it ends."""
    lines = [""]
    for part in _breakable(said):
        if lines[-1] and text_width(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    high = LABEL * 1.3
    written = [text(line.rstrip(), x, y + high * (i + 0.8)) for i, line in enumerate(lines)]
    return "".join(written), y + high * len(lines)


def _breakable(said: str) -> list[str]:
    """Where a line may end: after spaces, and between signs as wide as two letters.

    >>> _breakable("a bc 日本")
    ['a ', 'bc ', '日', '本']
    """
    parts = [""]
    for char in said:
        wide = cells(char) == 2
        if parts[-1] and (parts[-1].endswith(" ") or wide or cells(parts[-1][-1]) == 2):
            parts.append("")
        parts[-1] += char
    return parts
