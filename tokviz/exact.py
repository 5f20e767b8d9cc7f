"""Ranking scores of the form count / (left × right) exactly, in integers.

Floats only sort out who cannot matter: each is within a few units in the last place of the true
ratio, so whatever lies more than `NEAR` below a bound is below it for certain. The rest is decided
on reduced fractions.
"""

from collections.abc import Callable
from fractions import Fraction
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
    n = len(count)
    if not n:
        return np.empty(0, np.int64), 0
    approximate = ratios(count, left, right)
    rows = np.arange(n)
    if k is not None and k < n:
        bound = np.partition(approximate, n - k)[n - k]
        rows = np.flatnonzero(approximate >= bound * (1 - NEAR))
    top, bottom = _reduced(count[rows], left[rows], right[rows])
    groups, group_of = _group(top, bottom)
    by_group = np.argsort(group_of, kind="stable")
    bounds = np.searchsorted(group_of[by_group], np.arange(len(groups) + 1))
    ranked: list[Ints] = []
    tied = found = 0
    for g in _descending([(int(top[i]), int(bottom[i])) for i in groups]):
        members = rows[by_group[bounds[g] : bounds[g + 1]]]
        tied = tied or len(members)
        if len(members) > 1:
            members = members[np.argsort(tie_keys(members), kind="stable")]
        ranked.append(members)
        found += len(members)
        if k is not None and found >= k:
            break
    return np.concatenate(ranked)[:k], tied


def _reduced(count: Ints, left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Lowest terms. Python integers where the product does not fit 64 bits."""
    if int(left.max()) * int(right.max()) >= 2**63:
        count, left, right = (x.astype(object) for x in (count, left, right))
    bottom = left * right
    divisor = np.gcd(count, bottom)
    return count // divisor, bottom // divisor


def _group(top: Ints, bottom: Ints) -> tuple[Ints, Ints]:
    """The first row of each distinct fraction, and the group of every row."""
    order = np.lexsort((bottom, top))
    new = np.ones(len(order), bool)
    new[1:] = (top[order][1:] != top[order][:-1]) | (bottom[order][1:] != bottom[order][:-1])
    group_of = np.empty(len(order), np.int64)
    group_of[order] = np.cumsum(new) - 1
    return order[new], group_of


def _descending(fractions: list[tuple[int, int]]) -> list[int]:
    """Positions of distinct fractions, greatest first: by float, near-ties by exact comparison."""
    order = sorted(range(len(fractions)), key=lambda i: -fractions[i][0] / fractions[i][1])
    start = 0
    for end in range(1, len(order) + 1):
        if end < len(order):
            a, b = fractions[order[end - 1]], fractions[order[end]]
            if b[0] / b[1] >= a[0] / a[1] * (1 - NEAR):
                continue
        if end - start > 1:
            run = sorted(order[start:end], key=lambda i: Fraction(*fractions[i]), reverse=True)
            order[start:end] = run
        start = end
    return order
