"""What opening a tokenizer file gives, whatever its format."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import ClassVar

from tokviz.corpus import Piece as TextPiece
from tokviz.formats.added_tokens import AddedTokens, Literals
from tokviz.formats.aligned_text import AlignedText
from tokviz.formats.hf_normalizers import Normalize, normalized
from tokviz.formats.hf_pretokenizers import CutStep, pretokenized
from tokviz.given_merges import GivenMerges
from tokviz.language import message
from tokviz.pretokenizers import Pretokenizer, Word, from_byte_level
from tokviz.short_repr import short_repr
from tokviz.tokenizer import Tokenizer

#: The files' own sign for a space.
MARK = "▁"

_NO_TOKENS = AddedTokens({}, {}, {}, Literals({}), Literals({}))


@dataclass(frozen=True)
class OpenedTokenizer:
    """A tokenizer that was made elsewhere.

    `name` is the file's, `format` tokenizer.json, vocab.json + merges.txt, .tiktoken or
    SentencePiece model, `model` BPE, WordPiece or Unigram. `facts` are what the file says, for
    people; `notes` are sentences on what is assumed, reconstructed or left out. `merges` is None
    for models that do not merge.

    >>> from tokviz.formats.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"l": 0, "o": 1, "lo": 2}', "merges.txt": b"l o"}
    >>> opened = open_tokenizer(files)
    >>> opened.model, len(opened.merges.pairs), opened.tokenizer.encode("lol").ids
    ('BPE', 1, [2, 0])
    """

    __repr__ = short_repr

    name: str
    format: str
    model: str
    facts: dict[str, str] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    tokenizer: Tokenizer
    merges: GivenMerges | None = field(repr=False)


@dataclass(frozen=True)
class OpenedPretokenizer(Pretokenizer):
    """Added tokens, normalizers and pre-tokenizers of a file, one after the other.

    `form` says how the library's words become words here: "bytes" (they are written in the
    characters that stand for bytes), "marks" (`▁` is a space) or "plain" (as they are).
    """

    __repr__ = short_repr

    name: ClassVar[str] = "opened"
    label: ClassVar[str] = message("From a file")
    help: ClassVar[str] = message("What the opened tokenizer does with a text before its model.")
    source: ClassVar[str] = "huggingface/tokenizers, src/tokenizer/mod.rs; openai/tiktoken"
    space_mark: ClassVar[str] = " "

    normalizers: Sequence[tuple[str, Normalize]] = ()
    cuts: Sequence[CutStep] = ()
    added: AddedTokens = _NO_TOKENS
    form: str = "plain"

    def words(self, text: str) -> Iterator[Word]:
        """The words of a text; added tokens are none."""
        return (piece.word for piece in self.pieces(text) if not piece.special)

    def pieces(self, text: str) -> Iterator[TextPiece]:
        """The words of a text, and the added tokens in it as special ones."""

        def normalize(part: AlignedText) -> AlignedText:
            return normalized(part, self.normalizers)

        for part, token in self.added.parts(text, normalize):
            if token is not None:
                yield TextPiece(Word(token.content, *_covered(part)), True)
                continue
            for word in pretokenized([part], self.cuts):
                if word.text:
                    yield TextPiece(self._word(word), False)

    def _word(self, part: AlignedText) -> Word:
        text, spans = part.text, part.spans
        if self.form == "marks":
            text = text.replace(MARK, " ")
        elif self.form == "bytes":
            text = from_byte_level(text).decode("utf-8", "surrogatepass")
            if spans is not None:
                # All bytes of a character have one source.
                sizes = [len(char.encode("utf-8", "surrogatepass")) for char in text]
                spans = tuple(spans[end - 1] for end in accumulate(sizes))
        start, end = _covered(part)
        if spans is not None and all(
            span == (i, i + 1) for i, span in enumerate(spans, start=start)
        ):
            spans = None
        return Word(text, start, end, spans)


def _covered(part: AlignedText) -> tuple[int, int]:
    if part.spans is None:
        return part.start, part.start + len(part.text)
    return min(part.spans)[0], max(end for _, end in part.spans)


@dataclass(frozen=True, repr=False)
class GivenTokenizer(Tokenizer):
    """The tokenizer of a file. `plain` holds its tokens as the file writes them, by id; `decoder`
    is None where the file's is of a kind that is not known."""

    plain: Sequence[str] = ()
    decoder: Callable[[list[str]], list[str]] | None = field(default=None, compare=False)

    def cut(self, text: str) -> Iterator[TextPiece]:
        """The words of a text, and the added tokens in it."""
        assert isinstance(self.pretokenizer, OpenedPretokenizer)
        return self.pretokenizer.pieces(text)

    def special_id(self, token: str) -> int:
        """The id of an added token."""
        assert isinstance(self.pretokenizer, OpenedPretokenizer)
        return self.pretokenizer.added.ids[token]

    def decode(self, ids: Iterable[int | None]) -> str:
        """The text of ids, as the library decodes them when it keeps special tokens.

        Raises ValueError for None, the id of what the vocabulary does not hold, and IndexError
        for an id that the vocabulary does not have.
        """
        ids = list(ids)
        fallback = super().decode(ids)
        if self.decoder is None:
            return fallback
        return "".join(self.decoder([self.plain[i] for i in ids if i is not None]))
