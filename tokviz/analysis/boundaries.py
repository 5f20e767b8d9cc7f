"""How alike two runs cut their text: boundaries that they share, where they first part, and the
words that they cut differently.

Everything is counted from an `Alignment`, for all positions of a scrubber at once: a gap that a run
of merges closes is a boundary up to one position and never again, so that a histogram of those
positions holds the counts of all of them.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.analysis.alignment import ALWAYS, NEVER, Alignment
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Floats, History, Ints
from tokviz.pretokenizers.blocks import encoded

if TYPE_CHECKING:
    import pandas as pd


class Boundaries(NamedTuple):
    """Boundaries between tokens at some positions, as often as the corpus has them: those of the
    left run, of the right one, and those that both have."""

    left: Ints
    right: Ints
    both: Ints

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def f1(self) -> Floats:
        """The harmonic mean of the shares that each run's boundaries have in the other's: 2 × both
        ÷ (left + right); 1 where neither has any. The same from either side.

        >>> Boundaries(np.array([4, 0]), np.array([2, 0]), np.array([2, 0])).f1.round(3).tolist()
        [0.667, 1.0]
        """
        all_of_both = self.left + self.right
        means: Floats = np.where(all_of_both, 2 * self.both / np.maximum(all_of_both, 1), 1.0)
        return means


class Lane(NamedTuple):
    """One of two runs: its history, its state at every position, and its gap at every place."""

    history: History
    states: Ints
    gaps: Ints

    def __repr__(self) -> str:
        return short_repr(self)

    def open(self, t: int) -> npt.NDArray[np.bool_]:
        """For every place whether state t cuts there."""
        # NEVER and ALWAYS are the last two.
        known = np.append(self.history.open_gaps(t), [True, False])
        found: npt.NDArray[np.bool_] = known[self.gaps]
        return found

    def blocks(self) -> Iterator[tuple[int, int, Ints]]:
        """Parts of the positions, from `first` up to `end`, with a number for every place: there it
        is a boundary at the positions before that number."""
        n, closings = len(self.states), self.history.closings
        if closings is not None:
            until = np.searchsorted(self.states, np.arange(len(self.history) + 1), side="right")
            yield 0, n, np.append(until[closings], [n, 0])[self.gaps]
            return
        changes = np.flatnonzero(np.diff(self.states)) + 1
        for first, end in pairwise([0, *changes.tolist(), n]):
            yield first, end, np.where(self.open(int(self.states[first])), n, 0)


assert (NEVER, ALWAYS) == (-1, -2)


def boundaries(found: Alignment, left: Lane, right: Lane) -> Boundaries:
    """The boundaries at every position. Ends of words that both runs have are not counted.

    >>> import tokviz
    >>> from tokviz.analysis.alignment import align
    >>> runs = [tokviz.train({"hugs": 3, "pug": 2}, "bpe", size) for size in (6, 7)]
    >>> found = align(runs)[0, 1]
    >>> lanes = (Lane(runs[0], np.array([0, 1, 1]), found.left),
    ...          Lane(runs[1], np.array([0, 1, 2]), found.right))
    >>> [counts.tolist() for counts in boundaries(found, *lanes)]
    [[13, 8, 8], [13, 8, 5], [13, 8, 5]]
    """
    n, weights = len(left.states), found.weights
    counts = np.zeros((3, n), np.int64)
    others = list(right.blocks())
    for first, end, mine in left.blocks():
        for other_first, other_end, theirs in others:
            at = slice(max(first, other_first), min(end, other_end))
            if at.start >= at.stop:
                continue
            for row, until in zip(counts, (mine, theirs, np.minimum(mine, theirs)), strict=True):
                # A place is a boundary at position p if its number is greater.
                ending = np.bincount(until, weights, n + 1).astype(np.int64)
                row[at] = (weights.sum() - np.cumsum(ending))[at]
    return Boundaries(*counts)


def first_parting(counts: Boundaries) -> int | None:
    """The first position at which one run has a boundary that the other has not; None if there is
    none."""
    apart = np.flatnonzero((counts.left != counts.both) | (counts.right != counts.both))
    return int(apart[0]) if len(apart) else None


def parted_words(
    found: Alignment, left: Lane, right: Lane, at: int, most: int | None = None
) -> "pd.DataFrame":
    """The units (see `Alignment`) that the two runs cut differently at a position, most frequent
    first (the `most` first ones, all if None): word, count, left and right (the parts of the text,
    as lists), shared (how many boundaries both have), only_left, only_right, left_cuts and
    right_cuts (the boundaries, in bytes of the word).

    A part that is no whole character is written as its bytes, `\\\\xc3`.

    >>> import tokviz
    >>> from tokviz.analysis.alignment import align
    >>> runs = [tokviz.train({"hugs": 3, "pug": 2}, "bpe", size) for size in (6, 7)]
    >>> found = align(runs)[0, 1]
    >>> left = Lane(runs[0], np.array([1]), found.left)
    >>> right = Lane(runs[1], np.array([2]), found.right)
    >>> parted_words(found, left, right, 0).values.tolist()
    [['hugs', 3, ['h', 'ug', 's'], ['hug', 's'], 1, 1, 0, (1, 3), (3,)]]
    """
    import pandas as pd

    mine, theirs = (lane.open(int(lane.states[at])) for lane in (left, right))
    known: dict[tuple[str, tuple[int, ...], tuple[int, ...]], int] = {}
    for unit in np.unique(found.unit_of[mine != theirs]).tolist():
        places = slice(int(found.starts[unit]), int(found.starts[unit + 1]))
        offsets = found.offsets[places]
        mine_at, theirs_at = (tuple(offsets[cut[places]].tolist()) for cut in (mine, theirs))
        key = found.units[unit], mine_at, theirs_at
        known[key] = known.get(key, 0) + int(found.counts[unit])
    rows = [
        (
            word,
            count,
            parts(word, a),
            parts(word, b),
            len(set(a) & set(b)),
            len(set(a) - set(b)),
            len(set(b) - set(a)),
            a,
            b,
        )
        for (word, a, b), count in sorted(known.items(), key=lambda item: -item[1])[:most]
    ]
    counts = ["shared", "only_left", "only_right"]
    columns = ["word", "count", "left", "right", *counts, "left_cuts", "right_cuts"]
    # As objects: Arrow's strings take no lone surrogates. To change the type of a table's columns
    # takes ten times as long as to make it.
    by_column = zip(columns, zip(*rows, strict=True) if rows else [()] * len(columns), strict=True)
    whole = {"count", *counts}
    return pd.DataFrame(
        {
            name: np.array(values, np.int64) if name in whole else pd.Series(values, dtype=object)
            for name, values in by_column
        }
    )


def parts(text: str, cuts: tuple[int, ...]) -> list[str]:
    r"""A text cut at some bytes.

    >>> parts("aé", (1,)), parts("aé", (1, 2))
    (['a', 'é'], ['a', '\\xc3', '\\xa9'])
    """
    data = encoded(text)
    pieces = [data[start:end] for start, end in pairwise([0, *cuts, len(data)])]
    return [piece.decode("utf-8", "backslashreplace") for piece in pieces]
