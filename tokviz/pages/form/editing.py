"""Opens the form of a page for one of its lanes or for their corpus, and closes it."""

import streamlit as st

from tokviz.pages.form.setup import another_algorithm, fill_form

#: In the place of a lane's number: the form is for the corpus of all of them.
ALL_LANES = -1


def edit(lane: int, copy_of: int | None = None) -> None:
    """Opens the form for a lane; what was typed there and not trained yet is still in it. A new
    lane begins as a copy of another one, or with an algorithm that none has yet."""
    state = st.session_state
    if copy_of is not None:
        fill_form(state["lanes"][copy_of])
    elif state["form_lane"] != lane:
        if lane < len(state["lanes"]):
            fill_form(state["lanes"][lane])
        else:
            another_algorithm(state["lanes"])
    state["form_lane"] = state["editing"] = lane


def edit_corpus() -> None:
    """Opens the form for the corpus of all lanes."""
    fill_form(st.session_state["lanes"][0])
    st.session_state["editing"], st.session_state["form_lane"] = ALL_LANES, None


def close() -> None:
    """Closes the form."""
    st.session_state["editing"] = None
    for gone in ("refused", "draft_back"):
        st.session_state.pop(gone, None)
