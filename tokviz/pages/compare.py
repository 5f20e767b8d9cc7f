"""The page Compare: runs side by side in one player, the tokens of a text in many languages, and a
grid of algorithms and sizes."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import streamlit as st

from tokviz.basics.messages import _, here, message, said_by
from tokviz.history.base import History
from tokviz.pages.comparison.comparer import comparer, restore_comparer
from tokviz.pages.comparison.grid import grid_page
from tokviz.pages.comparison.languages import languages
from tokviz.pages.form.live import follow_fields
from tokviz.pages.form.panel import panel
from tokviz.pages.form.strip import lane_buttons, sentences, strip
from tokviz.pages.train import opening
from tokviz.pages.visit.address import Query
from tokviz.pages.visit.comparisons import COMPARISONS, lanes_for
from tokviz.pages.visit.open_lanes import COMPARED, end_of, lanes_shown, shown, train_wanted
from tokviz.pages.visit.opening import begin_visit
from tokviz.pages.visit.visit import enter, lanes_of, this_visit
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.keys import (
    COMPARE_LENS,
    COMPARE_VIEW,
    COMPARISON,
    WANTED_VIEW,
)
from tokviz.pages.widgets.markup import text
from tokviz.player.address import in_address, write_address
from tokviz.server.runs import Run, trainable

#: The views by their names in the session and the address; the first is the default.
VIEWS = {
    "lanes": message("Side by side"),
    "languages": message("Languages"),
    "grid": message("Grid"),
}
#: Longest corpus, in characters, that is trained without being asked for.
MOST_UNASKED = 20_000


def page() -> None:
    """Draw the page. The first visit shows the lanes of the address, else those of the page Train
    if there are several, else the three families on its corpus, each at its own end."""
    state = st.session_state
    visit = enter("compare")
    begin_visit(lanes_to_compare, restore)
    train_wanted()
    if st.session_state.get(WANTED_VIEW, st.session_state.get(COMPARE_VIEW, "lanes")) == "lanes":
        follow_fields()
    if WANTED_VIEW in state:
        state[COMPARE_VIEW] = state.pop(WANTED_VIEW)
    state.setdefault(COMPARE_VIEW, "lanes")
    with st.container(horizontal=True, vertical_alignment="center", key="compare_top"):
        view = st.segmented_control(
            _("View"),
            list(VIEWS),
            format_func=lambda name: here(VIEWS[name]),
            key=COMPARE_VIEW,
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        if view == "lanes":
            _choice()
        buttons = st.container(width="content")
    if view != "lanes":
        in_address({"side": str(view)})
        write_address()
    if view == "languages":
        _heading(_("What the same text costs in each language"))
        languages(_open)
    elif view == "grid":
        _heading(_("Every algorithm at every vocabulary size"))
        grid_page(replace(trainable(visit.lanes[0]), interventions=()), _open)
    else:
        _side_by_side(buttons)


def restore(query: Query, histories: Sequence[History]) -> None:
    if view := query.choice("side", message("view"), {name: name for name in VIEWS}):
        st.session_state[COMPARE_VIEW] = view
    restore_comparer(query, histories)


def _side_by_side(buttons: AbstractContextManager[object]) -> None:
    _heading(_("Runs side by side"))
    above = st.container(key="setup")
    sentences()
    lanes, histories = lanes_shown()
    with buttons:
        lane_buttons(lanes, histories)
    with above:
        strip(lanes, histories)
    with st.container(horizontal=True, key="beside"):
        panel(lanes)
        with st.container(key="shown"):
            comparer(histories, lanes)


def lanes_to_compare() -> tuple[tuple[Run, ...], int, str]:
    lanes = lanes_of("train") or opening()[0]
    if len(lanes) == 1:
        base = trainable(lanes[0])
        if len(base.corpus.text) > MOST_UNASKED:
            base = opening()[0][0]
        try:
            lanes = lanes_for("families", base)
        except ValueError:
            lanes = (base,)
    lanes, histories = shown(lanes)
    return lanes, end_of(histories, COMPARED), COMPARED


def _choice() -> None:
    """Draw the choice of ready-made comparisons on the corpus of the first lane."""
    choice(
        _("Compare"),
        list(COMPARISONS),
        index=None,
        format_func=lambda name: here(COMPARISONS[name].label),
        placeholder=_("Choose a comparison …"),
        key=COMPARISON,
        on_change=_request_comparison,
        label_visibility="collapsed",
        width=330,
        help=_(
            "Trains it on the corpus of the first lane; {languages} on a text in ten languages, "
            "unless that corpus is read as Languages.",
            languages=COMPARISONS["who-pays"].label,
        ),
    )
    name = st.session_state.get(COMPARISON)
    note = _("Or set up lanes of your own: duplicate one and change one thing in it.")
    if name:
        note = here(COMPARISONS[name].note)
    st.html(f'<p class="tv-note">{text(note)}</p>', width="stretch")


def _request_comparison() -> None:
    """Request the runs of the chosen comparison."""
    visit = this_visit()
    state = st.session_state
    name = state[COMPARISON]
    if not name:
        return
    visit.refused = None
    try:
        visit.wanted_lanes = lanes_for(name, trainable(visit.lanes[0]))
    except ValueError as error:
        visit.refused = said_by(error)
        return
    if COMPARISONS[name].sample:
        state[COMPARE_LENS] = "held-out"


def _open(runs: tuple[Run, ...]) -> None:
    """Show runs of another view side by side."""
    state = st.session_state
    this_visit().wanted_lanes = runs
    state[WANTED_VIEW], state[COMPARISON] = "lanes", None
    st.rerun()


def _heading(said: str) -> None:
    st.html(f'<h1 class="tv-unseen">{text(said)}</h1>')
