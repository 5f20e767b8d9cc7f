"""Runs of text that are cut into words."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tokviz.history.base import Ints
from tokviz.text.word_counts import WordCounts


class CutRuns(NamedTuple):
    """The different words of runs, with their counts; which word stands at each place of the runs,
    one run after the other, and where each run begins, and the last one ends.

    >>> runs = CutRuns.of(WordCounts(("a b a", "b"), (2, 1)), str.split)
    >>> runs.words.words, runs.words.counts, runs.numbers.tolist(), runs.starts.tolist()
    (('a', 'b'), (4, 3), [0, 1, 0, 1], [0, 3, 4])
    """

    words: WordCounts
    numbers: Ints
    starts: Ints

    @classmethod
    def of(cls, runs: WordCounts, words_in: Callable[[str], Sequence[str]]) -> "CutRuns":
        number: dict[str, int] = {}
        found, ends = list[int](), [0]
        for run in runs.words:
            found += [number.setdefault(word, len(number)) for word in words_in(run)]
            ends.append(len(found))
        numbers, starts = np.asarray(found, np.int64), np.asarray(ends, np.int64)
        counts = np.zeros(len(number), np.int64)
        np.add.at(counts, numbers, np.repeat(np.asarray(runs.counts, np.int64), np.diff(starts)))
        return cls(WordCounts(tuple(number), tuple(counts.tolist())), numbers, starts)

    def places(self) -> list[Ints]:
        """Where each word stands, in the order of the places."""
        order = np.argsort(self.numbers, kind="stable")
        ends = np.cumsum(np.bincount(self.numbers, minlength=len(self.words)))
        return np.split(order, ends[:-1]) if len(ends) else []
