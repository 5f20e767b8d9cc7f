"""The characters that GPT-2 prints for bytes."""

from codecs import charmap_decode

from tokviz.basics.errors import CorpusError

# GPT-2 trains on bytes but prints characters. Bytes that Latin-1 can print stand for themselves;
# the other 68, in order, take the characters from U+0100 on, which is how the space became Ġ.
_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_HIDDEN = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTE_TO_CHAR: dict[int, str] = {
    byte: chr(byte if byte in _PRINTABLE else 0x100 + _HIDDEN.index(byte)) for byte in range(256)
}
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}
_CHARS = "".join(BYTE_TO_CHAR.values())


def byte_level(text: str) -> str:
    """The UTF-8 bytes of `text`, each as GPT-2's printable character.

    Lone surrogates have no UTF-8 form; they are written as the three bytes they would have, so
    that no text is refused and `from_byte_level` gives them back.

    >>> byte_level(" hé")
    'ĠhÃ©'
    """
    return charmap_decode(text.encode("utf-8", "surrogatepass"), "strict", _CHARS)[0]


def from_byte_level(chars: str) -> bytes:
    r"""The bytes that `byte_level` wrote; a token may end in the middle of a character.

    >>> from_byte_level("ĠhÃ")
    b' h\xc3'
    """
    try:
        return bytes([CHAR_TO_BYTE[char] for char in chars])
    except KeyError as error:
        raise CorpusError.saying(
            "{character!r} is not one of the 256 characters that stand for a byte; "
            "byte_level(text) writes text in them.",
            character=error.args[0],
        ) from None
