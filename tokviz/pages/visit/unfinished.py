"""Remember how runs were ended while a page trains several: stopped, cancelled, or out of time.

A click anywhere reruns the page, which then asks for the first run again. Ended runs are remembered
in the session until the page has all its runs, so that none is trained again. Each use has its own
name, a `purpose`.
"""

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import here
from tokviz.history.base import History
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.runs import Run


def run_with_history(run: Run, purpose: str) -> tuple[Run, History]:
    """Return the run and its history; a run that was stopped or out of time has the size it
    reached. Raises as `history_of` does otherwise."""
    ended = _ended(purpose)
    if (end := ended.get(run)) is None:
        try:
            return run, history_of(run)
        except Cancelled as error:
            # Without its traceback, which would keep the page's variables.
            end = ended[run] = error.with_traceback(None)
    if isinstance(end, Stopped):
        return end.run, end.history
    raise Cancelled(*end.args)


def time_out_sentences(purpose: str) -> list[str]:
    """Return the sentences about runs that were out of time."""
    ends = _ended(purpose).values()
    said = (here(end.late) for end in ends if isinstance(end, Stopped) and end.late)
    return list(dict.fromkeys(said))


def forget(purpose: str) -> None:
    """Forget how runs ended, so that they are trained again if requested."""
    st.session_state.pop(f"ended_{purpose}", None)


def _ended(purpose: str) -> dict[Run, Cancelled]:
    ended: dict[Run, Cancelled] = st.session_state.setdefault(f"ended_{purpose}", {})
    return ended
