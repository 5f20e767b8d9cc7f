"""PickyBPE's encoding: what training did to words is done to a word, in the same order."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, MergeEncoder, Piece
from tokviz.text.symbols import Spelling, Symbol

#: Whether a step may join what begins at a place with what begins at another one and ends at a
#: third.
Fits: TypeAlias = Callable[[int, int, int, int], bool]


@dataclass(frozen=True)
class PickyEvents:
    """The steps of a run by the numbers of symbols: `left` and `right` of each merge, and what it
    `made`; a removal has the token that goes on its left, and −1 on its right. The alphabet has the
    first `n_base` numbers.

    >>> events = PickyEvents(2, [0, 2, 2], [1, 0, -1], [2, 3, 2])      # ab, aba, ab goes
    >>> events.parts(2), events.spans(3), events.next_merge(0, 1, -1), events.next_removal(2, 0)
    ([0, 1], [0, 1], 0, 2)
    """

    __repr__ = short_repr

    n_base: int
    left: Sequence[int]
    right: Sequence[int]
    made: Sequence[int]

    @cached_property
    def made_of(self) -> dict[int, tuple[int, int]]:
        """What each symbol was first merged from."""
        found: dict[int, tuple[int, int]] = {}
        for left, right, made in zip(self.left, self.right, self.made, strict=True):
            if right >= 0:
                found.setdefault(made, (left, right))
        return found

    def parts(self, step: int) -> list[int]:
        """What the token that a removal takes back comes apart into: the two that it was first made
        of, and so on down to those that the vocabulary has then."""
        return self.parts_after(self.made[step], step)

    def parts_after(self, token: int, step: int) -> list[int]:
        """What stands for a token after a step: its parts, or itself if the vocabulary has it."""
        return self.cut(token, lambda part: self._is_gone(part, step))

    def cut(self, token: int, comes_apart: Callable[[int], bool]) -> list[int]:
        """A token as those of its parts that do not come apart."""
        found, rest = list[int](), [token]
        while rest:
            part = rest.pop()
            if part >= self.n_base and comes_apart(part):
                rest += self.made_of[part][::-1]
            else:
                found.append(part)
        return found

    def _is_gone(self, token: int, step: int) -> bool:
        """Whether a merged token is not in the vocabulary after a step."""
        comings = self._comings[token]
        return self.right[comings[bisect_right(comings, step) - 1]] < 0

    @cached_property
    def _comings(self) -> dict[int, list[int]]:
        """The steps that make each token, or take it back."""
        steps: dict[int, list[int]] = {}
        for step, made in enumerate(self.made):
            steps.setdefault(made, []).append(step)
        return steps

    @cached_property
    def _merges(self) -> dict[tuple[int, int], list[int]]:
        steps: dict[tuple[int, int], list[int]] = {}
        for step, (left, right) in enumerate(zip(self.left, self.right, strict=True)):
            if right >= 0:
                steps.setdefault((left, right), []).append(step)
        return steps

    def next_merge(self, left: int, right: int, after: int) -> int | None:
        """The first step after another one that merges a pair; None if none does."""
        return _next(self._merges.get((left, right), ()), after)

    def next_removal(self, token: int, after: int) -> int | None:
        """The first step after another one that takes a token back; None if none does."""
        comings = self._comings.get(token, ())
        at = bisect_right(comings, after)
        while at < len(comings) and self.right[comings[at]] >= 0:
            at += 1
        return comings[at] if at < len(comings) else None

    def spans(self, symbol: int) -> list[int]:
        """The steps that closed the gaps inside a symbol when it was first made."""
        return closed_inside(symbol, self.n_base, self.made_of.get)


def closed_inside(
    symbol: int, n_base: int, made_of: Callable[[int], tuple[int, int] | None]
) -> list[int]:
    """The steps that closed the gaps inside a symbol when it was first made, of what each symbol
    was made of. A symbol may be as deep as it is long.

    >>> closed_inside(4, 2, {2: (0, 1), 3: (2, 2), 4: (3, 0)}.get)
    [0, 1, 0, 2]
    """
    found, rest = list[int](), [(symbol, -1)]
    while rest:
        part, step = rest.pop()
        sides = made_of(part)
        if sides is not None:
            rest += [(sides[1], part - n_base), (sides[0], step)]
        elif step >= 0:
            found.append(step)
    return found


def _next(steps: Sequence[int], after: int) -> int | None:
    at = bisect_right(steps, after)
    return steps[at] if at < len(steps) else None


@dataclass(frozen=True)
class PickyEncoder:
    """Does the first `t` steps of a run to a word, in their order. `number` maps the alphabet to
    symbol numbers, `ids` and `shown` a number to its id and string. An unknown character is shown
    as it is and has no id.

    >>> events = PickyEvents(2, [0, 2, 2], [1, 0, -1], [2, 3, 2])      # ab, aba, ab goes
    >>> number, shown = {Symbol("a"): 0, Symbol("b"): 1}, ["a", "b", "ab", "aba"]
    >>> encoder = PickyEncoder(Spelling(), number, events, 3, range(4), shown)
    >>> [[piece.token for piece in encoder.encode(word)] for word in ("ababa", "abab", "abc")]
    [['a', 'b', 'aba'], ['a', 'b', 'a', 'b'], ['a', 'b', 'c']]
    """

    __repr__ = short_repr

    spelling: Spelling
    number: Mapping[Symbol, int]
    events: PickyEvents
    t: int
    ids: Sequence[int]
    shown: Sequence[str]

    def encode(self, word: str) -> list[Piece]:
        return self._done(word).pieces()

    def trace(self, word: str) -> list[Event]:
        """Merges, and removals as what was not accepted."""
        return self._done(word).told

    def stages(self, word: str) -> list[list[Piece]]:
        """The word before the first event and after each one."""
        begun = _Word(self, word)
        stages = [begun.pieces()]
        begun.go(lambda: stages.append(begun.pieces()))
        return stages

    def codes(self, word: str) -> list[int]:
        """For every starting symbol the step that joins it to the one before it; `t` for none."""
        return self._done(word).codes

    def fits(self, _symbols: Sequence[Symbol]) -> Fits:
        """What a step may join in a word: whatever stands side by side."""
        return lambda _step, _start, _middle, _end: True

    def _done(self, word: str) -> "_Word":
        begun = _Word(self, word)
        begun.go()
        return begun

    @cached_property
    def plain(self) -> MergeEncoder:
        """What writes pieces."""
        return MergeEncoder(self.spelling, self.number, {}, self.ids, self.shown)


class _Word:
    """A word to which steps are done."""

    def __init__(self, encoder: PickyEncoder, word: str) -> None:
        self.encoder, self.word = encoder, word
        self.symbols = encoder.plain.symbols(word)
        self.numbers: list[int | None] = [encoder.number.get(s, -1) for s in self.symbols]
        n = len(self.symbols)
        self.ends, self.previous = list(range(1, n + 1)), [-1, *range(n - 1)][:n]
        self.codes = [encoder.t] * n
        self.spans = encoder.plain.spans(word, self.symbols)
        self.told: list[Event] = []
        self._fits = encoder.fits(self.symbols)
        self._heap: list[tuple[int, int]] = []
        for at in range(n - 1):
            self._meet(at, -1)
        heapify(self._heap)

    def pieces(self) -> list[Piece]:
        starts = [at for at, number in enumerate(self.numbers) if number is not None]
        tokens = [number for number in self.numbers if number is not None]
        ends = [self.ends[at] for at in starts]
        return self.encoder.plain.pieces_of(self.word, tokens, ends)

    def _meet(self, at: int, after: int) -> None:
        """The token at a place has a new neighbour on its right."""
        left, behind = self.numbers[at], self.ends[at]
        if left is None or behind >= len(self.numbers):
            return
        right = self.numbers[behind]
        assert right is not None
        step = self.encoder.events.next_merge(left, right, after)
        if step is not None and self._fits(step, at, behind, self.ends[behind]):
            self._note(step, at)

    def _come(self, at: int, after: int) -> None:
        """A token comes to stand at a place."""
        number = self.numbers[at]
        assert number is not None
        self._note(self.encoder.events.next_removal(number, after), at)
        self._meet(at, after)
        if self.previous[at] >= 0:
            self._meet(self.previous[at], after)

    def _note(self, step: int | None, at: int) -> None:
        if step is not None and step < self.encoder.t:
            heappush(self._heap, (step, at))

    def go(self, after: Callable[[], object] = lambda: None) -> None:
        """Does all steps, and calls `after` after each."""
        heap, numbers, events = self._heap, self.numbers, self.encoder.events
        while heap:
            step, at = heappop(heap)
            left, right, behind = events.left[step], events.right[step], self.ends[at]
            if numbers[at] != left:
                continue
            if right < 0:
                end = behind
                self._come_apart(step, at)
            elif behind < len(numbers) and numbers[behind] == right:
                end = self.ends[behind]
                self._join(step, at, behind)
            else:
                continue
            self._tell(step, at, end)
            after()

    def _join(self, step: int, at: int, behind: int) -> None:
        self.numbers[at], self.numbers[behind] = self.encoder.events.made[step], None
        self.codes[behind], self.ends[at] = step, self.ends[behind]
        if self.ends[at] < len(self.numbers):
            self.previous[self.ends[at]] = at
        self._come(at, step)

    def _come_apart(self, step: int, at: int) -> None:
        place, last, end, starts = at, self.previous[at], self.ends[at], list[int]()
        for part in self.encoder.events.parts(step):
            inside = self.encoder.events.spans(part)
            self.numbers[place], self.previous[place] = part, last
            if place > at:
                self.codes[place] = self.encoder.t
            self.codes[place + 1 : place + 1 + len(inside)] = inside
            self.ends[place] = place + 1 + len(inside)
            starts.append(place)
            place, last = self.ends[place], place
        if end < len(self.numbers):
            self.previous[end] = last
        for start in starts:
            self._come(start, step)

    def _tell(self, step: int, at: int, end: int) -> None:
        token = self.encoder.shown[self.encoder.events.made[step]]
        is_merge = self.encoder.events.right[step] >= 0
        event = Event(step, token, self.spans[at][0], self.spans[end - 1][1], is_merge)
        self.told.append(event)
