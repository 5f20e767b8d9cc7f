"""Tokens by the characters that they are parts of, so that a text can be read as whoever wrote it
reads it: é of two bytes, 日 of three, a family of five joined code points.

A character is what people take for one, an extended grapheme cluster.

Source: Unicode Standard Annex #29, Unicode Text Segmentation, chapter 3.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from tokviz.encoding.bytes_view import CharacterView, byte_characters
from tokviz.encoding.tokenizer import Tokenizer

_CHARACTER = regex.compile(r"\X")


class CharacterGroup(NamedTuple):
    """Tokens `first` to before `end` of an encoding, which cover the code points `start` to before
    `stop` of its text. Several are together where a character is cut between them; none cover what
    no token covers."""

    first: int
    end: int
    start: int
    stop: int


def by_character(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[CharacterGroup]:
    """The tokens with these offsets in a text, in groups that cut no character, and between them
    what no token covers.

    >>> import tokviz
    >>> tokenizer = tokviz.train("né", "bpe", 3, unit="byte").tokenizer(0)
    >>> for group in by_character("né", tokenizer.encode("né").offsets):
    ...     print(*group, sep=", ")
    0, 1, 0, 1
    1, 3, 1, 2
    >>> [tuple(group) for group in by_character("ab c", [(0, 2), (3, 4)])]
    [(0, 1, 0, 2), (1, 1, 2, 3), (1, 2, 3, 4)]
    """
    characters = _Characters(text)
    number, at = 0, 0
    while number < len(offsets):
        first, (start, stop) = number, offsets[number]
        number += 1
        # What a normalizer leaves out of a character is read with the rest of it.
        while stop > start:
            stop = characters.end(stop)
            if number == len(offsets) or offsets[number][0] >= stop:
                break
            stop = max(stop, offsets[number][1])
            number += 1
        if at < start:
            yield CharacterGroup(first, first, at, start)
        yield CharacterGroup(first, number, start, stop)
        at = max(at, stop)
    if at < len(text):
        yield CharacterGroup(number, number, at, len(text))


class _Characters:
    """The characters of a text, asked for by ascending places."""

    def __init__(self, text: str) -> None:
        self._text, self._found = text, _CHARACTER.finditer(text)
        self._start = self._end = 0

    def end(self, place: int) -> int:
        """The end of the character that a place cuts; the place itself if it cuts none."""
        while self._end < place and (match := next(self._found, None)):
            self._start, self._end = match.span()
        # A line break of two code points is a character that nobody reads.
        if self._start < place < self._end and self._text[place] != "\n":
            return self._end
        return place


def characters_of_bytes(tokenizer: Tokenizer, token_id: int | None) -> list[CharacterView]:
    """The characters, whole or in part, of a byte-level token that has one of several bytes; of any
    other token nothing, since its bytes say no more than its letters.

    >>> import tokviz
    >>> tokenizer = tokviz.train("né né", "bpe", 6, unit="byte").tokenizer()
    >>> [view.char for view in characters_of_bytes(tokenizer, tokenizer.token_to_id("nÃ©"))]
    ['n', 'é']
    >>> characters_of_bytes(tokenizer, tokenizer.token_to_id("n"))
    []
    """
    if token_id is None or tokenizer.spelling.unit != "byte" or not tokenizer.symbols[token_id]:
        return []
    data = tokenizer.text_bytes(token_id)
    return [] if data.isascii() else byte_characters(data)
