"""Who is best at every step: two ways of keeping the pairs of a `PairIndex` ranked.

`ByCount` (BPE) lives off one fact: counts only fall and tie-break keys only grow, so a key that is
out of date is too good, never too bad. `ByLikelihood` (WordPiece) cannot: when a symbol is used up
elsewhere, the scores of all its pairs rise. It scores every live pair anew at each step.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any, Protocol, TypeAlias

import numpy as np

from tokviz.history.base import Floats, Ints
from tokviz.history.exact import NEAR, rank_ratios, ratios
from tokviz.trainers.merging.pairs import PairIndex, symbol_numbers

#: (−count, tie-break key, pair number): the pair number makes every key unique.
Key: TypeAlias = tuple[int, Any, int]


class Ranking(Protocol):
    """What the training loop asks of a ranking."""

    def best(self) -> tuple[Sequence[int], Sequence[int], int]:
        """The best pairs, best first, their counts, and how many share the first one's score."""

    def update(self, changed: Iterable[int]) -> None:
        """Takes note of what `PairIndex.merge` returned: the merged pair first, then the others
        whose counts changed, new ones included."""


class ByCount:
    """Pairs by count: an exactly sorted front of at least `size` (fewer only if fewer live)
    before a lazy heap, and behind both, unsorted, the pairs whose counts are below the floor.
    When the heap has run out the floor is lowered. Most pairs never get so far.

    `tie_key(pair)` gives a pair's exact tie-break key now; it must depend only on the pair and,
    at most, grow when the pair's count falls. `tie_bound(pair)` gives any key that is not greater,
    for pairs that may never come to the front.

    >>> index = PairIndex(["\\0\\1", "\\1\\0"], [5, 7], n_symbols=2)
    >>> ByCount(index, lambda p: p, lambda p: 0, size=1).best()
    ([1], [7], 1)
    """

    def __init__(
        self,
        index: PairIndex,
        tie_key: Callable[[int], Any],
        tie_bound: Callable[[int], Any],
        size: int,
    ) -> None:
        self._index, self._tie_key, self._tie_bound, self._size = index, tie_key, tie_bound, size
        self._counts = list(index.counts)
        # The front's keys; their pairs and counts, and which keys it holds.
        self._sorted: list[Key] = []
        self._rows: list[int] = []
        self._row_counts: list[int] = []
        self._held: dict[int, Key] = {}
        self._heap: list[Key] = []
        # Pairs by count, below the floor, and how many have a count that is not.
        self._below: defaultdict[int, list[int]] = defaultdict(list)
        self._pairs_with: Counter[int] = Counter()
        for p, count in enumerate(self._counts):
            if count:
                self._below[count].append(p)
        self._floor = max(self._counts, default=0) + 1
        self._refill()

    def best(self) -> tuple[Sequence[int], Sequence[int], int]:
        rows, counts = self._rows[: self._size], self._row_counts[: self._size]
        return rows, counts, self._pairs_with[counts[0]] if counts else 0

    def update(self, changed: Iterable[int]) -> None:
        counts, now, floor = self._counts, self._index.counts, self._floor
        below, held, pairs_with = self._below, self._held, self._pairs_with
        for p in changed:
            count = now[p]
            waits = False
            if p < len(counts):
                if counts[p] >= floor:
                    pairs_with[counts[p]] -= 1
                    key = held.pop(p, None)
                    if key is not None:
                        at = bisect_left(self._sorted, key)
                        del self._sorted[at], self._rows[at], self._row_counts[at]
                    # The heap's key for it is now too good; the heap finds out when it comes up.
                    waits = key is None
                counts[p] = count
            else:
                counts.append(count)
            if count < floor:
                if count:
                    below[count].append(p)
            else:
                pairs_with[count] += 1
                if not waits:
                    self._place(p, count)
        if len(self._sorted) < self._size:
            self._refill()
        elif len(self._sorted) > 4 * self._size:
            self._trim(2 * self._size)

    def _place(self, p: int, count: int) -> None:
        # Most pairs are too rare for the front, whatever their tie-break key.
        if self._sorted and -count <= self._sorted[-1][0]:
            key = (-count, self._tie_key(p), p)
            if key < self._sorted[-1]:
                self._hold(bisect_left(self._sorted, key), key, p, count)
            else:
                heappush(self._heap, key)
        else:
            heappush(self._heap, (-count, self._tie_bound(p), p))

    def _trim(self, length: int) -> None:
        for key in self._sorted[length:]:
            heappush(self._heap, key)
            del self._held[key[-1]]
        del self._sorted[length:], self._rows[length:], self._row_counts[length:]

    def _refill(self) -> None:
        heap, counts = self._heap, self._counts
        while len(self._sorted) < 2 * self._size:
            if not heap:
                self._lower_the_floor()
                if not heap:
                    return
            p = heap[0][-1]
            count = counts[p]
            if count < self._floor:
                # It waits below by now, or is dead.
                heappop(heap)
                continue
            key = (-count, self._tie_key(p), p)
            if key != heap[0]:
                heapreplace(heap, key)
                if heap[0] is not key:
                    continue
            heappop(heap)
            self._hold(len(self._sorted), key, p, count)

    def _hold(self, at: int, key: Key, p: int, count: int) -> None:
        self._sorted.insert(at, key)
        self._rows.insert(at, p)
        self._row_counts.insert(at, count)
        self._held[p] = key

    def _lower_the_floor(self) -> None:
        """Heaps up pairs from below. Only while the heap is empty: no pair is there twice."""
        counts, below, bound = self._counts, self._below, self._tie_bound
        while below and not self._heap:
            self._floor = floor = min(max(below), self._floor * 3 // 4)
            for count in [count for count in below if count >= floor]:
                # Those that have fallen further wait there too.
                pairs = [p for p in below.pop(count) if counts[p] == count]
                self._pairs_with[count] = len(pairs)
                self._heap += [(-count, bound(p), p) for p in pairs]
        heapify(self._heap)


class ByLikelihood:
    """Pairs by count / (count of left × count of right), compared exactly; ties first-seen.

    The live pairs stand in rows, one behind the other; dead ones are swept out now and then.

    >>> index = PairIndex(["\\0\\1", "\\0\\2"], [2, 1], n_symbols=3)   # 2/(3×2), 1/(3×1)
    >>> ByLikelihood(index, size=2).best()
    ([0, 1], [2, 1], 2)
    """

    _NOT_KNOWN = -1

    def __init__(self, index: PairIndex, size: int) -> None:
        self._index, self._size = index, size
        self._n = self._dead = 0
        # Per row: pair, left symbol, right symbol, count, place where it is first seen.
        self._columns = np.zeros((5, 1024), np.int64)
        self._row_of: list[int] = []
        self._symbol_counts = np.ones(1024, np.int64)
        self._set_symbol_counts(range(len(index.symbol_counts)))
        self._bound = 0.0
        self._append()

    def best(self) -> tuple[Sequence[int], Sequence[int], int]:
        pairs, left, right, count, _ = self._columns[:, : self._n]
        scores = ratios(count, self._symbol_counts[left], self._symbol_counts[right])
        rows = self._front(scores)
        left, right = left[rows], right[rows]
        best, tied = rank_ratios(
            count[rows],
            self._symbol_counts[left],
            self._symbol_counts[right],
            lambda chosen: self._first_seen(rows[chosen]),
            self._size,
        )
        rows = rows[best]
        return pairs[rows].tolist(), count[rows].tolist(), tied

    def _front(self, scores: Floats) -> Ints:
        """Rows among which the best are for certain. The bound that told them apart in one step
        mostly does so in the next."""
        if self._n - self._dead <= self._size:
            return np.flatnonzero(scores)
        rows = np.flatnonzero(scores >= self._bound * (1 - NEAR))
        if len(rows) > 8 * self._size or (scores[rows] >= self._bound).sum() < self._size:
            nth = self._n - min(self._n - self._dead, 2 * self._size)
            self._bound = float(np.partition(scores, nth)[nth])
            rows = np.flatnonzero(scores >= self._bound * (1 - NEAR))
        return rows

    def update(self, changed: Iterable[int]) -> None:
        counts, known = self._index.counts, len(self._row_of)
        merged, *others = changed
        rows = [self._row_of[p] for p in (merged, *others) if p < known]
        self._columns[3, rows] = now = [counts[p] for p in (merged, *others) if p < known]
        self._columns[4, rows] = self._NOT_KNOWN
        self._dead += now.count(0)
        left, right = map(ord, self._index.pairs[merged])
        self._set_symbol_counts((left, right, len(self._index.symbol_counts) - 1))
        if 2 * self._dead > self._n:
            self._sweep()
        self._append()

    def _append(self) -> None:
        """A row for each pair that has none yet."""
        known, n = len(self._row_of), self._n
        born = self._index.pairs[known:]
        self._n += len(born)
        self._dead += self._index.counts[known:].count(0)
        if self._n > self._columns.shape[1]:
            more = np.zeros((5, self._n), np.int64)
            self._columns = np.concatenate([self._columns, more], axis=1)
        self._row_of += range(n, self._n)
        symbols = symbol_numbers("".join(born))
        self._columns[:, n : self._n] = (
            np.arange(known, known + len(born)),
            symbols[0::2],
            symbols[1::2],
            self._index.counts[known:],
            np.full(len(born), self._NOT_KNOWN),
        )

    def _sweep(self) -> None:
        live = self._columns[:, : self._n]
        live = live[:, live[3] > 0]
        self._n, self._dead = live.shape[1], 0
        self._columns[:, : self._n] = live
        for row, pair in enumerate(live[0].tolist()):
            self._row_of[pair] = row

    def _set_symbol_counts(self, symbols: Iterable[int]) -> None:
        counts = self._index.symbol_counts
        if len(counts) > len(self._symbol_counts):
            more = np.ones(2 * len(counts), np.int64)
            self._symbol_counts = np.concatenate([self._symbol_counts, more])
        for symbol in symbols:
            # At least 1: a symbol that is used up has dead pairs only, and 0 / 1 is 0.
            self._symbol_counts[symbol] = max(1, counts[symbol])

    def _first_seen(self, rows: Ints) -> Ints:
        """A pair's place stays what it was as long as its count does."""
        pairs, places = self._columns[0], self._columns[4]
        for row in rows[places[rows] == self._NOT_KNOWN].tolist():
            places[row] = self._index.first_seen(int(pairs[row]))
        seen: Ints = places[rows]
        return seen
