"""GPT-2's words: runs of letters, of digits and of the rest, each with the space before it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import regex

from tokviz.basics.messages import message
from tokviz.pretokenizers.base import PUNCTUATION_CUTS, BlockPretokenizer, Word
from tokviz.pretokenizers.borders import (
    Bytes,
    CharacterClasses,
    Cut,
    Flags,
    changes,
    cut_at,
    is_lead,
)

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_GPT2 = regex.compile(PATTERN)

# Numbered so that `| 1` makes whitespace one class and keeps the others; GAP is 1.
_BLANK, _SPACE, _LETTER, _NUMBER, _OTHER = 2, 3, 5, 7, 9
_CLASSES = (_OTHER, _BLANK, _SPACE, _LETTER, _NUMBER)
_CLASS = regex.compile(r"( )|(\s)|(\p{L})|(\p{N})|")


def _class_of(char: str) -> int:
    return _CLASSES[_CLASS.match(char).lastindex or 0]


_CHARACTERS = CharacterClasses(_class_of)


@dataclass(frozen=True)
class Gpt2Pretokenizer(BlockPretokenizer):
    """Letters, digits and the rest apart, each run with the one space before it.

    Nothing of the text is lost: the words joined are the document.

    >>> [word.text for word in Gpt2Pretokenizer().words("I'll see  2 cats!")]
    ['I', "'ll", ' see', ' ', ' 2', ' cats', '!']
    """

    name: ClassVar[str] = "gpt2"
    label: ClassVar[str] = "GPT-2"
    help: ClassVar[str] = message(
        "Cuts between letters, digits and punctuation; a space belongs to the word after it."
    )
    source: ClassVar[str] = (
        "Radford et al. 2019, openai/gpt-2 src/encoder.py; "
        "tokenizers pre_tokenizers/byte_level.rs with add_prefix_space=False"
    )
    space_mark: ClassVar[str] = "Ġ"
    safe_cuts: ClassVar[regex.Pattern[str]] = PUNCTUATION_CUTS

    def words(self, text: str) -> Iterator[Word]:
        for match in _GPT2.finditer(text):
            yield Word(match.group(), match.start(), match.end())

    def cut(self, data: bytes) -> Cut:
        text, classes = np.frombuffer(data, np.uint8), _CHARACTERS.of(data)
        runs = classes | np.uint8(1)
        border = changes(runs)
        # Whitespace before a word keeps all but its last character to itself. That one starts the
        # word if it is a space, and is a word of its own if not.
        after_space = border[1:] & (runs[:-1] == _SPACE) & (runs[1:] > _SPACE)
        after_blank = after_space & (classes[:-1] == _BLANK)
        border[:-1] |= after_blank
        border[1:] &= ~after_blank
        last = np.flatnonzero(after_space & ~after_blank)
        for _ in range(2):  # It may have three bytes.
            last -= ~is_lead(text[last])
        border[last] = True
        _join_contractions(border, text)
        return cut_at(border, classes, data)


def _join_contractions(border: Flags, text: Bytes) -> None:
    """An apostrophe that starts a word takes the ending after it along, as in I'll."""
    quotes = np.flatnonzero(border & (text == ord("'")))
    first, second = text[quotes + 1], text[quotes + 2]
    short = quotes[np.isin(first, list(b"sdmt"))]
    ll = (first == ord("l")) & (second == ord("l"))
    ve_re = np.isin(first, list(b"vr")) & (second == ord("e"))
    long = quotes[ll | ve_re]
    border[short + 1] = border[long + 1] = False
    border[short + 2] = border[long + 3] = True
