"""Tokens as chips and text that any screen can show, in HTML made by Python: as the player's."""

import re
import unicodedata
from html import escape
from zlib import crc32

from tokviz.bytes_view import byte_characters
from tokviz.player.columns import parts_of
from tokviz.pretokenizers import from_byte_level
from tokviz.symbols import Spelling, Symbol

#: Characters of a token that a chip shows.
MOST_SHOWN = 60

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


def shown(text: str) -> str:
    """A text in HTML: a space as a dimmed sign, a combining mark of its own on a dotted circle.

    >>> shown("a <"), shown("\\u0301")
    ('a<span class="m">␣</span>&lt;', '◌\\u0301')
    """
    based = "◌" + text if text and unicodedata.category(text[0])[0] == "M" else text
    return escape(drawn(based)).replace(" ", '<span class="m">␣</span>')


def chip(spelling: Spelling, string: str, symbol: Symbol | None) -> str:
    """A token as a chip, its markers and bytes set apart from its text; without a symbol it is a
    special token. `string` is the token as displayed.

    >>> chip(Spelling(unit="byte"), "Ã", Symbol("Ã"))
    '<span class="chip h0" data-token="Ã"><span class="b">C3</span></span>'
    """
    exact = escape(drawn(string[:MOST_SHOWN]), quote=True)
    more = '<span class="m">…</span>' if len(string) > MOST_SHOWN else ""
    if symbol is None:
        inside = shown(string[:MOST_SHOWN]) + more
        return f'<span class="chip special" data-token="{exact}">{inside}</span>'
    [parts] = parts_of(spelling, [symbol._replace(text=symbol.text[:MOST_SHOWN])])
    found: list[tuple[str, str]] = []
    for i, part in enumerate([parts] if isinstance(parts, str) else parts):
        if i % 2:
            found.append(("m long" if len(part) > 1 else "m", part))
        elif spelling.unit == "char":
            found.append(("", part))
        else:
            found += _byte_parts(part)
    inside = "".join(
        f'<span class="{kind}">{escape(drawn(part))}</span>' if kind else shown(part)
        for kind, part in found
    )
    hue = crc32(string.encode("utf-8", "replace")) % 8
    text = "".join(part for kind, part in found if not kind)
    turned = any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    kinds = f"chip h{hue}{' long' if len(string) > 24 else ''}{' rtl' if turned else ''}"
    way = ' dir="rtl"' if turned else ""
    return f'<span class="{kinds}"{way} data-token="{exact}">{inside}{more}</span>'


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
