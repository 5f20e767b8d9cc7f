"""The words of several languages in a state of a training, and what each language counts in them.

A token stands at the place of its first starting symbol. Words of development texts are cut as the
others are, but none of their pairs is counted.
"""

from itertools import pairwise

import numpy as np

from tokviz.trainers.merging.task import Start


class ParityCorpus:
    """Symbols have numbers: the alphabet, then one a step.

    `counts` has a list for each language, and `total` is their sum; `lengths` are the tokens of
    each language, and of their development texts behind these.

    >>> from tokviz.trainers.merging.task import task_of
    >>> start = task_of({"hug": 3, "hugs": 2}).start                # g h s u are 0 1 2 3
    >>> corpus = ParityCorpus(start, ((3, 0), (1, 1)))
    >>> corpus.lengths, corpus.total
    ([9, 7], [5, 5, 1])
    >>> corpus.merge(0), corpus.lengths, corpus.counts, corpus.codes
    (5, [6, 5], [[0, 0, 0, 3], [0, 0, 1, 2]], [-1, 0, -1, -1, 0, -1, -1])
    """

    def __init__(
        self,
        start: Start,
        counts: tuple[tuple[int, ...], ...],
        held: Start | None = None,
        held_counts: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        self.steps, self.steps_end = 0, len(start.alphabet)
        self.n_places = len(start.symbols)
        self.at: list[int] = start.symbols.tolist() + (held.symbols.tolist() if held else [])
        size = len(self.at)
        self.next, self.before, self._word = [-1] * size, [-1] * size, [0] * size
        self.codes = [-1] * self.n_places
        #: Of each word: the languages that have it, with their counts.
        self._users: list[list[tuple[int, int]]] = []
        self.lengths = [0] * (len(counts) + len(held_counts))
        self.number: dict[tuple[int, int], int] = {}
        self.left: list[int] = []
        self.right: list[int] = []
        self.counts: list[list[int]] = [[] for _ in counts]
        self.total: list[int] = []
        self._places: list[list[int]] = []
        #: How many pairs each language has, and all have together.
        self.live, self.live_in_all = [0] * len(counts), 0
        #: The pairs that a step changes, in order: in all, and in each language.
        self.touched: dict[int, None] = {}
        self.touched_in: list[dict[int, None]] = [{} for _ in counts]
        self._enter(start, counts, 0, 0)
        if held:
            self._enter(held, held_counts, self.n_places, len(counts))

    def _enter(
        self, start: Start, counts: tuple[tuple[int, ...], ...], offset: int, first_language: int
    ) -> None:
        """Reads words."""
        starts = (np.asarray(start.starts) + offset).tolist()
        for (first, end), uses in zip(pairwise(starts), zip(*counts, strict=True), strict=True):
            users = [(i, n) for i, n in enumerate(uses, first_language) if n]
            for language, n in users:
                self.lengths[language] += n * (end - first)
            for place in range(first, end):
                self._word[place] = len(self._users)
                if place + 1 < end:
                    self.next[place], self.before[place + 1] = place + 1, place
            self._users.append(users)
            for place in range(first, end - 1):
                self._stands(self.at[place], self.at[place + 1], place)

    def _stands(self, left: int, right: int, place: int) -> None:
        """A pair stands at a place from now on."""
        p = self.number.get((left, right))
        if p is None:
            p = self.number[left, right] = len(self.left)
            self.left.append(left)
            self.right.append(right)
            self.total.append(0)
            self._places.append([])
            for counts in self.counts:
                counts.append(0)
        self._places[p].append(place)
        self._add(p, place, 1)

    def _add(self, p: int, place: int, sign: int) -> None:
        if place >= self.n_places:
            return
        self.touched[p] = None
        had = self.total[p] > 0
        for language, n in self._users[self._word[place]]:
            counts = self.counts[language]
            self.live[language] -= counts[p] > 0
            counts[p] += sign * n
            self.live[language] += counts[p] > 0
            self.total[p] += sign * n
            self.touched_in[language][p] = None
        self.live_in_all += (self.total[p] > 0) - had

    def merge(self, p: int) -> int:
        """Merges a pair everywhere, left to right. Returns how often, outside development texts."""
        left, right, new = self.left[p], self.right[p], self.steps_end
        at, behind, before = self.at, self.next, self.before
        self.touched = {p: None}
        for touched in self.touched_in:
            touched.clear()
        here, self._places[p] = sorted({*self._places[p]}), []
        times, step = 0, self.steps
        for a in here:
            b = behind[a]
            # A place may be left over, or part of the merge before.
            if at[a] != left or b < 0 or at[b] != right:
                continue
            q, c = before[a], behind[b]
            self._add(p, a, -1)
            if q >= 0:
                self._add(self.number[at[q], left], q, -1)
                self._stands(at[q], new, q)
            at[a], at[b], behind[a] = new, -1, c
            if c >= 0:
                before[c] = a
                self._add(self.number[right, at[c]], b, -1)
                self._stands(new, at[c], a)
            for language, n in self._users[self._word[a]]:
                self.lengths[language] -= n
                times += n if a < self.n_places else 0
            if b < self.n_places:
                self.codes[b] = step
        self.steps_end, self.steps = new + 1, step + 1
        return times
