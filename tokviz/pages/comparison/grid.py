"""The tab Grid: several algorithms at several vocabulary sizes, as a chart and a table."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from tokviz import TRAINERS, Cancelled
from tokviz.analysis.grid import usual_sizes
from tokviz.basics.messages import _, here, said_by
from tokviz.pages.comparison.grid_result import grid_result
from tokviz.pages.comparison.grid_run import (
    MOST_SIZES,
    GridRequest,
    StoppedGrid,
    grid_of,
    runs_of,
    sizes_from,
)
from tokviz.pages.widgets.keys import (
    GRID_ALGORITHMS,
    GRID_CORPUS,
    GRID_REFUSED,
    GRID_SHOWN,
    GRID_SIZES,
    GRID_SUGGESTED,
    GRID_VISIT,
    GRID_WANTED,
)
from tokviz.pages.widgets.style import note, sentence
from tokviz.server import page_limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.runs import Run

#: The default algorithms, and the longest corpus that is trained without pressing the button.
USUAL = ("bpe", "wordpiece", "unigram")
MOST_UNASKED = 20_000


def grid_page(run: Run, open_lanes: Callable[[tuple[Run, ...]], None]) -> None:
    """Draw the tab for the corpus of a run, whose algorithm keeps its settings. The runs of
    selected cells are passed to `open_lanes`."""
    st.html(Path(__file__).with_name("grid.css"))
    state = st.session_state
    if state.get(GRID_CORPUS) != run.corpus.key:
        _start(run)
    if _form():
        _request_grid(run)
    if GRID_WANTED in state:
        _train(state[GRID_WANTED])
    if GRID_REFUSED in state:
        sentence(state[GRID_REFUSED])
    if GRID_SHOWN in state:
        request, found = state[GRID_SHOWN]
        grid_result(request, found, open_lanes)
    elif GRID_REFUSED not in state:
        said = _(
            "This corpus is long, so training waits for you: choose algorithms and sizes, and "
            "press Train the grid."
        )
        note(said)


def _start(run: Run) -> None:
    """Start with a corpus: suggest sizes, unless the visitor typed some, and train if it is
    short."""
    state = st.session_state
    state[GRID_CORPUS] = run.corpus.key
    for known in (GRID_SHOWN, GRID_REFUSED, GRID_WANTED):
        state.pop(known, None)
    state.setdefault(GRID_ALGORITHMS, [*USUAL])
    short = len(run.corpus.text) <= MOST_UNASKED
    sizes = ", ".join(map(str, _fitting(run) if short else _sizes_around(run.vocab_size)))
    if state.get(GRID_SIZES, "") == state.get(GRID_SUGGESTED, ""):
        state[GRID_SIZES] = sizes
    state[GRID_SUGGESTED] = sizes
    if short:
        _request_grid(run)


def _fitting(run: Run) -> list[int]:
    """Return sizes from the smallest that all default algorithms can be trained to."""
    try:
        sizes = {one.algorithm: possible_sizes(one)[1:] for one in runs_of(run, USUAL, 1)}
    except ValueError:
        return _sizes_around(run.vocab_size)  # Training will say what is wrong.
    least = max(1, *(least_of_one for least_of_one, _greatest in sizes.values()))
    return usual_sizes(least, max(least, min(sizes["bpe"][1], 4 * least)))


def _sizes_around(size: int) -> list[int]:
    return usual_sizes(size // 2, min(2 * size, page_limits.vocabulary()))


def _form() -> bool:
    """Draw the fields; return whether Train the grid was pressed."""
    with st.form("grid_form", border=False):
        left, middle, right = st.columns([5, 4, 2], vertical_alignment="bottom")
        left.pills(
            _("Algorithms"),
            list(TRAINERS),
            selection_mode="multi",
            format_func=lambda name: here(TRAINERS[name].label),
            key=GRID_ALGORITHMS,
            wrap=True,
            persist_state="session",
            help=_(
                "The algorithm of the first lane keeps its pre-tokenizer and settings; the "
                "others use their usual ones."
            ),
        )
        middle.text_input(
            _("Vocabulary sizes"),
            key=GRID_SIZES,
            persist_state="session",
            autocomplete="off",
            help=_(
                "Up to {n} whole numbers, each at most {most:,}, with commas or spaces between "
                "them.",
                n=MOST_SIZES,
                most=page_limits.vocabulary(),
            ),
        )
        return right.form_submit_button(_("Train the grid"), type="primary", width="stretch")


def _request_grid(run: Run) -> None:
    """Request the grid that the fields describe, or set the sentence that says why not."""
    state = st.session_state
    state.pop(GRID_REFUSED, None)
    chosen = [name for name in TRAINERS if name in state[GRID_ALGORITHMS]]
    try:
        sizes = sizes_from(state[GRID_SIZES])
    except ValueError as error:
        state[GRID_REFUSED] = said_by(error)
        return
    if not chosen:
        state[GRID_REFUSED] = _("Choose at least one algorithm.")
        return
    state[GRID_WANTED] = GridRequest(runs_of(run, chosen, sizes[-1]), sizes)


def _train(request: GridRequest) -> None:
    """Train the requested grid; the one shown before stays if that fails."""
    state = st.session_state
    try:
        found = grid_of(request)
    except StoppedGrid as stopped:
        state[GRID_SHOWN] = request, stopped.grid
    except (ValueError, Cancelled) as error:
        state[GRID_REFUSED] = said_by(error)
    except MemoryError:
        state[GRID_REFUSED] = _("The grid is too large for this computer; leave out large sizes.")
    else:
        state[GRID_SHOWN] = request, found
    # Another grid has a table of its own, without the selected rows of the last.
    state[GRID_VISIT] = state.get(GRID_VISIT, 0) + 1
    del state[GRID_WANTED]
