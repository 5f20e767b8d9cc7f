"""The text that runs are laid over, in parts, and the words that each run reads in them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from tokviz.core.host import is_there
from tokviz.history.base import History, Ints
from tokviz.pretokenizers import BlockPretokenizer, Word
from tokviz.pretokenizers.base import SPACE_CUTS
from tokviz.pretokenizers.blocks import END, Block, encoded
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import pieces
from tokviz.text.word_counter import WordCounter

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
    data = END.join(texts.bytes)
    special = [encoded(token) for token in history.special_tokens]
    if (
        not isinstance(cutter, BlockPretokenizer)
        or not is_there()
        or cutter.prepared(data) is not data
        or any(token in data for token in special)
    ):
        return None
    counter = WordCounter(cutter)
    places = counter.place(Block(data, len(texts.texts), data))
    words = counter.words()
    number = {word: i for i, word in enumerate(history.words.words)}
    numbers = np.asarray([number.get(word, -1) for word in words], np.int64)[places.numbers]
    known = numbers >= 0
    begins, ends = places.begins[known], places.ends[known]
    sizes = np.asarray([len(encoded(word)) for word in words], np.int64)[places.numbers[known]]
    return Words(numbers[known], sizes - (ends - begins), begins, ends)


def words_of(text: str, history: History) -> Iterator[Word]:
    """The words of a text; special tokens are none."""
    cut, special = history.pretokenizer, history.special_tokens
    if special and any(token in text for token in special):
        return (piece.word for piece in pieces(text, cut, special) if not piece.special)
    return cut.words(text)
