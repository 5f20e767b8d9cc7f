"""Tokens that a tokenizer.json adds to its model: found in the text before anything else is done.

Source: huggingface/tokenizers, src/tokenizer/added_vocabulary.rs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import regex

from tokviz.formats.aligned_text import AlignedText
from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief
from tokviz.formats.hf_unicode import as_known
from tokviz.language import message
from tokviz.pretokenizers.whitespace import IS_RUST_SPACE

#: The largest id: above it a vocabulary is mostly holes.
MOST_ID = 2_000_000

_WORD = regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")


class AddedToken(NamedTuple):
    """One added token, its fields named as in the library."""

    content: str
    single_word: bool
    lstrip: bool
    rstrip: bool
    normalized: bool
    special: bool


@dataclass(frozen=True)
class Literals:
    """Finds strings in a text: the leftmost first, of those at a place the longest.

    >>> list(Literals({"ab": 0, "abc": 1, "b": 2}).find("abcb"))
    [(0, 3, 1), (3, 4, 2)]
    """

    numbers: Mapping[str, int]

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        lengths: dict[str, set[int]] = {}
        for string in self.numbers:
            lengths.setdefault(string[0], set()).add(len(string))
        return {first: sorted(found, reverse=True) for first, found in lengths.items()}

    @cached_property
    def _firsts(self) -> re.Pattern[str]:
        return re.compile("[" + "".join(map(re.escape, self._lengths)) + "]")

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and number of each that is found."""
        at = 0
        while self.numbers and (first := self._firsts.search(text, at)):
            start = first.start()
            at = start + 1
            for length in self._lengths[first[0]]:
                number = self.numbers.get(text[start : start + length])
                if number is not None and start + length <= len(text):
                    at = start + length
                    yield start, at, number
                    break


@dataclass(frozen=True)
class AddedTokens:
    """The added tokens of a file: `ids` by content, what each id is decoded to (as it reads after
    normalizing), and what is looked for before normalizing and after it. Made by
    `read_added_tokens`."""

    ids: Mapping[str, int]
    by_id: Mapping[int, AddedToken]
    decoded: Mapping[int, str]
    raw: Literals
    normalized: Literals

    def parts(
        self, text: str, normalize: Callable[[AlignedText], AlignedText]
    ) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """The text at its added tokens; what lies between them is normalized."""
        for part, token in self._split(AlignedText(text), self.raw):
            if token is not None:
                yield part, token
            elif part.text:
                yield from self._split(normalize(part), self.normalized)

    def _split(
        self, text: AlignedText, literals: Literals
    ) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        string, done = text.text, 0
        for start, end, number in literals.find(string):
            token = self.by_id[number]
            if token.single_word and (_is_word(string, start - 1) or _is_word(string, end)):
                continue
            if token.lstrip:
                while start > done and IS_RUST_SPACE.match(string[start - 1]):
                    start -= 1
                # The one before it may have taken the spaces, and even more than those.
                start = max(start, done)
            while token.rstrip and end < len(string) and IS_RUST_SPACE.match(string[end]):
                end += 1
            if done < start:
                yield text.part(done, start), None
            yield text.part(start, end), token
            done = end
        if done < len(string):
            yield text.part(done, len(string)), None


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and _WORD.match(as_known(text[at])) is not None


def read_added_tokens(
    items: Iterable[Any],
    vocabulary: Mapping[str, int],
    vocabulary_size: int,
    normalize: Callable[[AlignedText], AlignedText],
) -> tuple[AddedTokens, int]:
    """The added tokens, and how many of them have another id than the file says: the library gives
    an added token the id of the vocabulary, or the next one, whatever is written.

    Raises TokenizerFileError for tokens that are not well described.

    >>> fields = ("single_word", "lstrip", "rstrip", "normalized", "special")
    >>> token = {"id": 7, "content": "<s>", **dict.fromkeys(fields, False)}
    >>> added, moved = read_added_tokens([token], {"a": 0}, 1, lambda text: text)
    >>> added.ids, moved
    ({'<s>': 1}, 1)
    """
    read = [_read(item) for item in items]
    ids: dict[str, int] = {}
    by_id: dict[int, AddedToken] = {}
    first: dict[str, AddedToken] = {}
    ordinary: list[AddedToken] = []
    for _, token in read:
        if token.special:
            first.setdefault(token.content, token)
    for _, token in read:
        if by_id.get(ids.get(token.content, -1)) == token:
            continue
        found = ids.get(token.content, vocabulary.get(token.content))
        if found is None:
            found = max(vocabulary_size, max(ids.values(), default=-1) + 1)
        if found > MOST_ID:
            raise TokenizerFileError(
                message("Ids above {most_id:,} are not possible.", most_id=MOST_ID)
            )
        ids[token.content], by_id[found] = found, token
        if token.content not in first:
            ordinary.append(token)
    raw: dict[str, int] = {}
    normal: dict[str, int] = {}
    for token in [*first.values(), *ordinary]:
        if not token.normalized:
            raw.setdefault(token.content, ids[token.content])
            continue
        text = normalize(AlignedText(token.content)).text
        if not text:
            raise TokenizerFileError(
                message(
                    "The added token {token} is nothing after normalizing.",
                    token=brief(token.content),
                )
            )
        if normal.setdefault(text, ids[token.content]) != ids[token.content]:
            raise TokenizerFileError(
                message(
                    "Two added tokens are {text} after normalizing, and the library finds "
                    "one or the other by chance.",
                    text=brief(text),
                )
            )
    moved = sum(ids[token.content] != declared for declared, token in read)
    decoded = {
        number: normalize(AlignedText(token.content)).text if token.normalized else token.content
        for number, token in by_id.items()
    }
    return AddedTokens(ids, by_id, decoded, Literals(raw), Literals(normal)), moved


def _read(item: object) -> tuple[int, AddedToken]:
    fields = Fields(message("an added token"), item)
    flags = [fields.flag(name) for name in AddedToken._fields[1:]]
    token = AddedToken(fields.text("content"), *flags)
    if not token.content:
        raise TokenizerFileError(message("An added token is an empty text."))
    return fields.number("id", 2**32 - 1), token
