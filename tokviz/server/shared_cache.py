"""What is kept for everybody, bounded in number and in bytes: what was used least recently goes."""

import sys
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from threading import RLock
from typing import Any, TypeAlias

import numpy as np

from tokviz.history.base import History

#: What everybody knows of something that takes long: how far it is, itself, what was drawn of it.
Place: TypeAlias = dict[str, Any]

#: A place with nothing on record in it: its names, and the texts of a small page.
_EMPTY_BYTES = 2_000


class Shelf:
    """Places by what they are made of.

    Whoever holds a place goes on with it after it was taken off the shelf; who asks for it then
    gets an empty one.

    >>> shelf = Shelf(places=2, megabytes=1)
    >>> for name in "abac":
    ...     shelf.place(name)["made"] = name
    >>> [shelf.place(name).get("made") for name in "acb"]
    ['a', 'c', None]
    """

    def __init__(self, places: int, megabytes: float) -> None:
        self._most, self._most_bytes = places, megabytes * 1e6
        self._places: OrderedDict[Hashable, Place] = OrderedDict()
        self._bytes: dict[Hashable, dict[str, float]] = {}
        self._total = 0.0
        self._lock = RLock()

    def place(self, key: Hashable) -> Place:
        """The place of that key; a new one is empty."""
        with self._lock:
            if (place := self._places.get(key)) is None:
                place = self._places[key] = {}
                self._bytes[key] = {}
                self._take_down(key, "", _EMPTY_BYTES + size_of(key))
            self._places.move_to_end(key)
            self._make_room(key)
            return place

    def get(self, key: Hashable) -> Place | None:
        """The place of that key if there is one; asked for like this, it is not made."""
        with self._lock:
            if (place := self._places.get(key)) is not None:
                self._places.move_to_end(key)
            return place

    def remove(self, key: Hashable) -> None:
        """Takes a place off the shelf, if it is there."""
        with self._lock:
            if key in self._places:
                self._take_off(key)

    def weigh(self, key: Hashable, what: str, size: float) -> None:
        """Takes down how many bytes a part of a place takes."""
        with self._lock:
            if key in self._places:
                self._take_down(key, what, size)
                self._make_room(key)

    @property
    def bytes(self) -> float:
        """What all places take, as far as it was taken down."""
        return self._total

    def clear(self) -> None:
        """Takes every place off the shelf."""
        with self._lock:
            self._places.clear()
            self._bytes.clear()
            self._total = 0.0

    def _make_room(self, latest: Hashable) -> None:
        """Takes off what was used least recently; never the latest, nor what is being made."""
        if len(self._places) <= self._most and self._total <= self._most_bytes:
            return
        for key in [*self._places]:
            if len(self._places) <= self._most and self._total <= self._most_bytes:
                return
            if key != latest and "training" not in self._places[key]:
                self._take_off(key)

    def _take_down(self, key: Hashable, what: str, size: float) -> None:
        parts = self._bytes[key]
        self._total += size - parts.get(what, 0)
        parts[what] = size

    def _take_off(self, key: Hashable) -> None:
        del self._places[key]
        self._total -= sum(self._bytes.pop(key).values())


def history_bytes(history: History) -> tuple[int, int]:
    """The bytes that a history takes, however small its file is: those of its columns, and those of
    its words, tokens and numbers of words.

    >>> import tokviz
    >>> short, long = (tokviz.train("low lower" * n, vocab_size=8) for n in (1, 1000))
    >>> [a < b for a, b in zip(history_bytes(short), history_bytes(long), strict=True)]
    [True, True]
    """
    parts, words = vars(history.record).values(), history.words
    columns = sum(part.nbytes for part in parts if isinstance(part, np.ndarray))
    lists: list[Sequence[object]] = [
        words.words,
        words.counts,
        words.line_ends or (),
        words.alone or (),
        words.order or (),
    ]
    lists += [part for part in parts if isinstance(part, list)]
    # There may be a million words, which nobody should wait for.
    return columns, sum(sys.getsizeof(held) + sum(map(sys.getsizeof, held)) for held in lists)


def size_of(value: object) -> int:
    """The bytes of the texts, tuples and dataclasses that something is made of."""
    size = sys.getsizeof(value)
    if isinstance(value, tuple):
        size += sum(map(size_of, value))
    elif isinstance(value, Mapping):
        size += sum(size_of(key) + size_of(held) for key, held in value.items())
    elif is_dataclass(value) and not isinstance(value, type):
        size += sum(size_of(getattr(value, field.name)) for field in fields(value))
    return size
