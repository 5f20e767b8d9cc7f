"""Tables of tasks become one, in whatever order they come.

Every word remembers where it was met first: the number of the task, and its place there.
"""

import numpy as np

from tokviz.counting.errors import CountingError
from tokviz.counting.tasks import Table, made_with
from tokviz.history.base import Ints
from tokviz.text.word_counts import WordCounts

#: Words that a task may have, and tasks: both together are one 64-bit number.
_PLACES = 1 << 36
_LATE = np.iinfo(np.int64).max


class Merger:
    """The table so far.

    >>> merger = Merger()
    >>> low, new = np.array([5, 2]), np.array([1, 1])
    >>> merger.add(1, Table(["low", "er"], low, None, 5, np.array([3, 0]), made_with()))
    >>> merger.add(0, Table(["new", "er"], new, None, 1, np.array([0, 0]), made_with()))
    >>> merger.result(), merger.result().alone
    (WordCounts(words=('new', 'er', 'low'), counts=(1, 3, 5)), (0, 0, 3))
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._counts = np.zeros(0, np.int64)
        self._alone = np.zeros(0, np.int64)
        self._first = np.zeros(0, np.int64)
        self._line_ends: Ints | None = None
        self._white_space_words = 0

    def add(self, task: int, table: Table) -> None:
        """Adds the table of a task. Raises CountingError if it was made with other releases."""
        if table.made_with != made_with():
            raise CountingError(
                f"a worker has {', '.join(table.made_with)}, but this process has "
                f"{', '.join(made_with())}, which may cut words elsewhere; give all of them the "
                "same."
            )
        self._white_space_words += table.white_space_words
        known, words = self._number, table.words
        numbers = np.fromiter(
            (known.setdefault(word, len(known)) for word in words), np.intp, len(words)
        )
        self._counts = _longer(self._counts, len(known), 0)
        self._alone = _longer(self._alone, len(known), 0)
        self._first = _longer(self._first, len(known), _LATE)
        # A word is once in a table, so each number is there once.
        self._counts[numbers] += table.counts
        self._alone[numbers] += table.alone
        places = task * _PLACES + np.arange(len(words))
        self._first[numbers] = np.minimum(self._first[numbers], places)
        if table.line_ends is not None:
            ends = np.zeros(0, np.int64) if self._line_ends is None else self._line_ends
            self._line_ends = _longer(ends, len(known), 0)
            self._line_ends[numbers] += table.line_ends

    def result(self) -> WordCounts:
        """The words of all tasks, as one process that does them in order would have met them."""
        order = np.argsort(self._first[: len(self._number)], kind="stable")
        words = list(self._number)
        return WordCounts(
            tuple(words[i] for i in order.tolist()),
            tuple(self._counts[order].tolist()),
            None if self._line_ends is None else tuple(self._line_ends[order].tolist()),
            white_space_words=self._white_space_words,
            alone=tuple(self._alone[order].tolist()),
        )


def _longer(array: Ints, length: int, fill: int) -> Ints:
    """The array, with room for `length` numbers and more to come."""
    if length <= len(array):
        return array
    return np.concatenate([array, np.full(2 * length - len(array), fill, np.int64)])
