"""The field of the form for what a run is told at some steps: each can be taken out of it."""

import streamlit as st

from tokviz.analysis.lane_names import WHAT_IF, one_told
from tokviz.basics.messages import _, here
from tokviz.pages.visit.run import Run, told
from tokviz.pages.widgets.markup import visible
from tokviz.trainers import TRAINERS
from tokviz.trainers.interventions import Interventions

#: The algorithm whose steps are told something, all that they are told, and the field's own value.
_ALGORITHM, _ALL, _FIELD = "told_of", "told_all", "told"


def fill_told(run: Run) -> None:
    """Puts what a run is told into the field."""
    state = st.session_state
    state[_ALGORITHM], state[_ALL], state[_FIELD] = run.algorithm, told(run), list(told(run))


def told_field(algorithm: str) -> Interventions:
    """Draws the field, if there is anything in it; other algorithms have other steps, and are told
    nothing. Returns what is left in it."""
    state = st.session_state
    interventions: Interventions = state.get(_ALL, ())
    if not interventions or state[_ALGORITHM] != algorithm:
        return ()
    merges = TRAINERS[algorithm].family.merges
    picked = st.multiselect(
        here(WHAT_IF),
        list(interventions),
        format_func=lambda one: visible(here(one_told(one[0], one[1], merges))),
        key=_FIELD,
        persist_state="session",
        help=_(
            "What this run is told to choose, whatever its rule says. With another corpus or other "
            "settings it may not be possible: then take it out."
        ),
    )
    return tuple(sorted(picked))
