"""The pair index: every adjacent pair of a corpus, counted, and kept exact under merges.

BPE and WordPiece share it. Two facts make it small:

* A pair's occurrences are all born in one step, the one that makes the later of its two symbols.
  From then on its count can only fall. So the words that hold a pair are listed once, at its
  birth, in corpus order.
* A word is a Python string whose characters are symbol numbers (`chr(n)`), a pair is a string of
  two, so finding and merging a pair in a word is `str.find` and `str.replace`.
"""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.history.base import Ints

#: Words of more symbols keep the place of every symbol: adding up lengths would take too long.
_LONG = 500


class PairIndex:
    """Words as strings of symbols, and the count of every pair in them.

    The first pairs are numbered in the order in which they are met, those that merges make follow.
    `pairs[p]` is pair p as a string of two characters and `counts[p]` its count now (occurrences ×
    word counts, overlaps counted: "aaa" holds "aa" twice).

    >>> index = PairIndex(["\\0\\1\\1", "\\1\\1"], [2, 1], n_symbols=2)   # "abb" twice, "bb" once
    >>> index.counts
    [2, 3]
    >>> sorted(index.merge(1))     # b + b becomes symbol 2: "a2", "2"
    [0, 1, 2]
    >>> index.counts, index.symbol_counts
    ([0, 0, 2], [2, 0, 3])
    """

    def __init__(
        self,
        words: Sequence[str],
        word_counts: Sequence[int],
        n_symbols: int,
        pause: Pause = lambda: None,
    ) -> None:
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
        pause()
        self._count_pairs(flat, word_of, weights, n_symbols, pause)

    def _count_pairs(
        self, flat: Ints, word_of: Ints, weights: Ints, n_symbols: int, pause: Pause
    ) -> None:
        inside = np.flatnonzero(word_of[1:] == word_of[:-1])
        # Sorted by pair and then by place: as one number, which sorts fastest.
        shift = len(inside).bit_length()
        codes = flat[inside] * n_symbols + flat[inside + 1]
        keys = np.sort(codes << shift | np.arange(len(inside)))
        pause()
        codes, places = keys >> shift, inside[keys & ((1 << shift) - 1)]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        order = np.argsort(places[starts])
        first_seen = places[starts][order]
        left, right = flat[first_seen], flat[first_seen + 1]
        self.pairs = [chr(a) + chr(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        counts = np.add.reduceat(weights[places], starts) if len(starts) else starts
        self.counts: list[int] = counts[order].tolist()
        pause()
        # The words of each pair, every word once, in corpus order.
        words = word_of[places]
        once = np.diff(words, prepend=-1) != 0
        once[starts] = True
        bounds = np.append(np.cumsum(once)[starts] - 1, once.sum()) * 4
        held = words[once].astype(np.int32).tobytes()
        self._holders: list[Sequence[int]] = [
            array("i", held[start:end])
            for start, end in zip(bounds[order].tolist(), bounds[order + 1].tolist(), strict=True)
        ]
        self._first = [0] * len(self.pairs)
        # Of pairs in long words: a word, and a place in it before which the pair does not occur.
        self._not_before: dict[str, tuple[int, int]] = {}
        if self._places:
            for pair, at in zip(self.pairs, first_seen.tolist(), strict=True):
                w = int(word_of[at])
                self._not_before[pair] = w, at - int(self.starts[w])

    def renumber(self, pairs: Sequence[str]) -> None:
        """Gives pairs the numbers that they have in `pairs`. Those that do not occur have the
        count 0. Raises KeyError if one that occurs is missing.

        >>> index = PairIndex(["\\0\\1\\1"], [2], n_symbols=2)
        >>> index.renumber(["\\1\\1", "\\0\\0", "\\0\\1"])
        >>> index.counts
        [2, 0, 2]
        """
        number = {pair: p for p, pair in enumerate(pairs)}
        counts, holders = [0] * len(pairs), list[Sequence[int]]([()]) * len(pairs)
        for pair, count, held in zip(self.pairs, self.counts, self._holders, strict=True):
            counts[number[pair]], holders[number[pair]] = count, held
        self.pairs, self.number = list(pairs), number
        self.counts, self._holders = counts, holders
        self._first = [0] * len(pairs)

    def merge(self, p: int) -> list[int]:
        """Merges pair p everywhere, left to right, into a new symbol (the next number).

        Returns the pairs whose counts changed, p and the new ones included. Costs the words that
        hold the pair, not the corpus.
        """
        pair, new = self.pairs[p], chr(len(self.symbol_counts))
        held = self._holders[p]
        if first := self._first[p]:
            held = held[first:]
        changes = _Changes(defaultdict(list), defaultdict(list), {}, {})
        merged = self._merge_words(held, pair, new, changes)
        left, right = pair[0], pair[1]
        self.lengths[new] = self.lengths[left] + self.lengths[right]
        self.symbol_counts[ord(left)] -= merged
        self.symbol_counts[ord(right)] -= merged
        self.symbol_counts.append(merged)
        return self._apply(p, new, changes)

    def _merge_words(self, held: Sequence[int], pair: str, new: str, changes: "_Changes") -> int:
        """Merges a pair in each of the words; returns how many pairs of the corpus it joined."""
        words, word_counts, long = self.words, self.word_counts, self._places
        left, right, _, _ = changes
        merged = 0
        for w in held:
            before, found, behind = words[w].partition(pair)
            if not found:
                continue
            if pair in behind or w in long:
                merged += self._merge_crowded(w, pair, new, changes) * word_counts[w]
                continue
            # Once in a word is the rule. Its two neighbours say which pairs come, and which go.
            words[w] = before + new + behind
            merged += word_counts[w]
            if before:
                left[before[-1]].append(w)
            if behind:
                right[behind[0]].append(w)
        return merged

    def _merge_crowded(self, w: int, pair: str, new: str, changes: "_Changes") -> int:
        """Merges a pair in a word that has it several times, or in a long one; returns how often
        it had it."""
        word, count, lost, born = self.words[w], self.word_counts[w], changes.lost, changes.born
        self.words[w] = after = word.replace(pair, new)
        places = self._join_places(w, new) if w in self._places else None
        # Only the pairs around each occurrence change. `seen` and `made` are the last ones dealt
        # with, since neighbouring occurrences share a pair.
        at = to = word.find(pair)
        seen = made = -1
        while at >= 0:
            if at and at - 1 != seen:
                q = word[at - 1 : at + 1]
                lost[q] = lost.get(q, 0) + count
            if at + 2 < len(word):
                q, seen = word[at + 1 : at + 3], at + 1
                lost[q] = lost.get(q, 0) + count
            come = [after[to - 1 : to + 1]] if to and to - 1 != made else []
            if to + 1 < len(after):
                come.append(after[to : to + 2])
                made = to
            for q in come:
                if q not in born and places is not None:
                    self._not_before[q] = w, int(places[max(0, to - 1)])
                known, held = born.get(q) or (0, [])
                born[q] = known + count, held
                if not held or held[-1] != w:
                    held.append(w)
            next_at = word.find(pair, at + 2)
            to += next_at - at - 1
            at = next_at
        return len(word) - len(after)

    def _apply(self, p: int, new: str, changes: "_Changes") -> list[int]:
        left, right, lost, born = changes
        pair, pairs, number, word_counts = self.pairs[p], self.pairs, self.number, self.word_counts
        known = len(pairs)
        came = [(char + new, char + pair[0], held) for char, held in left.items()]
        came += [(new + char, pair[1] + char, held) for char, held in right.items()]
        for q, gone, held in came:
            if len(held) == 1:
                count = word_counts[held[0]]
            else:
                count = sum(map(word_counts.__getitem__, held))
            lost[gone] = lost.get(gone, 0) + count
            if q in born:
                more, words = born.pop(q)
                count += more
                held = sorted(held + words)
            number[q] = len(pairs)
            pairs.append(q)
            self.counts.append(count)
            self._holders.append(held)
        for q, (count, held) in born.items():
            number[q] = len(pairs)
            pairs.append(q)
            self.counts.append(count)
            self._holders.append(held)
        self._first += [0] * (len(pairs) - known)
        self.counts[p] = 0
        self._holders[p] = ()
        # A pair of equal symbols may be its own neighbour; all its occurrences are gone already.
        lost.pop(pair, None)
        gone_pairs = [number[gone] for gone in lost]
        for q_number, count in zip(gone_pairs, lost.values(), strict=True):
            self.counts[q_number] -= count
        return [p, *gone_pairs, *range(known, len(pairs))]

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


class _Changes(NamedTuple):
    """What a merge changes. `left`, `right`: the symbols that now have the new one on their other
    side, and the words with each that had the merged pair once. `lost`: by how much the counts of
    other pairs fall. `born`: new pairs in words that had the merged pair several times and in long
    words: their count there, and the words."""

    left: defaultdict[str, list[int]]
    right: defaultdict[str, list[int]]
    lost: dict[str, int]
    born: dict[str, tuple[int, list[int]]]


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
