"""The table that a step chooses from, as it stands in a paper."""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from tokviz.basics.arguments import whole
from tokviz.basics.errors import SettingError
from tokviz.basics.messages import _, _n, here
from tokviz.encoding.faces import face
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.history.seeds import SeedHistory
from tokviz.history.ties import RULES
from tokviz.pictures.files import points
from tokviz.pictures.picture import (
    INK,
    LABEL,
    RULE,
    STRONG,
    TINT,
    TOKEN,
    Parts,
    Picture,
    note,
    shape,
    text,
    text_width,
    token,
    token_width,
)
from tokviz.pictures.written_numbers import significant
from tokviz.text.symbols import Symbol

#: Points: around all of it, the mark of what is chosen, the bracket, between columns at least and
#: at most, a row; rows of a picture at most.
_MARGIN, _MARK, _BRACKET, _GAP, _MOST_GAP, _ROW, MOST_ROWS = 3.0, 8.0, 6.0, 6.0, 24.0, 11.5, 60
#: Between the tokens of a pair, in letters.
_PLUS = 0.8


#: Text, or tokens with a plus between.
_Cell: TypeAlias = str | tuple[Parts, ...]


class _Column(NamedTuple):
    """A heading with its unit, and the cells: tokens by their faces, or text."""

    head: str
    cells: Sequence[_Cell]

    @property
    def width(self) -> float:
        return max(text_width(self.head), *(map(_cell_width, self.cells)))


def candidates_picture(history: History, t: int, k: int = 10, width: float | str = 240) -> Picture:
    """The best k rows of the table that step t chooses from (`history.candidates`): what it chooses
    is marked, also where it stands further down, and a bracket holds what ties for that. Counts,
    ranks and fractions are exact, other numbers have six digits.

    Raises OutOfRangeError for a state that the run does not have, and SettingError for a number of
    rows that cannot be, a state without candidates, and a table that is wider than the picture.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> candidates_picture(history, 0, 3)
    <Picture “Candidates of state 0”: 240 × 71 points>
    """
    history.check_state(t)
    wide, k = points(width), whole("k", k, 1)
    if k > MOST_ROWS:
        raise SettingError.saying(
            "k={k} is too much; a picture has {most} rows at most.", k=k, most=MOST_ROWS
        )
    numbers, table = _rows(history, t, k)
    if not len(table):
        raise SettingError.saying("State {t} has no candidates, so there is no table to draw.", t=t)
    columns = table_columns(history, t, table, numbers)
    least = sum(column.width for column in columns) + 2 * _MARGIN + _MARK + _BRACKET
    gap = (wide - least) / len(columns)
    if gap < _GAP:
        raise SettingError.saying(
            "There is no room for this table in {width:.4g} points; give width={least:.0f} or "
            "more.",
            width=wide,
            least=least + _GAP * len(columns) + 0.5,
        )
    body, y = _drawn(columns, table, numbers, min(gap, _MOST_GAP))
    ends = max(min(wide - _MARGIN, least + min(gap, _MOST_GAP) * len(columns)), 0)
    body += _bracket(history, t, table, ends - _BRACKET)
    body += _rule(ends, _MARGIN + _ROW - 1) + _rule(ends, y)
    for mark, said in _notes(history, t, table):
        written, end = note(
            said, _MARGIN + (_MARK if mark else 0), y + 2, wide - 2 * _MARGIN - _MARK
        )
        body += written + (_arrow(y + 2 + LABEL * 0.65) if mark else "")
        y = end - 2
    return Picture(_("Candidates of state {t:,}", t=t), wide, y + 2 + _MARGIN, body)


def _rows(history: History, t: int, k: int) -> tuple[list[int], pd.DataFrame]:
    """The best k rows, with a merge that was forced from further down; their numbers from 1."""
    last = max(k, _chosen_row(history, t))
    table = history.candidates(t, last)
    keep = [*range(min(k, len(table))), *([last - 1] if last > k else [])]
    return [i + 1 for i in keep], table.iloc[keep].reset_index(drop=True)


@singledispatch
def _chosen_row(_history: History, _t: int) -> int:
    """The row, counted from 1, that is shown however far down it is; 0 for none."""
    return 0


@_chosen_row.register
def _forced_row(history: MergeHistory, t: int) -> int:
    return history.merged_rank(t) if t < len(history) else 0


@singledispatch
def table_columns(
    _history: History, _t: int, table: pd.DataFrame, _numbers: Sequence[int]
) -> list[_Column]:
    """The columns of rows with these numbers: as they are, where a family registers no others."""
    shown = table.drop(columns=["tied", "chosen"])
    return [_Column(str(name), [*map(str, values)]) for name, values in shown.items()]


@table_columns.register
def _of_merges(
    history: MergeHistory, t: int, table: pd.DataFrame, numbers: Sequence[int]
) -> list[_Column]:
    found = history.ranked_pairs(t, numbers[-1])[0][np.asarray(numbers) - 1]
    sides = history.record.pair_left[found], history.record.pair_right[found]
    faces = [
        tuple(_face(history, history.symbols[i], history.strings[i]) for i in pair)
        for pair in zip(*(side.tolist() for side in sides), strict=True)
    ]
    place = _whole(_("Rank"), table["rank"]) if history.by_rank else _whole("#", numbers)
    columns = [place, _Column(_("Pair"), faces), _whole(_("Count"), table["count"])]
    return [*columns, _Column(_("Score"), _fractions(table))] if history.likelihood else columns


@table_columns.register
def _of_tokens(
    history: SeedHistory,
    _t: int,
    table: pd.DataFrame,
    numbers: Sequence[int],
) -> list[_Column]:
    tokens = dict(zip(history.strings, history.record.tokens, strict=True))
    shown = [(_face(history, Symbol(tokens[name]), name),) for name in table["token"]]
    columns = [_whole("#", numbers), _Column(_("Token"), shown)]
    log_probs = _Column(_("ln P (nats)"), [*map(significant, table["log_prob"].tolist())])
    loss = [*map(significant, table["loss_delta"].tolist())]
    if "reason" not in table:
        counts = _whole(_("Count"), table["count"])
        return [*columns, counts, log_probs, _Column(_("Loss delta (nats)"), loss)]
    expected = _Column(_("Expected count"), [*map(significant, table["count"].tolist())])
    per_token = history.trainer.losses_per_token
    head = _("Loss (nats/token)") if per_token else _("Loss (nats per word)")
    return [*columns, expected, log_probs, _Column(head, loss)]


def _whole(head: str, numbers: Iterable[int]) -> _Column:
    return _Column(head, [f"{n:,}" for n in numbers])


def _face(history: History, symbol: Symbol, shown: str) -> Parts:
    return (
        face(history.spelling, symbol) if history.spelling.show(symbol) == shown else [("", shown)]
    )


def _fractions(table: pd.DataFrame) -> list[str]:
    """The score of WordPiece as it is computed, and its value: count / (left × right)."""
    columns = (table[name].tolist() for name in ("count", "left_count", "right_count", "score"))
    shown = []
    for count, left, right, score in zip(*columns, strict=True):
        value = f"{score:.4g}"
        # In whole numbers: a float may be as near to both.
        digits = np.format_float_positional(float(value), trim="-").partition(".")[2]
        same = count * 10 ** len(digits) == round(float(value) * 10 ** len(digits)) * left * right
        shown.append(f"{count:,}/({left:,}×{right:,}) {'=' if same else '≈'} {value}")
    return shown


def _cell_width(cell: _Cell) -> float:
    if isinstance(cell, str):
        return text_width(cell, LABEL + 0.5)
    return sum(map(token_width, cell)) + TOKEN * _PLUS * 2 * (len(cell) - 1)


def _drawn(
    columns: Sequence[_Column], table: pd.DataFrame, numbers: Sequence[int], gap: float
) -> tuple[str, float]:
    """Heads and rows, and where they end."""
    chosen, body = table["chosen"].tolist(), ""
    across = {*np.flatnonzero(table["across"]).tolist()} if "across" in table else set[int]()
    total = sum(column.width + gap for column in columns)
    tops = [_MARGIN + _ROW * (i + 1) for i in range(len(table))]
    for i, top in enumerate(tops):
        if chosen[i]:
            look: dict[str, Any] = {
                "x": _MARGIN + _MARK,
                "y": top + 0.5,
                "width": total,
                "height": _ROW - 1,
            }
            body += shape("rect", **look, fill=TINT) + _arrow(top + _ROW / 2)
        if i and numbers[i] > numbers[i - 1] + 1:
            body += _rule(_MARGIN + _MARK + total, top, "1 2")
    x = _MARGIN + _MARK + gap / 2
    for column in columns:
        is_text = isinstance(column.cells[0], str)
        edge, anchor = (x + column.width, "end") if is_text else (x, "start")
        body += text(column.head, edge, _MARGIN + LABEL + 1, text_anchor=anchor)
        for i, cell in enumerate(column.cells):
            base, weight = tops[i] + 8.4, {"font_weight": "bold"} if chosen[i] else {}
            if isinstance(cell, str):
                body += text(cell, edge, base, LABEL + 0.5, text_anchor="end", **weight)
            else:
                body += _tokens(cell, x, base, weight, i in across)
        x += column.width + gap
    return body, tops[-1] + _ROW


def _tokens(
    cell: tuple[Parts, ...], x: float, y: float, weight: dict[str, Any], across: bool
) -> str:
    """A token, or two of them with a plus between, and the border of words where they are `across`
    one."""
    body = ""
    for i, parts in enumerate(cell):
        if i:
            body += text("+", x + TOKEN * _PLUS, y, TOKEN, text_anchor="middle")
            x += TOKEN * _PLUS * 2
            if across:
                body += shape("path", d=f"M{x - 1:.2f} {y + 1.5:.2f}v-8.5", stroke=STRONG)
        wide = token_width(parts)
        body += token(parts, x + wide / 2, y, **weight)
        x += wide
    return body


def _arrow(middle: float) -> str:
    """The mark of what is chosen."""
    d = f"M{_MARGIN:g} {middle - 2.6:.2f}l4.6 2.6l-4.6 2.6z"
    return shape("path", d=d, fill=STRONG)


def _rule(ends: float, y: float, dash: str = "") -> str:
    look: dict[str, Any] = {"stroke_dasharray": dash} if dash else {}
    return shape("line", x1=_MARGIN, x2=ends, y1=y, y2=y, stroke=RULE, stroke_width=0.5, **look)


def _bracket(history: History, t: int, table: pd.DataFrame, x: float) -> str:
    """What ties, held together at its right; open below where more rows tie than are shown."""
    tied = np.flatnonzero(table["tied"])
    if not len(tied):
        return ""
    first, last = int(tied[0]), int(tied[-1])
    top, bottom = (_MARGIN + _ROW * (row + 1) for row in (first, last + 1))
    beyond = history.candidates(t, last + 2)
    closed = len(beyond) < last + 2 or not bool(beyond["tied"].iloc[last + 1])
    end = f"V{bottom - 2:.2f}h-3" if closed else f"V{bottom:.2f}"
    return shape(
        "path", d=f"M{x:.2f} {top + 2:.2f}h3{end}", fill="none", stroke=INK, stroke_width=1
    )


def _notes(history: History, t: int, table: pd.DataFrame) -> list[tuple[bool, str]]:
    """What stands below: whether it tells of the mark, and the sentence."""
    total = history.candidate_count(t)
    notes = [
        (
            False,
            _n(
                "{shown} of {n} candidate of state {t:,}.",
                "{shown} of {n} candidates of state {t:,}.",
                total,
                shown=len(table),
                t=t,
            ),
        )
    ]
    if table["chosen"].any():
        step = {"n": f"{t + 1:,}"}
        said = (
            _("merged by step {n}", **step) if history.merges else _("removed by step {n}", **step)
        )
        notes.insert(0, (True, said))
    if "across" in table and table["across"].any():
        notes.append((False, _("Behind a plus: the border of two words.")))
    if table["tied"].any():
        notes.append((False, _tie_said(history)))
    return notes


@singledispatch
def _tie_said(_history: History) -> str:
    return _("Bracket: exactly the loss delta of the last one removed.")


@_tie_said.register
def _tie_broken(history: MergeHistory) -> str:
    rule = RULES[history.rule]
    return _("Bracket: a tie; “{rule}” takes {what}.", rule=rule.name, what=here(rule.help))
