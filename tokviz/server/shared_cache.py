"""A cache for all visitors, limited in entries and bytes: the least recently used goes first."""

import sys
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from threading import RLock
from typing import Any, TypeAlias

import numpy as np

from tokviz.history.base import History

#: A cache entry: the running job, its result, and what was made of the result.
CacheEntry: TypeAlias = dict[str, Any]

#: Bytes of an empty entry: its keys, and the texts of a small page.
_EMPTY_BYTES = 2_000


class SharedCache:
    """Cache entries by key.

    A caller that holds a removed entry can go on using it; the next caller gets an empty one.

    >>> cache = SharedCache(entries=2, megabytes=1)
    >>> for name in "abac":
    ...     cache.entry(name)["made"] = name
    >>> [cache.entry(name).get("made") for name in "acb"]
    ['a', 'c', None]
    """

    def __init__(self, entries: int, megabytes: float) -> None:
        self._most, self._most_bytes = entries, megabytes * 1e6
        self.entries: OrderedDict[Hashable, CacheEntry] = OrderedDict()
        self.bytes_by_part: dict[Hashable, dict[str, float]] = {}
        self._total = 0.0
        self._lock = RLock()

    def entry(self, key: Hashable) -> CacheEntry:
        """Return the entry of a key, a new empty one if it has none."""
        with self._lock:
            if (entry := self.entries.get(key)) is None:
                entry = self.entries[key] = {}
                self.bytes_by_part[key] = {}
                self._take_down(key, "", _EMPTY_BYTES + size_of(key))
            self.entries.move_to_end(key)
            self._make_room(key)
            return entry

    def get(self, key: Hashable) -> CacheEntry | None:
        """Return the entry of a key, or None if it has none."""
        with self._lock:
            if (entry := self.entries.get(key)) is not None:
                self.entries.move_to_end(key)
            return entry

    def remove(self, key: Hashable) -> None:
        """Remove the entry of a key, if it has one."""
        with self._lock:
            if key in self.entries:
                self._take_off(key)

    def weigh(self, key: Hashable, what: str, size: float) -> None:
        """Record how many bytes a part of an entry takes."""
        with self._lock:
            if key in self.entries:
                self._take_down(key, what, size)
                self._make_room(key)

    @property
    def bytes(self) -> float:
        """The bytes of all entries, as recorded."""
        return self._total

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self.entries.clear()
            self.bytes_by_part.clear()
            self._total = 0.0

    def _make_room(self, latest: Hashable) -> None:
        """Remove the least recently used entries, but not the latest, nor one with a running
        job."""
        if len(self.entries) <= self._most and self._total <= self._most_bytes:
            return
        for key in [*self.entries]:
            if len(self.entries) <= self._most and self._total <= self._most_bytes:
                return
            if key != latest and "training" not in self.entries[key]:
                self._take_off(key)

    def _take_down(self, key: Hashable, what: str, size: float) -> None:
        parts = self.bytes_by_part[key]
        self._total += size - parts.get(what, 0)
        parts[what] = size

    def _take_off(self, key: Hashable) -> None:
        del self.entries[key]
        self._total -= sum(self.bytes_by_part.pop(key).values())


def history_bytes(history: History) -> tuple[int, int]:
    """Return the bytes that a history takes in memory: those of its columns, and those of its
    words, tokens and counts.

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
        *(words.borders or ()),
    ]
    lists += [part for part in parts if isinstance(part, list)]
    # `size_of` would be too slow for a million words.
    return columns, sum(sys.getsizeof(held) + sum(map(sys.getsizeof, held)) for held in lists)


def size_of(value: object) -> int:
    """Return the bytes of a value made of texts, tuples, mappings and dataclasses."""
    size = sys.getsizeof(value)
    if isinstance(value, tuple):
        size += sum(map(size_of, value))
    elif isinstance(value, Mapping):
        size += sum(size_of(key) + size_of(held) for key, held in value.items())
    elif is_dataclass(value) and not isinstance(value, type):
        size += sum(size_of(getattr(value, field.name)) for field in fields(value))
    return size
