"""The tab Grid: several algorithms by several vocabulary sizes, as a chart and as a table."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from tokviz import TRAINERS, Cancelled
from tokviz.analysis.grid import usual_sizes
from tokviz.basics.messages import _, here, said_by
from tokviz.pages.comparison.grid_result import grid_result
from tokviz.pages.comparison.grid_run import (
    MOST_SIZES,
    Asked,
    StoppedGrid,
    grid_of,
    runs_of,
    sizes_from,
)
from tokviz.pages.visit import page_limits
from tokviz.pages.widgets.style import note, sentence
from tokviz.server.before_training import possible_sizes
from tokviz.server.runs import Run

#: What a grid begins with, and the longest corpus that is trained on unasked.
USUAL = ("bpe", "wordpiece", "unigram")
MOST_UNASKED = 20_000


def grid_page(run: Run, open_lanes: Callable[[tuple[Run, ...]], None]) -> None:
    """Draws the tab for the corpus of a run, whose algorithm keeps its settings. Cells that are
    chosen go to `open_lanes`."""
    st.html(Path(__file__).with_name("grid.css"))
    state = st.session_state
    if state.get("grid_corpus") != run.corpus.key:
        _open(run)
    if _form():
        _want(run)
    if "grid_wanted" in state:
        _train(state["grid_wanted"])
    if "grid_refused" in state:
        sentence(state["grid_refused"])
    if "grid_shown" in state:
        asked, found = state["grid_shown"]
        grid_result(asked, found, open_lanes)
    elif "grid_refused" not in state:
        said = _(
            "This corpus is long, so nothing is trained before you ask: choose algorithms and "
            "sizes, and press Train the grid."
        )
        note(said)


def _open(run: Run) -> None:
    """Begins with a corpus: with sizes that fit it unless somebody typed others. A short one is
    trained on at once."""
    state = st.session_state
    state["grid_corpus"] = run.corpus.key
    for known in ("grid_shown", "grid_refused", "grid_wanted"):
        state.pop(known, None)
    state.setdefault("grid_algorithms", [*USUAL])
    short = len(run.corpus.text) <= MOST_UNASKED
    sizes = ", ".join(map(str, _fitting(run) if short else _about(run.vocab_size)))
    if state.get("grid_sizes", "") == state.get("grid_suggested", ""):
        state["grid_sizes"] = sizes
    state["grid_suggested"] = sizes
    if short:
        _want(run)


def _fitting(run: Run) -> list[int]:
    """Sizes from the least that all usual algorithms can be trained to."""
    try:
        sizes = {one.algorithm: possible_sizes(one)[1:] for one in runs_of(run, USUAL, 1)}
    except ValueError:
        return _about(run.vocab_size)  # Training will say what is wrong.
    least = max(1, *(least_of_one for least_of_one, _greatest in sizes.values()))
    return usual_sizes(least, max(least, min(sizes["bpe"][1], 4 * least)))


def _about(size: int) -> list[int]:
    return usual_sizes(size // 2, min(2 * size, page_limits.vocabulary()))


def _form() -> bool:
    """The fields; True once Train the grid is pressed."""
    with st.form("grid_form", border=False):
        left, middle, right = st.columns([5, 4, 2], vertical_alignment="bottom")
        left.pills(
            _("Algorithms"),
            list(TRAINERS),
            selection_mode="multi",
            format_func=lambda name: here(TRAINERS[name].label),
            key="grid_algorithms",
            wrap=True,
            persist_state="session",
            help=_(
                "The algorithm of the first lane keeps its pre-tokenizer and settings; the others "
                "have their usual ones."
            ),
        )
        middle.text_input(
            _("Vocabulary sizes"),
            key="grid_sizes",
            persist_state="session",
            autocomplete="off",
            help=_(
                "Up to {n} whole numbers of up to {most:,}, with commas or spaces between them.",
                n=MOST_SIZES,
                most=page_limits.vocabulary(),
            ),
        )
        return right.form_submit_button(_("Train the grid"), type="primary", width="stretch")


def _want(run: Run) -> None:
    """Asks for the grid that the fields describe, or says why there is none."""
    state = st.session_state
    state.pop("grid_refused", None)
    chosen = [name for name in TRAINERS if name in state["grid_algorithms"]]
    try:
        sizes = sizes_from(state["grid_sizes"])
    except ValueError as error:
        state["grid_refused"] = said_by(error)
        return
    if not chosen:
        state["grid_refused"] = _("Choose at least one algorithm.")
        return
    state["grid_wanted"] = Asked(runs_of(run, chosen, sizes[-1]), sizes)


def _train(asked: Asked) -> None:
    """Trains what was asked for; what was shown before stays if that cannot be."""
    state = st.session_state
    try:
        found = grid_of(asked)
    except StoppedGrid as stopped:
        state["grid_shown"] = asked, stopped.grid
    except (ValueError, Cancelled) as error:
        state["grid_refused"] = said_by(error)
    except MemoryError:
        state["grid_refused"] = _("The grid is too large for this computer; leave out large sizes.")
    else:
        state["grid_shown"] = asked, found
    # Rows that are selected are those of one table.
    state["grid_visit"] = state.get("grid_visit", 0) + 1
    del state["grid_wanted"]
