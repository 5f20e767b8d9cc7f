"""Moments of a lesson: where its scenes put the scrubber, in words that fit any text."""

import re
from collections.abc import Iterator, Sequence

from tokviz.analysis.axis import Axis
from tokviz.history.base import History, Ints
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.steps import MergeStep, ParityStep, PruneStep

#: What a moment may be called, and what it means.
MOMENTS = {
    "start": "before training",
    "end": "after the last step",
    "half": "half-way",
    "stay": "where the scene before stands",
    "next": "one step further",
    "step 3": "after that many steps",
    "tie": "before the first step, from here on, that a tie-break decides",
    "taking back": "before the first step, from here on, that takes a token back",
    "coming apart": "the same, of a token that the corpus still uses",
    "another turn": "before the first step, after this one, that is for another language",
    "border": "where the borders of words fall",
    "across words": "before the first step, from here on, that reaches across words",
    "wrong loss": "before the first pruning, from here on, that the flaw of a loss changes",
    "before Ġthe": "before the step that makes that token",
    "birth of Ġthe": "after the step that makes that token",
    "end of ug": "after the round that prunes that token",
    "parting": "where two lanes first cut a word differently",
}
_NAMED = re.compile(r"(step|before|birth of|end of) (.+)", re.S)
_REMOVALS = ("taking back", "coming apart")
_WHOLE = (
    *("start", "end", "half", "stay", "next", "tie", "parting", "another turn", *_REMOVALS),
    *("border", "across words", "wrong loss"),
)


class Absent(LookupError):
    """This text has no such moment or fact: what speaks of it is left out."""


def is_moment(written: str) -> bool:
    """Whether a moment is written as one of `MOMENTS`.

    >>> is_moment("birth of Ġthe"), is_moment("step x"), is_moment("later")
    (True, False, False)
    """
    if written in _WHOLE:
        return True
    named = _NAMED.fullmatch(written)
    return bool(named and (named[1] != "step" or named[2].isdecimal()))


def position_of(
    written: str, histories: Sequence[History], axis: Axis, stand: int, parting: int | None
) -> int:
    """The position of a moment on the axis of some lanes. Tokens and ties are looked for in the
    first lane; `stand` is where the scrubber stands, `parting` where the lanes first cut a word
    differently. Raises Absent if these runs have no such moment.

    >>> import tokviz
    >>> from tokviz.analysis.axis import make_axis
    >>> runs = [tokviz.train("low lower lowest", "bpe", 10, "whitespace")]
    >>> axis = make_axis(runs, "step")
    >>> [position_of(at, runs, axis, 1, None) for at in ("end", "next", "before low")]
    [3, 2, 1]
    """
    last = len(axis.values) - 1
    if written in ("start", "end", "half", "stay"):
        return {"start": 0, "end": last, "half": last // 2, "stay": min(stand, last)}[written]
    if written == "next":
        return _within(stand + 1, last)
    if written == "parting":
        if parting is None:
            raise Absent("parting")
        return parting
    history, states = histories[0], axis.states[0]
    if written == "tie":
        first = int(states[min(stand, last)])
        return _at(states, next(_ties(history, first), None))
    if written == "another turn":
        first = int(states[min(stand, last)])
        return _at(states, next(_other_turns(history, first), None))
    if written in _REMOVALS:
        first = int(states[min(stand, last)])
        return _at(states, next(_removals(history, first, written == "coming apart"), None))
    if written == "border":
        return _at(states, getattr(history, "border", None))
    if written in ("across words", "wrong loss"):
        first = int(states[min(stand, last)])
        found = _crossings if written == "across words" else _slips
        return _at(states, next(found(history, first), None))
    named = _NAMED.fullmatch(written)
    assert named
    if named[1] == "step":
        return _within(int(named[2][:9]), last)
    if named[1] == "end of":
        return _at(states, _pruned(history, named[2]))
    born = _born(history, named[2])
    return _at(states, born - 1 if named[1] == "before" and born is not None else born)


def _within(position: int, last: int) -> int:
    if position > last:
        raise Absent(str(position))
    return position


def _at(states: Ints, state: int | None) -> int:
    """The first position at which the first lane is in a state."""
    at = (
        None
        if state is None
        else next((p for p, t in enumerate(states.tolist()) if t >= state), None)
    )
    if at is None:
        raise Absent("no such state")
    return at


def _ties(history: History, first: int) -> Iterator[int]:
    """The states, from one on, out of which a tie-break decides."""
    for t in range(first, len(history)):
        step = history.steps[t]
        merge = isinstance(step, MergeStep) and step.tied > 1
        if merge or (isinstance(step, PruneStep) and step.tied > step.tied_removed):
            yield t


def _removals(history: History, first: int, apart: bool) -> Iterator[int]:
    """The states, from one on, out of which a token is taken back; one that is still used if it is
    to come `apart`."""
    if not isinstance(history, PickyHistory):
        return
    for t in range(first, len(history)):
        if history.removals[t] and (history.times[t] or not apart):
            yield t


def _other_turns(history: History, first: int) -> Iterator[int]:
    """The states, after one, out of which a step is for another language than the one before."""
    for t in range(first + 1, len(history)):
        before, step = history.steps[t - 1], history.steps[t]
        if (
            isinstance(before, ParityStep)
            and isinstance(step, ParityStep)
            and before.language
            and step.language != before.language
        ):
            yield t


def _crossings(history: History, first: int) -> Iterator[int]:
    """The states, from one on, out of which a merge reaches across words."""
    yield from filter(history.reaches_across, range(first, len(history)))


def _slips(history: History, first: int) -> Iterator[int]:
    """The states, from one on, out of which a pruning removes other tokens than the right loss
    would."""
    if isinstance(history, HuggingFaceUnigramHistory):
        for t in range(first, len(history)):
            if history.action(t) == "prune" and len(history.slip(t).lost):
                yield t


def _born(history: History, token: str) -> int | None:
    """The first state that has a token which was made."""
    steps = (t for t in range(len(history)) if getattr(history.steps[t], "token", None) == token)
    at = next(steps, None)
    return None if at is None else at + 1


def _pruned(history: History, token: str) -> int | None:
    steps = (t for t in range(len(history)) if token in getattr(history.steps[t], "removed", ()))
    at = next(steps, None)
    return None if at is None else at + 1
