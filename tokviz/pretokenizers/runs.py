"""SuperBPE's runs: what it may make one token of once its borders between words have fallen."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import regex

from tokviz.basics.messages import message
from tokviz.pretokenizers.base import Pretokenizer, Word

#: What stands by itself; runs are what is between. Letter for letter as in the program's
#: scripts/extend_tokenizer.sh.
ALONE = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
_ALONE = regex.compile(ALONE)


@dataclass(frozen=True)
class RunsPretokenizer(Pretokenizer):
    """Up to three digits, signs in a row, and spaces before a space are words; so is what stands
    between two of these, however many words of a language that are.

    Nothing of the text is lost: the words joined are the document.

    >>> [word.text for word in RunsPretokenizer().words("By the way, 1234 -- it's   fun.")]
    ['By the way, ', '123', '4', ' --', " it's", '  ', ' fun.']
    """

    name: ClassVar[str] = "runs"
    label: ClassVar[str] = message("Runs of text")
    help: ClassVar[str] = message(
        "Cuts at digits, at signs in a row and at several spaces only; what is between stays whole."
    )
    source: ClassVar[str] = "PythonNut/superbpe, scripts/extend_tokenizer.sh"
    space_mark: ClassVar[str] = "Ġ"

    def words(self, text: str) -> Iterator[Word]:
        at = 0
        for match in _ALONE.finditer(text):
            start, end = match.span()
            if at < start:
                yield Word(text[at:start], at, start)
            yield Word(match.group(), start, end)
            at = end
        if at < len(text):
            yield Word(text[at:], at, len(text))
