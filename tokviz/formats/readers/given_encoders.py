"""Encoders for vocabularies that were made elsewhere, with the quirks of the library they are for.

Source: huggingface/tokenizers src/models/bpe/model.rs and unigram/model.rs; openai/tiktoken
src/lib.rs (`byte_pair_encode`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, MergeEncoder, Piece
from tokviz.encoding.lattice import pieces_to
from tokviz.encoding.viterbi_encoder import ViterbiEncoder
from tokviz.pretokenizers import BYTE_TO_CHAR
from tokviz.text.symbols import Symbol


@dataclass(frozen=True)
class WholeWordMergeEncoder(MergeEncoder):
    """A MergeEncoder that takes a word at once if `whole` has a number for it, whatever merges
    would make of it. The trace tells the merges if they lead to the same token, else that one
    event.

    >>> from tokviz.text.symbols import Spelling
    >>> encoder = WholeWordMergeEncoder(
    ...     Spelling(), {Symbol("a"): 0, Symbol("b"): 1}, {}, range(3), ["a", "b", "ab"],
    ...     whole={"ab": 2})
    >>> [piece.id for piece in encoder.encode("ab")], [piece.id for piece in encoder.encode("aba")]
    ([2], [0, 1, 0])
    """

    __repr__ = short_repr

    whole: Mapping[str, int] = field(default_factory=dict)

    def encode(self, word: str) -> list[Piece]:
        if (number := self.whole.get(word)) is None:
            return super().encode(word)
        return [Piece(self.shown[number], int(self.ids[number]), 0, len(word))]

    def trace(self, word: str) -> list[Event]:
        if (number := self._unmerged(word)) is None:
            return super().trace(word)
        return [Event(-1, self.shown[number], 0, len(word), True)]

    def stages(self, word: str) -> list[list[Piece]]:
        stages = super().stages(word)
        return stages if self._unmerged(word) is None else [stages[0], self.encode(word)]

    def _unmerged(self, word: str) -> int | None:
        """The number of a word that is taken at once, though merges would not make it."""
        number = self.whole.get(word)
        if number is None or [piece.id for piece in super().encode(word)] == [self.ids[number]]:
            return None
        return number


@dataclass(frozen=True)
class GivenMergeEncoder(WholeWordMergeEncoder):
    """BPE of a file. A character that is not in the vocabulary becomes its bytes if all of them
    have a symbol in `fallback`, else the symbol `unknown` (a run of them one symbol, if
    `fuse_unknown`), and is left out if there is none: its neighbours may merge.

    >>> from tokviz.text.symbols import Spelling
    >>> encoder = GivenMergeEncoder(
    ...     Spelling(), {Symbol("a"): 0, Symbol("b"): 1}, {(0, 1): (0, 2)}, range(3),
    ...     ["a", "b", "ab"])
    >>> encoder.encode("axbx")
    [Piece(token='ab', id=2, start=0, end=3)]
    """

    __repr__ = short_repr

    fuse_unknown: bool = False
    unknown: Symbol | None = None
    fallback: Mapping[int, Symbol] = field(default_factory=dict)

    def symbols(self, word: str) -> list[Symbol]:
        return [symbol for symbol, _ in self._start(word)]

    def spans(self, word: str, symbols: Sequence[Symbol]) -> list[tuple[int, int]]:
        return [span for (_, span), _ in zip(self._start(word), symbols, strict=True)]

    def _start(self, word: str) -> list[tuple[Symbol, tuple[int, int]]]:
        symbols = super().symbols(word)
        start: list[tuple[Symbol, tuple[int, int]]] = []
        # The library writes an unknown symbol only when something known follows, or at the end:
        # bytes that come in between are written before it.
        pending: tuple[int, int] | None = None
        for symbol, span in zip(symbols, super().spans(word, symbols), strict=True):
            if symbol in self.number:
                if pending and self.unknown:
                    start.append((self.unknown, pending))
                    pending = None
                start.append((symbol, span))
            elif found := self._bytes_of(symbol):
                start += [(byte, span) for byte in found]
            elif self.unknown:
                if pending and not self.fuse_unknown:
                    start.append((self.unknown, pending))
                    pending = None
                pending = (pending[0] if pending else span[0], span[1])
        if pending and self.unknown:
            start.append((self.unknown, pending))
        return start

    def _bytes_of(self, symbol: Symbol) -> list[Symbol] | None:
        if not self.fallback:
            return None
        data = self.spelling.plain(symbol).encode("utf-8", "surrogatepass")
        found = [self.fallback[byte] for byte in data if byte in self.fallback]
        return found if len(found) == len(data) else None


@dataclass(frozen=True)
class RankEncoder(WholeWordMergeEncoder):
    """tiktoken's BPE: any two neighbours whose bytes together have a rank may merge, the lowest
    rank first. The number of a symbol is its rank, and `rank_of` the rank of bytes.

    >>> from tokviz.text.symbols import Spelling
    >>> ranks = {b"a": 0, b"b": 1, b"ab": 2, b"aba": 3}
    >>> encoder = RankEncoder(
    ...     Spelling("byte"), {Symbol("a"): 0, Symbol("b"): 1}, {}, range(4),
    ...     ["a", "b", "ab", "aba"], rank_of=ranks, bytes_of=list(ranks))
    >>> [piece.token for piece in encoder.encode("abab")]
    ['ab', 'ab']
    """

    __repr__ = short_repr

    rank_of: Mapping[bytes, int] = field(default_factory=dict)
    bytes_of: Sequence[bytes] = ()

    def _rank(self, numbers: Sequence[int | None], left: int, right: int) -> tuple[int, int] | None:
        a, b = numbers[left], numbers[right]
        if a is None or b is None:
            return None
        rank = self.rank_of.get(self.bytes_of[a] + self.bytes_of[b])
        return None if rank is None else (rank, rank)


@dataclass(frozen=True)
class GivenUnigramEncoder(ViterbiEncoder):
    """Unigram of a file, its sums in double precision from the start of the word, the shortest
    piece first. An unknown character costs `unknown_cost`, a run of unknown ones is one, and it is
    written as bytes if all of its bytes have a token (`byte_ids`).

    >>> from tokviz.text.symbols import Spelling
    >>> encoder = GivenUnigramEncoder(
    ...     Spelling(), {"a": 1, "ab": 2}, {"a": 1.0, "ab": 1.5}, False, 0, unknown_cost=11.5)
    >>> [(piece.token, piece.id) for piece in encoder.encode("aabcc")]
    [('a', 1), ('ab', 2), ('<unk>', 0)]
    """

    __repr__ = short_repr

    unknown_cost: float = 0.0
    byte_ids: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def _unknown_cost(self) -> float:
        return self.unknown_cost

    def path(self, word: str) -> list[tuple[int, int]]:
        """See `ViterbiEncoder.path`."""
        n, cost, longest = len(word), self.cost, self._longest
        best, back = [0.0] * (n + 1), [-1] * (n + 1)
        for start in range(n):
            before = best[start]
            for end in range(start + 1, min(start + longest, n) + 1):
                if (c := cost.get(word[start:end])) is None:
                    continue
                if back[end] < 0 or before + c < best[end]:
                    best[end], back[end] = before + c, start
            if word[start] not in cost:
                end, total = start + 1, before + self.unknown_cost
                if back[end] < 0 or total < best[end]:
                    best[end], back[end] = total, start
        return pieces_to(n, back)

    def pieces(self, word: str, path: list[tuple[int, int]]) -> list[Piece]:
        """See `ViterbiEncoder.pieces`."""
        fused: list[tuple[int, int]] = []
        before = False
        for start, end in path:
            unknown = self._id(word[start:end]) == self.unknown_id
            if unknown and before:
                fused[-1] = (fused[-1][0], end)
            else:
                fused.append((start, end))
            before = unknown
        return [piece for start, end in fused for piece in self._pieces_of(word, start, end)]

    def _pieces_of(self, word: str, start: int, end: int) -> list[Piece]:
        text = word[start:end]
        if text not in self.id_of and self.byte_ids:
            data = self.spelling.plain(Symbol(text)).encode("utf-8", "surrogatepass")
            if all(byte in self.byte_ids for byte in data):
                return [Piece(f"<0x{byte:02X}>", self.byte_ids[byte], start, end) for byte in data]
        return [Piece(self._token(text), self._id(text), start, end)]


def byte_symbol(data: bytes) -> Symbol:
    """Bytes as the symbol of a byte-level vocabulary.

    >>> byte_symbol(b" a").text
    'Ġa'
    """
    return Symbol(data.decode("latin-1").translate(BYTE_TO_CHAR))
