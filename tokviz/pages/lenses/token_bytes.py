"""The characters and bytes of the chosen token, as JSON for the browser."""

from typing import Any

from tokviz.basics.messages import here
from tokviz.encoding.bytes_view import byte_characters, text_characters, token_characters
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.pretokenizers import CHAR_TO_BYTE

#: Most characters of a token that are shown.
MOST_SHOWN = 48


def token_bytes(
    tokenizer: Tokenizer, token: str, token_id: int | None, covered: str
) -> dict[str, Any]:
    """Return the characters and bytes of a token; of an unknown token, those of the text it covers.
    An unknown byte is shown alone, without the rest of its character.

    >>> import tokviz
    >>> tokenizer = tokviz.train("é", "bpe", vocab_size=2, unit="byte").tokenizer(0)
    >>> [row] = token_bytes(tokenizer, "Ã", 1, "é")["rows"]
    >>> row["char"], row["point"], row["bytes"], row["why"]
    (None, 'U+00C0 to U+00FF', [['C3', '110', '00011', 'Ã']], 'a start without its continuations')
    """
    if token_id is not None:
        views = token_characters(tokenizer, token_id)
    elif tokenizer.spelling.unit == "byte" and token in CHAR_TO_BYTE:
        views = byte_characters(bytes([CHAR_TO_BYTE[token]]))
    else:
        views = text_characters(covered)
    rows = [
        {
            "char": view.char,
            "point": here(view.code_point),
            "name": here(view.name),
            "why": here(next((byte.why for byte in view.bytes if byte.why), "")),
            "bytes": [
                [f"{byte.value:02X}", byte.leading, byte.payload, byte.shown] for byte in view.bytes
            ],
        }
        for view in views[:MOST_SHOWN]
    ]
    return {"rows": rows, "more": len(views) - len(rows)}
