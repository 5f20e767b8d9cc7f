"""The bar above a player: what is on the desk, the buttons that change it, and the form that they
open."""

from collections.abc import Sequence

import streamlit as st

from tokviz.history import History
from tokviz.pages.comparisons import fitted
from tokviz.pages.corpus_fields import corpus_fields
from tokviz.pages.desk import ALL_LANES, close, edit, edit_corpus, remove
from tokviz.pages.lanes import MOST_LANES, facts, labels
from tokviz.pages.markup import text
from tokviz.pages.run import Run, is_replay
from tokviz.pages.setup import form
from tokviz.pages.stepper import links_of
from tokviz.pages.style import fact_line, sentence
from tokviz.pages.take_along import take_along_button


def form_and_sentences() -> None:
    """Draws the form if it is open, and says what could not be trained or opened."""
    state = st.session_state
    if state["editing"] is not None:
        with st.container(border=True, key="form"):
            _form()
    elif "refused" in state:
        sentence(state["refused"])
    if "link_refused" in state:
        sentence(state["link_refused"])


def _form() -> None:
    """The form for one lane, or for the corpus of all; it asks for training once it is sent."""
    state = st.session_state
    if state["editing"] == ALL_LANES:
        if lanes := _same_corpus():
            state["wanted_lanes"] = lanes
    elif run := form():
        state["wanted"] = (state["editing"], run)
    if "refused" in state:
        sentence(state["refused"])
    if "wanted" in state or "wanted_lanes" in state:
        st.rerun()


def _same_corpus() -> tuple[Run, ...] | None:
    """The form for the corpus of all lanes; once its button is pressed, the lanes with it."""
    given = corpus_fields(lambda _run: None)
    if not st.button("Train all lanes", type="primary", key="train_all"):
        return None
    st.session_state.pop("refused", None)
    try:
        lanes = st.session_state["lanes"]
        return fitted([Run(*given, *run[3:]) for run in lanes])
    except ValueError as error:
        st.session_state["refused"] = str(error)
        return None


def bar(lanes: Sequence[Run], histories: Sequence[History], title: str) -> None:
    """Draws the bar. `title` is the page's heading, which is heard and not seen."""
    editing, full = st.session_state["editing"] is not None, len(lanes) == MOST_LANES
    summary, *places = st.columns(
        [9, 1.3, 1.3] if editing or full else [7.7, 1.3, 1.3, 1.3], vertical_alignment="center"
    )
    with summary:
        _summary(lanes, histories, title)
    with places.pop():
        take_along_button(lanes, histories)
    if editing:
        places[0].button("Close", on_click=close, key="change", width="stretch")
        return
    if not full:
        places[0].button(
            "Add a lane",
            on_click=edit,
            args=(len(lanes),),
            key="add",
            width="stretch",
            help="Train another algorithm or setting beside this one.",
        )
    if len(lanes) == 1:
        places[-1].button("Change", on_click=edit, args=(0,), key="change", width="stretch")
        return
    with places[-1].popover("Lanes", width="stretch"):
        _lanes(lanes, full)


def _lanes(lanes: Sequence[Run], full: bool) -> None:
    st.button("Change the corpus of all lanes", on_click=edit_corpus, key="corpus_of_all")
    for i, name in enumerate(labels(lanes, whole=True)):
        st.html(f'<p class="tv-caption">{text(name)}</p>')
        with st.container(horizontal=True, key=f"lane_{i}"):
            st.button("Change", on_click=edit, args=(i,), key=f"change_{i}")
            st.button(
                "Duplicate",
                on_click=edit,
                args=(len(lanes), i),
                key=f"duplicate_{i}",
                disabled=full,
                help=f"There is room for {MOST_LANES} lanes."
                if full
                else "Open the form with a copy of this lane, to change one thing in it.",
            )
            st.button("Remove", on_click=remove, args=(i,), key=f"remove_{i}")


def _summary(lanes: Sequence[Run], histories: Sequence[History], title: str) -> None:
    first = histories[0]
    rows = {"Corpus": lanes[0].title, "Size": _counted(first.words.total, "word")}
    if len(lanes) == 1:
        rows |= facts(lanes[0])
    else:
        corpora = {run.corpus for run in lanes}
        if len(corpora) > 1:
            rows = {"Corpus": "one for each lane"}
        rows["Vocabulary"] = " · ".join(f"{run.vocab_size:,}" for run in lanes)
        words = [facts(run).get("Words", "word counts") for run in lanes]
        rows["Words"] = " · ".join(dict.fromkeys(words))
    if any(map(is_replay, lanes)):
        rows["Link"] = "none can hold a tokenizer’s file"
    elif not links_of(lanes):
        rows["Link"] = "none, the text is too long: save a file to come back to it"
    fact_line(rows, title)


def _counted(n: int, what: str) -> str:
    return f"1 {what}" if n == 1 else f"{n:,} {what}s"
