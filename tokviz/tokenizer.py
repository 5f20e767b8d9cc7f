"""The tokenizer of one state: encode a text with its offsets, decode ids back to text."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tokviz.corpus import pieces
from tokviz.encoders import Event, Piece, WordEncoder
from tokviz.pretokenizers import Pretokenizer, Word
from tokviz.symbols import Spelling, Symbol


@dataclass(frozen=True)
class Encoding:
    """A text in tokens: as displayed, their ids (None for what the vocabulary does not hold), and
    the code points [start, end) of the text that each covers."""

    tokens: list[str]
    ids: list[int | None]
    offsets: list[tuple[int, int]]
    words: list[Word]
    _encoder: WordEncoder

    @cached_property
    def trace(self) -> list[tuple[Word, list[Event]]]:
        """For every word what the encoder did, in order."""
        return [(word, self._encoder.trace(word.text)) for word in self.words]

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class Tokenizer:
    """Encodes and decodes with the vocabulary of one state. Made by `History.tokenizer`.

    >>> import tokviz
    >>> history = tokviz.train(["low lower", "low"], "bpe", vocab_size=8)
    >>> encoding = history.tokenizer(2).encode("slow")
    >>> encoding.tokens, encoding.ids, encoding.offsets
    (['s', 'low'], [None, 7], [(0, 1), (1, 4)])
    """

    strings: list[str]
    symbols: list[Symbol | None]  # by id; None for special tokens
    spelling: Spelling
    pretokenizer: Pretokenizer
    special_tokens: tuple[str, ...]
    encoder: WordEncoder

    def encode(self, text: str) -> Encoding:
        """Tokens, ids and offsets of a text. Special tokens in it are kept whole."""
        tokens: list[str] = []
        ids: list[int | None] = []
        offsets: list[tuple[int, int]] = []
        words: list[Word] = []
        known: dict[str, list[Piece]] = {}
        for word, special in pieces(text, self.pretokenizer, self.special_tokens):
            if special:
                tokens.append(word.text)
                ids.append(self.special_tokens.index(word.text))
                offsets.append((word.start, word.end))
                continue
            words.append(word)
            if word.text not in known:
                known[word.text] = self.encoder.encode(word.text)
            for piece in known[word.text]:
                tokens.append(piece.token)
                ids.append(piece.id)
                offsets.append(word.span(piece.start, piece.end))
        return Encoding(tokens, ids, offsets, words, self.encoder)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids. Bytes that are no UTF-8 become U+FFFD.

        Raises IndexError for an id that the vocabulary does not have.
        """
        parts: list[bytes] = []
        for i in ids:
            if not 0 <= i < len(self.strings):
                raise IndexError(f"id {i} is not in the vocabulary (0 to {len(self.strings) - 1}).")
            symbol = self.symbols[i]
            if symbol is None:
                parts.append(self.strings[i].encode("utf-8", "surrogatepass"))
                continue
            if self.spelling.continuing_subword_prefix and not symbol.continuing and parts:
                parts.append(b" ")
            parts.append(self.spelling.bytes_of(symbol))
            if symbol.ends_word:
                parts.append(b" ")
        text = b"".join(parts).decode("utf-8", "replace")
        if self.spelling.end_of_word_suffix:
            return text.removesuffix(" ")
        return text.removeprefix(" ") if self.pretokenizer.name == "metaspace" else text
