"""What every pre-tokenizer is, and the words that it gives."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import regex

from tokviz.basics.short_repr import short_repr


class Word(NamedTuple):
    """What a trainer sees, and where in the document it came from (in code points).

    `spans` holds the source of every character of `text`; None is the common case in which
    character i is the source character start + i.
    """

    text: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...] | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    def span(self, i: int, j: int) -> tuple[int, int]:
        """The source offsets of `text[i:j]`, empty where those characters have no source.

        >>> Word("hug", 4, 7).span(1, 3)
        (5, 7)
        >>> word = Word(" hug", 4, 7, ((4, 4), (4, 5), (5, 6), (6, 7)))
        >>> word.span(0, 1), word.span(0, 2)
        ((4, 4), (4, 5))
        """
        if self.spans is None:
            return self.start + i, self.start + j
        if i >= j:
            at = self.spans[i][0] if i < len(self.spans) else self.end
            return at, at
        # Not the ends of the outer two: a normalizer may have reordered combining marks.
        covered = self.spans[i:j]
        return min(covered)[0], max(end for _, end in covered)


@dataclass(frozen=True)
class Pretokenizer(ABC):
    """Cuts a document into words. Its dataclass fields are its settings."""

    name: ClassVar[str]
    label: ClassVar[str]
    help: ClassVar[str]
    source: ClassVar[str]
    space_mark: ClassVar[str]

    @abstractmethod
    def words(self, text: str) -> Iterator[Word]:
        """The words of one document, in text order. Never an empty word."""

    def leaves_out(self, char: str) -> bool:  # noqa: ARG002 (most leave nothing out)
        """Whether nothing is left of a character where the text is normalized."""
        return False


#: Where a document may be cut in two for every pre-tokenizer that cuts at whitespace.
SPACE_CUTS = regex.compile(r"(?<=\S)[ \t\n\r\u3000]")

#: The same for those that also cut at punctuation: text in Chinese may have no spaces at all.
PUNCTUATION_CUTS = regex.compile(
    r"(?<=\S)[ \t\n\r\u3000]|(?<=[\p{L}\p{N}])[!-/:-@\[-`{-~、。，！？；：]"
)


@dataclass(frozen=True)
class BlockPretokenizer(Pretokenizer):
    """A pre-tokenizer that the compiled counter has too, and which counts a text in blocks (see
    `blocks`).

    `safe_cuts` matches at places where a document may be cut in two, just before the match: the
    words stay the same.
    """

    safe_cuts: ClassVar[regex.Pattern[str]]

    def prepared(self, data: bytes) -> bytes:
        """The block that is cut: another one where the text is normalized before."""
        return data
