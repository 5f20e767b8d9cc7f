"""What a run of PickyBPE writes down: a `MergeRecord` whose gaps may open again.

Steps are merges and removals. A removal has the token that goes on its left, and −1 on its right.
A token that is made once more is the same symbol as the first time: `made` says which symbol each
step makes, or takes away.

Gaps. Nearly all gaps close once and for all, and have the one number that they have in any run of
merges. A gap that was ever opened has the number of one that never closes, and every change of its
number is written down besides, in the order of states. The segmentation of a state is the column of
gaps with the changes until then: of several changes of a gap, the last one stays. Where a token
comes apart, the gaps inside a part have the numbers of the steps that first made that part, so that
the greatest number inside a token still names the step that made it.
"""

from dataclasses import dataclass

import numpy as np

from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord


@dataclass(frozen=True, eq=False)
class PickyRecord(MergeRecord):
    """The columns of a run of PickyBPE.

    >>> import tokviz
    >>> record = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", 6, threshold=0.8).record
    >>> record.left.tolist(), record.right.tolist(), record.made.tolist()
    ([1, 4, 4, 5, 5, 1], [3, 0, -1, 2, -1, 3], [4, 5, 4, 7, 5, 4])
    """

    __repr__ = short_repr

    made: Ints  # per step: the symbol that it makes, or takes away
    change_state: Ints  # per change of a gap that opens: the first state that has it
    change_gap: Ints
    change_code: Ints
    log_place: Ints  # per change of a count: where the pair is met first, as the place after it
    keyframe_place: Ints

    @property
    def merged(self) -> Ints:
        """The pair that each step merges; −1 for a removal."""
        # The log of a removal may be empty, and that of the last step too.
        first = np.append(self.log_pair, -1)[self.log_starts[:-1]]
        return np.where(self.right < 0, -1, first)

    def merged_by(self, t: int) -> int:
        return -1 if self.right[t] < 0 else int(self.log_pair[self.log_starts[t]])

    @property
    def forced(self) -> Ints:
        is_other = self.merged != self.top_pair[:-1, 0]
        return np.flatnonzero(is_other & (self.right >= 0))

    def codes(self, t: int) -> Ints:
        """The number of every gap as of state t: a gap is closed if it is below t."""
        until = int(np.searchsorted(self.change_state, t, side="right"))
        if not until:
            return self.gaps
        codes = self.gaps.copy()
        codes[self.change_gap[:until]] = self.change_code[:until]
        return codes

    def word_codes(self, word: int, t: int) -> Ints:
        """The numbers of the gaps of word number `word` as of state t."""
        first, last = self.starts[word : word + 2].tolist()
        codes = self.gaps[first:last].astype(np.int64)
        until = int(np.searchsorted(self.change_state, t, side="right"))
        mine = np.flatnonzero((self.change_gap[:until] >= first) & (self.change_gap[:until] < last))
        codes[self.change_gap[mine] - first] = self.change_code[mine]
        return codes

    def cuts(self, word: int, t: int) -> Ints:
        return np.flatnonzero(self.word_codes(word, t) >= t)

    def word_symbols(self, word: int, t: int) -> list[int]:
        first, last = self.starts[word : word + 2].tolist()
        return self.symbols_in(self.symbols[first:last].tolist(), self.word_codes(word, t), t)

    def symbols_in(self, base: list[int], codes: Ints, t: int) -> list[int]:
        """The symbols of a word, of its starting symbols and the numbers of its gaps."""
        symbols, latest = list[int](), list[int]()
        for symbol, code in zip(base, codes.tolist(), strict=True):
            if code >= t:
                symbols.append(symbol)
                latest.append(-1)
            elif code > latest[-1]:
                latest[-1] = code
                symbols[-1] = int(self.made[code])
        return symbols

    def state_symbols(self, t: int) -> tuple[Ints, Ints]:
        codes = self.codes(t)
        starts = np.flatnonzero(codes >= t)
        if not len(starts):
            return starts, starts
        latest = np.maximum.reduceat(np.where(codes < t, codes, -1).astype(np.int64), starts)
        symbols = self.symbols[starts].astype(np.int64)
        joined = latest >= 0
        symbols[joined] = self.made[latest[joined]]
        return symbols, starts
