"""The score table of any state of a run of merges: all live pairs with their counts, ranked.

A table is a column over all pairs met so far: one keyframe, overwritten by what was logged since.
Counts are such a column, and so are the places that decide first-seen ties.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tokviz.history.base import Floats, Ints
from tokviz.history.exact import rank_ratios
from tokviz.history.first_places import FirstPlaces
from tokviz.history.merge_record import MergeRecord
from tokviz.history.picking.record import PickyRecord
from tokviz.history.ties import PairKey
from tokviz.text.symbols import Symbol

#: Tie keys up to so many bits may number the entries of an array.
MOST_BITS = 26


class ScoreTables:
    """Live pairs and their ranks, at any state.

    `tie_ranks` gives each pair's rank under a tie-break rule that compares the pair itself, equal
    pairs sharing one; it is None for first-seen, which compares places.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> tables = ScoreTables(history.record, None)
    >>> [column.tolist() for column in tables.by_count(1)]      # h+ug, then p+ug, then ug+s
    [[4, 5, 6], [15, 5, 5]]
    """

    def __init__(self, record: MergeRecord, tie_ranks: Callable[[], Ints] | None) -> None:
        self._record, self._tie_ranks = record, tie_ranks
        self._keyframe_states = record.keyframe_states.tolist()

    def live(self, t: int) -> tuple[Ints, Ints]:
        """The pairs of state t and their counts, by their numbers."""
        r = self._record
        counts = self._column(t, r.keyframe_count, r.log_count)
        pairs = np.flatnonzero(counts > 0)
        return pairs, counts[pairs]

    def by_count(self, t: int) -> tuple[Ints, Ints]:
        """The pairs of state t and their counts, the greatest count first."""
        pairs, counts = self.live(t)
        if not len(pairs):
            return pairs, counts
        ties = self._tie_keys(t, pairs)
        bits = int(ties.max()).bit_length()
        greatest = int(counts.max())
        if bits > MOST_BITS or greatest.bit_length() + bits > 62:
            rows = np.lexsort((ties, -counts))
            return pairs[rows], counts[rows]
        # Count and tie key in one number, and back again: no sort is faster than one of numbers.
        keys = np.sort((greatest - counts) << bits | ties)
        pair_of = np.empty(1 << bits, np.int64)
        pair_of[ties] = pairs
        return pair_of[keys & ((1 << bits) - 1)], greatest - (keys >> bits)

    def by_likelihood(self, t: int, symbol_counts: Ints) -> tuple[Ints, Ints]:
        """The pairs of state t and their counts, the greatest likelihood score first."""
        pairs, counts = self.live(t)
        left, right = self._record.pair_left[pairs], self._record.pair_right[pairs]
        places = self._places(t)[pairs]
        rows, _ = rank_ratios(counts, symbol_counts[left], symbol_counts[right], places.__getitem__)
        return pairs[rows], counts[rows]

    def _tie_keys(self, t: int, pairs: Ints) -> Ints:
        """What decides among equal counts, the smallest first: a different number for each pair."""
        if self._ranks is None:
            return self._places(t)[pairs]
        ranks, n_ranks = self._ranks
        if n_ranks == len(ranks):
            return ranks[pairs]
        # Some pairs compare equal: bytes of the text may read like a marker.
        return ranks[pairs] * len(self._record.gaps) + self._places(t)[pairs]

    @cached_property
    def _ranks(self) -> tuple[Ints, int] | None:
        if self._tie_ranks is None:
            return None
        ranks = self._tie_ranks()
        return ranks, int(ranks.max(initial=-1)) + 1

    def _column(self, t: int, keyframes: Ints, log: Ints) -> Ints:
        """A value for every pair met by state t; 0 for those that died before the keyframe."""
        r = self._record
        k = bisect_right(self._keyframe_states, t) - 1
        first, last = int(r.keyframe_starts[k]), int(r.keyframe_starts[k + 1])
        column = np.zeros(int(r.known[t]), np.int64)
        column[r.keyframe_pair[first:last]] = keyframes[first:last]
        changes = slice(int(r.log_starts[self._keyframe_states[k]]), int(r.log_starts[t]))
        column[r.log_pair[changes]] = log[changes]
        return column

    def _places(self, t: int) -> Ints:
        return self._column(t, *self._place_columns)

    @cached_property
    def _place_columns(self) -> tuple[Ints, Ints]:
        """First places as of the keyframes and of the log. A pair's first place changes only in a
        step that changes its count, so the log has a line wherever one is needed."""
        r = self._record
        if isinstance(r, PickyRecord):
            return r.keyframe_place, r.log_place
        places = FirstPlaces(r)
        framed = np.repeat(r.keyframe_states, np.diff(r.keyframe_starts))
        logged = np.repeat(np.arange(1, len(r.log_starts)), np.diff(r.log_starts))
        live = r.log_count > 0
        of_log = np.zeros(len(live), np.int64)
        of_log[live] = places.of(r.log_pair[live], logged[live])
        return places.of(r.keyframe_pair, framed), of_log


def likelihoods(record: MergeRecord, merged: Ints, symbol_counts: Ints, times: Ints) -> Floats:
    """The likelihood score of every step; a running sum of what each symbol has left. Given are the
    count of the pair that each step merged, the counts of the alphabet in state 0, and how many
    pairs each step joined.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "wordpiece", vocab_size=9)
    >>> counts = history.merged_counts, history.symbol_counts(0), history.times
    >>> likelihoods(history.record, *counts).round(4).tolist()
    [0.05, 0.0278]
    """
    counts = symbol_counts.tolist()
    scores = np.empty(len(times))
    columns = (record.left, record.right, merged, times)
    for t, (left, right, count, joined) in enumerate(
        zip(*(c.tolist() for c in columns), strict=True)
    ):
        # Rounded as in the tables.
        scores[t] = count / (float(counts[left]) * float(counts[right]))
        counts[left] -= joined
        counts[right] -= joined
        counts.append(joined)
    return scores


def tie_ranks(
    record: MergeRecord, key: PairKey, symbols: Sequence[Symbol], ids: Sequence[int]
) -> Ints:
    """The rank of every pair under a tie-break rule that compares the pair itself.

    >>> import tokviz
    >>> history = tokviz.train("ab ba", "bpe", 4, "whitespace", tie_break="largest-pair")
    >>> def by_left(left, right, left_id, right_id):
    ...     return (left.text,)
    >>> tie_ranks(history.record, by_left, history.symbols, range(4)).tolist()      # ab, then ba
    [0, 1]
    """
    left, right = record.pair_left.tolist(), record.pair_right.tolist()
    return ranks_of(
        [key(symbols[a], symbols[b], ids[a], ids[b]) for a, b in zip(left, right, strict=True)]
    )


def ranks_of(keys: Sequence[Any]) -> Ints:
    """The rank of every key, equal keys sharing one.

    >>> ranks_of(["b", "a", "b"]).tolist()
    [1, 0, 1]
    """
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ranks, rank = np.zeros(len(keys), np.int64), 0
    for before, pair in pairwise(order):
        rank += keys[before] != keys[pair]
        ranks[pair] = rank
    return ranks
