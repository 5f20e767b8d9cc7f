"""The page Encode: the tokens of any text at several steps of the visitor's lanes."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.basics.messages import _, message, said_by
from tokviz.history.base import History
from tokviz.pages.lenses.text_tokens import request_key, text_in_tokens, way_to_cut
from tokviz.pages.share.take_along import take_along_button
from tokviz.pages.train import opening
from tokviz.pages.visit.address import Query
from tokviz.pages.visit.lanes import facts, labels, lane_choice
from tokviz.pages.visit.link import address_of
from tokviz.pages.visit.opening import begin_visit
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.encode_request import request_from
from tokviz.pages.widgets.style import fact_line, sentence
from tokviz.server.draw_queue import in_turn
from tokviz.server.jobs import history_of
from tokviz.server.runs import Run, title_of


def page() -> None:
    """Draw the page for the session's lanes. A visit that starts here opens the lanes of the
    address, as the page Train does."""
    # At first, this is the visit of the page Train.
    visit = this_visit()
    begin_visit(opening, restore)
    if visit.link_refused is not None:
        sentence(visit.link_refused)
    lanes: tuple[Run, ...] = visit.lanes
    try:
        histories = [history_of(run) for run in lanes]
    except (ValueError, Cancelled, MemoryError) as error:
        sentence(said_by(error) or _("This run is too large for this computer."))
        return
    _set_position(histories)
    _encode(lanes, histories, address_of(lanes))


def restore(query: Query, _histories: Sequence[History]) -> None:
    """Set the text and the pinned steps from an address."""
    pins = [int(pin) for pin in query.text("pins").split(".") if pin.isdecimal() and len(pin) < 9]
    request = {"text": query.text("text") or None, "pins": pins}
    st.session_state[request_key()] = request_from(request)


def _set_position(histories: Sequence[History]) -> None:
    """Set the position and the state of each lane if no player has yet."""
    visit = this_visit()
    if visit.position is None or len(visit.states) != len(histories):
        axis = make_axis(histories, visit.align)
        position = visit.position = min(visit.start, len(axis.values) - 1)
        visit.states = [int(states[position]) for states in axis.states]


def _take_moment(moment: Any) -> bool:
    """Read the player's position from the browser, and return whether it is newer than the
    session's: a player that the visitor left during a move has not reported it to the session."""
    visit = this_visit()
    if not isinstance(moment, dict) or moment.get("align") not in ALIGNMENTS:
        return False
    states, position = moment.get("states"), moment.get("position")
    known = str(moment.get("id")).startswith(f"{visit.number}/")
    if not known or not isinstance(states, list) or len(states) != len(visit.states):
        return False
    if not all(type(n) is int and n >= 0 for n in (position, *states)):
        return False
    visit.settled_align = moment["align"]
    visit.position, visit.states = position, states
    return True


@st.fragment
@in_turn
def _encode(lanes: Sequence[Run], histories: Sequence[History], links: list[str]) -> None:
    lane, way = _choices(lanes, histories)
    text_in_tokens(lanes[lane], histories[lane], lane, way, lambda said: _address(said, links))


def _address(said: Any, links: list[str]) -> tuple[list[str], int, str] | None:
    """Return the parameters of the address, or None to leave it as it is while the visitor
    types."""
    visit = this_visit()
    if said and not (isinstance(said, dict) and _take_moment(said.get("moment"))):
        return None
    assert visit.position is not None
    return links, visit.position, visit.aligned


def _choices(lanes: Sequence[Run], histories: Sequence[History]) -> tuple[int, str]:
    """Draw the choice of a lane and an encoder, and return both."""
    names = labels(lanes)
    with st.container(horizontal=True, vertical_alignment="center", key="encode_choices"):
        summary = st.container(width="content")
        lane = lane_choice(names, "encode_lane")
        way = way_to_cut(histories[lane])
        take_along_button(lanes, histories, "content")
    with summary:
        rows = {message("Corpus"): title_of(lanes[lane]), **facts(lanes[lane])}
        fact_line(rows, _("One text, cut into tokens at several steps"))
    return lane, way
