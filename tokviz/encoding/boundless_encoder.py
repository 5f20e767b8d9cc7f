"""BoundlessBPE's encoding: merges by rank, within words or across the borders of whole ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import MergeEncoder, Rank
from tokviz.text.symbols import Symbol


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
        text = b"".join(map(self.spelling.bytes_of, symbols)).decode("utf-8", "surrogatepass")
        sizes = [len(self.spelling.split(word)) for word in self.words_in(text)]
        borders = {0, *accumulate(sizes)}

        def rank(left: int, right: int) -> tuple[int, int] | None:
            ranks: Mapping[Any, tuple[int, int]] = self._of_words
            if right in borders:
                if left not in borders or ends[right] not in borders:
                    return None
                ranks = self._of_borders
            return ranks.get((numbers[left], numbers[right]))

        return rank
