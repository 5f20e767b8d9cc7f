"""The merges of a tokenizer that somebody else trained, in the order in which it applies them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from tokviz.basics.short_repr import short_repr
from tokviz.text.symbols import Spelling, Symbol

Pair: TypeAlias = tuple[Symbol, Symbol]


@dataclass(frozen=True)
class GivenMerges:
    """What a file says of its merges.

    `spelling` is how it splits words into starting symbols, `strings` its vocabulary as displayed,
    in id order, and `ids` the id of every symbol. `listed` are the merges that the file has. One
    that has ranks of tokens instead lists none: of these, `rank_of`, the merges are reconstructed.

    >>> a, b, c, ab, abc = map(Symbol, ("a", "b", "c", "ab", "abc"))
    >>> ids = {a: 0, b: 1, c: 2, ab: 3, abc: 4}
    >>> given = GivenMerges(Spelling(), ("a", "b", "c", "ab", "abc"), ids, ((a, b), (ab, c)))
    >>> in_any_order = dict(reversed(ids.items()))
    >>> given.pairs == GivenMerges(Spelling(), given.strings, ids, rank_of=in_any_order).pairs
    True
    >>> given.ranks[ab, c]
    1
    """

    __repr__ = short_repr

    spelling: Spelling
    strings: tuple[str, ...]
    ids: Mapping[Symbol, int]
    listed: Iterable[Pair] = ()
    rank_of: Mapping[Symbol, int] | None = None

    @property
    def reconstructed(self) -> bool:
        """Whether the file holds ranks of tokens and no merges."""
        return self.rank_of is not None

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The merges: the place of a pair is its rank, and what it makes is the two joined."""
        # Worked out when they are first asked for: many only encode.
        return tuple(self.listed if self.rank_of is None else _reconstructed(self.rank_of))

    @cached_property
    def ranks(self) -> dict[Pair, int]:
        """The rank of every pair; of a pair that is there twice the first one."""
        ranks: dict[Pair, int] = {}
        for rank, pair in enumerate(self.pairs):
            ranks.setdefault(pair, rank)
        return ranks


def _reconstructed(rank_of: Mapping[Symbol, int]) -> Iterator[Pair]:
    """The two parts of every token that has two, the lowest rank first."""
    ranks = {symbol.text: rank for symbol, rank in rank_of.items()}
    for text in sorted(ranks, key=ranks.__getitem__):
        parts = last_parts(text, ranks)
        if parts and all(part in ranks for part in parts):
            yield Symbol(parts[0]), Symbol(parts[1])


def last_parts(token: str, rank_of: Mapping[str, int]) -> tuple[str, str] | None:
    """The two parts that a token was merged from: what is left of its characters when only tokens
    of lower ranks are merged. None if that is not two parts.

    >>> ranks = {"a": 0, "b": 1, "c": 2, "bc": 3, "abc": 4, "cba": 5}
    >>> last_parts("abc", ranks), last_parts("cba", ranks), last_parts("a", ranks)
    (('a', 'bc'), None, None)
    """
    get, rank, parts = rank_of.get, rank_of[token], list(token)
    ranks = [get(a + b, rank) for a, b in pairwise(parts)]
    while len(parts) > 2:
        lowest = min(ranks)
        if lowest >= rank:
            return None
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at:
            ranks[at - 1] = get(parts[at - 1] + parts[at], rank)
        if at < len(ranks):
            ranks[at] = get(parts[at] + parts[at + 1], rank)
    return (parts[0], parts[1]) if len(parts) == 2 else None
