"""Strings as one column of bytes, in a file that anybody may have written.

A column is `["one", "another"]` in UTF-8. It is looked at as a whole before a string is made of it:
small strings, and lists in lists, would take many times their bytes.
"""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

#: Bytes that each string takes in memory besides its characters, with its place in a list.
STRING_BYTES = 60
#: Values and containers that a header may hold; of the alphabet, each symbol is a list of four.
_MOST_VALUES, _MOST_CONTAINERS = 6_000_000, 1_500_000


def pack(strings: Any) -> npt.NDArray[np.uint8]:
    """Strings as one array of bytes. Surrogates are not escaped: JSON would join two of them.

    >>> pack(["a", "b"]).tobytes()
    b'["a", "b"]'
    """
    text = json.dumps(list(strings), ensure_ascii=False)
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def unpack(column: npt.NDArray[np.uint8]) -> list[str]:
    """The strings that were packed. Raises ValueError for any other column.

    >>> unpack(pack(['"', ", ", "\\\\"]))
    ['"', ', ', '\\\\']
    """
    packed_strings(column)
    strings: list[str] = json.loads(column.tobytes().decode("utf-8", "surrogatepass"))
    return strings


def packed_strings(column: npt.NDArray[np.uint8]) -> int:
    """How many strings a column holds, without making any. Raises ValueError for a column that
    `pack` does not write.

    >>> packed_strings(pack([])), packed_strings(pack(['", "', "\\\\"]))
    (0, 2)
    """
    if column.dtype != np.uint8 or column.ndim != 1:
        raise ValueError("texts are no bytes")
    data = column.tobytes()
    if data == b"[]":
        return 0
    # What is escaped in a string is no end of it.
    plain = data.replace(b"\\\\", b"..").replace(b'\\"', b"..") if b"\\" in data else data
    seen = np.frombuffer(plain, np.uint8)
    quotes = np.flatnonzero(seen == ord('"'))
    ends, begins = quotes[1:-1:2], quotes[2::2]
    if (
        len(quotes) < 2
        or len(quotes) % 2
        or plain[:2] != b'["'
        or plain[-2:] != b'"]'
        or not (begins - ends == 3).all()
        or not (seen[ends + 1] == ord(",")).all()
        or not (seen[ends + 2] == ord(" ")).all()
    ):
        raise ValueError("texts are no list of strings")
    return len(quotes) // 2


def header_of(column: npt.NDArray[np.uint8]) -> dict[str, Any]:
    """The JSON object that is the only string of a column. Raises ValueError for anything else, and
    for more of it than any header holds."""
    [text] = unpack(column)
    if text.count(",") > _MOST_VALUES or text.count("[") + text.count("{") > _MOST_CONTAINERS:
        raise ValueError("the header holds too much")
    header = json.loads(text)
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    return header
