"""Counts the words of blocks exactly, by the compiled counter (`core/c/words.c`)."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tokviz.basics.messages import message
from tokviz.core.characters import kinds_of
from tokviz.core.host import Core, Ints
from tokviz.pretokenizers import BlockPretokenizer
from tokviz.pretokenizers.blocks import Block, decoded

#: Characters of which hardly any text has all inside of words. Most documents are lines.
_MARKS = b"\n\0\1\2"

_PRETOKENIZERS = ("gpt2", "bert", "metaspace", "whitespace")


class Places(NamedTuple):
    """Words of a block by number, in text order, and the bytes where they begin and end."""

    numbers: Ints
    begins: Ints
    ends: Ints


class WordCounter:
    """Distinct words in the order in which they are first met, with their counts; how many of these
    are alone, a white-space word by themselves; and the white-space words of the text.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> counter = WordCounter(make_pretokenizer("gpt2"))
    >>> counter.add(Block(b"low, low", 8, b"low, low"))
    >>> counter.words(), counter.counts().tolist(), counter.alone().tolist()
    (['low', ',', ' low'], [1, 1, 1], [0, 0, 1])
    >>> counter.white_space_words
    2
    """

    def __init__(self, pretokenizer: BlockPretokenizer) -> None:
        self.white_space_words = 0
        self._pretokenizer = pretokenizer
        self._number = _PRETOKENIZERS.index(pretokenizer.name)
        self._core = Core(message("To count words"))
        self._kinds_at = self._core.call("kinds")

    def add(self, block: Block) -> None:
        """Counts the words of a block."""
        self.white_space_words += self._looked_over(block.whole)
        self._count(block, placed=False)

    def place(self, block: Block) -> Places:
        """Counts the words of a block, and returns where they are."""
        self._count(block, placed=True)
        return Places(*map(self._core.ints, ("order", "begins", "ends")))

    def words(self) -> list[str]:
        """The words that were counted."""
        starts = self._core.ints("word_starts")
        data = self._core.bytes_at(self._core.call("word_bytes"), int(starts[-1]))
        # One cut at each of some characters is quicker than many slices.
        mark = next((mark for mark in _MARKS if not (data == mark).any()), None)
        if mark is None:
            text = bytes(data)
            return [decoded(text[start:end]) for start, end in pairwise(starts.tolist())]
        return decoded(np.insert(data, starts[1:], mark).tobytes()).split(chr(mark))[:-1]

    def counts(self) -> Ints:
        """How often each of `words` occurred."""
        return self._core.counts("word_counts")

    def alone(self) -> Ints:
        """How often each of `words` was alone."""
        return self._core.counts("alone")

    def _count(self, block: Block, placed: bool) -> None:
        data = self._pretokenizer.prepared(block.data)
        if data is not block.whole or placed:
            self._looked_over(data)
        self._core.call("count_block", len(data), self._number, placed)

    def _looked_over(self, data: bytes) -> int:
        """Writes a block, and returns how many white-space words begin in it.

        Of a character that was not met before this machine may know more, or less, than the one
        that the module was made on: Unicode has another release each year.
        """
        self._core.give_block(data)
        found = self._core.call("look_over", len(data))
        table = self._core.bytes_at(self._kinds_at, 0x110000)
        others = {
            character: kinds
            for character in self._core.ints("order").tolist()
            if (kinds := kinds_of(chr(character))) != table[character]
        }
        for character, kinds in others.items():
            table[character] = kinds
        return self._core.call("look_over", len(data)) if others else found
