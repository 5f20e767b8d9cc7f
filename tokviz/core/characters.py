"""What the compiled counter knows of a character."""

from collections.abc import Callable
from functools import lru_cache

import regex

from tokviz.pretokenizers.bert import is_bert_punctuation
from tokviz.pretokenizers.whitespace import IS_RUST_SPACE

#: What the built-in pre-tokenizers ask of a character: names of bits in the C source.
KINDS: dict[str, Callable[[str], object]] = {
    "SPACE": regex.compile(r"\s").match,
    "LETTER": regex.compile(r"\p{L}").match,
    "NUMBER": regex.compile(r"\p{N}").match,
    "RUST_SPACE": IS_RUST_SPACE.match,
    "PYTHON_SPACE": str.isspace,
    "PUNCTUATION": is_bert_punctuation,
}


# Who writes Chinese has some thousands.
@lru_cache(1 << 16)
def kinds_of(char: str) -> int:
    """Return the kinds of a character as bits.

    >>> [kinds_of(char) for char in "a1,"]
    [2, 4, 32]
    """
    return sum(bool(is_kind(char)) << bit for bit, is_kind in enumerate(KINDS.values()))
