"""Figures as files: their sizes on paper, and what turns an SVG into a PDF or a PNG."""

import re
from math import isfinite
from pathlib import Path
from types import ModuleType

from tokviz.basics.arguments import Shown, check_path, plain, whole
from tokviz.basics.errors import FileError, SettingError
from tokviz.basics.messages import message

#: Points, 72 to the inch: a column of a paper in two columns; the least and the most of a figure.
WIDTH, LEAST, MOST = 240.0, 60.0, 2000.0
#: Dots to the inch of a PNG that is not told another number, and the most of them.
PPI, MOST_PPI = 300, 2400
#: What figures are saved as, with the kind of file that the Web calls it.
KINDS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
#: What to install where that is not there.
NEEDED = message(
    "PDF and PNG, and any file of a curve, need the package vl-convert-python: "
    'pip install "tokviz[figures]".'
)
#: Points of the units of a width.
_UNITS = {"pt": 1.0, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0}
_SIZE = re.compile(r'(<svg[^>]*? width="[\d.]+)(" height="[\d.]+)(")')


def points(length: float | str, name: str = "width") -> float:
    """A length on paper in points: a number of them, or text with a unit: mm, cm, in or pt.

    Raises SettingError for anything else, and for a figure of less than 60 or more than 2,000
    points.

    >>> points(240), round(points("85mm"), 2), points("3.5 in")
    (240.0, 240.94, 252.0)
    """
    value = plain(length)
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(pt|mm|cm|in)\s*", value)
        value = float(found[1]) * _UNITS[found[2]] if found else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise SettingError.saying(
            '{name}={length!r} is no length; give points, or text such as "85mm" or "3.3in".',
            name=name,
            length=Shown(length),
        )
    if not LEAST <= value <= MOST:
        raise SettingError.saying(
            "{name}={length!r} is {n:g} points; a figure has {least:g} to {most:g}.",
            name=name,
            length=Shown(length),
            n=value,
            least=LEAST,
            most=MOST,
        )
    return float(value)


def kind_of(path: str | Path) -> str:
    """The kind of file that a path asks for. Raises FileError for another ending.

    >>> kind_of("out/Loss.PDF")
    'pdf'
    """
    check_path(path)
    kind = Path(path).suffix.lower().removeprefix(".")
    return checked(kind, str(path))


def checked(kind: str, path: str = "") -> str:
    """The kind itself, if figures are saved as it; else raises FileError."""
    if kind not in KINDS:
        raise FileError.saying(
            "{path} is no name for a figure; figures are saved as .svg, .pdf or .png.",
            path=path or Shown(kind),
        )
    return kind


def made(svg: str, kind: str, ppi: int = PPI) -> bytes:
    """An SVG whose unit is a point as a file of a kind. Only SVG needs no other package.

    Raises FileError for another kind, without the package for PDF and PNG, and for a text that it
    cannot draw; SettingError for a number of dots to the inch that cannot be.

    >>> made('<svg xmlns="" width="80" height="60"/>', "svg")
    b'<svg xmlns="" width="80pt" height="60pt"/>'
    """
    ppi = whole("ppi", ppi, 1)
    if ppi > MOST_PPI:
        raise SettingError.saying(
            "ppi={ppi} is too much; the most is {most}.", ppi=ppi, most=MOST_PPI
        )
    if checked(kind) == "svg":
        return _SIZE.sub(r"\1pt\2pt\3", svg, count=1).encode("utf-8")
    convert = converter()
    try:
        data: bytes = convert.svg_to_pdf(svg) if kind == "pdf" else convert.svg_to_png(svg, ppi=ppi)
    except RuntimeError as error:
        # What it lays text out with gives up on some mixtures of scripts.
        raise FileError.saying(
            "vl-convert cannot draw the text of this figure, so there is no {kind} of it; save it "
            "as .svg, which a browser or Inkscape turns into the other kinds.",
            kind=kind.upper(),
        ) from error
    return data


def can_convert() -> bool:
    """Whether PDF and PNG can be made here."""
    try:
        converter()
    except FileError:
        return False
    return True


def converter(needed: str = NEEDED) -> ModuleType:
    """The package that makes PDF and PNG. Raises FileError, which says what is `needed`, where it
    is not installed."""
    try:
        import vl_convert
    except ImportError as error:
        raise FileError(needed) from error
    found: ModuleType = vl_convert
    return found
