"""What a training loop needs to know of the vocabulary that it grows."""

from typing import Protocol


class Vocabulary(Protocol):
    """What training asks of a vocabulary, a `SymbolTable` or only its `Size`."""

    def merge(self, left: int, right: int) -> bool:
        """Adds what merging two symbols gives; True if the vocabulary grew."""

    def __len__(self) -> int: ...


class Size:
    """The size of a vocabulary that every merge adds to.

    Without special tokens every merge does. What lies between two borders of tokens never met what
    is outside, so the same text is cut in the same way wherever it stands, and no two merges make
    the same token.
    """

    def __init__(self, size: int) -> None:
        self._size = size

    def merge(self, _left: int, _right: int) -> bool:
        self._size += 1
        return True

    def __len__(self) -> int:
        return self._size
