"""Which pairs are best, kept in order from step to step."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from heapq import nlargest
from typing import Any, Protocol, TypeAlias

from tokviz.history.merge_record import TOP

#: −count, what the tie-break rule compares, the place where the pair is met first, its number.
Entry: TypeAlias = tuple[int, Any, int, int]

#: Pairs that are kept in order, at least, when the order is made anew.
_KEPT = 400


class Counted(Protocol):
    """Pairs with their counts."""

    @property
    def counts(self) -> list[int]:
        """The count of every pair."""

    def first_place(self, p: int) -> int:
        """Where a pair that occurs is met first."""


class Ranking:
    """The best pairs in order, before a rest in which no count is as great."""

    def __init__(self, corpus: Counted, tie: Callable[[int], Any] | None) -> None:
        self._corpus, self._tie = corpus, tie
        self._keys: dict[int, Any] = {}
        self._entries: dict[int, Entry] = {}
        self.places: list[int] = []
        self.front: list[Entry] = []
        self._least = 1 << 62
        self.update(range(len(corpus.counts)))

    def update(self, pairs: Iterable[int]) -> None:
        """The counts or places of some pairs have changed."""
        corpus, front, entries, least = self._corpus, self.front, self._entries, self._least
        missing = len(corpus.counts) - len(self.places)
        self.places += [0] * missing
        for p in pairs:
            if (entry := entries.pop(p, None)) is not None:
                del front[bisect_left(front, entry)]
            count = corpus.counts[p]
            if count > 0:
                self.places[p] = corpus.first_place(p)
                if count >= least:
                    entry = entries[p] = self._entry(p)
                    insort(front, entry)
        if len(front) < TOP and least > 1:
            self._begin_anew()

    def _begin_anew(self) -> None:
        corpus = self._corpus
        best = nlargest(_KEPT, corpus.counts)
        least = self._least = max(1, best[-1]) if best else 1
        self.front = sorted(
            self._entry(p) for p, count in enumerate(corpus.counts) if count >= least
        )
        self._entries = {entry[3]: entry for entry in self.front}

    def _entry(self, p: int) -> Entry:
        key = self._keys.get(p)
        if key is None:
            key = self._keys[p] = self._tie(p) if self._tie else 0
        return -self._corpus.counts[p], key, self.places[p], p

    @property
    def counts(self) -> list[int]:
        """The count of every pair."""
        return self._corpus.counts

    @property
    def tied(self) -> int:
        """How many pairs share the best count."""
        return bisect_left(self.front, (self.front[0][0] + 1,)) if self.front else 0
