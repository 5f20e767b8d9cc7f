"""Runs that a page waits for and that somebody ends: stopped, cancelled, or out of time.

While one of several is awaited, a click anywhere has the page begin with the first of them again.
How each of them ended is known until the page has what it wants; until then none is trained anew.
Every page has a name of its own for what it waits for.
"""

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import here
from tokviz.history.base import History
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.runs import Run


def reached(run: Run, wish: str) -> tuple[Run, History]:
    """The run and its history; if it was stopped, or if its time was over, the run as far as it
    came. Raises as `history_of` does otherwise."""
    ended = _ended(wish)
    if (end := ended.get(run)) is None:
        try:
            return run, history_of(run)
        except Cancelled as error:
            # Without the frames that it came through.
            end = ended[run] = error.with_traceback(None)
    if isinstance(end, Stopped):
        return end.run, end.history
    raise Cancelled(*end.args)


def late(wish: str) -> list[str]:
    """Why some are shorter than they were meant to be though nobody stopped them."""
    ends = _ended(wish).values()
    said = (here(end.late) for end in ends if isinstance(end, Stopped) and end.late)
    return list(dict.fromkeys(said))


def forget(wish: str) -> None:
    """What was ended is trained again if it is asked for again."""
    st.session_state.pop(f"ended_{wish}", None)


def _ended(wish: str) -> dict[Run, Cancelled]:
    ended: dict[Run, Cancelled] = st.session_state.setdefault(f"ended_{wish}", {})
    return ended
