"""The history of BoundlessBPE: merges within words, and across the borders of whole ones."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tokviz.basics.read_only import read_only
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.boundless_encoder import BoundlessEncoder
from tokviz.encoding.encoders import MergeEncoder
from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord
from tokviz.history.merge_tokenizer import merges_of
from tokviz.history.merges import MergeHistory
from tokviz.history.score_tables import ScoreTables, ranks_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class BoundlessRecord(MergeRecord):
    """The columns of a run of BoundlessBPE. The words of the corpus are runs of text.

    >>> import tokviz
    >>> text = "in the end in the end in the"
    >>> tokviz.train(text, "boundless-bpe", 17).record.across.tolist()
    [0, 0, 0, 0, 0, 0, 1, 0, 0, 1]
    """

    __repr__ = short_repr

    across: Ints  # per step: 1 if it merges whole words, 0 if it does within words
    pair_across: Ints  # per pair


@dataclass(frozen=True, repr=False, eq=False)
class BoundlessHistory(MergeHistory):
    """The record of a run of BoundlessBPE.

    >>> import tokviz
    >>> h = tokviz.train("in the end in the end in the", "boundless-bpe", 14)
    >>> [step.token for step in h.steps][2:], h.reaches_across(6)
    (['▁the', 'in', '▁e', '▁in', '▁in▁the'], True)
    """

    merges: ClassVar[bool] = True

    record: BoundlessRecord

    def reaches_across(self, step: int) -> bool:
        return bool(self.record.across[step])

    def word_starts(self, word: str) -> Ints:
        """Where the words of a run begin, in its characters."""
        lengths = [len(part) for part in self.trainer.words_in(word)]
        return np.cumsum([0, *lengths[:-1]])

    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """As of other runs of merges, and whether each pair is `across` words."""
        table = super().candidates(t, k)
        table["across"] = self.record.pair_across[self.ranked_pairs(t, k)[0]] == 1
        return table

    def merge_encoder(self, t: int) -> MergeEncoder:
        plain = merges_of(self, t)
        across = frozenset(np.flatnonzero(self.record.across[:t]).tolist())
        return BoundlessEncoder(**vars(plain), words_in=self.trainer.words_in, across=across)

    @cached_property
    def _tables(self) -> ScoreTables:
        return ScoreTables(self.record, self._tie_ranks)

    def _tie_ranks(self) -> Ints:
        r, texts = self.record, [*map(self.spelling.bytes_of, self.symbols)]
        columns = (r.pair_across.tolist(), r.pair_left.tolist(), r.pair_right.tolist())
        keys = [
            (not across, texts[left], texts[right])
            for across, left, right in zip(*columns, strict=True)
        ]
        return read_only(ranks_of(keys))
