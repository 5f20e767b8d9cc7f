"""Greedy longest token: a 2024 article's shortcut for vocabularies with an end-of-word suffix."""

from collections.abc import Sequence
from dataclasses import dataclass

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, Piece, character_spans
from tokviz.text.symbols import Spelling, Symbol


@dataclass(frozen=True)
class LongestTokenEncoder:
    """Cuts at the longest token found anywhere in the word, then in what is left of it.

    `tokens` are tried in the order given (the longest first, an end-of-word suffix counting as
    one; then the most frequent). What no token covers is `</u>`.

    Source: "Byte-Pair Encoding For Beginners" (2024), `tokenize_word`, corrected: its published
    code drops unknown characters and never matches tokens that hold a dot.

    >>> tokens = [(Symbol("est", ends_word=True), 7), (Symbol("low"), 3)]
    >>> encoder = LongestTokenEncoder(Spelling(end_of_word_suffix="</w>"), tokens)
    >>> [piece.token for piece in encoder.encode("slowest")]
    ['</u>', 'low', 'est</w>']
    """

    __repr__ = short_repr

    spelling: Spelling
    tokens: Sequence[tuple[Symbol, int]]
    unknown: str = "</u>"

    def encode(self, word: str) -> list[Piece]:
        return sorted(self._cut(word), key=lambda piece: (piece.start, piece.end))

    def trace(self, word: str) -> list[Event]:
        return [Event(-1, p.token, p.start, p.end, p.id is not None) for p in self._cut(word)]

    def _cut(self, word: str) -> list[Piece]:
        symbols = self.spelling.split(word)
        spans = character_spans(word, symbols, self.spelling.unit)
        text = "".join(symbol.text for symbol in symbols)
        suffix = bool(self.spelling.end_of_word_suffix)
        # Stretches not covered yet: from, to, and whether the end-of-word suffix is among them.
        open_stretches = [(0, len(text), suffix)] if text else []
        pieces: list[Piece] = []

        def place(token: str, token_id: int | None, start: int, end: int) -> None:
            first = spans[start][0] if start < len(text) else len(word)
            last = spans[end - 1][1] if end > start else first
            pieces.append(Piece(token, token_id, first, last))

        for symbol, token_id in self.tokens:
            remaining = []
            for first, last, with_suffix in open_stretches:
                at = first
                while True:
                    if symbol.ends_word:
                        found = last - len(symbol.text)
                        fits = with_suffix and found >= at and text.endswith(symbol.text, at, last)
                    else:
                        found = text.find(symbol.text, at, last)
                        fits = found >= 0 and bool(symbol.text)
                    if not fits:
                        break
                    if found > at:
                        remaining.append((at, found, False))
                    end = found + len(symbol.text)
                    place(self.spelling.show(symbol), token_id, found, end)
                    at = end
                    if symbol.ends_word:
                        with_suffix = False
                        break
                if at < last or with_suffix:
                    remaining.append((at, last, with_suffix))
            open_stretches = remaining
        for first, last, _ in open_stretches:
            place(self.unknown, None, first, last)
        return pieces
