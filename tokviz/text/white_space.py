"""The white-space words of a text: what one number of words is for every way of cutting it.

Pre-tokenizers cut a text into other words each, so that a figure per word of theirs cannot be
compared. White-space words are what `str.split()` gives for each document: stretches without any
character of Unicode's white space. They are counted while the words are, as the text is read; it
need not be kept. Special tokens in the text are part of it here, since every lane has the same
text and maybe other special tokens.
"""

from collections.abc import Iterable, Iterator

from tokviz.pretokenizers import WhitespacePretokenizer
from tokviz.pretokenizers.blocks import BLOCK_SIZE, text_blocks

_CUTTER = WhitespacePretokenizer()


def count_white_space_words(text: str) -> int:
    r"""How many words `text.split()` has, without making them.

    Chinese and Thai put no space between words: a stretch without any counts once.

    >>> count_white_space_words(" low\n lower, lowest!"), count_white_space_words("你好，世界 再见")
    (3, 2)
    """
    if len(text) < BLOCK_SIZE:
        return len(text.split())
    blocks = text_blocks(text, _CUTTER.safe_cuts)
    return sum(len(_CUTTER.cut(block.data).starts) for block in blocks)


class WhiteSpaceWords:
    r"""Counts the white-space words of what is read, as it is read.

    >>> seen = WhiteSpaceWords()
    >>> list(seen.documents(["low lower", "lowest"])), seen.total
    (['low lower', 'lowest'], 3)
    >>> list(seen.parts(["low lo", "wer", "\nlow"])), seen.total
    (['low lo', 'wer', '\nlow'], 6)
    """

    def __init__(self) -> None:
        self.total = 0
        self._inside = False

    def documents(self, documents: Iterable[str]) -> Iterator[str]:
        """The documents themselves, each counted before it is handed on."""
        for document in documents:
            self.total += count_white_space_words(document)
            yield document

    def parts(self, parts: Iterable[str]) -> Iterator[str]:
        """The parts of one text, which may be cut anywhere, a word included, each counted before
        it is handed on."""
        self._inside = False
        for part in parts:
            self.part(part)
            yield part

    def part(self, part: str) -> None:
        """Counts what follows the part before it."""
        if part:
            self.total += count_white_space_words(part) - (self._inside and not part[0].isspace())
            self._inside = not part[-1].isspace()
