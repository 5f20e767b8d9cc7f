"""Encodes as a tokenizer from a file does, and then applies the merges that were learned since."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import MergeEncoder, WordEncoder
from tokviz.text.symbols import Symbol


@dataclass(frozen=True)
class ContinuedEncoder(MergeEncoder):
    """What merging starts from are the tokens that the encoder of the file, `first`, makes of a
    word; `symbol_of` has a symbol for every id of the file. BPE-dropout skips none of its merges.

    >>> from tokviz.text.symbols import Spelling
    >>> a, b, ab = map(Symbol, ("a", "b", "ab"))
    >>> first = MergeEncoder(Spelling(), {a: 0, b: 1}, {(0, 1): (0, 2)}, range(3), ["a", "b", "ab"])
    >>> encoder = ContinuedEncoder(
    ...     Spelling(), {a: 0, b: 1, ab: 2}, {(2, 2): (0, 3)}, range(4), ["a", "b", "ab", "abab"],
    ...     first=first, symbol_of=[a, b, ab])
    >>> [piece.token for piece in encoder.encode("aababb")], encoder.gaps("aabab")
    (['a', 'abab', 'b'], [None, None, 0])
    """

    __repr__ = short_repr

    first: WordEncoder = field(kw_only=True)
    symbol_of: Sequence[Symbol] = field(kw_only=True)

    def symbols(self, word: str) -> list[Symbol]:
        return [self.symbol_of[i] for i, _ in self._from_file(word)]

    def spans(self, word: str, _symbols: Sequence[Symbol]) -> list[tuple[int, int]]:
        return [span for _, span in self._from_file(word)]

    def _from_file(self, word: str) -> list[tuple[int, tuple[int, int]]]:
        # The encoders of files leave out what has no id.
        pieces = self.first.encode(word)
        return [(i, (start, end)) for _, i, start, end in pieces if i is not None]
