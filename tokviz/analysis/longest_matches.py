"""Training and encoding of one word side by side: WordPiece trains by merges, but encodes by the
longest match, and the two need not agree.
"""

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import LongestMatchEncoder
from tokviz.text.symbols import Symbol

if TYPE_CHECKING:
    from tokviz.history.merges import MergeHistory


class LongestMatch(NamedTuple):
    """How the longest match cuts a word from state `first` on: tokens as displayed, where each
    starts in the word, and whether the word is unknown (then it is one token)."""

    first: int
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    unknown: bool

    def __repr__(self) -> str:
        return short_repr(self)


def longest_matches(history: "MergeHistory", word: str) -> list[LongestMatch]:
    """How the longest match cuts a word, from each state on in which that changes.

    Only tokens that are in the word can change it, so that no other state is looked at.

    >>> import tokviz
    >>> words = {"xbc": 5, "abd": 3, "abc": 1}
    >>> history = tokviz.train(words, "wordpiece", 11, score="frequency")
    >>> [(match.first, match.tokens) for match in longest_matches(history, "abc")]
    [(0, ('a', '##b', '##c')), (1, ('a', '##bc')), (3, ('ab', '##c'))]
    """
    births: dict[Symbol, int] = {}
    n_base = len(history.record.alphabet)
    for number, symbol in enumerate(history.symbols):
        if symbol.text in word and not symbol.unknown:
            births.setdefault(symbol, max(0, number - n_base + 1))
    found = [_match(history, word, births, t) for t in sorted({0, *births.values()})]
    return [next(same) for _, same in groupby(found, key=lambda match: match[1:])]


def _match(history: "MergeHistory", word: str, births: dict[Symbol, int], t: int) -> LongestMatch:
    there = dict.fromkeys((symbol for symbol, birth in births.items() if birth <= t), 0)
    encoder = LongestMatchEncoder(history.spelling, there, None)
    pieces = encoder.encode(word)
    unknown = any(piece.id is None for piece in pieces)
    return LongestMatch(
        t, tuple(piece.token for piece in pieces), tuple(piece.start for piece in pieces), unknown
    )
