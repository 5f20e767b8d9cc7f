"""The merges of a tokenizer that somebody else trained, in the order in which it applies them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tokviz.basics.short_repr import short_repr
from tokviz.text.symbols import Spelling, Symbol


@dataclass(frozen=True)
class GivenMerges:
    """What a file says of its merges.

    `spelling` is how it splits words into starting symbols, `strings` its vocabulary as displayed,
    in id order, `ids` the id of every symbol, and `pairs` its merges: the place of a pair is its
    rank, and what it makes is the two joined. `reconstructed` says that the file holds ranks of
    tokens and no merges, so that these were worked out from the ranks.

    >>> ab = Symbol("a"), Symbol("b")
    >>> given = GivenMerges(
    ...     Spelling(), ("a", "b", "ab"), {ab[0]: 0, ab[1]: 1, Symbol("ab"): 2}, (ab,), False)
    >>> given.ranks
    {(Symbol(text='a', continuing=False, ends_word=False, unknown=False), \
Symbol(text='b', continuing=False, ends_word=False, unknown=False)): 0}
    """

    __repr__ = short_repr

    spelling: Spelling
    strings: tuple[str, ...]
    ids: Mapping[Symbol, int]
    pairs: tuple[tuple[Symbol, Symbol], ...]
    reconstructed: bool

    @cached_property
    def ranks(self) -> dict[tuple[Symbol, Symbol], int]:
        """The rank of every pair; of a pair that is there twice the first one."""
        ranks: dict[tuple[Symbol, Symbol], int] = {}
        for rank, pair in enumerate(self.pairs):
            ranks.setdefault(pair, rank)
        return ranks
