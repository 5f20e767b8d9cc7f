"""BoundlessBPE's encoding: merges by rank, within words or across the borders of whole ones. Where
tokens are taken back, steps are done in their order instead."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import MergeEncoder, Rank
from tokviz.encoding.picky_encoder import Fits, PickyEncoder, PickyEvents
from tokviz.text.symbols import Spelling, Symbol


@dataclass(frozen=True)
class BoundlessEncoder(MergeEncoder):
    """As `MergeEncoder`, of a run of text. The steps that are `across` join two tokens each of
    which is a whole word or several; the others join what is in one word, as `words_in` cuts a run.

    >>> from tokviz.text.symbols import Spelling
    >>> number, ranks = {Symbol("a"): 0, Symbol("b"): 1}, {(0, 1): (0, 2), (2, 0): (1, 3)}
    >>> encoder = BoundlessEncoder(
    ...     Spelling(), number, ranks, range(4), ["a", "b", "ab", "aba"],
    ...     words_in=lambda run: run.replace(".", "..").split("."), across=frozenset([1]))
    >>> [[piece.token for piece in encoder.encode(run)] for run in ("aba", "ab.a")]
    [['ab', 'a'], ['ab', '.', 'a']]
    """

    __repr__ = short_repr

    words_in: Callable[[str], Sequence[str]] = field(kw_only=True)
    across: frozenset[int] = field(kw_only=True)

    @cached_property
    def _of_words(self) -> dict[tuple[int, int], tuple[int, int]]:
        return {pair: rank for pair, rank in self.ranks.items() if rank[0] not in self.across}

    @cached_property
    def _of_borders(self) -> dict[tuple[int, int], tuple[int, int]]:
        return {pair: rank for pair, rank in self.ranks.items() if rank[0] in self.across}

    def _ranking(
        self, symbols: Sequence[Symbol], numbers: Sequence[int | None], ends: Sequence[int]
    ) -> Rank:
        borders = borders_of(self.spelling, symbols, self.words_in)

        def rank(left: int, right: int) -> tuple[int, int] | None:
            ranks: Mapping[Any, tuple[int, int]] = self._of_words
            if right in borders:
                if left not in borders or ends[right] not in borders:
                    return None
                ranks = self._of_borders
            return ranks.get((numbers[left], numbers[right]))

        return rank


def borders_of(
    spelling: Spelling, symbols: Sequence[Symbol], words_in: Callable[[str], Sequence[str]]
) -> set[int]:
    """Where words begin and end among the symbols of a run."""
    text = b"".join(map(spelling.bytes_of, symbols)).decode("utf-8", "surrogatepass")
    return {0, *accumulate(len(spelling.split(word)) for word in words_in(text))}


class BoundlessEvents(PickyEvents):
    """As `PickyEvents`; but what is taken back comes apart into what it begins with."""

    def parts(self, step: int) -> list[int]:
        return self.cut(self.made[step], lambda _part: True)


@dataclass(frozen=True)
class BoundlessRemovalEncoder(PickyEncoder):
    """As `PickyEncoder`, of a run of text, and of steps of which some are `across` words."""

    __repr__ = short_repr

    words_in: Callable[[str], Sequence[str]] = field(kw_only=True)
    across: Sequence[int] = field(kw_only=True)

    def fits(self, symbols: Sequence[Symbol]) -> Fits:
        borders = borders_of(self.spelling, symbols, self.words_in)

        def fits(step: int, start: int, middle: int, end: int) -> bool:
            if self.across[step]:
                return borders.issuperset((start, middle, end))
            return middle not in borders

        return fits
