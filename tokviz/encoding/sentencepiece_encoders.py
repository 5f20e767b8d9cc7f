"""How google/sentencepiece cuts a normalized line with a model that it has read.

The line is one word here: its pieces need not end at spaces. Both encoders compute as the library
does, in single precision where it does so, so that near-ties fall alike.

Source: google/sentencepiece 0.2.1, src/unigram_model.cc (EncodeOptimized), src/bpe_model.cc
(SampleEncode), src/sentencepiece_processor.cc (PopulateSentencePieceText).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, Piece, byte_pieces
from tokviz.encoding.lattice import pieces_to
from tokviz.encoding.viterbi_encoder import UNKNOWN_PENALTY, ViterbiEncoder
from tokviz.encoding.word_lattice import WordLattice
from tokviz.text.symbols import UNKNOWN, Spelling, Symbol

#: What a user-defined symbol costs: less than any piece learned (kUserDefined in the library).
USER_DEFINED_COST = 0.1


def unknown_pieces(
    word: str, pieces: Sequence[Piece], unknown_id: int, byte_ids: Sequence[int]
) -> list[Piece]:
    """The pieces with each run of unknown ones as one, or with `byte_ids` as bytes.

    >>> a, b = Piece("<unk>", 0, 0, 1), Piece("<unk>", 0, 1, 2)
    >>> unknown_pieces("éü", [a, b], 0, [])
    [Piece(token='<unk>', id=0, start=0, end=2)]
    """
    done: list[Piece] = []
    for piece in pieces:
        if piece.id != unknown_id:
            done.append(piece)
        elif byte_ids:
            done += byte_pieces(word[piece.start : piece.end], byte_ids, piece.start, piece.end)
        elif done and done[-1].id == unknown_id:
            done[-1] = done[-1]._replace(end=piece.end)
        else:
            done.append(piece)
    return done


@dataclass(frozen=True)
class UnigramLineEncoder(ViterbiEncoder):
    """The most probable path through a line, its sums rounded to single precision at every step.
    n-best lists, samples and the lattice come from the same scores in double precision.

    >>> encoder = UnigramLineEncoder(Spelling(), {"a": 1, "ab": 2}, {"a": 1.0, "ab": 1.5}, False, 0)
    >>> [(piece.token, piece.id) for piece in encoder.encode("aabcc")]
    [('a', 1), ('ab', 2), ('<unk>', 0)]
    """

    __repr__ = short_repr

    byte_ids: Sequence[int] = ()

    def path(self, word: str) -> list[tuple[int, int]]:
        """See `ViterbiEncoder.path`; forward from every place, the shortest piece first."""
        n, cost, longest = len(word), self.cost, self._longest
        unknown = self._unknown_score
        best, back = [0.0] * (n + 1), [-1] * (n + 1)
        for start in range(n):
            before = best[start]
            for end in range(start + 1, min(start + longest, n) + 1):
                if (c := cost.get(word[start:end])) is None:
                    continue
                score = before - c
                if back[end] < 0 or score > best[end]:
                    best[end], back[end] = self._rounded(score), start
            if word[start] not in cost:
                score, end = self._rounded(unknown + before), start + 1
                if back[end] < 0 or score > best[end]:
                    best[end], back[end] = score, start
        return pieces_to(n, back)

    @cached_property
    def _unknown_score(self) -> float:
        least = self._rounded(-max(self.cost.values(), default=0.0))
        return self._rounded(least - UNKNOWN_PENALTY)

    def _rounded(self, x: float) -> float:
        """The number in the library's precision."""
        return float(np.float32(x))

    def lattice(self, word: str) -> WordLattice:
        return replace(super().lattice(word), path=tuple(self.path(word)))

    def pieces(self, word: str, path: list[tuple[int, int]]) -> list[Piece]:
        """See `ViterbiEncoder.pieces`; unknown pieces as the library gives them."""
        pieces = super().pieces(word, path)
        return unknown_pieces(word, pieces, self.unknown_id or 0, self.byte_ids)


@dataclass(frozen=True)
class UnigramDoubleEncoder(UnigramLineEncoder):
    """The same in double precision, as huggingface/tokenizers computes it (encode_optimized)."""

    __repr__ = short_repr

    def _rounded(self, x: float) -> float:
        return x


@dataclass(frozen=True)
class MergeLineEncoder:
    """Joins the two neighbours that spell the piece of highest score, the leftmost first, until no
    two neighbours spell a piece.

    `id_of` and `score` hold the pieces that can be made; those that are `user_defined` are cut out
    first and never joined; those that are `unused` are cut again into what they were joined from.

    >>> encoder = MergeLineEncoder(
    ...     Spelling(), {"a": 2, "b": 3, "ab": 1}, {"ab": 0.0, "a": -1.0, "b": -2.0}, 0)
    >>> [(piece.token, piece.id) for piece in encoder.encode("abbcc")]
    [('ab', 1), ('b', 3), ('<unk>', 0)]
    """

    __repr__ = short_repr

    spelling: Spelling
    id_of: Mapping[str, int]
    score: Mapping[str, float]
    unknown_id: int
    byte_ids: Sequence[int] = ()
    user_defined: frozenset[str] = frozenset()
    unused: frozenset[str] = frozenset()

    def encode(self, word: str) -> list[Piece]:
        pieces = [
            Piece(
                self._token(word[start:end]),
                self.id_of.get(word[start:end], self.unknown_id),
                start,
                end,
            )
            for start, end in self._cut(word)[0]
        ]
        return unknown_pieces(word, pieces, self.unknown_id, self.byte_ids)

    def trace(self, word: str) -> list[Event]:
        return [
            Event(-1, self._token(word[start:end]), start, end, True)
            for start, end in self._cut(word)[1]
        ]

    def _token(self, text: str) -> str:
        return self.spelling.show(Symbol(text)) if text in self.id_of else UNKNOWN

    def _cut(self, word: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Where the pieces are, and what was joined, in order."""
        bounds, frozen = self._symbols(word)
        n = len(bounds) - 1
        following, previous = list(range(1, n + 1)), list(range(-1, n - 1))
        ends: list[int | None] = list(bounds[1:])
        parts: dict[tuple[int, int], int] = {}

        def candidate(left: int, right: int) -> tuple[float, int, int, int] | None:
            if left < 0 or right >= n or left in frozen or right in frozen:
                return None
            end = ends[right]
            score = self.score.get(word[bounds[left] : end])
            return None if score is None or end is None else (-score, left, right, end)

        heap = [found for left in range(n - 1) if (found := candidate(left, left + 1))]
        heapify(heap)
        joined = []
        while heap:
            _, left, right, end = heappop(heap)
            middle = ends[left]
            if middle is None or following[left] != right or ends[right] != end:
                continue
            if self.unused:
                parts[bounds[left], end] = middle
            ends[left], ends[right] = end, None
            joined.append((bounds[left], end))
            following[left] = following[right]
            if following[left] < n:
                previous[following[left]] = left
            for pair in ((previous[left], left), (left, following[left])):
                if found := candidate(*pair):
                    heappush(heap, found)
        spans = [(bounds[i], end) for i, end in enumerate(ends) if end is not None]
        if self.unused:
            spans = [piece for span in spans for piece in self._used(word, span, parts)]
        return spans, joined

    def _symbols(self, word: str) -> tuple[list[int], set[int]]:
        """Where the symbols that joining starts from begin, and which are user-defined ones."""
        bounds, frozen = [0], set()
        while bounds[-1] < len(word):
            at = bounds[-1]
            length = next((n for n in self._lengths if word[at : at + n] in self.user_defined), 0)
            if length:
                frozen.add(len(bounds) - 1)
            bounds.append(min(at + (length or 1), len(word)))
        return bounds, frozen

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(symbol) for symbol in self.user_defined}, reverse=True)

    def _used(
        self, word: str, span: tuple[int, int], parts: Mapping[tuple[int, int], int]
    ) -> list[tuple[int, int]]:
        start, end = span
        if word[start:end] not in self.unused or span not in parts:
            return [span]
        middle = parts[span]
        return [*self._used(word, (start, middle), parts), *self._used(word, (middle, end), parts)]
