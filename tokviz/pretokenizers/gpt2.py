"""GPT-2's words: runs of letters, of digits and of the rest, each with the space before it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import regex

from tokviz.basics.messages import message
from tokviz.pretokenizers.base import PUNCTUATION_CUTS, BlockPretokenizer, Word

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_GPT2 = regex.compile(PATTERN)


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
