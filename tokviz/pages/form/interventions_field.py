"""The form's field for the interventions of a run, each of which can be removed."""

import streamlit as st

from tokviz.analysis.lane_names import INTERVENTIONS, intervention_said
from tokviz.basics.messages import _, here
from tokviz.pages.widgets.markup import visible
from tokviz.server.runs import Run
from tokviz.trainers import TRAINERS
from tokviz.trainers.interventions import Interventions

#: Session keys: the algorithm of the interventions, all of them, and the field's value.
_ALGORITHM, _ALL, _FIELD = "interventions_of", "interventions_all", "interventions"


def fill_interventions(run: Run) -> None:
    """Put the interventions of a run into the field."""
    state = st.session_state
    state[_ALGORITHM], state[_ALL] = run.algorithm, run.interventions
    state[_FIELD] = list(run.interventions)


def interventions_in_form(algorithm: str) -> Interventions:
    """Return the interventions that the field holds for an algorithm."""
    state = st.session_state
    if not state.get(_ALL) or state[_ALGORITHM] != algorithm:
        return ()
    return tuple(sorted(state.get(_FIELD, ())))


def interventions_field(algorithm: str) -> None:
    """Draw the field if it has interventions for this algorithm."""
    state = st.session_state
    interventions: Interventions = state.get(_ALL, ())
    if not interventions or state[_ALGORITHM] != algorithm:
        return
    merges = TRAINERS[algorithm].family.merges
    st.multiselect(
        here(INTERVENTIONS),
        list(interventions),
        format_func=lambda one: visible(here(intervention_said(one[0], one[1], merges))),
        key=_FIELD,
        persist_state="session",
        help=_(
            "What this run was told to choose, whatever its rule says. With another corpus or "
            "other settings that may be impossible: then take it out."
        ),
    )
