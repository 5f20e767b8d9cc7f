"""Ranking scores of the form count / (left × right) exactly, in integers.

Floats only sort out who cannot matter: each is within a few units in the last place of the true
ratio, so of two that differ by more than `NEAR` the greater is greater for certain. The others are
compared as fractions, by cross-multiplication.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]

#: Far above the float error of count / (left × right), about 4e-16, and far below anything seen.
NEAR = 1e-14


def ratios(count: Ints, left: Ints, right: Ints) -> npt.NDArray[np.float64]:
    """count / (left × right) as floats, for showing and for coarse sorting.

    >>> ratios(np.array([1]), np.array([2]), np.array([4]))
    array([0.125])
    """
    return count / (left.astype(np.float64) * right.astype(np.float64))


def rank_ratios(
    count: Ints,
    left: Ints,
    right: Ints,
    tie_keys: Callable[[Ints], Ints],
    k: int | None = None,
) -> tuple[Ints, int]:
    """Row numbers of the k greatest ratios (all, if k is None), best first, and how many share
    the best. Rows with equal ratios are ordered by `tie_keys(rows)`, smallest first.

    1/3 and 2/6 tie, whatever floats say:

    >>> one = np.ones(3, np.int64)
    >>> rows, tied = rank_ratios(np.array([1, 2, 1]), np.array([3, 6, 2]), one, lambda r: -r)
    >>> rows.tolist(), tied
    ([2, 1, 0], 1)
    """
    if not len(count):
        return np.empty(0, np.int64), 0
    approximate = ratios(count, left, right)
    order = np.argsort(-approximate)
    descending = approximate[order]
    if k is not None and k < len(order):
        # Whoever may equal the last one wanted is still in.
        n = int(np.searchsorted(-descending, -descending[k - 1] * (1 - NEAR), side="right"))
        order, descending = order[:n], descending[:n]
    near = descending[1:] >= descending[:-1] * (1 - NEAR)
    if not near.any():
        return order[:k], 1
    equal = near.copy()
    equal[near] = _equal(count, left, right, order[:-1][near], order[1:][near])
    if not np.array_equal(near, equal):
        _sort_runs(count, left, right, order, near, equal)
    group = np.concatenate([[0], np.cumsum(~equal)])
    tied_rows = np.append(equal, False)
    tied_rows[1:] |= equal
    keys = np.zeros(len(order), np.int64)
    if tied_rows.any():
        keys[tied_rows] = tie_keys(order[tied_rows])
        keys -= keys.min()
    order = order[np.argsort(group * (int(keys.max()) + 1) + keys)]
    return order[:k], int(np.searchsorted(group, 1))


def _equal(count: Ints, left: Ints, right: Ints, a: Ints, b: Ints) -> npt.NDArray[np.bool_]:
    """Whether the ratios of rows a[i] and b[i] are equal."""
    factors = [count[a], left[b], right[b], count[b], left[a], right[a]]
    greatest = [float(factor.max()) for factor in factors]
    if max(prod(greatest[:3]), prod(greatest[3:])) >= 2**62:
        # Python's integers where a product may not fit 64 bits.
        factors = [factor.astype(object) for factor in factors]
    one, other = factors[0] * factors[1] * factors[2], factors[3] * factors[4] * factors[5]
    return np.asarray(one == other, bool)


def _sort_runs(
    count: Ints,
    left: Ints,
    right: Ints,
    order: Ints,
    near: npt.NDArray[np.bool_],
    equal: npt.NDArray[np.bool_],
) -> None:
    """Sorts runs of near neighbours that are not all equal, as fractions, in place."""
    starts = np.flatnonzero(np.diff(near, prepend=False, append=False))
    for first, last in zip(starts[::2].tolist(), starts[1::2].tolist(), strict=True):
        if equal[first:last].all():
            continue
        exact = {
            row: Fraction(int(count[row]), int(left[row]) * int(right[row]))
            for row in order[first : last + 1].tolist()
        }
        run = sorted(exact, key=exact.__getitem__, reverse=True)
        order[first : last + 1] = run
        equal[first:last] = [exact[a] == exact[b] for a, b in pairwise(run)]
