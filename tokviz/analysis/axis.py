"""One scrubber for one to four runs: which state each is in at a position (as in axis.js)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tokviz.basics.arguments import Shown, kind_of
from tokviz.basics.errors import SettingError
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Floats, History, Ints

#: What the lanes of a player can share: the step, the vocabulary size, the share of training.
ALIGNMENTS = ("step", "size", "share")


class Axis(NamedTuple):
    """The positions 0..n-1 of a scrubber: the value shown for each, and each run's state there. At
    the last position every run is in its own last state.

    `beyond` says that this position lies beyond all vocabulary sizes, so that its value, one more
    than the largest of them, is no size of any run.
    """

    align: str
    values: Floats
    states: list[Ints]
    beyond: bool = False

    def is_beyond(self, position: int) -> bool:
        """Whether a position lies beyond all sizes: the end of every run."""
        return self.beyond and position == len(self.values) - 1

    def __repr__(self) -> str:
        return short_repr(self)


def checked_runs(histories: Iterable[History]) -> tuple[History, ...]:
    """Runs that are to be shown side by side. Raises SettingError for none, and for what is no run.

    >>> checked_runs(["bpe"])
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: 'bpe' is no run to compare; pass histories, as tokviz.train \
gives them.
    """
    if isinstance(histories, History | str) or not isinstance(histories, Iterable):
        raise SettingError.saying(
            "several runs are compared, but this is {kind}; pass a list of histories, as "
            "tokviz.train gives them.",
            kind=kind_of(histories),
        )
    runs = tuple(histories)
    for run in runs:
        if not isinstance(run, History):
            raise SettingError.saying(
                "{run!r} is no run to compare; pass histories, as tokviz.train gives them.",
                run=Shown(run),
            )
    if not runs:
        raise SettingError.saying("There is no run to compare; pass one or more histories.")
    return runs


def make_axis(histories: Sequence[History], align: str) -> Axis:
    """Aligns runs by "step" (a run that is over stays in its last state), by "size" (the last
    state before passing a vocabulary size for the first time; sizes grow, so a run that prunes
    moves backwards), or by "share" of each run's own steps, in percent.

    Whatever the alignment, every run is in its own last state at the last position. By size, a run
    that prunes was in it at the first sizes and has left it; then the last position is one more,
    beyond all sizes.

    Raises SettingError for another alignment.

    >>> import tokviz
    >>> runs = [tokviz.train({"hugs": 3, "pug": 2}, "bpe", size) for size in (7, 9)]
    >>> axis = make_axis(runs, "size")
    >>> axis.values.tolist(), [states.tolist() for states in axis.states]
    ([5.0, 6.0, 7.0, 8.0, 9.0], [[0, 1, 2, 2, 2], [0, 1, 2, 3, 4]])
    >>> axis = make_axis([tokviz.train({"hugs": 3, "pug": 2}, "unigram", 10)], "size")
    >>> axis.values.tolist(), [states.tolist() for states in axis.states], axis.beyond
    ([10.0, 11.0, 12.0, 13.0, 14.0], [[3, 2, 1, 0, 3]], True)
    """
    if align not in ALIGNMENTS:
        raise SettingError.saying(
            "align={align!r} is not known; choose one of {choices}.",
            align=Shown(align),
            choices=", ".join(ALIGNMENTS),
        )
    if align == "size":
        sizes = [history.curve()["vocab_size"].to_numpy() for history in histories]
        values = np.unique(np.concatenate(sizes))
        states = [_last_before(of_run, values) for of_run in sizes]
        ends = [len(history) for history in histories]
        beyond = any(of_run[-1] != end for of_run, end in zip(states, ends, strict=True))
        if beyond:
            values = np.append(values, values[-1] + 1)
            states = [np.append(of_run, end) for of_run, end in zip(states, ends, strict=True)]
        return Axis(align, values.astype(float), states, beyond)
    longest = max(map(len, histories))
    positions = np.arange(longest + 1)
    if align == "step":
        states = [np.minimum(positions, len(history)) for history in histories]
        return Axis(align, positions.astype(float), states)
    share = positions / longest if longest else np.ones(1)
    states = [_rounded(share * len(history)).astype(np.int64) for history in histories]
    return Axis(align, _rounded(share * 1000) / 10, states)


def _rounded(values: Floats) -> Floats:
    """To whole numbers, halves up, as JavaScript rounds."""
    rounded: Floats = np.floor(values + 0.5)
    return rounded


def _last_before(sizes: Ints, values: Ints) -> Ints:
    """The last state until which a run has not passed each size; state 0 where it starts beyond."""
    if sizes[-1] >= sizes[0]:
        # What takes tokens back has less again.
        passed = np.searchsorted(np.maximum.accumulate(sizes), values, side="right")
    else:
        passed = np.searchsorted(-sizes, -values, side="right")
    before: Ints = np.maximum(0, passed - 1)
    return before
