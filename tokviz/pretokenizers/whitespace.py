"""Pre-tokenizers that cut at whitespace or not at all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import regex

from tokviz.basics.messages import message
from tokviz.pretokenizers.base import SPACE_CUTS, BlockPretokenizer, Pretokenizer, Word


def char_class(ranges: str) -> str:
    r"""Hexadecimal ranges as the inside of a character class.

    >>> char_class("41-5a 5f")
    '\\U00000041-\\U0000005a\\U0000005f'
    """
    return "".join(
        "-".join(f"\\U{int(end, 16):08x}" for end in item.split("-")) for item in ranges.split()
    )


# Spelled out, since neither engine's \s is Rust's char::is_whitespace for good: `re` also counts
# the separators U+001C to U+001F, as str.split() does, and `regex` follows its Unicode release.
RUST_SPACE = char_class("9-d 20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000")
IS_RUST_SPACE = re.compile(f"[{RUST_SPACE}]")

_METASPACE = re.compile(f"[^{RUST_SPACE}]+")


@dataclass(frozen=True)
class MetaspacePretokenizer(BlockPretokenizer):
    """Cuts at whitespace and puts one space, drawn `▁`, before every word, the first included.

    The offsets are those of the word without that space, which has no source. A `▁` in the text
    is an ordinary character; the library takes it for its own mark and cuts before it.

    >>> [word.text for word in MetaspacePretokenizer().words("a  ▁b.")]
    [' a', ' ▁b.']
    """

    name: ClassVar[str] = "metaspace"
    label: ClassVar[str] = "Metaspace"
    help: ClassVar[str] = message("Cuts at whitespace and marks the start of every word with ▁.")
    source: ClassVar[str] = (
        "Kudo and Richardson 2018, SentencePiece; tokenizers pre_tokenizers/metaspace.rs "
        'after WhitespaceSplit, prepend_scheme="always"'
    )
    space_mark: ClassVar[str] = "▁"
    safe_cuts: ClassVar[regex.Pattern[str]] = SPACE_CUTS

    def words(self, text: str) -> Iterator[Word]:
        for match in _METASPACE.finditer(text):
            start, end = match.span()
            spans = ((start, start), *((i, i + 1) for i in range(start, end)))
            yield Word(" " + match.group(), start, end, spans)


_NOT_SPACE = re.compile(r"\S+")


@dataclass(frozen=True)
class WhitespacePretokenizer(BlockPretokenizer):
    """Exactly `str.split()`: cuts at whitespace and drops it.

    >>> [word.text for word in WhitespacePretokenizer().words(" low  lower. ")]
    ['low', 'lower.']
    """

    name: ClassVar[str] = "whitespace"
    label: ClassVar[str] = message("Whitespace")
    help: ClassVar[str] = message(
        "Cuts at whitespace and drops it; punctuation stays with its word."
    )
    source: ClassVar[str] = "Sennrich et al. 2016, rsennrich/subword-nmt learn_bpe.py; str.split()"
    space_mark: ClassVar[str] = " "
    safe_cuts: ClassVar[regex.Pattern[str]] = SPACE_CUTS

    def words(self, text: str) -> Iterator[Word]:
        for match in _NOT_SPACE.finditer(text):
            yield Word(match.group(), match.start(), match.end())


@dataclass(frozen=True)
class NonePretokenizer(Pretokenizer):
    """Cuts nothing: each document, spaces included, is one word.

    >>> list(NonePretokenizer().words("the hug"))
    [Word(text='the hug', start=0, end=7, spans=None)]
    """

    name: ClassVar[str] = "none"
    label: ClassVar[str] = message("None")
    help: ClassVar[str] = message("Each line is one word, so that tokens may run across spaces.")
    source: ClassVar[str] = "karpathy/minbpe basic.py; SentencePiece with split_by_whitespace=false"
    space_mark: ClassVar[str] = "▁"

    def words(self, text: str) -> Iterator[Word]:
        if text:
            yield Word(text, 0, len(text))
