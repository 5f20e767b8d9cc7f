"""The face of a token: what of it is text, what a marker, and which bytes are only part of a
character; and text that any screen can show."""

import re
import unicodedata
from itertools import groupby

from tokviz.encoding.bytes_view import byte_characters
from tokviz.pretokenizers import from_byte_level
from tokviz.text.symbols import Spelling, Symbol

#: Categories of what cannot be seen, or reorders the text around it.
_UNSEEN = {"Cc", "Cs", "Cn", "Co", "Cf", "Zl", "Zp", "Zs"}
#: What joins the characters around it into one sign: seen as such only at the end of a text.
_JOINS = re.compile("[\u200c\u200d\U000e0020-\U000e007f]")


def drawn(text: str) -> str:
    """Text with everything that cannot be seen by its code point. Spaces stay.

    >>> drawn("a\\u202eb\\u200d"), drawn("👩\\u200d🚀")
    ('a⟨U+202E⟩b⟨U+200D⟩', '👩\\u200d🚀')
    """
    if text.isascii() and text.isprintable():
        return text
    last = len(text) - 1
    return "".join(
        char
        if char == " "
        or unicodedata.category(char) not in _UNSEEN
        or (_JOINS.match(char) and 0 < i < last + (char > "\U000e0000"))
        else f"⟨U+{ord(char):04X}⟩"
        for i, char in enumerate(text)
    )


def face(spelling: Spelling, symbol: Symbol) -> list[tuple[str, str]]:
    """The parts of a token as (kind, text): "" is text, "m" a marker, and "b" bytes, in
    hexadecimal, that are no whole character.

    >>> face(Spelling(unit="byte"), Symbol("ĠaÃ"))
    [('m', 'Ġ'), ('', 'a'), ('b', 'C3')]
    """
    parts: list[tuple[str, str]] = []
    for is_marker, group in groupby(spelling.parts(symbol), lambda part: part[1]):
        text = "".join(part for part, _ in group)
        if is_marker:
            parts.append(("m", text))
        elif spelling.unit == "char":
            parts.append(("", text))
        else:
            parts += _byte_parts(text)
    return parts


def readable(spelling: Spelling, symbol: Symbol) -> str:
    """A token as its face shows it, in one string: byte letters as the characters that they make.

    >>> [readable(Spelling(unit="byte"), Symbol(text)) for text in ("ĠcafÃ©", "Ã")]
    ['Ġcafé', 'C3']
    """
    return "".join(part for _, part in face(spelling, symbol))


def _byte_parts(string: str) -> list[tuple[str, str]]:
    """What byte-level characters spell: text, and in hexadecimal what is only part of one."""
    parts: list[tuple[str, str]] = []
    for view in byte_characters(from_byte_level(string)):
        kind = "b" if view.char is None else ""
        part = view.char or " ".join(f"{byte.value:02X}" for byte in view.bytes)
        if parts and parts[-1][0] == kind:
            parts[-1] = (kind, f"{parts[-1][1]}{' ' if kind else ''}{part}")
        else:
            parts.append((kind, part))
    return parts


def reads_from_right(text: str) -> bool:
    """Whether the first letter of a text belongs to a script that is read from right to left.

    >>> reads_from_right("1 שלום"), reads_from_right("1")
    (True, False)
    """
    first = next((unicodedata.bidirectional(c) for c in text if c.isalpha()), "")
    return first in ("R", "AL")
