"""Histories of runs, and what was made of them: kept for everybody, and for a session by what its
page needs."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import streamlit as st

from tokviz.history.base import History
from tokviz.server import limits
from tokviz.server.limits import LIMITS
from tokviz.server.runs import Run
from tokviz.server.shared_cache import Place, Shelf, history_bytes
from tokviz.server.streamlit_patches import session

#: Lanes of both pages, whose histories a session holds on to.
MOST_HELD = 8
#: What is kept in memory for each byte of a column, with what answers are made from.
UNPACKED = 4
Made = TypeVar("Made")
#: In the session's state: the histories that it holds on to, and the keys of those that it needs.
_HELD, _NEEDED = "held", "needed"
_SHELF = Shelf(LIMITS.kept.histories, LIMITS.kept.megabytes)


def place_for(run: Run) -> Place:
    """Where everything that was made of a run is kept for everybody."""
    return _SHELF.place(run.key)


def put_history(run: Run, history: History) -> None:
    """Makes a history known that was trained elsewhere."""
    place_for(run)["made"] = history
    weigh_history(run, history)


def weigh_history(run: Run, history: History) -> None:
    """Counts the bytes of a history that came into its place."""
    _SHELF.weigh(run.key, "made", _bytes_of(history))


def _bytes_of(history: History) -> float:
    """What a history takes in memory."""
    columns, texts = history_bytes(history)
    return UNPACKED * columns + texts


def kept(run: Run, what: str, most: int, key: Any, make: Callable[[], Made]) -> Made:
    """What was made of a run for everybody; only the last few are kept."""
    place = place_for(run)
    known: dict[Any, Made] = place.setdefault(what, {})
    # Another session may take it out at the same time.
    if (made := known.pop(key, None)) is None:
        made = make()
    known[key] = made
    for old in list(known)[:-most]:
        known.pop(old, None)
    _SHELF.weigh(run.key, what, sum(_weight(value, place) for value in list(known.values())))
    return made


def _weight(value: object, place: Place) -> int:
    """The bytes that something takes: counted, or guessed to be those of the history's words."""
    if isinstance(value, bytes):
        return len(value)
    history: History | None = place.get("made")
    return 0 if history is None else 8 * len(history.words)


def hold(run: Run, history: History) -> None:
    """Has the session hold on to a history, whatever becomes of the shelf. Beyond its bounds, it
    lets go of those used longest ago; never of what its page shows or waits for."""
    held, most = _held(), limits.LIMITS.kept.session_megabytes * 1e6
    if held.get(run.key, (None,))[0] is not history:
        held[run.key] = history, _bytes_of(history)
    held.move_to_end(run.key)
    needed = {run.key, *_needed()}
    for key in [key for key in held if key not in needed]:
        if len(held) <= MOST_HELD and sum(size for _history, size in held.values()) <= most:
            return
        del held[key]


def put_back(run: Run) -> None:
    """Puts a history back that was taken off the shelf while the session holds on to it."""
    if "made" not in place_for(run) and (held := _held().get(run.key)):
        put_history(run, held[0])


def _held() -> OrderedDict[Hashable, tuple[History, float]]:
    """The histories that this session holds on to, and the bytes of each."""
    if not session():
        return OrderedDict()
    held: OrderedDict[Hashable, tuple[History, float]]
    held = st.session_state.setdefault(_HELD, OrderedDict())
    return held


def hold_on_to(runs: Iterable[Run]) -> None:
    """Has the session never let go of the histories of some runs, until it is told of others."""
    st.session_state[_NEEDED] = frozenset(run.key for run in runs)


def _needed() -> frozenset[Hashable]:
    """The keys of the runs that the page of this session shows or waits for."""
    if not session():
        return frozenset()
    needed: frozenset[Hashable] = st.session_state.get(_NEEDED, frozenset())
    return needed
