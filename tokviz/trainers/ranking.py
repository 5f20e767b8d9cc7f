"""Who is best at every step: two ways of keeping the pairs of a `PairIndex` ranked.

`ByCount` (BPE) lives off one fact: counts only fall and tie-break keys only grow, so a key that is
out of date is too good, never too bad. `ByLikelihood` (WordPiece) cannot: when a symbol is used up
elsewhere, the scores of all its pairs rise. It scores every live pair anew at each step.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.exact import rank_ratios
from tokviz.trainers.merging import PairIndex

#: (−count, tie-break…, pair number): the pair number makes every key unique.
Key: TypeAlias = tuple[Any, ...]
Ints: TypeAlias = npt.NDArray[np.int64]


class Ranking(Protocol):
    """What the training loop asks of a ranking."""

    def best(self) -> tuple[list[int], int]:
        """The best pairs, best first, and how many share the first one's score."""

    def update(self, changed: Iterable[int]) -> None:
        """Takes note of what `PairIndex.merge` returned: the merged pair first, then the others
        whose counts changed, new ones included."""


class ByCount:
    """Pairs by count: an exactly sorted front of at least `size` (fewer only if fewer live)
    before a lazy heap of all the others.

    `tie_key(pair)` gives a pair's exact tie-break key now; it must depend only on the pair and,
    at most, grow when the pair's count falls.

    >>> index = PairIndex(["\\0\\1", "\\1\\0"], [5, 7], n_symbols=2)
    >>> ByCount(index, lambda p: (p,), size=1).best()
    ([1], 1)
    """

    def __init__(self, index: PairIndex, tie_key: Callable[[int], Key], size: int) -> None:
        self._index, self._tie_key, self._size = index, tie_key, size
        self._counts = list(index.counts)
        self._pairs_with = Counter(self._counts)
        self._sorted: list[Key] = []
        self._held: dict[int, Key] = {}
        self._heap = [self._key(p) for p in range(len(self._counts))]
        heapify(self._heap)
        self._refill()

    def best(self) -> tuple[list[int], int]:
        if not self._sorted:
            return [], 0
        rows = [key[-1] for key in self._sorted[: self._size]]
        return rows, self._pairs_with[self._counts[rows[0]]]

    def update(self, changed: Iterable[int]) -> None:
        counts, now = self._counts, self._index.counts
        for p in changed:
            if p < len(counts):
                self._pairs_with[counts[p]] -= 1
                counts[p] = now[p]
                held = self._held.pop(p, None)
                if held is None:
                    # The heap's key for it is now too good; the heap finds out when it comes up.
                    self._pairs_with[now[p]] += 1
                    continue
                del self._sorted[bisect_left(self._sorted, held)]
            else:
                counts.append(now[p])
            self._pairs_with[now[p]] += 1
            if now[p]:
                self._place(p)
        if len(self._sorted) < self._size:
            self._refill()
        elif len(self._sorted) > 4 * self._size:
            self._trim(2 * self._size)

    def _key(self, p: int) -> Key:
        return (-self._counts[p], *self._tie_key(p), p)

    def _place(self, p: int) -> None:
        key = self._key(p)
        if self._sorted and key < self._sorted[-1]:
            insort(self._sorted, key)
            self._held[p] = key
        else:
            heappush(self._heap, key)

    def _trim(self, length: int) -> None:
        for key in self._sorted[length:]:
            heappush(self._heap, key)
            del self._held[key[-1]]
        del self._sorted[length:]

    def _refill(self) -> None:
        heap = self._heap
        while heap and len(self._sorted) < 2 * self._size:
            p = heap[0][-1]
            if not self._counts[p]:
                heappop(heap)
                continue
            key = self._key(p)
            if key == heap[0]:
                heappop(heap)
                self._sorted.append(key)
                self._held[p] = key
            else:
                heapreplace(heap, key)


class ByLikelihood:
    """Pairs by count / (count of left × count of right), compared exactly; ties first-seen.

    >>> index = PairIndex(["\\0\\1", "\\0\\2"], [2, 1], n_symbols=3)   # 2/(3×2), 1/(3×1)
    >>> ByLikelihood(index, size=2).best()
    ([0, 1], 2)
    """

    _NOT_KNOWN = -1

    def __init__(self, index: PairIndex, size: int) -> None:
        self._index, self._size = index, size
        self._n = 0
        self._live = np.empty(0, np.int64)
        # Per pair: left symbol, right symbol, count, place where it is first seen.
        self._columns = np.empty((4, 1024), np.int64)
        self._symbol_counts = np.asarray(index.symbol_counts, np.int64)
        self.update(range(len(index.pairs)))

    def best(self) -> tuple[list[int], int]:
        live = self._live
        left, right, count, _ = self._columns[:, live]
        rows, tied = rank_ratios(
            count,
            self._symbol_counts[left],
            self._symbol_counts[right],
            lambda rows: self._first_seen(live[rows]),
            self._size,
        )
        return live[rows].tolist(), tied

    def update(self, changed: Iterable[int]) -> None:
        index, before = self._index, self._n
        pairs = np.fromiter(changed, np.int64)
        self._n = len(index.pairs)
        if self._n > self._columns.shape[1]:
            self._columns = np.concatenate([self._columns, np.empty((4, self._n), np.int64)], 1)
        if before:
            self._update_symbol_counts(*index.pairs[pairs[0]])
        for p in range(before, self._n):
            self._columns[:2, p] = tuple(map(ord, index.pairs[p]))
        self._columns[2, pairs] = [index.counts[p] for p in pairs.tolist()]
        self._columns[3, pairs] = self._NOT_KNOWN
        live = np.concatenate([self._live, np.arange(before, self._n)])
        self._live = live[self._columns[2, live] > 0]

    def _update_symbol_counts(self, left: str, right: str) -> None:
        """Only the two symbols just merged and the new one changed."""
        counts = self._index.symbol_counts
        if len(counts) > len(self._symbol_counts):
            self._symbol_counts = np.resize(self._symbol_counts, 2 * len(counts))
        for symbol in (ord(left), ord(right), len(counts) - 1):
            self._symbol_counts[symbol] = counts[symbol]

    def _first_seen(self, pairs: Ints) -> Ints:
        """A pair's place stays what it was as long as its count does."""
        places: Ints = self._columns[3]
        for p in pairs[places[pairs] == self._NOT_KNOWN].tolist():
            places[p] = self._index.first_seen(p)
        return places.take(pairs)
