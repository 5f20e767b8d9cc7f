"""Ranks as `tiktoken` runs them.

Which bytes a token has is known, so where it is in a text follows from its ids. The library does
not tell its words: these are found by the package `regex` with the same pattern, and where a word
ends inside a token of the library it goes on to the next end.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import tiktoken

from tokviz.basics.errors import OutOfRangeError
from tokviz.basics.messages import told_by
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief
from tokviz.formats.readers.library import Split, failing, placed, readable
from tokviz.pretokenizers import PatternError, RegexPretokenizer, Word, from_byte_level

#: Escapes of fancy-regex, which tiktoken uses; the first is a character by its number.
_ESCAPE = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|.)", re.DOTALL)


class TiktokenLibrary:
    """An encoding of the library with these ranks, this pattern and these special tokens, which it
    decodes, and reads as text where they are typed in one.

    Raises TokenizerFileError for a pattern that the library, or the package `regex`, refuses.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> library = TiktokenLibrary(ranks, r"\\w+|\\W", {})
    >>> [(split.word.text, split.ids) for split in library.splits("ab é")]
    [('ab', (256,)), (' ', (32,)), ('é', (195, 169))]
    """

    def __init__(
        self, rank_of: Mapping[bytes, int], pattern: str, special: Mapping[str, int]
    ) -> None:
        try:
            self._pattern = RegexPretokenizer(_ESCAPE.sub(_translated, pattern))
        except PatternError as error:
            raise TokenizerFileError(told_by(error)) from None
        with failing("tiktoken"):
            self._encoding = tiktoken.Encoding(
                "opened",
                pat_str=pattern,
                mergeable_ranks={**rank_of},
                special_tokens={**special},
            )
        self._bytes = {rank: token for token, rank in rank_of.items()}
        self._bytes |= {number: text.encode() for text, number in special.items()}

    def about(self) -> None:
        """Nothing: see `Library`."""

    def decode(self, ids: list[int], new: Mapping[int, str] | None = None) -> str:
        """See `Library`."""
        bytes_of = {i: from_byte_level(token) for i, token in (new or {}).items()}
        for i in ids:
            if i not in self._bytes and i not in bytes_of:
                last = max(self._bytes)
                raise OutOfRangeError.saying(
                    "id {token_id} is not in the vocabulary (0 to {last}).", token_id=i, last=last
                )
        if bytes_of:
            # As `decode` of the library puts bytes together.
            return b"".join((bytes_of | self._bytes)[i] for i in ids).decode("utf-8", "replace")
        with failing("tiktoken"):
            return self._encoding.decode(ids)

    def splits(self, text: str) -> list[Split]:
        """See `Library`. Raises PatternError if the pattern takes too long to find the words."""
        known, places = readable(text)
        with failing("tiktoken"):
            ids = self._encoding.encode_ordinary(known)
        words = [(word.start, word.end) for word in self._pattern.words(known)]
        data = b"".join(map(self._bytes.__getitem__, ids))
        if len(data) == len(known.encode()):
            words = list(_without_gaps(words, len(known)))
        elif data != "".join(known[start:end] for start, end in words).encode():
            raise TokenizerFileError.saying(
                "tiktoken leaves other parts of this text out than the pattern {pattern} says "
                "here, so where its tokens are is not known; give a pattern that leaves nothing "
                "out.",
                pattern=brief(self._pattern.pattern),
            )
        return placed(list(self._cut(known, ids, words)), places)

    def _cut(self, text: str, ids: list[int], words: list[tuple[int, int]]) -> Iterator[Split]:
        """The words with their tokens, in the order of both."""
        # The character of each byte of the words, and the byte at which each word ends.
        place: Sequence[int] = range(len(text))
        ends = [end for _, end in words]
        if not text.isascii() or sum(end - start for start, end in words) < len(text):
            place = [i for s, e in words for i in range(s, e) for _ in text[i].encode()]
            ends = [*accumulate(len(text[start:end].encode()) for start, end in words)]
        at = begun = number = 0
        own, offsets = list[int](), list[tuple[int, int]]()
        for i in ids:
            first, at = at, at + len(self._bytes[i])
            own.append(i)
            offsets.append((place[first], place[at - 1] + 1))
            # A word that ends inside a token is none of the library's.
            while ends[number] < at:
                number += 1
            if ends[number] == at:
                number += 1
                yield Split(_word(text, words[begun:number]), False, tuple(own), tuple(offsets))
                begun, own, offsets = number, [], []


def _word(text: str, spans: list[tuple[int, int]]) -> Word:
    """One word of several stretches."""
    start, end = spans[0][0], spans[-1][1]
    if len(spans) == 1 or sum(last - first for first, last in spans) == end - start:
        return Word(text[start:end], start, end)
    places = tuple((i, i + 1) for first, last in spans for i in range(first, last))
    return Word("".join(text[i] for i, _ in places), start, end, places)


def _without_gaps(words: list[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """The words, and what is between them as words as well.

    >>> list(_without_gaps([(1, 2), (2, 3)], 4))
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    """
    at = 0
    for start, end in words:
        if at < start:
            yield at, start
        yield start, end
        at = end
    if at < size:
        yield at, size


def _translated(match: "re.Match[str]") -> str:
    r"""An escape of tiktoken's expressions as the `regex` package writes it.

    >>> _ESCAPE.sub(_translated, r"[a\x{aa}-\x{10ffff}]\\x{aa}\z") == (
    ...     r"[a\U000000aa-\U0010ffff]\\x{aa}\Z")
    True
    """
    if match[0] == r"\z":
        return r"\Z"
    code = int(match[1], 16) if match[1] else sys.maxunicode + 1
    # What is no character is left for the package to refuse.
    return match[0] if code > sys.maxunicode or 0xD800 <= code < 0xE000 else rf"\U{code:08x}"
