"""The numbers in the history of an EM training: what each state and step did to which piece."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tokviz.basics.messages import message
from tokviz.history.base import Floats, Ints
from tokviz.history.em_record import ACTIONS, EMRecord
from tokviz.history.seeds import SeedHistory

#: Why a step removes a piece, or cannot, as people read it.
REASONS = {
    "rare": message("rare"),
    "unused": message("unused"),
    "split": message("split"),
    "loss": message("loss"),
    "size": message("size"),
    "no alternative": message("no alternative"),
}


@dataclass(frozen=True, repr=False, eq=False)
class EMHistory(SeedHistory):
    """Questions that need no strings. Columns are over the pieces of a state, in id order.

    >>> import tokviz
    >>> h = tokviz.train({" hug": 10, " pug": 5, " hugs": 5}, "sentencepiece-unigram", 12)
    >>> h.action(0), len(h.alive(0)), h.expected_counts(0)[:2].round(1).tolist()
    ('em', 9, [0.2, 0.2])
    """

    record: EMRecord

    def __len__(self) -> int:
        return len(self.record.actions)

    @property
    def step_columns(self) -> tuple[Any, ...]:
        r = self.record
        return r.tokens, r.actions, r.state_starts, r.token, r.log_prob, r.loss

    def action(self, t: int) -> str:
        """The action of the step out of state t; empty for the last state."""
        self.check_state(t)
        return ACTIONS[self.record.actions[t]] if t < len(self) else ""

    def alive(self, t: int) -> Ints:
        self.check_state(t)
        return self._of_state(self.record.token, t).astype(np.int64)

    def _of_state(self, column: npt.NDArray[np.generic], t: int) -> npt.NDArray[np.generic]:
        first, last = self.record.state_starts[t : t + 2]
        return column[first:last]

    def log_probs(self, t: int) -> Floats:
        """The natural log-probability of each piece of `alive(t)`."""
        return self._of_state(self.record.log_prob, t).astype(np.float64)

    def frequencies(self, t: int) -> Ints:
        """How often each piece of `alive(t)` is in the best segmentations of the corpus."""
        return self._of_state(self.record.frequency, t).astype(np.int64)

    def expected_counts(self, t: int) -> Floats:
        """How often each piece of `alive(t)` is expected: by the EM step out of the state, else by
        the last one before it; nan for characters that came back at the end."""
        return self._of_state(self.record.count, t).astype(np.float64)

    def _pruning(self, t: int) -> slice | None:
        if self.action(t) != "prune":
            return None
        k = int((self.record.actions[:t] == ACTIONS.index("prune")).sum())
        return slice(*self.record.prune_starts[k : k + 2].tolist())

    def approximate_deltas(self, t: int) -> Floats:
        """The library's loss of each piece of `alive(t)`, by which the pruning out of state t
        chooses: in nats for a word of the corpus, nan where it computes none."""
        rows = self._pruning(t)
        if rows is None:
            return np.full(len(self.alive(t)), np.nan)
        return self.record.prune_loss[rows].astype(np.float64)

    def exact_deltas(self, t: int) -> Floats:
        """By how much the Viterbi loss of the corpus, in nats, would rise without each piece of
        `alive(t)`: 0 for unused pieces, nan for characters, and nan for all if the state is not
        before a pruning or the setting `exact_deltas` was off."""
        rows = self._pruning(t)
        if rows is None or not len(self.record.exact_delta):
            return np.full(len(self.alive(t)), np.nan)
        return self.record.exact_delta[rows]

    def rank_correlation(self, t: int) -> float:
        """Spearman's rank correlation of approximate and exact deltas in state t, over the pieces
        that have both; nan if there are none."""
        approximate, exact = self.approximate_deltas(t), self.exact_deltas(t)
        both = ~np.isnan(approximate) & ~np.isnan(exact)
        return spearman(approximate[both], exact[both])

    def exact_ranks(self, t: int) -> Floats:
        """The row, counted from 1, that each piece of `alive(t)` would have in the table of
        candidates if exact deltas took the place of approximate ones; nan for pieces that have not
        both, which keep their rows. Equal deltas keep the order of the table."""
        order, exact = self.order(t), self.exact_deltas(t)
        rows = np.flatnonzero(~np.isnan(self.approximate_deltas(t) + exact)[order])
        pieces = order[rows]
        ranks = np.full(len(order), np.nan)
        ranks[pieces[np.argsort(exact[pieces], kind="stable")]] = rows + 1
        return ranks

    def _is_alive(self, t: int) -> npt.NDArray[np.bool_]:
        alive = np.zeros(len(self.record.tokens), bool)
        alive[self.alive(t)] = True
        return alive

    def goes(self, t: int) -> npt.NDArray[np.bool_]:
        """Which pieces of `alive(t)` the step out of state t removes."""
        if t == len(self):
            return np.zeros(len(self.alive(t)), bool)
        return np.asarray(~self._is_alive(t + 1)[self.alive(t)])

    def order(self, t: int) -> Ints:
        """The rows of `alive(t)`, next to go first: by expected count, loss or log-probability."""
        action, goes = self.action(t), self.goes(t)
        if not action:
            return np.arange(len(goes))
        if action == "em":
            key = self.expected_counts(t)
        elif action == "prune":
            loss = self.approximate_deltas(t)
            key = np.where(np.isnan(loss), np.where(goes, -np.inf, np.inf), loss)
        else:
            key = self.log_probs(t)
        # Among equals the higher id goes first.
        return np.lexsort((-np.arange(len(goes)), key, ~goes))

    def _cut(self, t: int) -> tuple[float, int, int]:
        """The greatest loss that a pruning removes (0 for none), how many pieces have it, and
        how many of them go."""
        loss, goes = self.approximate_deltas(t), self.goes(t)
        removed = loss[goes & ~np.isnan(loss)]
        if not len(removed):
            return 0.0, 1, 0
        cut = float(removed.max())
        return cut, int((loss == cut).sum()), int((removed == cut).sum())

    def reasons(self, t: int, rows: Ints) -> list[str]:
        """Why some pieces, given by their places in `alive(t)`, go in the step out of state t, or
        stay: rare, unused, split, loss, size, no alternative; empty for others that stay."""
        goes = self.goes(t)[rows].tolist()
        pruning = self._pruning(t)
        if pruning is None:
            reason = "rare" if self.action(t) == "em" else "size"
            return [reason if gone else "" for gone in goes]
        unused = (self.frequencies(t)[rows] == 0).tolist()
        split = self.record.prune_split[pruning][rows].tolist()
        safe = np.isnan(self.record.prune_loss[pruning][rows]).tolist()
        return [
            ("split" if split[i] else "unused" if unused[i] and safe[i] else "loss")
            if goes[i]
            else "no alternative" * safe[i]
            for i in range(len(goes))
        ]


def spearman(a: Floats, b: Floats) -> float:
    """Spearman's rank correlation of two columns, equal values sharing their mean rank; nan with
    fewer than two rows, or where all values of a column are equal.

    >>> spearman(np.array([1.0, 2.0, 4.0]), np.array([2.0, 3.0, 9.0]))
    1.0
    >>> round(spearman(np.array([1.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0])), 4)
    -0.866
    """
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean() if len(x) else x, y - y.mean() if len(y) else y
    scale = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / scale) if scale else float("nan")


def _ranks(values: Floats) -> Floats:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    mean_ranks: Floats = last - (sizes - 1) / 2
    return mean_ranks[group]
