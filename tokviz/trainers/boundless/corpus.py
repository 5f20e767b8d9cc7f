"""Words and runs of words in a state of a BoundlessBPE training.

Tokens stand in rows of two levels: the different words are rows of symbols, and the runs are rows
of words. A word stands in its runs as soon as it is one token, if it may be joined at all. A token
stands at the place of its first part. Where a token follows itself, every second pair counts, so
that a count is how often a pair would be merged.

A token that is taken back comes apart among the words. A word that it was does not stand in its
runs any more, but for where it has become a part of another token.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from weakref import proxy

from tokviz.trainers.boundless.cut_runs import CutRuns
from tokviz.trainers.boundless.words import may_be_joined
from tokviz.trainers.merging.task import Start
from tokviz.trainers.picking.gap_codes import GapCodes

#: What stands where no token does that has pairs; and the number of what is no pair.
NONE = -1


class Numbers(dict[tuple[int, int], int]):
    """The numbers of pairs of one kind by their symbols; one that is not there yet is met."""

    def __init__(self, pairs: "Pairs", across: bool) -> None:
        # No circle, which would stay in memory until Python searches for such.
        self._pairs: Pairs = proxy(pairs)
        self._across = across

    def __missing__(self, pair: tuple[int, int]) -> int:
        number = self[pair] = self._pairs.meet(self._across, *pair)
        return number


@dataclass
class Pairs:
    """All pairs that may be merged, numbered in the order in which they are met, and their counts
    now. One within words and one across them are two, though of the same tokens. What makes a token
    that is there already, or one that `is_special`, may not be merged, and has no number."""

    texts: list[str]
    is_special: Callable[[str], bool]
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    across: list[bool] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)
    #: A set in order: the pairs that a step changes.
    touched: dict[int, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._symbols = {text: symbol for symbol, text in enumerate(self.texts)}
        self.numbers = Numbers(self, False), Numbers(self, True)

    def change(self, p: int, by: int, place: int) -> None:
        """A pair stands at a place from now on, `by` times, or (below 0) no longer."""
        if p < 0:
            return
        if by >= 0:
            self.places[p].append(place)
        self.counts[p] += by
        self.touched[p] = None

    def meet(self, across: bool, left: int, right: int) -> int:
        """The number of a pair that was not met before."""
        text = self.texts[left] + self.texts[right]
        if text in self._symbols or self.is_special(text):
            return NONE
        self.left.append(left)
        self.right.append(right)
        self.across.append(across)
        self.counts.append(0)
        self.places.append([])
        return len(self.left) - 1

    def make(self, p: int) -> int:
        """The symbol that merging a pair makes. Whatever makes that one is no pair any more."""
        text = self.texts[self.left[p]] + self.texts[self.right[p]]
        self.touched = {p: None}
        for other in self._that_make(text):
            self.numbers[self.across[other]][self.left[other], self.right[other]] = NONE
            if self.counts[other]:
                self.touched[other] = None
            self.counts[other] = 0
        new = self._symbols[text] = len(self.texts)
        self.texts.append(text)
        return new

    def _that_make(self, text: str) -> Iterator[int]:
        """The pairs whose merge is a text."""
        symbols = self._symbols
        for i in range(1, len(text)):
            if (left := symbols.get(text[:i])) is not None and text[i:] in symbols:
                for numbers in self.numbers:
                    if (p := numbers.get((left, symbols[text[i:]]), NONE)) >= 0:
                        yield p

    def number(self, left: int, right: int) -> int:
        """The number of a pair that stands, the more frequent one of two; `NONE` if none does."""
        found = [numbers.get((left, right), NONE) for numbers in self.numbers]
        there = [p for p in found if p >= 0 and self.counts[p]]
        return max(there, key=lambda p: (self.counts[p], self.across[p]), default=NONE)

    def first_place(self, _p: int) -> int:
        """No rule that this trainer has asks for it."""
        return 0


class Level:
    """Rows of tokens, each row with a count.

    >>> pairs = Pairs(["a", "b"], lambda text: False)
    >>> level = Level(pairs, False, [0, 1, 1, 1, 0, 1], [0, 4, 6], [2, 1])     # abbb, ab
    >>> level.count_pairs(), pairs.left, pairs.right, pairs.counts
    (None, [0, 1], [1, 1], [3, 2])
    >>> level.merge(0, pairs.make(0), 0), pairs.counts, pairs.left, pairs.right, level.codes.now
    ((3, [4]), [0, 2, 2], [0, 1, 2], [1, 1, 1], [-1, 0, -1, -1, -1, 0])
    >>> level.take_apart(2, [0, 1], 1), pairs.counts
    (None, [0, 2, 0])
    """

    def __init__(
        self,
        pairs: Pairs,
        across: bool,
        at: list[int],
        starts: Sequence[int],
        counts: Iterable[int],
    ) -> None:
        self._pairs, self._numbers = pairs, pairs.numbers[across]
        self._at, self._starts = at, starts
        size = len(at)
        self._next, self._before = [*range(1, size + 1)], [*range(-1, size - 1)]
        self._weight = [0] * size
        #: The step that joins each place to the one before it.
        self.codes = GapCodes(size)
        self._made: dict[int, list[int]] = {}
        for (first, end), count in zip(pairwise(starts), counts, strict=True):
            if first < end:
                self._before[first] = self._next[end - 1] = NONE
                self._weight[first:end] = [count] * (end - first)

    def count_pairs(self) -> None:
        """Counts the pairs of tokens as they stand before anything has happened to them."""
        for a, before in enumerate(self._before):
            if before < 0:
                self._count_row(a, 1)

    def _count_row(self, a: int, sign: int) -> None:
        """Counts the pairs of a row, which begins at a place, or takes them off (−1)."""
        at, behind, change, numbers = self._at, self._next, self._pairs.change, self._numbers
        length = 1
        while (b := behind[a]) >= 0:
            left, right = at[a], at[b]
            length = length + 1 if left == right else 1
            if left >= 0 and right >= 0:
                by = self._weight[a] if length == 1 or length % 2 == 0 else 0
                if by or sign > 0:
                    change(numbers[left, right], sign * by, a)
            a = b

    def put(self, symbol: int, places: Iterable[int]) -> None:
        """A token stands at some places, which are in order, where none did."""
        at, change, numbers = self._at, self._pairs.change, self._numbers
        last, length = NONE, 0
        for a in places:
            at[a] = symbol
            q, c, weight = self._before[a], self._next[a], self._weight[a]
            length = length + 1 if q >= 0 and q == last else 1
            if length > 1:
                change(numbers[symbol, symbol], 0 if length % 2 else weight, q)
            elif q >= 0 and at[q] >= 0:
                change(numbers[at[q], symbol], weight, q)
            if c >= 0 and at[c] >= 0:
                change(numbers[symbol, at[c]], weight, a)
            last = a

    def merge(self, p: int, new: int, step: int) -> tuple[int, list[int]]:
        """Merges a pair everywhere, left to right. Returns how many times, and the rows that are
        one token now, by their places."""
        pairs, at, behind, before = self._pairs, self._at, self._next, self._before
        change, numbers = pairs.change, self._numbers
        weights, close = self._weight, self.codes.give
        left, right = pairs.left[p], pairs.right[p]
        times, whole, last, length = 0, list[int](), NONE, 0
        made = self._made[new] = list[int]()
        here, pairs.places[p] = sorted({*pairs.places[p]}), []
        for a in here:
            b = behind[a]
            # A place may be left over, or part of the merge before.
            if at[a] != left or b < 0 or at[b] != right:
                continue
            weight, q, c = weights[a], before[a], behind[b]
            length = length + 1 if q >= 0 and q == last else 1
            if q >= 0 and at[q] >= 0:
                if at[q] != left:
                    change(numbers[at[q], left], -weight, q)
                elif self._in_a_row(a, before) % 2 == 0:
                    change(numbers[left, left], -weight, q)
                by = 0 if length > 1 and length % 2 else weight
                change(numbers[at[q], new], by, q)
            if c >= 0 and at[c] >= 0:
                if at[c] != right:
                    change(numbers[right, at[c]], -weight, b)
                elif left != right and self._in_a_row(b, behind) % 2 == 0:
                    change(numbers[right, right], -weight, b)
                change(numbers[new, at[c]], weight, a)
            at[a], at[b], behind[a] = new, NONE, c
            if c >= 0:
                before[c] = a
            close(b, step, step)
            made.append(a)
            times, last = times + weight, a
            if q < 0 and c < 0:
                whole.append(a)
        return times, whole

    def _in_a_row(self, a: int, way: list[int]) -> int:
        """How often the token at a place stands there and behind (or before) it."""
        symbol, n = self._at[a], 0
        while a >= 0 and self._at[a] == symbol:
            a, n = way[a], n + 1
        return n

    def take_apart(self, symbol: int, parts: Sequence[int], step: int) -> None:
        """Puts the symbols that a token begins with in its place, wherever it stands."""
        for a in self._recounted(symbol, self._made.pop(symbol)):
            end, last = self._next[a], a + len(parts) - 1
            for place, part in enumerate(parts, a):
                self._at[place] = part
                if place > a:
                    self._before[place], self._next[place - 1] = place - 1, place
                    self.codes.give(place, NONE, step)
            self._next[last] = end
            if end >= 0:
                self._before[end] = last

    def take_away(self, symbol: int, places: Iterable[int]) -> None:
        """A token does not stand any more where it stood among some places."""
        for a in self._recounted(symbol, places):
            self._at[a] = NONE

    def _recounted(self, symbol: int, places: Iterable[int]) -> Iterator[int]:
        """Those of some places that have a token; the pairs of their rows are counted anew after
        what happens there."""
        here = [a for a in places if self._at[a] == symbol]
        starts = self._starts
        rows = [*dict.fromkeys(starts[bisect_right(starts, a) - 1] for a in here)]
        for row in rows:
            self._count_row(row, -1)
        yield from here
        for row in rows:
            self._count_row(row, 1)


class BoundlessCorpus:
    """Symbols have numbers: the alphabet, then one a step.

    >>> from tokviz.text.word_counts import WordCounts
    >>> from tokviz.text.symbols import Spelling, Symbol
    >>> runs = WordCounts(("ab cd", "ab cd ab"), (2, 1))
    >>> cut, letters = CutRuns.of(runs, lambda run: run.replace(" ", "| ").split("|")), " abcd"
    >>> start = Start.of(cut.words, Spelling(), [Symbol(letter) for letter in letters])
    >>> corpus = BoundlessCorpus(start, cut, runs.counts)
    >>> [corpus.merge(corpus.pairs.number(*pair)) for pair in ((1, 2), (3, 4), (0, 6))]
    [(5, 4), (6, 3), (7, 3)]
    >>> corpus.pairs.number(5, 7), corpus.merge(corpus.pairs.number(5, 7))
    (6, (8, 3))
    """

    def __init__(
        self,
        words: Start,
        cut: CutRuns,
        counts: Sequence[int],
        is_special: Callable[[str], bool] = lambda _text: False,
    ) -> None:
        self.pairs = Pairs([symbol.text for symbol in words.alphabet], is_special)
        self.n_base = len(words.alphabet)
        starts = words.starts.tolist()
        self.words = Level(self.pairs, False, words.symbols.tolist(), starts, words.counts)
        nothing = [NONE] * len(cut.numbers)
        self.runs = Level(self.pairs, True, nothing, cut.starts.tolist(), counts)
        self._word_at = {place: word for word, place in enumerate(starts[:-1])}
        self._texts, self.stands_at = cut.words.words, cut.places()
        #: How often each symbol stands in the words, joined in runs or not.
        self.uses = [0] * self.n_base
        for word, count in enumerate(words.counts):
            for symbol in words.symbols[starts[word] : starts[word + 1]].tolist():
                self.uses[symbol] += count
        self._made_of: dict[int, tuple[int, int]] = {}
        self._standing: dict[int, int] = {}  # words that stand in runs, by their tokens
        self.words.count_pairs()

    def merge(self, p: int) -> tuple[int, int]:
        """Merges a pair everywhere, left to right. Returns what it makes, and how many times."""
        across, step = self.pairs.across[p], self.steps
        new = self.pairs.make(p)
        times, whole = (self.runs if across else self.words).merge(p, new, step)
        self.uses.append(0)
        if across:
            return new, times
        self._made_of[new] = left, right = self.pairs.left[p], self.pairs.right[p]
        self.uses[left] -= times
        self.uses[right] -= times
        self.uses[new] = times
        for place in whole:
            word = self._word_at[place]
            if may_be_joined(self._texts[word]):
                self._standing[new] = word
                self.runs.put(new, self.stands_at[word].tolist())
        return new, times

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.pairs.texts) - self.n_base

    def may_go(self, symbol: int) -> bool:
        """Whether a token can be taken back: it was merged within words."""
        return symbol in self._made_of

    def take_back(self, symbol: int) -> None:
        """Takes a token apart wherever it stands, into the symbols that it begins with."""
        step, parts = self.steps, self._spelled(symbol)
        self.pairs.texts.append(self.pairs.texts[symbol])
        self.pairs.touched = {}
        self.words.take_apart(symbol, parts, step)
        if symbol in self._standing:
            self.runs.take_away(symbol, self.stands_at[self._standing.pop(symbol)].tolist())
        for part in parts:
            self.uses[part] += self.uses[symbol]
        self.uses[symbol] = 0
        self.uses.append(0)

    def _spelled(self, symbol: int) -> list[int]:
        found, rest = list[int](), [symbol]
        while rest:
            part = rest.pop()
            if part in self._made_of:
                rest += self._made_of[part][::-1]
            else:
                found.append(part)
        return found
