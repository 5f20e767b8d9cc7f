"""Counts the words of blocks exactly, a whole block at once.

The first seven bytes of a word, and how many there are, make one 64-bit number. `_Numbering` gives
each distinct number an id of its own. That id and the next four bytes of the word make a number
again, and so on to its end: equal words get equal ids and unequal ones never do. No hash has to be
trusted.

    " lowest."  --▶  7, " lowest" --▶ id 3  --▶  id 3, 1, "." --▶ id 8, the id of the word
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.pretokenizers.blocks import decoded
from tokviz.pretokenizers.borders import Cut, Flags, Offsets

Numbers: TypeAlias = npt.NDArray[np.uint64]

# A number holds seven bytes of text below their length; or, marked by its top bit, an id of 29
# bits, one to four bytes of text and, in two bits, their length. So many ids would first need a
# table of 16 GB.
_FIRST, _NEXT = 7, 4
_TEXT = np.array([(1 << 8 * length) - 1 for length in range(8)], np.uint64)
_LENGTH = np.array([length << 56 for length in range(8)], np.uint64)
_NEXT_LENGTH = np.array([0, *(1 << 63 | (length - 1) << 32 for length in range(1, 5))], np.uint64)
_ID_AT = np.uint64(34)

#: Bytes; longer words are rare, and looked up one by one. Their numbers have this bit.
_LONGEST, _LONG = 19, 1 << 62

_HALF, _GOLDEN = np.uint64(32), np.uint64(0x9E3779B97F4A7C15)


class WordCounter:
    """Distinct words in the order in which they are first met, with their counts, and how many of
    these are told to be alone: a white-space word by themselves.

    >>> counter = WordCounter()
    >>> data = b"low-lower low" + 8 * b" "
    >>> cut = Cut(data, np.array([0, 4, 10]), np.array([3, 9, 13]))
    >>> counter.add(cut, np.array([False, False, True]))
    >>> counter.words, counter.counts(), counter.alone()
    (['low', 'lower'], [2, 1], [1, 0])
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self._counts = np.zeros(0, np.int64)
        self._alone = np.zeros(0, np.int64)
        self._ids = _Numbering()
        # The place in `words` of the word with that id, or -1.
        self._place = np.zeros(0, np.intp)
        self._long_words: dict[bytes, int] = {}

    def add(self, cut: Cut, alone: Flags) -> None:
        """Counts the words of a block; all blocks must have the same prefix. `alone` is said of
        each."""
        ids = self._ids_of(cut)
        self._place = _extended(self._place, len(self._ids), -1)
        unmet = np.flatnonzero(self._place[ids] < 0)
        if unmet.size:
            first = unmet[np.sort(np.unique(ids[unmet], return_index=True)[1])]
            self._place[ids[first]] = np.arange(len(self.words), len(self.words) + len(first))
            spans = zip(cut.starts[first].tolist(), cut.ends[first].tolist(), strict=True)
            words = [decoded(cut.data[start:end]) for start, end in spans]
            self.words += [cut.prefix + word for word in words] if cut.prefix else words
        self._counts = _extended(self._counts, len(self.words), 0)
        self._alone = _extended(self._alone, len(self.words), 0)
        places = self._place[ids]
        np.add.at(self._counts, places, 1)
        np.add.at(self._alone, places[alone], 1)

    def counts(self) -> list[int]:
        """How often each of `words` occurred."""
        counts: list[int] = self._counts[: len(self.words)].tolist()
        return counts

    def alone(self) -> list[int]:
        """How often each of `words` was alone."""
        alone: list[int] = self._alone[: len(self.words)].tolist()
        return alone

    def _ids_of(self, cut: Cut) -> Offsets:
        """One id for each word of the block; those of equal words are equal."""
        # The eight bytes from every byte on, as one number with the first byte lowest.
        eights = np.ndarray((len(cut.data) - 7,), "<u8", cut.data, strides=(1,))
        at, left = cut.starts, cut.ends - cut.starts
        length = np.minimum(left, _FIRST)
        numbers = (eights[at] & _TEXT[length]) | _LENGTH[length]
        long = np.flatnonzero(left > _LONGEST)
        for i in long.tolist():
            word = cut.data[cut.starts[i] : cut.ends[i]]
            numbers[i] = _LONG | self._long_words.setdefault(word, len(self._long_words))
        left[long] = 0
        ids = self._ids.of(numbers)
        words = np.flatnonzero(left > _FIRST)
        at, left = at[words] + _FIRST, left[words] - _FIRST
        while words.size:
            length = np.minimum(left, _NEXT)
            beginnings = ids[words].astype(np.uint64) << _ID_AT
            numbers = beginnings | _NEXT_LENGTH[length] | (eights[at] & _TEXT[length])
            ids[words] = self._ids.of(numbers)
            longer = left > _NEXT
            words, at, left = words[longer], at[longer] + _NEXT, left[longer] - _NEXT
        return ids


class _Numbering:
    """An id for each distinct number, counted from 0: a hash table with open addressing.

    A number has the first place from its own on that it found free, so a search ends where the
    number is or where nothing is. Zero marks a free place and is no number. At least half of the
    places are free.

    >>> ids = _Numbering()
    >>> ids.of(np.array([7, 9, 7], np.uint64)).tolist(), len(ids)
    ([0, 1, 0], 2)
    """

    def __init__(self) -> None:
        self._used = 0
        self._allocate(1 << 10)

    def __len__(self) -> int:
        return self._used

    def of(self, numbers: Numbers) -> Offsets:
        """The ids of the numbers; those never met before get new ones."""
        self._make_room(len(numbers))
        places = self._search(numbers)
        unmet = np.flatnonzero(self._numbers[places] != numbers)
        if unmet.size:
            new = np.unique(numbers[unmet])
            self._insert(new, np.arange(self._used, self._used + len(new)))
            self._used += len(new)
            places[unmet] = self._search(numbers[unmet])
        ids: Offsets = self._ids[places]
        return ids

    def _search(self, numbers: Numbers) -> Offsets:
        """The place of each number, or the free place where it would go."""
        # The golden ratio spreads numbers that differ in few bits over the whole table.
        spread = (numbers ^ numbers >> _HALF) * _GOLDEN
        places = (spread >> np.uint64(64 - self._bits)).astype(np.intp)
        found = self._numbers[places]
        searching = np.flatnonzero((found != numbers) & (found != 0))
        while searching.size:
            places[searching] = (places[searching] + 1) % len(self._numbers)
            found = self._numbers[places[searching]]
            searching = searching[(found != numbers[searching]) & (found != 0)]
        return places

    def _insert(self, numbers: Numbers, ids: Offsets) -> None:
        while numbers.size:
            places = self._search(numbers)
            # Several may claim one free place: one of them gets it, the others search on.
            self._numbers[places] = numbers
            placed = self._numbers[places] == numbers
            self._ids[places[placed]] = ids[placed]
            numbers, ids = numbers[~placed], ids[~placed]

    def _make_room(self, more: int) -> None:
        size = len(self._numbers)
        while size < 2 * (self._used + more):
            size *= 2
        if size > len(self._numbers):
            taken = np.flatnonzero(self._numbers)
            numbers, ids = self._numbers[taken], self._ids[taken]
            self._allocate(size)
            self._insert(numbers, ids)

    def _allocate(self, size: int) -> None:
        self._bits = size.bit_length() - 1
        self._numbers = np.zeros(size, np.uint64)
        self._ids = np.zeros(size, np.intp)


def _extended(array: npt.NDArray[Any], length: int, fill: int) -> npt.NDArray[Any]:
    """The array, with room for `length` numbers and for more to come."""
    if length <= len(array):
        return array
    return np.concatenate([array, np.full(2 * length - len(array), fill, array.dtype)])
