"""Sums in single precision, one summand after the other, as a C++ loop adds them.

Where two pieces are expected equally often, the roundings on the way decide which of them has the
greater sum. So the order of the summands counts, and every sum is rounded.
"""

from array import array
from collections.abc import Iterable

import numpy as np

from tokviz.history.base import Floats, Ints
from tokviz.trainers.pruning.em_lattice import Bools, Singles

#: So many groups with the most summands are added up one by one; the others all together, their
#: first summands, then their second ones, and so on. (`np.add.at` does the same, three times as
#: slowly.)
LARGE = 80


class SingleSums:
    """Sums over groups: `group` says for each number in which it is, `time` when its turn is.

    >>> sums = SingleSums(np.array([1, 0, 1, 1]), np.array([3, 0, 1, 2]), groups=2)
    >>> sums.of(np.array([1.0, 5.0, 2.0**24, -(2.0**24)])).tolist()
    [5.0, 1.0]
    >>> float(np.float32(1.0) + np.float32(2.0**24) - np.float32(2.0**24))      # in another order
    0.0
    """

    def __init__(self, group: Ints, time: Ints, groups: int) -> None:
        self._order = np.argsort(group * (time.max(initial=0) + 1) + time)
        self._time = time[self._order]
        self._sizes = np.bincount(group, minlength=groups)

    def keep(self, alive: Bools, rows: Bools) -> None:
        """Takes out the groups that are not alive; `rows` says the same of the numbers."""
        kept = np.flatnonzero(rows[self._order])
        self._order = (np.cumsum(rows) - 1)[self._order[kept]]
        self._time = self._time[kept]
        self._sizes[~alive] = 0

    @property
    def _starts(self) -> Ints:
        return np.cumsum(self._sizes) - self._sizes

    def first(self, groups: Ints) -> Ints:
        """Which number is the first of each of these groups, none of them empty."""
        return self._order[self._starts[groups]]

    def of(self, values: Floats) -> Singles:
        """The sum of each group."""
        values, sizes, starts = values[self._order], self._sizes, self._starts
        by_size = np.argsort(-sizes, kind="stable")
        sums = np.zeros(len(sizes), np.float32)
        for i in by_size[:LARGE].tolist():
            sums[i] = one_by_one(values[starts[i] : starts[i] + sizes[i]].tolist())
        small = by_size[LARGE:]
        at, added = starts[small], np.zeros(len(small), np.float32)
        turns = np.arange(sizes[small].max(initial=0))
        for n in np.searchsorted(-sizes[small], -turns).tolist():
            added[:n] += values[at[:n]]
            at[:n] += 1
        sums[small] = added
        return sums

    def together(self, values: Floats, group: int, others: Ints) -> float:
        """The sum of a group and others as if they were one; of two numbers at the same time that
        of the others comes last."""
        groups = np.append(others, group)
        starts, sizes = self._starts[groups], self._sizes[groups]
        rows = np.concatenate(
            [np.arange(*ends) for ends in zip(starts, starts + sizes, strict=True)]
        )
        late = np.repeat(groups != group, sizes)
        rows = rows[np.lexsort((late, self._time[rows]))]
        return one_by_one(values[self._order[rows]].tolist())


def one_by_one(values: Iterable[float]) -> float:
    """The sum in single precision.

    >>> one_by_one([2.0**24, 1.0, 1.0])         # 2**24 + 1 has a digit too many
    16777216.0
    """
    total = array("f", [0.0])
    for value in values:
        total[0] += value
    return total[0]
