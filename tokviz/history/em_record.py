"""What a run of SentencePiece's Unigram writes down: a record a state, over its pieces."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tokviz.basics.read_only import Record
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Floats, Ints

Singles = npt.NDArray[np.float32]

#: The actions of steps, by number.
ACTIONS = ("em", "prune", "finalize")


@dataclass(frozen=True, eq=False)
class EMRecord(Record):
    """The columns of a run. Those of states hold, for each state from `state_starts[t]` on, one row
    a piece in the order of its ids; those of prunings the same for the states that step out by a
    pruning, from `prune_starts` on.
    """

    __repr__ = short_repr

    tokens: list[str]  # the seeds, as text (a metaspace is a space)
    actions: npt.NDArray[np.int8]  # per step
    state_starts: Ints
    token: npt.NDArray[np.int32]
    log_prob: Singles | Floats  # in the library's precision
    count: Singles  # expected: by the EM step out of the state, or the last one before it
    frequency: Ints  # in the best segmentations
    unknown: Ints  # per state: characters that are no token, in the best segmentations
    loss: Floats  # per state: the objective
    cuts: npt.NDArray[np.uint8]  # per state: packed bits, one per character of every word
    prune_starts: Ints
    prune_loss: Singles  # nan: none computed
    prune_split: npt.NDArray[np.bool_]
    exact_delta: Floats  # empty, or as `prune_loss`
    alternative: npt.NDArray[np.int32]  # second best segmentations, one after the other
    alternative_starts: Ints  # per row of the prunings, and the end


@dataclass
class EMRecorder:
    """Writes an `EMRecord` while a run goes on."""

    tokens: list[str]
    starts: Ints  # per word, and the end
    _actions: list[int] = field(default_factory=list)
    _states: list[tuple[Ints, Singles | Floats, Singles, Ints]] = field(default_factory=list)
    _unknown: list[int] = field(default_factory=list)
    _loss: list[float] = field(default_factory=list)
    _cuts: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    _prunings: list[tuple[Singles, npt.NDArray[np.bool_], Floats, Ints, Ints]] = field(
        default_factory=list
    )
    _next: tuple[int, tuple[Singles, npt.NDArray[np.bool_], Floats, Ints, Ints] | None] | None = (
        None
    )

    @property
    def states(self) -> int:
        """How many states are known so far."""
        return len(self._states)

    def state(
        self,
        order: Ints,
        log_prob: Singles | Floats,
        count: Singles,
        frequency: Ints,
        unknown: int,
        loss: float,
        path: tuple[Ints, Ints, Ints],
    ) -> None:
        """Notes a state, and with it the step that led there. Columns are over `order`; the path
        is that of all words as (word, start, token)."""
        if self._next is not None:
            action, pruning = self._next
            self._actions.append(action)
            if pruning is not None:
                self._prunings.append(pruning)
        bits = np.zeros(int(self.starts[-1]), bool)
        bits[self.starts[path[0]] + path[1]] = True
        columns = (order, log_prob.copy(), count.astype(np.float32), frequency)
        self._states.append(columns)
        self._unknown.append(unknown)
        self._loss.append(loss)
        self._cuts.append(np.packbits(bits))

    def em(self) -> None:
        """The next state is reached by an EM step."""
        self._next = (ACTIONS.index("em"), None)

    def prune(
        self,
        loss: Singles,
        split: npt.NDArray[np.bool_],
        exact: Floats,
        alternative: Ints,
        starts: Ints,
    ) -> None:
        """The next state is reached by a pruning; columns are over the pieces before it."""
        self._next = (ACTIONS.index("prune"), (loss, split, exact, alternative, np.diff(starts)))

    def finalize(self) -> None:
        """The next state is the final vocabulary."""
        self._next = (ACTIONS.index("finalize"), None)

    def record(self) -> EMRecord:
        """The finished columns."""
        none = np.empty(0)
        token, log_prob, count, frequency = zip(*self._states, strict=True)
        loss, split, exact, alternative, sizes = (
            zip(*self._prunings, strict=True) if self._prunings else ([none],) * 5
        )
        return EMRecord(
            self.tokens,
            np.asarray(self._actions, np.int8),
            np.cumsum([0, *map(len, token)]),
            np.concatenate(token).astype(np.int32),
            np.concatenate(log_prob),
            np.concatenate(count),
            np.concatenate(frequency),
            np.asarray(self._unknown, np.int64),
            np.asarray(self._loss),
            np.stack(self._cuts),
            np.cumsum([0, *(len(column) for column in loss)] if self._prunings else [0]),
            np.concatenate(loss).astype(np.float32),
            np.concatenate(split).astype(bool),
            np.concatenate(exact),
            np.concatenate(alternative).astype(np.int32),
            np.cumsum(np.concatenate([[0], *sizes])).astype(np.int64),
        )
