"""The history of a training of Hugging Face's Unigram, which knows what its loss should be."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tokviz.encoding.sentencepiece_encoders import UnigramDoubleEncoder, UnigramLineEncoder
from tokviz.history.base import Floats, Ints
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.estimating.loss import approximate_loss

if TYPE_CHECKING:
    import pandas as pd


class Slip(NamedTuple):
    """What the flaw of the library's loss did to a pruning: `kept` and `lost` are the rows of the
    pieces that stay, or go, because of it, those of the greatest right loss first. Both are as
    many. `counted` is how many pieces the library counts where the size of an alternative is meant.
    """

    kept: Ints
    lost: Ints
    counted: int


@dataclass(frozen=True, repr=False, eq=False)
class HuggingFaceUnigramHistory(SentencePieceUnigramHistory):
    """The record of a run; see `SentencePieceUnigramHistory`. A pruning goes by the library's loss,
    which is too great for frequent pieces; `right_losses` has SentencePiece's beside it.
    """

    def right_losses(self, t: int) -> Floats:
        """The loss of each piece of `alive(t)` with the size of its alternative where the library
        counts all pieces; nan where the library has none."""
        wrong = self.approximate_deltas(t)
        right = np.full(len(wrong), np.nan)
        rows = self._pruning(t)
        if rows is None:
            return right
        unknown = int(self.record.unknown[t])
        uses = self.frequencies(t)
        of_token = np.full(len(self.record.tokens), unknown)
        of_token[self.alive(t)] = uses
        starts = self.record.alternative_starts[rows.start : rows.stop + 1]
        sizes = np.diff(starts)
        chosen = np.flatnonzero(~np.isnan(wrong))
        taken = self.record.alternative[starts[0] : starts[-1]]
        right[chosen] = approximate_loss(
            uses[chosen],
            of_token[taken],
            sizes[chosen],
            sizes[chosen],
            int(uses.sum()) + unknown,
            sum(self.words.counts),
        )
        # In single precision, as the library's are here, so that the same ones tie.
        return right.astype(np.float32).astype(np.float64)

    def slip(self, t: int) -> Slip:
        """What the flaw did to the pruning out of state t."""
        wrong, right, goes = self.approximate_deltas(t), self.right_losses(t), self.goes(t)
        rows = np.flatnonzero(~np.isnan(wrong))
        stay = int((~goes[rows]).sum())
        chosen = rows[np.argsort(-right[rows], kind="stable")]
        rightly = np.zeros(len(goes), bool)
        rightly[chosen[:stay]] = True
        lost = chosen[goes[chosen] & rightly[chosen]]
        kept = chosen[~goes[chosen] & ~rightly[chosen]]
        return Slip(kept, lost, len(goes) + 1)

    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """See `SentencePieceUnigramHistory`; with right_loss (see `right_losses`) and right_goes
        (whether the pruning would remove the piece by that)."""
        frame = super().candidates(t, k)
        rows, slip = self.order(t)[:k], self.slip(t)
        rightly = self.goes(t).copy()
        rightly[slip.kept], rightly[slip.lost] = True, False
        at = frame.columns.tolist().index("loss_delta") + 1
        frame.insert(at, "right_loss", self.right_losses(t)[rows])
        frame.insert(at + 1, "right_goes", rightly[rows])
        return frame

    @property
    def _kept_whole(self) -> tuple[str, ...]:
        return self.special_tokens

    def _line_encoder(self) -> type[UnigramLineEncoder]:
        return UnigramDoubleEncoder
