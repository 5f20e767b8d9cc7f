"""The history of SuperBPE: merges within words, and from a state on merges across their borders."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tokviz.basics.read_only import read_only
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord
from tokviz.history.merges import MergeHistory


@dataclass(frozen=True, eq=False)
class CrossingRecord(MergeRecord):
    """The columns of a run of SuperBPE.

    The words of the corpus are runs of text, and gaps are theirs. Until state `border` pairs are
    counted within the words of runs, and from there on in the runs. A run that never comes so far
    has −1 there.

    >>> import tokviz
    >>> text = "in the end in the end in the"
    >>> tokviz.train(text, "super-bpe", 14, transition_size=12).record.border
    5
    """

    __repr__ = short_repr

    border: int


@dataclass(frozen=True, repr=False, eq=False)
class CrossingHistory(MergeHistory):
    """The record of a run of SuperBPE.

    A state before the border falls is that of the finished tokenizer with its first merges: these
    join whatever they find in a run of text, also what its words keep apart where their pairs are
    counted. See docs/algorithms.md.

    >>> import tokviz
    >>> h = tokviz.train("in the end in the end in the", "super-bpe", 14, transition_size=12)
    >>> h.border, h.steps[4].token, h.steps[5].token, h.crosses.tolist()
    (5, 'en', 'inĠthe', [False, False, False, False, False, True, True])
    """

    merges: ClassVar[bool] = True

    record: CrossingRecord

    @property
    def border(self) -> int | None:
        """The first state in which pairs cross the borders of words; None if there is none."""
        return None if self.record.border < 0 else self.record.border

    def counts_within(self, t: int) -> bool:
        return self.border is None or t < self.border

    def reaches_across(self, step: int) -> bool:
        return bool(self.crosses[step])

    @cached_property
    def crosses(self) -> npt.NDArray[np.bool_]:
        """For every step whether it makes a token of several words, or of parts of several."""
        found = np.zeros(len(self), np.bool_)
        for step in range(len(self) if self.border is None else self.border, len(self)):
            # Bytes of a character that is not whole are of no word.
            text = self.spelling.bytes_of(self.symbols[self.made_by(step)]).decode(errors="ignore")
            found[step] = len(self.trainer.words_in(text)) > 1
        return read_only(found)

    def word_starts(self, word: str) -> Ints:
        """Where the words of a run begin, in its characters."""
        lengths = [len(part) for part in self.trainer.words_in(word)]
        return np.cumsum([0, *lengths[:-1]])
