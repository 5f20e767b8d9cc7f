"""Ways to cut a word with a trained vocabulary. Each can also tell how it got there.

Here are merges in rank order (BPE) and longest match first (WordPiece). The most probable path
(Unigram) and greedy longest token have modules of their own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol, TypeAlias

from tokviz.basics.short_repr import short_repr
from tokviz.text.symbols import UNKNOWN, Spelling, Symbol

#: WordPiece gives up on longer words, as BERT does (`max_input_chars_per_word`).
MAX_INPUT_CHARS_PER_WORD = 100
#: How byte fallback names bytes: decoders know them by these names alone.
BYTE_NAME = re.compile(r"<0x([0-9A-F]{2})>")


#: The step that joins the tokens at two places of a word, and what it makes.
Rank: TypeAlias = Callable[[int, int], tuple[int, int] | None]


class Piece(NamedTuple):
    """One token of a word: as displayed, its id (None: not in the vocabulary), and the characters
    of the word that it covers. A piece of a character's bytes covers the whole character."""

    token: str
    id: int | None
    start: int
    end: int

    def __repr__(self) -> str:
        return short_repr(self)


class Event(NamedTuple):
    """One thing that an encoder did: `step` is the merge's step (or -1), `start` and `end` are
    characters of the word, `token` what was tried or made, `accepted` whether it stayed."""

    step: int
    token: str
    start: int
    end: int
    accepted: bool

    def __repr__(self) -> str:
        return short_repr(self)


class WordEncoder(Protocol):
    """Cuts one word (as a pre-tokenizer gives it) into pieces."""

    def encode(self, word: str) -> list[Piece]:
        """The pieces, left to right. Never fails: what cannot be encoded is an unknown piece."""

    def trace(self, word: str) -> list[Event]:
        """What was done, in order."""


def character_spans(word: str, symbols: Sequence[Symbol], unit: str) -> list[tuple[int, int]]:
    """The characters of a word that each of its starting symbols covers.

    >>> spelling = Spelling(unit="byte", end_of_word_suffix="</w>")
    >>> character_spans("é", spelling.split("é"), "byte")
    [(0, 1), (0, 1), (1, 1)]
    """
    if unit == "char":
        spans = [(i, i + 1) for i in range(len(word))]
    else:
        spans = [
            (i, i + 1) for i, char in enumerate(word) for _ in char.encode("utf-8", "surrogatepass")
        ]
    return spans + [(len(word), len(word))] * (len(symbols) - len(spans))


def byte_pieces(text: str, ids: Sequence[int], start: int, end: int) -> list[Piece]:
    """The bytes of an unknown character as SentencePiece's byte fallback spells them; each covers
    the whole character.

    >>> [piece.token for piece in byte_pieces("é", range(256), 0, 1)]
    ['<0xC3>', '<0xA9>']
    """
    data = text.replace(" ", "▁").encode("utf-8", "surrogatepass")
    return [Piece(f"<0x{byte:02X}>", ids[byte], start, end) for byte in data]


def named_byte(token: str, covered: str) -> int | None:
    """The byte that a token of byte fallback has the name of, if it stands for that: what it covers
    of a text is not its name. None for any other token.

    >>> named_byte("<0xE2>", "☃"), named_byte("<0xE2>", "<0xE2>"), named_byte("e", "e")
    (226, None, None)
    """
    found = BYTE_NAME.fullmatch(token)
    return int(found[1], 16) if found and covered != token else None


@dataclass(frozen=True)
class MergeEncoder:
    """Applies the applicable merge of lowest rank, everywhere, until none applies: the same as
    applying all merges in order.

    `number` maps the alphabet to symbol numbers, `ranks` a pair of numbers to (step, number of
    what it makes), `ids` and `shown` a number to its id and string. An unknown character is shown
    as it is and has no id; with `unknown_id` a run of them is one `<unk>`, and
    with `byte_ids` each is its bytes, as in SentencePiece.

    >>> abc = MergeEncoder(Spelling(), {Symbol("a"): 0, Symbol("b"): 1}, {(0, 1): (0, 2)},
    ...                    [0, 1, 2], ["a", "b", "ab"])
    >>> [piece.token for piece in abc.encode("aabc")]
    ['a', 'ab', 'c']
    """

    __repr__ = short_repr

    spelling: Spelling
    number: Mapping[Symbol, int]
    ranks: Mapping[tuple[int, int], tuple[int, int]]
    ids: Sequence[int]
    shown: Sequence[str]
    unknown_id: int | None = None
    byte_ids: Sequence[int] = ()

    def symbols(self, word: str) -> list[Symbol]:
        """The symbols that merging starts from."""
        return self.spelling.split(word)

    def spans(self, word: str, symbols: Sequence[Symbol]) -> list[tuple[int, int]]:
        """The characters that each of them covers."""
        return character_spans(word, symbols, self.spelling.unit)

    def encode(self, word: str) -> list[Piece]:
        symbols = self.symbols(word)
        return self._pieces(word, symbols, self._merge(symbols))

    def trace(self, word: str) -> list[Event]:
        symbols = self.symbols(word)
        return self._events(word, symbols, self._merge(symbols))

    def stages(self, word: str) -> list[list[Piece]]:
        """The word before the first merge and after each one that `trace` tells.

        >>> abc = MergeEncoder(Spelling(), {Symbol("a"): 0, Symbol("b"): 1}, {(0, 1): (0, 2)},
        ...                    [0, 1, 2], ["a", "b", "ab"])
        >>> [[piece.token for piece in stage] for stage in abc.stages("abab")]
        [['a', 'b', 'a', 'b'], ['ab', 'a', 'b'], ['ab', 'ab']]
        """
        symbols = self.symbols(word)
        numbers: list[int | None] = [self.number.get(symbol, -1) for symbol in symbols]
        ends = list(range(1, len(symbols) + 1))
        stages = [self._pieces(word, symbols, _Merged(numbers, [], ends))]
        for _, made, start, end, _ in self._merge(symbols).tried:
            numbers[start:end] = [made, *[None] * (end - start - 1)]
            ends[start] = end
            stages.append(self._pieces(word, symbols, _Merged(numbers, [], ends)))
        return stages

    def pieces_of(self, word: str, tokens: Sequence[int], ends: Sequence[int]) -> list[Piece]:
        """The pieces of a word whose starting symbols were joined into these tokens, each up to
        its end."""
        symbols = self.symbols(word)
        numbers: list[int | None] = [None] * len(symbols)
        until = list(range(1, len(symbols) + 1))
        for start, end, token in zip([0, *ends], ends, tokens, strict=False):
            numbers[start], until[start] = token, end
        return self._pieces(word, symbols, _Merged(numbers, [], until))

    def sample(self, word: str, skips: Callable[[], bool]) -> tuple[list[Piece], list[Event]]:
        """BPE-dropout: before every merge each applicable one, best first, is skipped if `skips`
        says so, and the first that is not is made; when all are skipped, the word stays as it is.
        The events tell both; a merge that was skipped is one that was not accepted.

        Source: Provilkov, Emelianenko and Voita (2020), "BPE-Dropout: Simple and Effective Subword
        Regularization", Algorithm 1, with every place where a merge applies drawn for itself.
        """
        symbols = self.symbols(word)
        merged = self._merge(symbols, skips)
        return self._pieces(word, symbols, merged), self._events(word, symbols, merged)

    def gaps(self, word: str) -> list[int | None]:
        """For every starting symbol the step that joins it to the one before it, None for none."""
        symbols = self.symbols(word)
        gaps: list[int | None] = [None] * len(symbols)
        ends = list(range(1, len(symbols) + 1))
        for step, _, start, end, _ in self._merge(symbols).tried:
            gaps[ends[start]], ends[start] = step, end
        return gaps

    def _pieces(self, word: str, symbols: Sequence[Symbol], merged: "_Merged") -> list[Piece]:
        spans = self.spans(word, symbols)
        numbers, _, ends = merged
        pieces = []
        for at, number in enumerate(numbers):
            if number is None:
                continue
            span = spans[at][0], spans[ends[at] - 1][1]
            if number >= 0:
                pieces.append(Piece(self.shown[number], int(self.ids[number]), *span))
            elif self.byte_ids:
                pieces += byte_pieces(symbols[at].text, self.byte_ids, *span)
            elif self.unknown_id is None:
                pieces.append(Piece(self.spelling.show(symbols[at]), None, *span))
            elif at and (before := numbers[at - 1]) is not None and before < 0:
                pieces[-1] = pieces[-1]._replace(end=span[1])
            else:
                pieces.append(Piece(UNKNOWN, self.unknown_id, *span))
        return pieces

    def _events(self, word: str, symbols: Sequence[Symbol], merged: "_Merged") -> list[Event]:
        spans = self.spans(word, symbols)
        return [
            Event(step, self.shown[number], spans[start][0], spans[end - 1][1], made)
            for step, number, start, end, made in merged.tried
        ]

    def _merge(
        self, symbols: Sequence[Symbol], skips: Callable[[], bool] | None = None
    ) -> "_Merged":
        """All merges, from a heap of applicable ones by (step, place): a word costs n log n."""
        numbers: list[int | None] = [self.number.get(symbol, -1) for symbol in symbols]
        n = len(symbols)
        ends = list(range(1, n + 1))
        previous = [-1, *range(n - 1)]
        rank_of = self._ranking(symbols, numbers, ends)
        heap = [(*rank, at) for at in range(n - 1) if (rank := rank_of(at, at + 1)) is not None]
        heapify(heap)
        tried: list[tuple[int, int, int, int, bool]] = []
        skipped: list[tuple[int, int, int]] = []
        while heap:
            step, made, at = heappop(heap)
            right = ends[at]
            if numbers[at] is None or right >= n or rank_of(at, right) != (step, made):
                continue
            if skips is not None and skips():
                tried.append((step, made, at, ends[right], False))
                skipped.append((step, made, at))
                continue
            numbers[at], numbers[right], ends[at] = made, None, ends[right]
            tried.append((step, made, at, ends[at], True))
            # What was skipped before this merge is drawn anew before the next one.
            while skipped:
                heappush(heap, skipped.pop())
            if ends[at] < n:
                previous[ends[at]] = at
                if (rank := rank_of(at, ends[at])) is not None:
                    heappush(heap, (*rank, at))
            if previous[at] >= 0 and (rank := rank_of(previous[at], at)) is not None:
                heappush(heap, (*rank, previous[at]))
        return _Merged(numbers, tried, ends)

    def _ranking(
        self,
        _symbols: Sequence[Symbol],
        numbers: Sequence[int | None],
        _ends: Sequence[int],
    ) -> Rank:
        """What says of two places where tokens start now which step joins these, and what it makes;
        None if none does."""
        return lambda left, right: self._rank(numbers, left, right)

    def _rank(self, numbers: Sequence[int | None], left: int, right: int) -> tuple[int, int] | None:
        return self.ranks.get((numbers[left], numbers[right]))  # type: ignore[arg-type]


class _Merged(NamedTuple):
    """Per starting symbol the number of the token that starts there (None: inside one; -1:
    unknown); the merges (step, token, start, end, True) in the order in which they happened, and
    those skipped (False); per starting symbol where the token that starts there ends."""

    numbers: list[int | None]
    tried: list[tuple[int, int, int, int, bool]]
    ends: list[int]


@dataclass(frozen=True)
class LongestMatchEncoder:
    """WordPiece's encoding: the longest prefix in the vocabulary, then the longest ## piece of
    the rest, and so on; if any part has none, the whole word is unknown, and so is a word of more
    than `max_input_chars_per_word` characters (100 in BERT's `tokenization.py`).

    >>> encoder = LongestMatchEncoder(Spelling(continuing_subword_prefix="##"),
    ...     {Symbol("hu"): 0, Symbol("h"): 1, Symbol("g", True): 2}, None)
    >>> [p.token for p in encoder.encode("hug")], [p.token for p in encoder.encode("hugs")]
    (['hu', '##g'], ['[UNK]'])
    """

    __repr__ = short_repr

    spelling: Spelling
    id_of: Mapping[Symbol, int]
    unknown_id: int | None
    unknown: str = "[UNK]"
    max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD

    def encode(self, word: str) -> list[Piece]:
        pieces, covered = [], 0
        for symbol, start, end, found in self._tried(word):
            if found:
                pieces.append(Piece(self.spelling.show(symbol), self.id_of[symbol], start, end))
                covered = end
        if covered < len(word):
            return [Piece(self.unknown, self.unknown_id, 0, len(word))]
        return pieces

    def trace(self, word: str) -> list[Event]:
        return [
            Event(-1, self.spelling.show(symbol), start, end, found)
            for symbol, start, end, found in self._tried(word)
        ]

    def _tried(self, word: str) -> Iterator[tuple[Symbol, int, int, bool]]:
        """What is looked up, with its [start, end) and whether it is in the vocabulary."""
        start = 0
        if len(word) > self.max_input_chars_per_word:
            return
        while start < len(word):
            for end in range(len(word), start, -1):
                symbol = Symbol(word[start:end], start > 0)
                found = symbol in self.id_of
                yield symbol, start, end, found
                if found:
                    start = end
                    break
            else:
                return
