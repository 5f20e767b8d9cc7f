"""What a run of merges writes down: one number per gap, and a log of new counts.

Gaps. Between two neighbouring starting symbols of a word there is a gap. Training closes gaps and
never opens one, so a single number a gap, the step that closes it, holds every segmentation of
every state: at state t the gaps with a number ≥ t are open. A gap that stays open has the number of
the first step that was not taken. The number of corpus tokens over time is a histogram of these
numbers, and the symbol of a token is that of its latest closed gap, since the last merge inside a
token is the one that made it.

Score tables. Each step logs the pairs whose counts changed with their new counts; now and then a
keyframe notes all live pairs. The table of any state is one keyframe and one assignment.
"""

from dataclasses import dataclass

import numpy as np

from tokviz.basics.read_only import Record
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints
from tokviz.text.symbols import Symbol

#: How many of the best rows of every state are kept as they were.
TOP = 20


@dataclass(frozen=True, eq=False)
class MergeRecord(Record):
    """The columns that a run of merges writes. Symbols are numbered: the alphabet first, then one
    a merge. Pairs are numbered step by step as they were met. Columns have the smallest type that
    holds them, so widen before multiplying.

    >>> import tokviz
    >>> record = tokviz.train({"hugs": 2, "hug": 1}, "bpe", vocab_size=6).record
    >>> len(record.left), record.gaps.tolist()
    (2, [2, 0, 1, 2, 2, 0, 1])
    >>> [record.cuts(0, t).tolist() for t in range(3)]     # h u g s, hu g s, hug s
    [[0, 1, 2, 3], [0, 2, 3], [0, 3]]
    """

    __repr__ = short_repr

    alphabet: list[Symbol]
    left: Ints  # per step
    right: Ints
    tied: Ints  # per state: candidates that share the best score
    pair_left: Ints  # per pair
    pair_right: Ints
    log_pair: Ints  # per change of a count
    log_count: Ints
    log_starts: Ints  # per state: where the log of the step out of it starts
    known: Ints  # per state: how many pairs have been met
    keyframe_states: Ints  # per keyframe
    keyframe_starts: Ints
    keyframe_pair: Ints  # all keyframes, one after the other
    keyframe_count: Ints
    top_pair: Ints  # per state: the best rows, -1 where there are fewer
    top_count: Ints
    symbols: Ints  # per starting symbol of every word, one word after the other
    starts: Ints  # per word, and the end
    gaps: Ints  # per starting symbol: the step that joins it to the one before it

    @property
    def merged(self) -> Ints:
        """The pair that each step merges: the first one that its part of the log has."""
        return self.log_pair[self.log_starts[:-1]]

    def merged_by(self, t: int) -> int:
        """The pair that step t merges."""
        return int(self.log_pair[self.log_starts[t]])

    @property
    def forced(self) -> Ints:
        """The steps that did not merge the best pair."""
        return np.flatnonzero(self.merged != self.top_pair[:-1, 0])

    def cuts(self, word: int, t: int) -> Ints:
        """Where the tokens of word number `word` start in state t, in starting symbols."""
        gaps = self.gaps[self.starts[word] : self.starts[word + 1]]
        return np.flatnonzero(gaps >= t)

    def word_symbols(self, word: int, t: int) -> list[int]:
        """The symbols of word number `word` in state t."""
        first, last = self.starts[word : word + 2].tolist()
        gaps = self.gaps[first:last].tolist()
        base, n_base = self.symbols[first:last].tolist(), len(self.alphabet)
        symbols: list[int] = []
        for symbol, gap in zip(base, gaps, strict=True):
            if gap >= t:
                symbols.append(symbol)
            else:
                symbols[-1] = max(symbols[-1], n_base + gap)
        return symbols

    def state_symbols(self, t: int) -> tuple[Ints, Ints]:
        """Of the whole corpus in state t: the symbol of every token, and where each starts."""
        gaps = self.gaps
        starts = np.flatnonzero(gaps >= t)
        if not len(starts):
            return starts, starts
        made = np.where(gaps < t, gaps + np.int64(len(self.alphabet)), self.symbols)
        # A merged symbol's number is greater than any alphabet symbol's, so the greatest is last.
        return np.maximum.reduceat(made, starts), starts
