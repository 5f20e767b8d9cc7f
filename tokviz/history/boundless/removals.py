"""The history of BoundlessBPE that takes tokens back, as PickyBPE does."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.boundless_encoder import BoundlessEvents, BoundlessRemovalEncoder
from tokviz.history.base import Ints
from tokviz.history.boundless.history import BoundlessHistory, BoundlessRecord
from tokviz.history.picking.history import PickyHistory
from tokviz.history.picking.record import PickyRecord


@dataclass(frozen=True, eq=False)
class BoundlessRemovalRecord(PickyRecord, BoundlessRecord):
    """The columns of such a run. No rule of it asks for the places of pairs, which are all 0.

    >>> import tokviz
    >>> history = tokviz.train({"hugs": 9, "hug": 1}, "boundless-bpe", 6, threshold=0.9)
    >>> history.record.left.tolist(), history.record.right.tolist(), history.record.uses.tolist()
    ([1, 4, 4, 5, 5, 3], [3, 0, -1, 2, -1, 0], [0, 0, 10, 0, 10, 0])
    """

    __repr__ = short_repr

    uses: Ints  # per step: of what it takes back how often that was used before the merge, else 0


@dataclass(frozen=True, repr=False, eq=False)
class BoundlessRemovalHistory(PickyHistory, BoundlessHistory):
    """The record of a run of BoundlessBPE that takes tokens back.

    >>> import tokviz
    >>> h = tokviz.train({"hugs": 9, "hug": 1}, "boundless-bpe", 6, threshold=0.9)
    >>> [(step.action, step.token) for step in h.steps][:4], h.segmentation("hug", 5)
    ([('merge', 'hu'), ('merge', 'hug'), ('remove', 'hu'), ('merge', 'hugs')], ['h', 'u', 'g'])
    """

    merges: ClassVar[bool] = True
    compares_uses: ClassVar[bool] = True

    record: BoundlessRemovalRecord

    @property
    def default_encoder(self) -> str:
        return "events"

    @cached_property
    def events(self) -> BoundlessEvents:
        r = self.record
        columns = r.left.tolist(), r.right.tolist(), r.made.tolist()
        return BoundlessEvents(len(r.alphabet), *columns)

    def counts_within(self, _t: int) -> bool:
        return True

    def _encoder(self, t: int) -> BoundlessRemovalEncoder:
        return BoundlessRemovalEncoder(
            **vars(super()._encoder(t)),
            words_in=self.trainer.words_in,
            across=self.record.across.tolist(),
        )

    def share(self, t: int) -> tuple[int, int]:
        """Among the words, whatever these are joined with in their runs."""
        went = int(self.merged_counts[self.merge_before(t)])
        return went, int(self.record.uses[t]) - went
