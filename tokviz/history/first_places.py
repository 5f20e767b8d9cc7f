"""Where every pair of a run of merges is first met, in every state: what first-seen ties go by.

A pair stands at an open gap: it is the token that ends there and the one that starts there. Which
pair that is changes when a neighbour grows, and each closed gap makes two neighbours grow, those at
the two ends of the token that it makes. So the pairs that ever stand at any gap number three times
the gaps at most, and their lives can be written down one by one. All lives of a pair begin in the
same step; its first place moves to the right as they end, over a staircase of ever longer lives.
"""

from typing import NamedTuple

import numpy as np

from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord


class FirstPlaces:
    """Asked with pairs and states, answers with the gap where each is first met. Places are
    numbered through the corpus, in starting symbols.

    >>> import tokviz
    >>> history = tokviz.train({"ab": 1, "cab": 1}, "bpe", vocab_size=5)    # a+b, then c+ab
    >>> FirstPlaces(history.record).of(np.array([0, 1, 2]), np.array([0, 0, 1])).tolist()
    [1, 3, 3]
    """

    def __init__(self, record: MergeRecord) -> None:
        lives = _lives(record)
        self._states = len(record.left) + 2
        # By pair, then place; per pair only the lives that last longer than those before them.
        order = np.argsort(lives.pair * np.int64(len(record.gaps)) + lives.gap)
        pair = lives.pair[order]
        ends = pair * self._states + lives.last[order]
        longest = np.maximum.accumulate(ends)
        stairs = np.ones(len(ends), bool)
        stairs[1:] = longest[1:] > longest[:-1]
        pair, ends = pair[stairs], ends[stairs]
        # A step of the stairs is trodden from the state after the end of the one before it.
        self._keys = np.where(np.diff(pair, prepend=-1) > 0, pair * self._states, 0)
        later = self._keys == 0
        later[:1] = False
        self._keys[later] = ends[:-1][later[1:]] + 1
        self._places = lives.gap[order][stairs]

    def of(self, pairs: Ints, states: Ints) -> Ints:
        """The places of pairs that are live in these states."""
        wanted = pairs * np.int64(self._states) + states
        places: Ints = self._places[np.searchsorted(self._keys, wanted, side="right") - 1]
        return places


class _Lives(NamedTuple):
    """A pair stands at a gap from some state to state `last`."""

    pair: Ints
    gap: Ints
    last: Ints


def _lives(record: MergeRecord) -> _Lives:
    """All lives of all pairs, by gap, then time."""
    n_base, states = len(record.alphabet), np.int64(len(record.left) + 2)
    closes = record.gaps.astype(np.int64)
    inner = np.ones(len(closes) + 1, bool)
    inner[record.starts] = False
    gap = np.flatnonzero(inner)
    none = np.full(len(gap), -1)
    # The first neighbours, then each merge as the new right neighbour of the gap to its left and
    # the new left neighbour of the gap to its right. −1 is no change.
    symbols = record.symbols.astype(np.int64)
    closed = np.flatnonzero(closes < len(record.left))
    to_left, to_right = _ends_of_tokens(closes, closed)
    made = n_base + closes[closed]
    a, b = inner[to_left], inner[to_right]
    gaps = np.concatenate([gap, to_left[a], to_right[b]])
    since = np.concatenate([none + 1, closes[closed][a] + 1, closes[closed][b] + 1])
    left = np.concatenate([symbols[gap - 1], np.full(int(a.sum()), -1), made[b]])
    right = np.concatenate([symbols[gap], made[a], np.full(int(b.sum()), -1)])
    order = np.argsort(gaps * states + since, kind="stable")
    gaps, since, left, right = gaps[order], since[order], left[order], right[order]
    left, right = _filled(left), _filled(right)
    # Until the next change, or until the gap closes.
    last = np.minimum(closes[gaps], states - 2)
    changes = np.flatnonzero(gaps[1:] == gaps[:-1])
    last[changes] = since[changes + 1] - 1
    # Both neighbours may change in one step: only the second of these rows lives.
    alive = last >= since
    symbols_in_all = np.int64(n_base + len(record.left))
    codes = record.pair_left * symbols_in_all + record.pair_right
    by_code = np.argsort(codes)
    wanted = left[alive] * symbols_in_all + right[alive]
    pair = by_code[np.searchsorted(codes, wanted, sorter=by_code)]
    return _Lives(pair, gaps[alive], last[alive])


def _ends_of_tokens(closes: Ints, closed: Ints) -> tuple[Ints, Ints]:
    """For each closed gap, the gaps at the two ends of the token that closing it makes: the
    nearest ones that close later. The corpus ends with a gap that never closes."""
    closes = np.append(closes, closes[:1])
    ends = []
    for side in (-1, 1):
        end = np.arange(len(closes)) + side
        open_ = closed
        # Whatever closes earlier is inside; what lies between it and its own end is too.
        while len(open_):
            open_ = open_[closes[end[open_]] < closes[open_]]
            end[open_] = end[end[open_]]
        ends.append(end[closed])
    return ends[0], ends[1]


def _filled(symbols: Ints) -> Ints:
    """Each −1 replaced by what stands before it."""
    known = np.where(symbols >= 0, np.arange(len(symbols)), 0)
    filled: Ints = symbols[np.maximum.accumulate(known)]
    return filled
