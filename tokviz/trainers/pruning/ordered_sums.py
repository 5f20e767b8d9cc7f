"""Sums of floats in a prescribed order, many variants of one sum at a time.

Float addition is not associative: to agree with a published loop to the last bit, a sum must run
in its order, one term after the other. What can be saved is time, by adding a term to many sums at
once; each of them still sees its terms in order.
"""

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.history.base import Floats, Ints

#: Elements of a block of terms × sums: enough to spread NumPy's overhead, few enough for a cache.
_BLOCK = 1 << 16


def plain_sum(terms: Floats) -> float:
    """The terms added up strictly from the first to the last (`np.sum` adds halves of halves).

    >>> plain_sum(np.array([1e16, 1.0, 1.0]))
    1e+16
    """
    return float(np.add.accumulate(np.concatenate([[0.0], terms]))[-1])


def sums_with_replacements(
    terms: Floats, column: Ints, row: Ints, value: Floats, pause: Pause = lambda: None
) -> Floats:
    """For each column, the sum of `terms` in order, except that in column `column[i]` the term
    number `row[i]` is `value[i]`. Columns are numbered 0..n-1 and each occurs; a (column, row)
    occurs once.

    Costs terms × columns additions, which come in blocks at memory speed.

    >>> terms, zeros = np.array([1.0, 2.0, 4.0]), np.zeros(3)
    >>> sums_with_replacements(terms, np.array([0, 1, 1]), np.array([2, 0, 1]), zeros).tolist()
    [3.0, 4.0]
    """
    n = int(column.max(initial=-1)) + 1
    first = np.full(n, len(terms))
    np.minimum.at(first, column, row)
    # Until its first replacement a sum is the plain one, which is kept in front of the others.
    joins = np.sort(first)
    place: Ints = np.empty(n, np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(1, n + 1)
    by_row = np.argsort(row, kind="stable")
    row, at, value = row[by_row], place[column[by_row]], value[by_row]
    sums = np.zeros(n + 1)
    size = max(1, _BLOCK // (n + 1))
    starts = np.arange(0, len(terms), size)
    bounds = np.searchsorted(row, [*starts.tolist(), len(terms)])
    widths = 1 + np.searchsorted(joins, starts + size)
    width = 1
    for i, start in enumerate(starts.tolist()):
        pause()
        sums[width : widths[i]] = sums[0]
        width = int(widths[i])
        block = np.empty((min(size, len(terms) - start) + 1, width))
        block[0] = sums[:width]
        block[1:] = terms[start : start + size, None]
        replaced = slice(bounds[i], bounds[i + 1])
        block[row[replaced] - start + 1, at[replaced]] = value[replaced]
        sums[:width] = _down(block)
    return sums[place]


def _down(block: Floats) -> Floats:
    """Each column added from top to bottom."""
    if block.shape[1] == 1:
        # NumPy would take a single column for a row, and rows are added pairwise.
        return np.asarray(np.add.accumulate(block)[-1])
    return np.asarray(np.add.reduce(block, axis=0))
