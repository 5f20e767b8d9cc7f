"""How a word is cut through the steps: a row for each state in which its tokens change."""

from collections.abc import Sequence
from functools import singledispatch

from tokviz.basics.messages import _
from tokviz.encoding.faces import drawn, reads_from_right
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.pictures.files import points
from tokviz.pictures.picture import (
    LABEL,
    Picture,
    box,
    note,
    text,
    text_width,
    token,
    token_width,
)
from tokviz.pictures.words import Placed, check_stretch, check_word, cut, shrunk, symbols_of

#: Points: around all of it, inside a token, between two, a row, a token, the heads.
_MARGIN, _PAD, _GAP, _ROW, _BOX, _HEAD, _MOST_CELL = 3.0, 2.5, 1.5, 16.0, 13.0, 11.0, 30.0


def segmentations_picture(
    history: History, word: str, first: int = 0, last: int | None = None, width: float | str = 240
) -> Picture:
    """How training cuts any word from state `first` to state `last` (the last one if None), a row
    for each state in which that changes; what is new in a row has a strong frame.

    Raises OutOfRangeError for a state that the run does not have, and SettingError for states in
    the wrong order and for a word that is empty, too long, or too wide for the picture.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> segmentations_picture(history, "hugs")
    <Picture “Segmentation of “hugs”, states 0 to 2”: 240 × 73 points>
    """
    check_word(word)
    wide = points(width)
    last = check_stretch(history, first, last)
    rows = _rows(history, word, first, last)
    heads = _("State"), _("Tokens")
    left, right = (text_width(head) + 6 for head in heads)
    start, room = _MARGIN + left, wide - 2 * _MARGIN - left - right
    n = len(symbols_of(history, word))
    cell = _cell(rows)
    share = shrunk(cell * n, room, wide - room)
    cell = min(max(cell, _MOST_CELL), room / n) if share == 1 else cell * share
    from_right = reads_from_right(word)
    shapes = [
        text(heads[0], _MARGIN, _MARGIN + LABEL),
        text(heads[1], wide - _MARGIN, _MARGIN + LABEL, text_anchor="end"),
    ]
    y = _MARGIN + _HEAD
    before: set[tuple[int, int]] = set()
    for t, row in rows:
        shapes.append(text(f"{t:,}", start - 6, y + 9, text_anchor="end"))
        shapes.append(text(f"{len(row):,}", wide - _MARGIN, y + 9, text_anchor="end"))
        for placed in row:
            is_new = bool(before) and (placed.start, placed.end) not in before
            x = start + (n - placed.end if from_right else placed.start) * cell
            across = (placed.end - placed.start) * cell - _GAP
            shapes.append(box(x, y, across, _BOX, "strong" if is_new else ""))
            shapes.append(token(placed.parts, x + across / 2, y + 9.2, 8 * share))
        before = {(placed.start, placed.end) for placed in row}
        y += _ROW
    said = _("States in which the segmentation changes. Strong frames: new tokens.")
    written, end = note(said, _MARGIN, y, wide - 2 * _MARGIN)
    label = _(
        "Segmentation of “{word}”, states {first:,} to {last:,}",
        word=drawn(word),
        first=first,
        last=last,
    )
    return Picture(label, wide, end + _MARGIN, "".join(shapes) + written)


def _rows(history: History, word: str, first: int, last: int) -> list[tuple[int, Sequence[Placed]]]:
    """The states with another segmentation than the one before, and the first one."""
    rows: list[tuple[int, Sequence[Placed]]] = []
    for t in _states(history, word, first, last):
        row = cut(history, word, t)
        if not rows or row != rows[-1][1]:
            rows.append((t, row))
    return rows


@singledispatch
def _states(_history: History, _word: str, first: int, last: int) -> Sequence[int]:
    """The first state, and all that may cut the word otherwise than the state before."""
    return range(first, last + 1)


@_states.register
def _joining(history: MergeHistory, word: str, first: int, last: int) -> Sequence[int]:
    # Only steps that close or open one of its gaps change a word.
    return sorted({first, *(t for t in history.changes(word) if first <= t <= last)})


def _cell(rows: Sequence[tuple[int, Sequence[Placed]]]) -> float:
    """How wide a column has to be, for every token to have room in its own."""
    wide = (
        (token_width(placed.parts) + 2 * _PAD + _GAP) / (placed.end - placed.start)
        for _t, row in rows
        for placed in row
    )
    return max(wide, default=1.0)
