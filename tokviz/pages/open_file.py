"""The page that opens files: a saved moment, a history, a tokenizer."""

import streamlit as st

import tokviz
from tokviz.corpus import CorpusError
from tokviz.pages.moment_file import Moment, MomentFileError, from_file
from tokviz.pages.opened_history import lane_of_file
from tokviz.pages.style import sentence


def page() -> None:
    """Draws the page."""
    st.html(
        '<h1 class="tv-title">Open a file</h1><p class="tv-note">A moment or a history that tokviz '
        "saved.</p>"
    )
    file = st.file_uploader("File", type=["json", "npz"], key="opened_file")
    if file is None:
        return
    try:
        if file.name.lower().endswith(".npz"):
            show_moment(Moment("train", (lane_of_file(file.name, file.getvalue()),), {}))
        else:
            show_moment(from_file(file.getvalue()))
    except (MomentFileError, tokviz.HistoryFileError, CorpusError) as error:
        sentence(str(error))


def show_moment(moment: Moment) -> None:
    """Goes to the page of a moment and shows it there."""
    st.session_state["opened"] = moment
    st.switch_page(st.session_state["pages"][moment.page])
