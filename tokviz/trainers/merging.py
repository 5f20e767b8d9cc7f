"""The pair index: every adjacent pair of a corpus, counted, and kept exact under merges.

BPE and WordPiece share it. Two facts make it small:

* A pair's occurrences are all born in one step, the one that makes the later of its two symbols.
  From then on its count can only fall. So the words that hold a pair are listed once, at its
  birth, in corpus order.
* A word is a Python string whose characters are symbol numbers (`chr(n)`), a pair is a string of
  two, so finding and merging a pair in a word is `str.find` and `str.replace`.
"""

from array import array
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]

#: Words of more symbols keep the place of every symbol: adding up lengths would take too long.
_LONG = 500


class PairIndex:
    """Words as strings of symbols, and the count of every pair in them.

    Pairs are numbered in the order in which they are first met; `pairs[p]` is pair p as a string
    of two characters and `counts[p]` its count now (occurrences × word counts, overlaps counted:
    "aaa" holds "aa" twice).

    >>> index = PairIndex(["\\0\\1\\1", "\\1\\1"], [2, 1], n_symbols=2)   # "abb" twice, "bb" once
    >>> index.counts
    [2, 3]
    >>> sorted(index.merge(1))     # b + b becomes symbol 2: "a2", "2"
    [0, 1, 2]
    >>> index.counts, index.symbol_counts
    ([0, 0, 2], [2, 0, 3])
    """

    def __init__(self, words: Sequence[str], word_counts: Sequence[int], n_symbols: int) -> None:
        self.words = list(words)
        self.word_counts = list(word_counts)
        flat = symbol_numbers("".join(words))
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        self.starts: Ints = np.concatenate([[0], np.cumsum(lengths)])
        self._starts: list[int] = self.starts.tolist()
        # Of long words: where each symbol starts, in starting symbols of the word.
        self._places = {w: np.arange(lengths[w]) for w in np.flatnonzero(lengths > _LONG).tolist()}
        weights = np.repeat(np.asarray(word_counts, np.int64), lengths)
        word_of = np.repeat(np.arange(len(words)), lengths)
        self.lengths: dict[str, int] = {chr(s): 1 for s in range(n_symbols)}
        self.symbol_counts = _weighted_bincount(flat, weights, n_symbols).tolist()
        self._count_pairs(flat, word_of, weights, n_symbols)

    def _count_pairs(self, flat: Ints, word_of: Ints, weights: Ints, n_symbols: int) -> None:
        inside = np.flatnonzero(word_of[1:] == word_of[:-1])
        codes = flat[inside] * n_symbols + flat[inside + 1]
        unique, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        rank = np.empty(len(unique), np.int64)
        rank[np.argsort(first)] = np.arange(len(unique))
        numbers = rank[inverse]
        first_seen = np.sort(first)
        left, right = flat[inside[first_seen]], flat[inside[first_seen] + 1]
        self.pairs = [chr(a) + chr(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        self.counts: list[int] = _weighted_bincount(
            numbers, weights[inside], len(self.pairs)
        ).tolist()
        # The words of each pair, every word once, in corpus order.
        n_words = max(1, len(self.words))
        holders = np.sort(numbers * n_words + word_of[inside])
        holders = holders[np.diff(holders, prepend=-1) > 0]
        bounds = np.searchsorted(holders, np.arange(1, len(self.pairs)) * n_words)
        parts = np.split((holders % n_words).astype(np.int32), bounds)
        self._holders: list[Sequence[int]] = [array("i", part.tobytes()) for part in parts]
        self._first = [0] * len(self.pairs)
        # Of pairs in long words: a word, and a place in it before which the pair does not occur.
        self._not_before: dict[str, tuple[int, int]] = {}
        if self._places:
            for pair, at in zip(self.pairs, inside[first_seen].tolist(), strict=True):
                w = int(word_of[at])
                self._not_before[pair] = w, at - int(self.starts[w])

    def merge(self, p: int) -> list[int]:
        """Merges pair p everywhere, left to right, into a new symbol (the next number).

        Returns the pairs whose counts changed, p and the new ones included. Costs the words that
        hold the pair, not the corpus.
        """
        pair, words, word_counts, long = self.pairs[p], self.words, self.word_counts, self._places
        new = chr(len(self.symbol_counts))
        merged = 0
        came: dict[str, list[int]] = {}
        crowded = _Crowded({}, {}, {})
        for w in self._words_of(p):
            word = words[w]
            after = word.replace(pair, new)
            times = len(word) - len(after)
            if not times:
                continue
            words[w] = after
            merged += times * word_counts[w]
            if times > 1 or w in long:
                self._merge_crowded(w, word, pair, new, came, crowded)
                continue
            # Once in a word is the rule. Its two neighbours say which pairs come, and which go.
            at = after.find(new)
            if at:
                q = after[at - 1 : at + 1]
                if q in came:
                    came[q].append(w)
                else:
                    came[q] = [w]
            if at + 1 < len(after):
                q = after[at : at + 2]
                if q in came:
                    came[q].append(w)
                else:
                    came[q] = [w]
        left, right = pair[0], pair[1]
        self.lengths[new] = self.lengths[left] + self.lengths[right]
        self.symbol_counts[ord(left)] -= merged
        self.symbol_counts[ord(right)] -= merged
        self.symbol_counts.append(merged)
        return [p, *self._apply(p, new, came, crowded)]

    def _merge_crowded(
        self,
        w: int,
        word: str,
        pair: str,
        new: str,
        came: dict[str, list[int]],
        crowded: "_Crowded",
    ) -> None:
        """Notes what changes in a word with several occurrences of the pair, or in a long one."""
        after, count, lost = self.words[w], self.word_counts[w], crowded.lost
        places = self._join_places(w, new) if w in self._places else None
        # Only the pairs around each occurrence change. `seen` and `made` are the last ones dealt
        # with, since neighbouring occurrences share a pair.
        at = to = word.find(pair)
        seen = made = -1
        while at >= 0:
            if at and at - 1 != seen and (q := word[at - 1 : at + 1]) != pair:
                lost[q] = lost.get(q, 0) + count
            if at + 2 < len(word):
                seen = at + 1
                if (q := word[at + 1 : at + 3]) != pair:
                    lost[q] = lost.get(q, 0) + count
            come = [after[to - 1 : to + 1]] if to and to - 1 != made else []
            if to + 1 < len(after):
                come.append(after[to : to + 2])
                made = to
            for q in come:
                if q not in came:
                    came[q] = []
                    if places is not None:
                        self._not_before[q] = w, int(places[max(0, to - 1)])
                crowded.born[q] = crowded.born.get(q, 0) + count
                held = crowded.holders.setdefault(q, [])
                if not held or held[-1] != w:
                    held.append(w)
            next_at = word.find(pair, at + 2)
            to += next_at - at - 1
            at = next_at

    def _apply(
        self, p: int, new: str, came: dict[str, list[int]], crowded: "_Crowded"
    ) -> list[int]:
        pair, lost = self.pairs[p], crowded.lost
        left, right = pair[0], pair[1]
        born: list[tuple[str, int, list[int]]] = []
        for q, held in came.items():
            count = sum(map(self.word_counts.__getitem__, held))
            gone = q[0] + left if q[1] == new else right + q[1]
            if held and gone != pair:
                lost[gone] = lost.get(gone, 0) + count
            if q in crowded.born:
                count += crowded.born[q]
                held = sorted(held + crowded.holders[q])
            born.append((q, count, held))
        self.counts[p] = 0
        self._holders[p] = ()
        changed = []
        for gone, count in lost.items():
            number = self.number[gone]
            self.counts[number] -= count
            changed.append(number)
        for q, count, held in born:
            self.number[q] = len(self.pairs)
            changed.append(len(self.pairs))
            self.pairs.append(q)
            self.counts.append(count)
            self._holders.append(held)
            self._first.append(0)
        return changed

    def _words_of(self, p: int) -> Sequence[int]:
        return self._holders[p][self._first[p] :]

    def not_before(self, p: int) -> int:
        """A place at or before `first_seen(p)`, at no cost: where the word that it was last seen
        in begins."""
        return self._starts[self._holders[p][self._first[p]]]

    def first_seen(self, p: int) -> int:
        """Where pair p is first met, as a place in the corpus: the number of starting symbols
        before it. Only for pairs that still occur."""
        pair, holders = self.pairs[p], self._holders[p]
        i = self._first[p]
        while (place := self._place(pair, holders[i])) < 0:
            i += 1
        self._first[p] = i
        return self._starts[holders[i]] + place

    def _place(self, pair: str, w: int) -> int:
        """The number of starting symbols before a pair in word w; -1 if it is not there."""
        word, places = self.words[w], self._places.get(w)
        if places is None:
            at = word.find(pair)
            return at if at < 0 else sum(map(self.lengths.__getitem__, word[:at]))
        # Occurrences only vanish, so the first one can only move to the right.
        known, place = self._not_before.get(pair, (w, 0))
        at = word.find(pair, int(np.searchsorted(places, place)) if known == w else 0)
        if at < 0:
            return at
        self._not_before[pair] = w, int(places[at])
        return int(places[at])

    def _join_places(self, w: int, new: str) -> Ints:
        """The places of a long word's symbols after a merge into symbol `new`."""
        merged = np.flatnonzero(symbol_numbers(self.words[w]) == ord(new))
        places = np.delete(self._places[w], merged + np.arange(1, len(merged) + 1))
        self._places[w] = places
        return places


class _Crowded(NamedTuple):
    """What the words with several occurrences of a pair change: counts of the pairs that go,
    counts of the pairs that come, and the words that hold these."""

    lost: dict[str, int]
    born: dict[str, int]
    holders: dict[str, list[int]]


def symbol_numbers(word: str) -> Ints:
    """A string of symbols as their numbers.

    >>> symbol_numbers("\\0\\2").tolist()
    [0, 2]
    """
    return np.frombuffer(word.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)


def _weighted_bincount(numbers: Ints, weights: Ints, length: int) -> Ints:
    """Integer sums of weights by number; `np.bincount` would go through floats."""
    sums = np.zeros(length, np.int64)
    np.add.at(sums, numbers, weights)
    return sums
