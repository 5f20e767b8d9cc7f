"""The lattice of a word: its characters in a row, over them an arc for every piece that fits."""

from math import exp
from typing import Any, NamedTuple

from tokviz.basics.messages import _, _n
from tokviz.encoding.faces import drawn, reads_from_right
from tokviz.history.base import History
from tokviz.pictures.files import points
from tokviz.pictures.picture import (
    BOLD,
    INK,
    LABEL,
    RULE,
    STRONG,
    TOKEN,
    Parts,
    Picture,
    note,
    parts_of,
    shape,
    text,
    text_width,
    token,
    token_width,
)
from tokviz.pictures.words import check_word, shrunk
from tokviz.pictures.written_numbers import percent, signed
from tokviz.text.symbols import Symbol

#: Points: around all of it, a character at least and at most, the height of the lowest arc and of
#: each further character, the most that all of them have and are stretched, below the arcs.
_MARGIN, _CELL, _MOST_CELL, _FIRST, _MORE, _TALL, _BELOW = 10.0, 9.0, 62.0, 24.0, 21.0, 130.0, 16.0
_STRETCH = 1.6
_BEST: dict[str, Any] = {"stroke": STRONG, "stroke_width": 2.25}
_OTHER: dict[str, Any] = {"stroke": INK, "stroke_width": 0.75, "stroke_dasharray": "3 2"}
#: Text on lines is on a white rim of its own.
_HALO: dict[str, Any] = {
    "stroke": "white", "stroke_width": 2.2, "stroke_linejoin": "round", "paint_order": "stroke",
}  # fmt: skip
#: Pieces of a smaller posterior are finer and grey: they are many.
_FAINT, _RARE = {**_OTHER, "stroke": RULE, "stroke_width": 0.4}, 0.01


class _Arc(NamedTuple):
    """A piece with its label: whole, with its numbers, or short."""

    start: int
    end: int
    parts: Parts
    numbers: str
    best: bool
    posterior: float


def lattice_picture(
    history: History, word: str, t: int | None = None, width: float | str = 240
) -> Picture:
    """The lattice of any word as of state t (the last one if None): the Viterbi path as thick
    lines, all other pieces dashed, with each its log-probability and the share of segmentations, by
    their probability, that use it. Where arcs are close, only the most probable have room for that.

    Raises ValueError for a run without probabilities, OutOfRangeError for a state that it does not
    have, and SettingError for a word that is empty, too long, or too wide for the picture.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
    >>> "−2.35 · 46.1 %" in lattice_picture(history, "pug", 0).svg
    True
    """
    check_word(word)
    wide = points(width)
    lattice = history.lattice(word, t)
    chosen, posteriors = lattice.chosen(), lattice.posteriors()
    on_best = {*chosen.edges} if chosen else set()
    arcs = [
        _Arc(
            edge.start,
            edge.end,
            parts_of(history.spelling, [Symbol(word[edge.start : edge.end])], edge.token),
            f"{signed(edge.log_prob, 2)} · {percent(posterior)}",
            i in on_best,
            posterior,
        )
        for i, (edge, posterior) in enumerate(zip(lattice.edges, posteriors, strict=True))
    ]
    room = wide - 2 * _MARGIN
    share = shrunk(_CELL * len(word), room, 2 * _MARGIN)
    cell = min(_MOST_CELL, room / len(word))
    left = (wide - cell * len(word)) / 2
    from_right = reads_from_right(word)
    places = [left + cell * (len(word) - i if from_right else i) for i in range(len(word) + 1)]
    highest = max((_height(arc) for arc in arcs), default=0)
    flat = min(_STRETCH, _TALL / highest) if highest else 1.0
    base = highest * flat + TOKEN + LABEL + 5
    tops = [base - _height(arc) * flat for arc in arcs]
    shapes = _lines(arcs, places, tops, base) + _labels(arcs, places, tops, wide)
    for at, char in enumerate(word):
        middle = (places[at] + places[at + 1]) / 2
        symbol = Symbol(char)
        parts = parts_of(history.spelling, [symbol], history.spelling.show(symbol))
        shapes.append(token(parts, middle, base + 12, (TOKEN + 1) * share))
    shapes += [shape("circle", cx=x, cy=base, r=1.6, fill=INK) for x in places]
    y = base + _BELOW
    if chosen:
        p = percent(exp(chosen.log_prob - lattice.log_total()))
        paths = _n(
            "{share} of {n} segmentation", "{share} of {n} segmentations", lattice.segmentations,
            share=p,
        )  # fmt: skip
        said = _("Viterbi path: ln P = {log_prob}, {paths}", log_prob=signed(chosen.log_prob, 2),
                 paths=paths)  # fmt: skip
        shapes += _key(said, y, _BEST)
    else:
        shapes += _key(_("No pieces spell this word."), y, _OTHER)
    y += LABEL * 1.3
    shapes += _key(_("Other pieces"), y, _OTHER)
    said = _("At a piece: ln P (nats) · share of the probability of all segmentations.")
    written, end = note(said, 3, y + LABEL * 1.3, wide - 6)
    label = _(
        "Lattice of “{word}” in state {t:,}", word=drawn(word), t=len(history) if t is None else t
    )
    return Picture(label, wide, end + 3, "".join(shapes) + written)


def _height(arc: _Arc) -> float:
    """By how many characters it spans, flatter and flatter."""
    return float(_FIRST + _MORE * (arc.end - arc.start - 1) ** 0.8)


def _lines(arcs: list[_Arc], places: list[float], tops: list[float], base: float) -> list[str]:
    """The arcs, the best path on top, the improbable ones below all others."""
    drawn_arcs = []
    below = sorted(zip(arcs, tops, strict=True), key=lambda pair: (pair[0].best, pair[0].posterior))
    for arc, top in below:
        look = _BEST if arc.best else _OTHER if arc.posterior >= _RARE else _FAINT
        # A cubic reaches three quarters of the height of its two handles.
        handle = base - (base - top) / 0.75
        x1, x2 = places[arc.start], places[arc.end]
        d = f"M{x1:.2f} {base:.2f}C{x1:.2f} {handle:.2f} {x2:.2f} {handle:.2f} {x2:.2f} {base:.2f}"
        drawn_arcs.append(shape("path", d=d, fill="none", **look))
    return drawn_arcs


def _labels(arcs: list[_Arc], places: list[float], tops: list[float], wide: float) -> list[str]:
    """What is said of the arcs: the best path first, then by probability, as far as there
    is room."""
    taken: list[tuple[float, float, float, float]] = []
    shapes = []
    order = sorted(range(len(arcs)), key=lambda i: (not arcs[i].best, -arcs[i].posterior, i))
    for i in order:
        arc, top = arcs[i], tops[i]
        middle = (places[arc.start] + places[arc.end]) / 2
        narrow = token_width(arc.parts) + 3
        whole = max(narrow, text_width(arc.numbers) + 2)
        high = TOKEN + LABEL + 3
        kinds = [(whole, high, top - high)]
        if arc.end - arc.start > 1:
            kinds.append((narrow, TOKEN + 2, top - TOKEN - 2))
        elif whole <= 0.85 * abs(places[1] - places[0]):
            # Below the arc of one character there is nothing else.
            kinds.insert(0, (whole, high, top + 2))
        for across, tall, upper in kinds:
            a, b = middle - across / 2, middle + across / 2
            if a < 0 or b > wide or any(
                a < right and left < b and upper < bottom and over < upper + tall
                for left, right, over, bottom in taken
            ):  # fmt: skip
                continue
            taken.append((a, b, upper, upper + tall))
            weight = BOLD if arc.best else {}
            shapes.append(token(arc.parts, middle, upper + TOKEN - 0.5, **weight, **_HALO))
            if tall == high:
                at = {"text_anchor": "middle", **_HALO}
                shapes.append(text(arc.numbers, middle, upper + high - 2.5, **at))
            break
    return shapes


def _key(said: str, y: float, look: dict[str, Any]) -> list[str]:
    """A line of the legend."""
    middle = y + LABEL * 0.75
    return [
        shape("line", x1=3, x2=19, y1=middle, y2=middle, **look),
        text(said, 23, y + LABEL),
    ]
