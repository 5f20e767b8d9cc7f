"""Cache histories and what is made of them: for all visitors, and what a page needs in its
session."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import streamlit as st

from tokviz.basics.messages import current
from tokviz.history.base import History
from tokviz.server import limits
from tokviz.server.limits import LIMITS
from tokviz.server.runs import Run
from tokviz.server.shared_cache import CacheEntry, SharedCache, history_bytes
from tokviz.server.streamlit_parts.sessions import session

#: Most histories that a session keeps, unless its page needs more: the lanes of two pages.
MOST_HELD = 8
#: Bytes in memory for each byte of a column, with the tables that answers are made from.
UNPACKED = 4
Made = TypeVar("Made")
#: Keys in the session state: the histories that the session keeps, and the run keys it needs.
_HELD, _NEEDED = "held", "needed"
HISTORIES = SharedCache(LIMITS.kept.histories, LIMITS.kept.megabytes)


def entry_for(run: Run) -> CacheEntry:
    """Return the cache entry of a run, shared by all visitors."""
    return HISTORIES.entry(run.key)


def put_history(run: Run, history: History) -> None:
    """Cache a history that was not trained by this server's pool."""
    entry_for(run)["made"] = history
    weigh_history(run, history)


def weigh_history(run: Run, history: History) -> None:
    """Record in the cache how many bytes a run's new history takes."""
    HISTORIES.weigh(run.key, "made", bytes_of(history))


def bytes_of(history: History) -> float:
    """Return the bytes that a history takes in memory."""
    columns, texts = history_bytes(history)
    return UNPACKED * columns + texts


def kept(run: Run, what: str, most: int, key: Any, make: Callable[[], Made]) -> Made:
    """Return what `make` makes of a run for `key`, cached for all visitors; only the `most` latest
    are kept."""
    entry = entry_for(run)
    known: dict[Any, Made] = entry.setdefault(what, {})
    # Another session may remove it at the same time.
    if (made := known.pop(key, None)) is None:
        made = make()
    known[key] = made
    for old in list(known)[:-most]:
        known.pop(old, None)
    HISTORIES.weigh(run.key, what, sum(_weight(value, entry) for value in list(known.values())))
    return made


def kept_packed(run: Run, label: str, lanes: int, make: Callable[[], bytes]) -> bytes:
    """Return a run packed as one of so many lanes in the current language, cached as by `kept`."""
    return kept(run, "packed", 8, (label, lanes, current()), make)


def _weight(value: object, entry: CacheEntry) -> int:
    """Return the bytes that a cached value takes: its length, or a guess by the number of words."""
    if isinstance(value, bytes):
        return len(value)
    history: History | None = entry.get("made")
    return 0 if history is None else 8 * len(history.words)


def hold(run: Run, history: History) -> None:
    """Keep a history in the session, even when the cache drops it. Beyond the limits, those used
    longest ago are dropped, except those that the page shows or waits for."""
    held, most = kept_histories(), limits.LIMITS.kept.session_megabytes * 1e6
    if held.get(run.key, (None,))[0] is not history:
        held[run.key] = history, bytes_of(history)
    held.move_to_end(run.key)
    needed = {run.key, *needed_keys()}
    for key in [key for key in held if key not in needed]:
        if len(held) <= MOST_HELD and sum(size for _history, size in held.values()) <= most:
            return
        del held[key]


def put_back(run: Run) -> None:
    """Cache a history again that the session kept and the cache dropped."""
    if "made" not in entry_for(run) and (held := kept_histories().get(run.key)):
        put_history(run, held[0])


def kept_histories() -> OrderedDict[Hashable, tuple[History, float]]:
    """Return the histories that this session keeps, with the bytes of each."""
    if not session():
        return OrderedDict()
    held: OrderedDict[Hashable, tuple[History, float]]
    held = st.session_state.setdefault(_HELD, OrderedDict())
    return held


def hold_on_to(runs: Iterable[Run]) -> None:
    """Have the session keep the histories of these runs until the next call."""
    st.session_state[_NEEDED] = frozenset(run.key for run in runs)


def needed_keys() -> frozenset[Hashable]:
    """Return the keys of the runs that this session's page shows or waits for."""
    if not session():
        return frozenset()
    needed: frozenset[Hashable] = st.session_state.get(_NEEDED, frozenset())
    return needed
