"""The history of PickyBPE: merges and removals. The questions are those of any run of merges."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from tokviz.basics.errors import SettingError
from tokviz.basics.read_only import read_only
from tokviz.encoding.longest_token import LongestTokenEncoder
from tokviz.encoding.picky_encoder import PickyEncoder, PickyEvents
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.base import History, Ints
from tokviz.history.merge_tokenizer import longest_first
from tokviz.history.merges import MergeHistory, Vocabulary
from tokviz.history.picking.record import PickyRecord
from tokviz.history.provenance import Provenance, words_at
from tokviz.history.steps import MergeStep, PickyMergeStep, RemovalStep, Step, Steps
from tokviz.text.symbols import Symbol, SymbolTable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class PickyHistory(MergeHistory):
    """The record of a run of PickyBPE.

    A token that was taken back keeps its place in the order of tokens, and has it again when it
    returns: ids are the places among those that a state has.

    >>> import tokviz
    >>> h = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", vocab_size=6, threshold=0.8)
    >>> [h.vocab_size(t) for t in range(len(h) + 1)], h.vocab(2)
    ([4, 5, 6, 5, 6, 5, 6], ['g', 'h', 's', 'u', 'hu', 'hug'])
    >>> h.steps[2].token, h.steps[2].parts, h.steps[2].went, h.steps[2].left_over
    ('hu', ('h', 'u'), 10, 0)
    """

    takes_back: ClassVar[bool] = True
    step_noun: ClassVar[str] = "step"
    #: Whether a merge is compared with all uses of a token that went into it, and takes it back at
    #: the threshold as well as above.
    compares_uses: ClassVar[bool] = False

    record: PickyRecord

    @property
    def step_columns(self) -> tuple[Any, ...]:
        return self.record.left, self.record.right, self.record.codes(len(self))

    @cached_property
    def events(self) -> PickyEvents:
        """The steps by the numbers of symbols."""
        r = self.record
        return PickyEvents(len(r.alphabet), r.left.tolist(), r.right.tolist(), r.made.tolist())

    @cached_property
    def removals(self) -> npt.NDArray[np.bool_]:
        return read_only(self.record.right < 0)

    @cached_property
    def taken_back(self) -> dict[str, Symbol]:
        gone = self.record.left[self.removals].tolist()
        return {self.strings[symbol]: self.symbols[symbol] for symbol in gone}

    # --- symbols, ids, vocabulary -------------------------------------------------------------

    @cached_property
    def _replay(self) -> tuple[Vocabulary, Ints, Ints]:
        table = SymbolTable(self.spelling, self.special_tokens, self.record.alphabet)
        births, size, sizes = [0] * len(table), len(table), [len(table)]
        for state, (left, right) in enumerate(
            zip(self.events.left, self.events.right, strict=True), start=1
        ):
            if right < 0:
                table.repeat(left)
                size -= 1
            elif table.merge(left, right):
                births.append(state)
                size += 1
            else:
                size += bool(self._returns[state - 1])
            sizes.append(size)
        return table, read_only(np.asarray(births)), read_only(np.asarray(sizes))

    @cached_property
    def _returns(self) -> npt.NDArray[np.bool_]:
        """For every step whether it makes a token that was taken back before."""
        gone, found = set[int](), np.zeros(len(self), np.bool_)
        for step, (right, made) in enumerate(zip(self.events.right, self.events.made, strict=True)):
            if right < 0:
                gone.add(made)
            elif made in gone:
                gone.remove(made)
                found[step] = True
        return found

    @cached_property
    def _comings(self) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
        """The steps that take tokens back or have them return; their places in the order of tokens,
        and whether they come."""
        steps = np.flatnonzero(self.removals | self._returns)
        return steps, self.symbol_ids[self.record.made[steps]], self._returns[steps]

    def _there(self, t: int) -> npt.NDArray[np.bool_]:
        """For every token until state t, in their order, whether the vocabulary has it."""
        self.check_state(t)
        there = np.ones(int(np.searchsorted(self._replay[1], t, side="right")), np.bool_)
        steps, ids, come = self._comings
        until = int(np.searchsorted(steps, t))
        # Of several comings and goings the last one stays.
        there[ids[:until]] = come[:until]
        return there

    def vocab(self, t: int) -> list[str]:
        return [*compress(self._vocabulary, self._there(t).tolist())]

    def births(self, t: int) -> Ints:
        there = self._there(t)
        return self._replay[1][: len(there)][there]

    @property
    def births_of_all(self) -> Ints:
        """The first state that had each token that there ever was, in the order of tokens."""
        return self._replay[1]

    def ids_at(self, t: int) -> Ints:
        """The id of every symbol in state t; −1 for those that it does not have."""
        there = self._there(t)
        places = np.full(len(self._vocabulary), -1)
        places[: len(there)] = np.where(there, np.cumsum(there) - 1, -1)
        ids: Ints = places[self.symbol_ids]
        return ids

    def vocab_symbols(self, t: int) -> list[Symbol | None]:
        symbols: list[Symbol | None] = [None] * self.vocab_size(t)
        known = zip(self.symbols, self.ids_at(t).tolist(), strict=True)
        for symbol, i in list(known)[len(self.record.alphabet) + t - 1 :: -1]:
            if i >= 0:
                symbols[i] = symbol
        return symbols

    def token_counts(self, t: int) -> Ints:
        by_symbol, ids = self.symbol_counts(t), self.ids_at(t)
        counts = np.zeros(self.vocab_size(t), np.int64)
        used = np.flatnonzero(by_symbol)
        np.add.at(counts, ids[used], by_symbol[used])
        return counts

    def counts_over(self, states: Iterable[int]) -> Iterator[Ints]:
        return map(self.token_counts, states)

    # --- segmentations ------------------------------------------------------------------------

    @cached_property
    def _gap_steps(self) -> tuple[Ints, Ints]:
        """The gaps that a step closes or opens, and the steps."""
        r, t_all = self.record, len(self)
        closed = np.flatnonzero(r.gaps < t_all)
        steps = r.change_state.astype(np.int64) - 1
        # A gap that a removal leaves closed may get another number.
        own = np.where(self.removals[steps], r.change_code == t_all, r.change_code == steps)
        gaps = np.concatenate([closed, r.change_gap[own]])
        return gaps, np.concatenate([r.gaps[closed], steps[own]])

    @cached_property
    def times(self) -> Ints:
        """Per step: how many pairs a merge joined, or how many tokens a removal took apart."""
        gaps, steps = self._gap_steps
        times = np.zeros(len(self), np.int64)
        np.add.at(times, steps, self.symbol_weights[gaps])
        for step in np.flatnonzero(self.removals & (times > 0)).tolist():
            times[step] //= len(self.events.parts(step)) - 1
        return read_only(times)

    @cached_property
    def gaps_by_step(self) -> tuple[Ints, Ints]:
        gaps, steps = self._gap_steps
        order = np.lexsort((gaps, steps))
        starts = np.searchsorted(steps[order], np.arange(len(self) + 1))
        return read_only(gaps[order]), read_only(starts)

    def made_by(self, step: int) -> int:
        return int(self.record.made[step])

    def gaps(self, word: str, t: int | None = None) -> tuple[int, ...]:
        """For every starting symbol of any word the step that joins it to the one before it as of
        state t (the last one if None); the number of steps stands for none."""
        t = len(self) if t is None else t
        if word in self._word_number:
            codes = self.record.word_codes(self._word_number[word], t)
        else:
            codes = np.asarray(self._encoder(t).codes(word), np.int64)
        return tuple(np.where(codes >= t, len(self), codes).tolist())

    def changes(self, word: str) -> set[int]:
        """The states in which any word may be cut otherwise than in the one before."""
        if word not in self._word_number:
            return {event.step + 1 for event in self._encoder(len(self)).trace(word)}
        first, last = self.record.starts[(i := self._word_number[word]) : i + 2].tolist()
        r = self.record
        mine = (r.change_gap >= first) & (r.change_gap < last)
        closed = r.gaps[first:last][r.gaps[first:last] < len(self)] + 1
        return {*closed.tolist(), *r.change_state[mine].tolist()}

    def openings(self, word: str) -> list[int]:
        """The states in which a token of any word has come apart."""
        if word not in self._word_number:
            trace = self._encoder(len(self)).trace(word)
            return sorted({event.step + 1 for event in trace if not event.accepted})
        first, last = self.record.starts[(i := self._word_number[word]) : i + 2].tolist()
        r = self.record
        mine = (r.change_gap >= first) & (r.change_gap < last)
        states = np.unique(r.change_state[mine])
        return [t for t in states.tolist() if self.removals[t - 1]]

    def _encoder(self, t: int) -> PickyEncoder:
        return PickyEncoder(
            self.spelling,
            self.symbol_numbers,
            self.events,
            t,
            self.ids_at(t).tolist(),
            self.strings,
        )

    @property
    def closings(self) -> None:
        return None

    def open_gaps(self, t: int) -> npt.NDArray[np.bool_]:
        self.check_state(t)
        return np.asarray(self.record.codes(t) >= t)

    def whole_over(
        self, states: Iterable[int], counts: Sequence[int] | None = None
    ) -> Iterator[int]:
        return History.whole_over(self, states, counts)

    @cached_property
    def _count_changes(self) -> tuple[Ints, Ints, Ints]:
        """Steps, symbols, and by how much a step changes the count of a symbol."""
        rows = list[tuple[int, int, int]]()
        columns = self.events.left, self.events.right, self.events.made, self.times.tolist()
        for step, (left, right, made, times) in enumerate(zip(*columns, strict=True)):
            if right < 0:
                parts = self.events.parts(step) if times else ()
                rows += [(step, made, -times), *((step, part, times) for part in parts)]
            else:
                rows += [(step, left, -times), (step, right, -times), (step, made, times)]
        steps, symbols, changes = np.asarray(rows, np.int64).reshape(-1, 3).T
        return steps, symbols, changes

    def symbol_counts(self, t: int) -> Ints:
        counts = np.zeros(len(self.record.alphabet) + t, np.int64)
        np.add.at(counts, self.record.symbols, self.symbol_weights)
        steps, symbols, changes = self._count_changes
        until = int(np.searchsorted(steps, t))
        np.add.at(counts, symbols[:until], changes[:until])
        return counts

    @property
    def candidate_counts(self) -> Ints:
        r = self.record
        # A pair may come back to life, so each change of a count is compared with the one before.
        first = np.zeros(len(r.pair_left), np.int64)
        of_start = slice(int(r.keyframe_starts[1]))
        first[r.keyframe_pair[of_start]] = r.keyframe_count[of_start]
        order = np.argsort(r.log_pair, kind="stable")
        pair, lives = r.log_pair[order], r.log_count[order] > 0
        lived = np.append(False, lives)[: len(lives)]
        begins = np.flatnonzero(np.diff(pair, prepend=-1))
        lived[begins] = first[pair[begins]] > 0
        changes = np.zeros(len(pair), np.int64)
        changes[order] = lives.astype(np.int64) - lived
        counts: Ints = np.concatenate([[0], np.cumsum(changes)])[r.log_starts]
        return counts + int(r.keyframe_starts[1])

    # --- steps, curve, provenance -------------------------------------------------------------

    def merged_rank(self, t: int) -> int:
        return 1 if self.removals[t] else super().merged_rank(t)

    @property
    def steps(self) -> Steps[Step]:  # type: ignore[override]
        return Steps(len(self), self._step)

    def _step(self, t: int) -> MergeStep | RemovalStep:  # type: ignore[override]
        made = int(self.record.made[t])
        token, place = self.strings[made], int(self.symbol_ids[made])
        if not self.removals[t]:
            step = super()._step(t)
            # The id is that in the state which the step leads to.
            there = int(self._there(t + 1)[:place].sum())
            found = {**vars(step), "token_id": there, "returns": bool(self._returns[t])}
            return PickyMergeStep(**found)
        merge, (went, left_over) = self.merge_before(t), self.share(t)
        return RemovalStep(
            step=t + 1,
            action="remove",
            score=went / (went + left_over),
            tied=1,
            rule=self.rule,
            token=token,
            token_id=int(self._there(t)[:place].sum()),
            parts=tuple(self.strings[part] for part in self.events.parts(t)),
            merge=merge + 1,
            into=self.strings[int(self.record.made[merge])],
            went=went,
            left_over=left_over,
        )

    def share(self, t: int) -> tuple[int, int]:
        """Of the token that step t takes back, how many went into the merge, and how many did
        not."""
        return int(self.times[self.merge_before(t)]), int(self.times[t])

    def merge_before(self, t: int) -> int:
        """The merge after which a removal looked at its token."""
        while self.removals[t]:
            t -= 1
        return t

    def curve(self) -> "pd.DataFrame":
        actions = np.where(self.removals, "remove", "merge").tolist()
        return super().curve().assign(action=[*actions, ""])

    def sizes(self) -> tuple[Ints, Ints]:
        steps, _, changes = self._count_changes
        by_step = np.zeros(len(self) + 1, np.int64)
        np.add.at(by_step, steps + 1, changes)
        return np.asarray(self._replay[2]), int(self.symbol_weights.sum()) + np.cumsum(by_step)

    def provenance(self, token: str) -> Provenance:
        place = self._id(token)
        steps, symbols, changes = self._count_changes
        mine = self.symbol_ids[symbols] == place
        counts = np.zeros(len(self) + 1, np.int64)
        np.add.at(counts, steps[mine] + 1, changes[mine])
        of_start = np.flatnonzero(self.symbol_ids[: len(self.record.alphabet)] == place)
        counts = np.cumsum(counts) + int(self.symbol_counts(0)[of_start].sum())
        makings = self._makings(place)
        in_use = np.flatnonzero(counts)
        last = int(in_use[-1]) + 1 if len(in_use) else None
        left = right = None
        words = words_at(self, np.zeros(0, np.int64))
        if makings:
            left, right = (
                self.strings[side[makings[0]]] for side in (self.record.left, self.record.right)
            )
            order, starts = self.gaps_by_step
            words = words_at(self, order[starts[makings[0]] : starts[makings[0] + 1]])
        return Provenance(
            token=token,
            token_id=place,
            born=int(self._replay[1][place]),
            left=left,
            right=right,
            counts=counts,
            unused_from=last if last is not None and last <= len(self) else None,
            words=words,
        )

    def present(self, token: str) -> npt.NDArray[np.bool_]:
        place = self._id(token)
        there = np.arange(len(self) + 1) >= self._replay[1][place]
        steps, ids, come = self._comings
        for step, comes in zip(
            steps[ids == place].tolist(), come[ids == place].tolist(), strict=True
        ):
            there[step + 1 :] = comes
        return np.asarray(there)

    def makings(self, token: str) -> list[MergeStep]:
        return [self._merge_step(t) for t in self._makings(self._id(token))]

    def _makings(self, place: int) -> list[int]:
        made = self.symbol_ids[self.record.made] == place
        return np.flatnonzero(made & ~self.removals).tolist()

    def _merge_step(self, t: int) -> MergeStep:
        step = self._step(t)
        assert isinstance(step, MergeStep)
        return step

    def takings(self, token: str) -> list[RemovalStep]:
        """The steps that took a token back."""
        gone = (self.symbol_ids[self.record.made] == self._id(token)) & self.removals
        found = map(self._step, np.flatnonzero(gone).tolist())
        return [step for step in found if isinstance(step, RemovalStep)]

    @property
    def encoders(self) -> list[str]:
        return ["events", "longest-token"]

    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> Tokenizer:
        t = len(self) if t is None else t
        self.check_state(t)
        name = encoder or self.default_encoder
        if name not in self.encoders:
            raise SettingError.saying(
                "encoder={name!r} is not for this {algorithm}; choose events or longest-token.",
                name=name,
                algorithm=self.algorithm,
            )
        own = self._encoder(t)
        if name == "longest-token":
            cut = LongestTokenEncoder(self.spelling, longest_first(self, t, self.ids_at(t)))
            return self._tokenizer(t, cut)
        return self._tokenizer(t, own)

    def _tokenizer(self, t: int, encoder: Any) -> Tokenizer:
        return Tokenizer(
            self.vocab(t),
            self.vocab_symbols(t),
            self.spelling,
            self.pretokenizer,
            self.special_tokens,
            encoder,
        )
