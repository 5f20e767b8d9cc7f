"""What opening a tokenizer file gives, whatever its format.

The ids of a text are the library's. Offsets are those of the characters that the library gave its
model, cut as the encoder here cuts them: the library's own drift where its model leaves characters
out, or writes bytes. Where the encoder here would give other ids than the library, nothing is shown
of how the word was cut, and the library's offsets are taken. Where the library tells what each
token stands for, the encoder here is not asked for offsets.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import ClassVar

import numpy as np

from tokviz.basics.arguments import check_text, plain
from tokviz.basics.messages import message
from tokviz.basics.no_cycles import no_cycles
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import WordEncoder
from tokviz.encoding.later import LaterEncoding
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.formats.readers.library import MARK, Library, LibraryHere, Spelled, Split
from tokviz.pretokenizers import Pretokenizer, Word, from_byte_level
from tokviz.text.pieces import Piece as TextPiece


@dataclass(frozen=True)
class OpenedPretokenizer(Pretokenizer):
    """The words of a file's library: what its model is given, added tokens apart.

    `form` says how the library's words become words here: "bytes" (they are written in the
    characters that stand for bytes), "marks" (`▁` is a space) or "plain" (as they are).
    """

    __repr__ = short_repr

    name: ClassVar[str] = "opened"
    label: ClassVar[str] = message("From a file")
    help: ClassVar[str] = message("What the opened tokenizer does to a text before its model.")
    source: ClassVar[str] = "huggingface/tokenizers; google/sentencepiece; openai/tiktoken"
    space_mark: ClassVar[str] = " "

    library: Library = field(repr=False)
    form: str = "plain"

    def words(self, text: str) -> Iterator[Word]:
        """The words of a text; added tokens are none."""
        return (piece.word for piece in self.pieces(text) if not piece.special)

    def pieces(self, text: str) -> Iterator[TextPiece]:
        """The words of a text, and the added tokens in it as special ones."""
        for word, special, *_ in self.library.splits(text):
            yield TextPiece(word if special else self.word(word), special)

    def words_of(self, spelled: Spelled) -> list[Word]:
        """The words of a text that its tokens spell, as words here."""
        if spelled.in_bytes != (self.form == "bytes"):
            return [*map(self.word, spelled.words())]
        texts = spelled.texts
        if self.form == "marks":
            texts = [text.replace(MARK, " ") for text in texts]
        return spelled.words_of(texts)

    def word(self, given: Word) -> Word:
        """A word of the library as a word here."""
        text, start, end, spans = given
        if self.form == "plain" and spans is None:
            return given
        if self.form == "marks":
            text = text.replace(MARK, " ")
        elif self.form == "bytes":
            text = from_byte_level(text).decode("utf-8")
            if spans is not None:
                # All bytes of a character have one source.
                sizes = [len(char.encode("utf-8")) for char in text]
                spans = tuple(spans[last - 1] for last in accumulate(sizes))
        if spans is not None and all(span == (i, i + 1) for i, span in enumerate(spans, start)):
            spans = None
        return Word(text, start, end, spans)


@dataclass(frozen=True, repr=False)
class OpenedWords(Tokenizer):
    """A tokenizer with an opened file's words and vocabulary, and its encoder's ids: the
    file as of some of its merges, or with more of them. `added` has the ids of the file's added
    tokens by their texts."""

    added: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)

    def cut(self, text: str) -> Iterator[TextPiece]:
        """The words of a text, and the added tokens in it."""
        check_text(text)
        assert isinstance(self.pretokenizer, OpenedPretokenizer)
        return self.pretokenizer.pieces(text)

    def special_id(self, token: str) -> int:
        """The id of an added token."""
        return self.added[token]

    def decoded_slice(self, text: str) -> slice:
        """See `Tokenizer`; not the space in front, where the library leaves it out."""
        if self._drops_space:
            return slice(len(text) - len(text.removeprefix(" ")), len(text))
        return super().decoded_slice(text)

    @cached_property
    def _drops_space(self) -> bool:
        """Whether a text that begins with a space is decoded without it, as the first token tells
        that begins with one."""
        for i, symbol in enumerate(self.symbols):
            if symbol is not None and self.text_bytes(i).startswith(b" "):
                return not self.decode([i]).startswith(" ")
        return False

    def decode(self, ids: Iterable[int | None]) -> str:
        """The text of ids, as the library decodes them when it keeps special tokens.

        Raises SettingError for None, the id of what the vocabulary does not hold, and
        OutOfRangeError (an IndexError) for an id that the vocabulary does not have.
        """
        ids = list(ids) if isinstance(ids, Iterable) else ids
        # What cannot be an id is refused as everywhere.
        for _ in self.decoded_parts(ids):
            pass
        known = [int(plain(i)) for i in ids]
        assert isinstance(self.pretokenizer, OpenedPretokenizer)
        # Of nothing some decoders of tokenizers take the last character, and panic.
        if not known:
            return ""
        first, plain_string = self.first_new, self.spelling.plain
        made = {i: self.symbols[i] for i in {*known} if first is not None and i >= first}
        new = {i: plain_string(symbol) for i, symbol in made.items() if symbol}
        return self.pretokenizer.library.decode(known, new)


@dataclass(frozen=True, repr=False)
class GivenTokenizer(OpenedWords):
    """The tokenizer of a file, run by its library."""

    def encode(self, text: str, dropout: float = 0.0, seed: int = 0) -> Encoding:
        """See `Tokenizer`: with `dropout` by the encoder here, since no library skips merges by a
        seed."""
        if dropout:
            return super().encode(text, dropout, seed)
        check_text(text)
        assert isinstance(self.pretokenizer, OpenedPretokenizer)
        library = self.pretokenizer.library
        if isinstance(library, LibraryHere):
            ids, rest, offsets = library.begun(text)
            return self._later(ids, lambda: self._all_of(ids, rest), no_cycles()(offsets))
        splits_there = library.splits(text)
        ids = [i for split in splits_there for i in split.ids]
        return self._later(ids, lambda: self._told(splits_there))

    def _later(
        self,
        ids: Iterable[int],
        rest: Callable[[], Encoding],
        offsets: Callable[[], list[tuple[int, int]] | None] = lambda: None,
    ) -> Encoding:
        return LaterEncoding([*ids], self.strings, self.encoder, rest, self._untold, offsets)

    @no_cycles()
    def _all_of(self, ids: list[int], rest: Callable[[], Iterator[Split] | Spelled]) -> Encoding:
        """All that is known of a text by its ids and what the library tells later."""
        found = rest()
        if not isinstance(found, Spelled):
            return self._told(found)
        assert isinstance(self.pretokenizer, OpenedPretokenizer)
        words = self.pretokenizer.words_of(found)
        word_ids = np.repeat(np.arange(len(words)), np.diff([0, *found.until])).tolist()
        tokens = [*map(self.strings.__getitem__, ids)]
        return Encoding(tokens, [*ids], found.offsets, words, self.encoder, word_ids=[*word_ids])

    @no_cycles()
    def _told(self, splits: Iterable[Split]) -> Encoding:
        """All that is known of a text by its splits."""
        encoding, pretokenizer = Encoding([], [], [], [], self.encoder), self.pretokenizer
        assert isinstance(pretokenizer, OpenedPretokenizer)
        offsets, words, word_ids = encoding.offsets, encoding.words, encoding.word_ids
        all_ids = list[int]()
        # Most words are met again: as what, and where in them their tokens are, or None.
        met: dict[tuple[str, tuple[int, ...]], tuple[str, list[tuple[int, int]] | None]] = {}
        for given, special, ids, own, exact in splits:
            all_ids += ids
            raw, at, end, spans = given
            if special:
                offsets += [(at, end)] * len(ids)
                word_ids += [None] * len(ids)
                continue
            number = len(words)
            word_ids += [number] * len(ids)
            if exact:
                words.append(pretokenizer.word(given))
                offsets += own
                continue
            if spans is None and (found := met.get((raw, ids))):
                text, inside = found
                word = given if text is raw else Word(text, at, end)
            else:
                word = pretokenizer.word(given)
                text, at, end, spans = word
                cuts = self.pieces_of(text)
                same = [piece.id for piece in cuts] == [*ids]
                inside = [(piece.start, piece.end) for piece in cuts] if same else None
                if given.spans is None:
                    met[raw, ids] = text, inside
            words.append(word)
            if inside is None:
                offsets += own
            elif spans is None:
                offsets += [(at + start, at + to) for start, to in inside]
            else:
                offsets += [word.span(start, to) for start, to in inside]
        encoding.ids.extend(all_ids)
        encoding.tokens.extend(map(self.strings.__getitem__, all_ids))
        return encoding

    def _untold(self, encoding: Encoding) -> set[int]:
        """The words that the encoder here would cut otherwise."""
        own: list[list[int | None]] = [[] for _ in encoding.words]
        for number, i in zip(encoding.word_ids, encoding.ids, strict=True):
            if number is not None:
                own[number].append(i)
        return {
            number
            for number, (word, ids) in enumerate(zip(encoding.words, own, strict=True))
            if [piece.id for piece in self.pieces_of(word.text)] != ids
        }

    def with_encoder(self, encoder: WordEncoder) -> Tokenizer:
        """See `Tokenizer`; its ids are no library's."""
        return OpenedWords(
            self.strings,
            self.symbols,
            self.spelling,
            self.pretokenizer,
            self.special_tokens,
            encoder,
            self.bytes_of,
            added=self.added,
        )


def some_tokens(tokens: list[str]) -> str:
    """The first ten tokens of a list, for people.

    >>> some_tokens(["<s>", "</s>"]), some_tokens([])
    ('<s>, </s>', 'none')
    """
    if not tokens:
        return message("none")
    shown = ", ".join(tokens[:10])
    if len(tokens) <= 10:
        return shown
    return message("{tokens} and {n:,} more", tokens=shown, n=len(tokens) - 10)
