"""Words in a state of a PickyBPE training, and the two things that happen to them: a pair is
merged, and a token is taken back.

A token stands at the place of its first starting symbol. Every pair has its count, and a heap of
the places where it was ever made; those where it no longer stands are passed over.
"""

from heapq import heappop, heappush
from itertools import pairwise

from tokviz.encoding.picky_encoder import closed_inside
from tokviz.text.symbols import Symbol
from tokviz.trainers.merging.task import Task
from tokviz.trainers.picking.gap_codes import OPEN, GapCodes


class PickyCorpus:
    """Symbols have numbers: the alphabet, then one a step. A token that is made once more keeps its
    first number.

    >>> from tokviz.trainers.merging.task import task_of
    >>> corpus = PickyCorpus(task_of({"hugs": 2, "hug": 1}))     # g h s u are 0 1 2 3
    >>> corpus.merge(corpus.number[1, 3]), corpus.merge(corpus.number[4, 0])
    ((4, 3), (5, 3))
    >>> corpus.parts(5), corpus.codes.now, corpus.uses
    ([4, 0], [-1, 0, 1, -1, -1, 0, 1], [0, 0, 2, 0, 0, 3])
    >>> corpus.present.remove(4)
    >>> corpus.take_back(5), corpus.codes.now, corpus.uses
    ((1, 3, 0), [-1, -1, -1, -1, -1, -1, -1], [3, 3, 2, 3, 0, 0, 0])
    """

    def __init__(self, task: Task) -> None:
        start, self.table = task.start, task.vocabulary
        self.symbols: list[Symbol] = [*start.alphabet]
        self.n_base = self.steps_end = len(start.alphabet)
        self.like_special = 0  # merged symbols that special tokens look like
        self.known = {symbol: i for i, symbol in enumerate(self.symbols)}
        self.made_of: list[tuple[int, int] | None] = [None] * self.n_base
        self.present = {*range(self.n_base)}
        self.uses = [0] * self.n_base
        self.at: list[int] = start.symbols.tolist()
        size = len(self.at)
        self.next, self.before = [-1] * size, [-1] * size
        self.weight = [0] * size
        self.codes = GapCodes(size)
        self.number: dict[tuple[int, int], int] = {}
        self.left: list[int] = []
        self.right: list[int] = []
        self.counts: list[int] = []
        self._places: list[list[int]] = []
        self._tokens: dict[int, list[int]] = {}
        self.touched: dict[int, None] = {}  # a set in order: the pairs that a step changes
        for (first, end), count in zip(pairwise(start.starts.tolist()), start.counts, strict=True):
            self._enter(first, end, count)

    def _enter(self, first: int, end: int, count: int) -> None:
        """Reads a word."""
        at, uses = self.at, self.uses
        for place in range(first, end):
            self.weight[place] = count
            uses[at[place]] += count
            if place + 1 < end:
                self.next[place], self.before[place + 1] = place + 1, place
                self._stands(at[place], at[place + 1], count, place)

    def _stands(self, left: int, right: int, count: int, place: int) -> None:
        """A pair stands at a place from now on."""
        p = self.number.get((left, right))
        if p is None:
            p = self.number[left, right] = len(self.left)
            self.left.append(left)
            self.right.append(right)
            self.counts.append(0)
            self._places.append([])
        self.counts[p] += count
        heappush(self._places[p], place)
        self.touched[p] = None

    def _falls(self, left: int, right: int, count: int) -> None:
        """A pair no longer stands where it stood."""
        p = self.number[left, right]
        self.counts[p] -= count
        self.touched[p] = None

    def first_place(self, p: int) -> int:
        """The gap where a pair is met first, by the place after it. Only for pairs that occur."""
        heap, left, right, at = self._places[p], self.left[p], self.right[p], self.at
        while True:
            behind = self.next[heap[0]]
            if at[heap[0]] == left and behind >= 0 and at[behind] == right:
                return behind
            heappop(heap)

    # --- a merge ------------------------------------------------------------------------------

    def merge(self, p: int) -> tuple[int, int]:
        """Merges a pair everywhere, left to right. Returns what it makes, and how many times."""
        left, right = self.left[p], self.right[p]
        step, new = self.steps_end - self.n_base, self._new(left, right)
        at, behind, before = self.at, self.next, self.before
        places = self._tokens.setdefault(new, [])
        self.touched = {p: None}
        times = 0
        here, self._places[p] = sorted({*self._places[p]}), []
        for a in here:
            b = behind[a]
            # A place may be left over, or part of the merge before.
            if at[a] != left or b < 0 or at[b] != right:
                continue
            count, q, c = self.weight[a], before[a], behind[b]
            self.counts[p] -= count
            times += count
            if q >= 0:
                self._falls(at[q], left, count)
                self._stands(at[q], new, count, q)
            at[a], at[b], behind[a] = new, -1, c
            if c >= 0:
                before[c] = a
                self._falls(right, at[c], count)
                self._stands(new, at[c], count, a)
            self.codes.give(b, step, step)
            places.append(a)
        self.uses[left] -= times
        self.uses[right] -= times
        self.uses[new] += times
        return new, times

    def _new(self, left: int, right: int) -> int:
        """The symbol that a merge makes, which then is in the vocabulary."""
        symbol = self.symbols[left] + self.symbols[right]
        number = self.known.setdefault(symbol, self.steps_end)
        if number == self.steps_end and self.table.special_id(symbol) is not None:
            self.like_special += 1
        self._end_step(symbol, (left, right))
        self.table.merge(left, right)
        self.present.add(number)
        return number

    def _end_step(self, symbol: Symbol, made_of: tuple[int, int] | None) -> None:
        self.steps_end += 1
        self.symbols.append(symbol)
        self.made_of.append(made_of)
        self.uses.append(0)

    def _span(self, symbol: int) -> list[int]:
        """The steps that closed the gaps inside a symbol when it was first made."""
        return closed_inside(symbol, self.n_base, lambda part: self.made_of[part])

    # --- taking back --------------------------------------------------------------------------

    def may_go(self, symbol: int) -> bool:
        """Whether a symbol can be taken back: it was merged, and is no special token."""
        made = self.made_of[symbol] is not None
        return made and self.table.special_id(self.symbols[symbol]) is None

    def parts(self, symbol: int) -> list[int]:
        """What a token comes apart into: the two that it was first made of, and so on down to those
        that the vocabulary has."""
        found, rest = list[int](), [symbol]
        while rest:
            part = rest.pop()
            made_of = self.made_of[part]
            if made_of is None or (part != symbol and part in self.present):
                found.append(part)
            else:
                rest += made_of[::-1]
        return found

    def take_back(self, symbol: int) -> tuple[int, ...]:
        """Takes a token out of the vocabulary, and apart wherever it stands. Returns its
        parts, as far as it does."""
        step = self.steps_end - self.n_base
        self.present.discard(symbol)
        self._end_step(self.symbols[symbol], None)
        self.table.repeat(symbol)
        at, behind, before = self.at, self.next, self.before
        self.touched = {}
        here = [a for a in sorted({*self._tokens.pop(symbol, ())}) if at[a] == symbol]
        if not here:
            # As of most tokens that go: nothing has to come apart.
            return ()
        parts = self.parts(symbol)
        spans = [self._span(part) for part in parts]
        sizes = [len(span) + 1 for span in spans]
        inside = [code for span in spans for code in (OPEN, *span)][1:]
        for a in here:
            count, q, c = self.weight[a], before[a], behind[a]
            if q >= 0:
                self._falls(at[q], symbol, count)
            if c >= 0:
                self._falls(symbol, at[c], count)
            place, last = a, q
            for part, size in zip(parts, sizes, strict=True):
                at[place], before[place] = part, last
                self.uses[part] += count
                if self.made_of[part] is not None:
                    self._tokens.setdefault(part, []).append(place)
                if last >= 0:
                    behind[last] = place
                    self._stands(at[last], part, count, last)
                place, last = place + size, place
            behind[last] = c
            if c >= 0:
                before[c] = last
                self._stands(at[last], at[c], count, last)
            for gap, code in enumerate(inside, a + 1):
                self.codes.give(gap, code, step)
        self.uses[symbol] = 0
        return tuple(parts)
