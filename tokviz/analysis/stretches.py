"""The text that runs are laid over, in parts, and the words that each run reads in them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from tokviz.history.base import History, Ints
from tokviz.pretokenizers import BlockPretokenizer, Word
from tokviz.pretokenizers.base import SPACE_CUTS
from tokviz.pretokenizers.blocks import END, MARGIN, encoded
from tokviz.text.corpus import documents, pieces

#: Cuts before what `SPACE_CUTS` finds.
_SPACE_CUTS = regex.compile(rf"(?V1)(?={SPACE_CUTS.pattern})")
_WHITESPACE = re.compile(r"\s")
_SPACES = b"\t\n\v\f\r \x1c\x1d\x1e\x1f"


def stretches(histories: Sequence[History], corpus: str | Iterable[Any]) -> Iterator[str]:
    """The corpus in parts that give the same words wherever they stand: at best a word and the
    whitespace before it, else a line."""
    if not all(isinstance(history.pretokenizer, BlockPretokenizer) for history in histories):
        return iter(documents(corpus))
    special = {token for history in histories for token in history.special_tokens}
    return chain.from_iterable(
        # A special token may hold a space.
        [text] if any(token in text for token in special) else _SPACE_CUTS.split(text)
        for text in documents(corpus)
    )


class Texts:
    """Different texts one after the other, each with one byte of room behind it: the end of a text
    is another place than the beginning of the next."""

    def __init__(self, texts: tuple[str, ...], counts: tuple[int, ...]) -> None:
        self.texts, self.counts = texts, np.asarray(counts, np.int64)
        self.bytes = [encoded(text) for text in texts]
        self.starts = np.cumsum([0, *(len(data) + 1 for data in self.bytes)])

    def is_space(self) -> npt.NDArray[np.bool_]:
        """For every byte whether it is one of a whitespace character, or of the room."""
        blank = [
            data if text.isascii() else encoded(_WHITESPACE.sub(_blank, text))
            for text, data in zip(self.texts, self.bytes, strict=True)
        ]
        joined = np.frombuffer(b"".join(data + b" " for data in blank), np.uint8)
        space: npt.NDArray[np.bool_] = np.isin(joined, np.frombuffer(_SPACES, np.uint8))
        return space


def _blank(space: re.Match[str]) -> str:
    return " " * len(encoded(space[0]))


class Words(NamedTuple):
    """Words of some `Texts`: their numbers in a corpus, the bytes in front of each that the text
    does not have (a space put before it), and where they begin and end."""

    numbers: Ints
    leads: Ints
    begins: Ints
    ends: Ints


def words_at_once(texts: Texts, history: History) -> Words | None:
    """The words that a run reads in the texts, those of its corpus; None if its pre-tokenizer gives
    no offsets for many texts at once, or if a text holds a special token.

    >>> import tokviz
    >>> run = tokviz.train("low lower", "bpe", 9, "metaspace")
    >>> [column.tolist() for column in words_at_once(Texts(("a low", " lower"), (1, 1)), run)]
    [[0, 1], [1, 1], [2, 7], [5, 12]]
    """
    cutter = history.pretokenizer
    data = END.join(texts.bytes) + END + MARGIN
    special = [encoded(token) for token in history.special_tokens]
    if not isinstance(cutter, BlockPretokenizer) or any(token in data for token in special):
        return None
    cut = cutter.cut(data)
    if cut.data is not data:
        return None
    n = len(cut.prefix)
    number = {
        encoded(word[n:]): i
        for i, word in enumerate(history.words.words)
        if word.startswith(cut.prefix)
    }
    spans = zip(cut.starts.tolist(), cut.ends.tolist(), strict=True)
    numbers = np.asarray([number.get(data[start:end], -1) for start, end in spans], np.int64)
    known = numbers >= 0
    begins, ends = cut.starts[known].astype(np.int64), cut.ends[known].astype(np.int64)
    return Words(numbers[known], np.full(len(begins), len(encoded(cut.prefix))), begins, ends)


def words_of(text: str, history: History) -> Iterator[Word]:
    """The words of a text; special tokens are none."""
    cut, special = history.pretokenizer, history.special_tokens
    if special and any(token in text for token in special):
        return (piece.word for piece in pieces(text, cut, special) if not piece.special)
    return cut.words(text)
