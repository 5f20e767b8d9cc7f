"""Ranks as `tiktoken` runs them.

Which bytes a token has is known, so where it is in a text follows from its ids. The library does
not tell its words: these are found by the package `regex` with the same pattern, and where a word
ends inside a token of the library it goes on to the next end.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import tiktoken

from tokviz.basics.errors import OutOfRangeError
from tokviz.basics.messages import told_by
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief
from tokviz.formats.readers.library import (
    Begun,
    LibraryHere,
    Spelled,
    Split,
    characters_of,
    failing,
    placed,
    readable,
)
from tokviz.pretokenizers import PatternError, RegexPretokenizer, Word, from_byte_level

#: Escapes of fancy-regex, which tiktoken uses; the first is a character by its number.
_ESCAPE = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|.)", re.DOTALL)


class TiktokenLibrary(LibraryHere):
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

    def begun(self, text: str) -> Begun:
        """See `LibraryHere`. The splits raise PatternError if the pattern takes too long to find
        the words."""
        known, places = readable(text)
        with failing("tiktoken"):
            ids = self._encoding.encode_ordinary(known)
        sizes = self._sizes[np.array(ids, np.int64)]
        if sizes.sum() == len(known.encode()):
            if places is None:
                # Whoever asks for the offsets alone does not wait for the words.
                offsets = cache(lambda: _offsets(known, sizes))
                return Begun(ids, lambda: self._spelled(known, sizes, offsets()), offsets)
            return Begun(ids, lambda: placed(self._cut(known, ids, self._all(known)), places))
        words = self._words(known)
        if self._joined(ids) != "".join(known[start:end] for start, end in words).encode():
            raise TokenizerFileError.saying(
                "tiktoken leaves other parts of this text out than the pattern {pattern} says "
                "here, so where its tokens are is not known; give a pattern that leaves nothing "
                "out.",
                pattern=brief(self._pattern.pattern),
            )
        return Begun(ids, lambda: placed(self._cut(known, ids, words), places))

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        """How many bytes each token has, by id."""
        sizes = np.zeros(max(self._bytes) + 1, np.int64)
        sizes[[*self._bytes]] = [*map(len, self._bytes.values())]
        return sizes

    def _spelled(
        self, text: str, sizes: npt.NDArray[np.int64], offsets: list[tuple[int, int]]
    ) -> Spelled:
        """All of a text whose bytes are those of its tokens, which have these sizes."""
        _, first_byte = characters_of(text.encode())
        token_ends = sizes.cumsum()
        if (texts := self._pattern.whole(text)) is None:
            ends = np.array([end for _, end in self._all(text)], np.int64)
        else:
            ends = np.fromiter(map(len, texts), np.int64, len(texts)).cumsum()
        # A word that ends inside a token is none of the library's.
        until = token_ends.searchsorted(first_byte[ends])
        whole = token_ends[until] == first_byte[ends]
        until, borders = (until[whole] + 1).tolist(), [0, *ends[whole].tolist()]
        if texts is None or not whole.all():
            texts = [text[start:end] for start, end in pairwise(borders)]
        return Spelled(texts, borders[:-1], borders[1:], until, offsets)

    def _words(self, text: str) -> list[tuple[int, int]]:
        return [(start, end) for _, start, end, _ in self._pattern.words(text)]

    def _all(self, text: str) -> list[tuple[int, int]]:
        return [*_without_gaps(self._words(text), len(text))]

    def _joined(self, ids: list[int]) -> bytes:
        return b"".join(map(self._bytes.__getitem__, ids))

    def _cut(self, text: str, ids: list[int], words: list[tuple[int, int]]) -> Iterator[Split]:
        """The words with their tokens, in the order of both."""
        if not ids:
            return
        borders = np.array(words, np.int64)
        lengths = borders[:, 1] - borders[:, 0]
        word_ends = lengths.cumsum()
        # The character of the text that each character of the words is.
        chars = np.arange(word_ends[-1]) + np.repeat(borders[:, 0] - word_ends + lengths, lengths)
        of_byte, first_byte = characters_of(self._joined(ids))
        place, ends = chars[of_byte], first_byte[word_ends]
        token_ends = self._sizes[np.array(ids, np.int64)].cumsum()
        starts = place[np.append(0, token_ends[:-1])].tolist()
        offsets = [*zip(starts, (place[token_ends - 1] + 1).tolist(), strict=True)]
        # A word that ends inside a token is none of the library's.
        until = token_ends.searchsorted(ends)
        whole = (token_ends[until] == ends).nonzero()[0]
        at = begun = 0
        for last, end in zip((until[whole] + 1).tolist(), (whole + 1).tolist(), strict=True):
            spans = tuple(offsets[at:last])
            word = _word(text, words[begun:end])
            yield Split(word, False, tuple(ids[at:last]), spans, exact=True)
            at, begun = last, end


def _offsets(text: str, sizes: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Where the tokens are in a text, by how many of its bytes each of them has.

    >>> _offsets("aé", np.array([2, 1]))
    [(0, 2), (1, 2)]
    """
    of_byte, _ = characters_of(text.encode())
    ends = sizes.cumsum()
    starts = of_byte[ends - sizes].tolist()
    return [*zip(starts, (of_byte[ends - 1] + 1).tolist(), strict=True)]


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
