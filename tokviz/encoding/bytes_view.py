"""A text or a token taken apart: characters, their UTF-8 bytes, and the bits of each byte.

A byte-level tokenizer learns bytes, and a token of it may end in the middle of a character. Every
byte says by its leading bits what it is: a character of its own (0), the first of 2, 3 or 4 bytes
(110, 1110, 11110), or one that continues (10). The other bits are payload: those of all bytes of a
character, put together, are its code point.

Sources: The Unicode Standard, chapter 3.9, tables 3-6 and 3-7; Radford et al. 2019, openai/gpt-2
src/encoder.py, for the characters that stand for bytes.
"""

import unicodedata
from typing import NamedTuple

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.pretokenizers import BYTE_TO_CHAR


class Utf8Length(NamedTuple):
    """Code points `first` to `last` take so many `bytes`, with these bits (x: payload)."""

    bytes: int
    first: int
    last: int
    pattern: str


#: How many bytes a code point takes. D800 to DFFF are no characters, and are not used.
UTF8_LENGTHS = (
    Utf8Length(1, 0x0, 0x7F, "0xxxxxxx"),
    Utf8Length(2, 0x80, 0x7FF, "110xxxxx 10xxxxxx"),
    Utf8Length(3, 0x800, 0xFFFF, "1110xxxx 10xxxxxx 10xxxxxx"),
    Utf8Length(4, 0x10000, 0x10FFFF, "11110xxx 10xxxxxx 10xxxxxx 10xxxxxx"),
)

#: Leading bits and what they mean. None is a prefix of another.
_LEADING = {
    "0": message("a whole character"),
    "10": message("continues a character"),
    "110": message("the first of 2 bytes"),
    "1110": message("the first of 3 bytes"),
    "11110": message("the first of 4 bytes"),
    "11111": message("not a byte of UTF-8"),
}


class ByteView(NamedTuple):
    """One byte: its value, its bits in two parts and what the leading ones mean.

    `role` is "starts" or "continues" (a character), or "broken", with the reason in `why`. `shown`
    is the character that GPT-2 prints for it, `shown_why` why that one.
    """

    value: int
    leading: str
    payload: str
    meaning: str
    role: str
    why: str
    shown: str
    shown_why: str

    def __repr__(self) -> str:
        return short_repr(self)


class CharacterView(NamedTuple):
    """One character with its code point ("U+00E9"), Unicode name and bytes.

    Where the bytes are no whole character, `char` is None, `code_point` the range that they leave
    open ("U+00C0 to U+00FF", empty if they say nothing), and `name` a sentence. A sentence in
    brackets also stands for the name of a character that has none.
    """

    char: str | None
    code_point: str
    name: str
    bytes: tuple[ByteView, ...]

    def __repr__(self) -> str:
        return short_repr(self)


def text_characters(text: str) -> list[CharacterView]:
    """The characters of a text. A lone surrogate, which UTF-8 has no place for, has the three bytes
    that it would have.

    >>> [e] = text_characters("é")
    >>> e.code_point, e.name
    ('U+00E9', 'LATIN SMALL LETTER E WITH ACUTE')
    >>> [(byte.leading, byte.payload, byte.meaning, byte.shown) for byte in e.bytes]
    [('110', '00011', 'the first of 2 bytes', 'Ã'), ('10', '101001', 'continues a character', '©')]
    """
    return byte_characters(text.encode("utf-8", "surrogatepass"))


def token_characters(tokenizer: Tokenizer, token_id: int) -> list[CharacterView]:
    """The characters, whole or in part, of the text that a token stands for, markers not included.

    Raises IndexError for an id that the vocabulary does not have.

    >>> import tokviz
    >>> bytes_only = tokviz.train("é", "bpe", vocab_size=2, unit="byte").tokenizer(0)
    >>> [(c.char, c.code_point, c.bytes[0].why) for c in token_characters(bytes_only, 1)]
    [(None, 'U+00C0 to U+00FF', 'a start without its continuations')]
    >>> [(c.char, c.code_point, c.bytes[0].why) for c in token_characters(bytes_only, 0)]
    [(None, '', 'a continuation without a start')]
    """
    return byte_characters(tokenizer.text_bytes(token_id))


def byte_characters(data: bytes) -> list[CharacterView]:
    r"""Any bytes as characters, and as what is only part of one.

    Of such a part it is not known which character it belongs to: that takes the bytes of the tokens
    before or after. Cut as decoders cut them that put U+FFFD for each broken part.

    >>> a, part = byte_characters(b"a\xe2\x82")
    >>> a.char, part.char, part.code_point, [byte.role for byte in part.bytes]
    ('a', None, 'U+2080 to U+20BF', ['broken', 'continues'])
    """
    views = []
    at = 0
    while at < len(data):
        wanted = _length(data[at])
        end = at + 1
        while wanted and end < min(at + wanted, len(data)) and _follows(data[at:end], data[end]):
            end += 1
        views.append(_character(data[at:end]) if end - at == wanted else _part(data[at:end]))
        at = end
    return views


def _length(first: int) -> int:
    """How many bytes the character has that a byte starts; 0 if it starts none."""
    if first in (0xC0, 0xC1) or first > 0xF4:
        return 0
    return {"0": 1, "110": 2, "1110": 3, "11110": 4}.get(_leading(first), 0)


def _follows(start: bytes, byte: int) -> bool:
    """Whether a byte may come next: it continues, and leaves a code point of that length open."""
    if _leading(byte) != "10":
        return False
    first, last = _open(start + bytes([byte]))
    return first <= last


def _open(start: bytes) -> tuple[int, int]:
    """The code points that the first bytes of a character leave open, first and last."""
    length = UTF8_LENGTHS[_length(start[0]) - 1]
    missing = 6 * (length.bytes - len(start))
    payload = int("".join(map(_payload, start)), 2)
    first, last = payload << missing, (payload + 1 << missing) - 1
    return max(first, length.first), min(last, length.last)


def _leading(byte: int) -> str:
    bits = f"{byte:08b}"
    return next(leading for leading in _LEADING if bits.startswith(leading))


def _payload(byte: int) -> str:
    return f"{byte:08b}"[len(_leading(byte)) :]


def _character(data: bytes) -> CharacterView:
    char = data.decode("utf-8", "surrogatepass")
    views = (_byte(data[0], "starts"), *(_byte(byte, "continues") for byte in data[1:]))
    return CharacterView(char, _u(ord(char)), _name(char), views)


def _part(data: bytes) -> CharacterView:
    first, others = data[0], tuple(_byte(byte, "continues") for byte in data[1:])
    if _leading(first) == "10":
        why = message("a continuation without a start")
        name = message(
            "(the end or the middle of a character; it cannot be known from here which one)"
        )
        return CharacterView(None, "", name, (_byte(first, "broken", why), *others))
    if not _length(first):
        name = message("(not a part of any character)")
        return CharacterView(None, "", name, (_byte(first, "broken", _never(first)), *others))
    why = message("a start without its continuations")
    if others:
        why = message("a start without all of its continuations")
    name = message("(the start of a character; it cannot be known from here which one)")
    lowest, highest = map(_u, _open(data))
    places = message("{first} to {last}", first=lowest, last=highest)
    return CharacterView(None, places, name, (_byte(first, "broken", why), *others))


def _never(byte: int) -> str:
    if byte < 0xC2:
        return message("a start that UTF-8 never uses: what it could stand for fits into one byte")
    if byte < 0xF8:
        return message("a start that UTF-8 never uses: beyond U+10FFFF, the last code point")
    return message("a byte that UTF-8 never uses")


def _byte(byte: int, role: str, why: str = "") -> ByteView:
    shown = BYTE_TO_CHAR[byte]
    shown_why = (
        message("printable, so shown as itself")
        if byte < 0x80
        else message("shown as {shown}, the same number", shown=_u(byte))
    )
    if ord(shown) != byte:
        # The n-th byte that Latin-1 cannot print takes the n-th character from U+0100 on.
        n = ord(shown) - 0x100
        shown_why = message(
            "not printable, so shown as {shown} (256 + {n})", shown=_u(0x100 + n), n=n
        )
    leading = _leading(byte)
    return ByteView(byte, leading, _payload(byte), _LEADING[leading], role, why, shown, shown_why)


def _u(code_point: int) -> str:
    return f"U+{code_point:04X}"


def _name(char: str) -> str:
    if name := unicodedata.name(char, ""):
        return name
    category = unicodedata.category(char)
    if category == "Cn" and (ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"):
        category = "never"
    return {
        "Cc": message("(no name: a control character)"),
        "Co": message("(no name: for private use, it means what its users agree on)"),
        "Cs": message("(no name: a lone surrogate, half of a pair in UTF-16 and no character)"),
        "never": message("(no name: a noncharacter, which Unicode never assigns)"),
    }.get(
        category,
        message(
            "(no name: not assigned in Unicode {version})", version=unicodedata.unidata_version
        ),
    )
