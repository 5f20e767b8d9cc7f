"""Where the words of a whole block begin and end, found by looking at all its bytes at once."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.pretokenizers.blocks import END, JOINT, decoded

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Offsets: TypeAlias = npt.NDArray[np.intp]

#: The class of what belongs to no word: the end of a document, a joint in one, and the whitespace
#: that is dropped.
GAP = 1

_UNKNOWN = 0


class Cut(NamedTuple):
    """The words of a block, in text order: `prefix`, then `data[start:end]` for each.

    The block's last eight bytes belong to no word.
    """

    data: bytes
    starts: Offsets
    ends: Offsets
    prefix: str = ""


class CharacterClasses:
    """Gives every byte of a block the class of its character.

    `class_of` is asked once for each character that occurs: what it says is what counts, whichever
    Unicode release it follows. Classes are numbers from 1 to 255.

    >>> CharacterClasses(lambda char: 2 if char.isalpha() else 3).of("aß-".encode() + END).tolist()
    [2, 2, 2, 3, 1]
    """

    def __init__(self, class_of: Callable[[str], int]) -> None:
        self._class_of = class_of
        self._by_byte = bytes(
            class_of(chr(byte)) if byte < 0x80 else GAP if byte in END + JOINT else _UNKNOWN
            for byte in range(256)
        )
        self._by_code_point = np.zeros(0x110000, np.uint8)

    def of(self, data: bytes) -> Bytes:
        """The class of every byte."""
        classes = np.frombuffer(data.translate(self._by_byte), np.uint8)
        wide = np.flatnonzero(classes == _UNKNOWN)
        if not wide.size:
            return classes
        text = decoded(np.frombuffer(data, np.uint8)[wide].tobytes())
        code_points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        bytes_each = 2 + (code_points >= 0x800) + (code_points >= 0x10000)
        classes = classes.copy()
        classes[wide] = np.repeat(self._classes_of(code_points), bytes_each)
        return classes

    def _classes_of(self, code_points: npt.NDArray[np.uint32]) -> Bytes:
        found: Bytes = self._by_code_point[code_points]
        unknown = code_points[found == _UNKNOWN]
        if unknown.size:
            for code_point in np.unique(unknown).tolist():
                self._by_code_point[code_point] = self._class_of(chr(code_point))
            found = self._by_code_point[code_points]
        return found


def changes(classes: Bytes) -> Flags:
    """A border before every byte whose class is not that of the byte before it.

    >>> changes(np.array([2, 2, 1], np.uint8)).tolist()
    [True, False, True]
    """
    border = np.empty(len(classes), np.bool_)
    border[0] = True
    np.not_equal(classes[1:], classes[:-1], out=border[1:])
    return border


def is_lead(data: Bytes) -> Flags:
    """Which bytes begin a character."""
    leads: Flags = data & 0xC0 != 0x80
    return leads


def cut_at(border: Flags, classes: Bytes, data: bytes, prefix: str = "") -> Cut:
    """The words between the borders, gaps left out."""
    at = np.flatnonzero(border)
    words = np.flatnonzero(classes[at[:-1]] != GAP)
    return Cut(data, at[words], at[words + 1], prefix)
