"""Open a page with the moment of a file, the lanes in its address, or its default lanes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import _, said_by
from tokviz.history.base import History
from tokviz.pages.visit.address import Query, look_in_address, where
from tokviz.pages.visit.link import address_of, from_links, version_of
from tokviz.pages.visit.moment_file import Moment
from tokviz.pages.visit.open_lanes import PURPOSE, forget_lanes
from tokviz.pages.visit.unfinished import forget, run_with_history, time_out_sentences
from tokviz.pages.visit.visit import Visit, this_visit
from tokviz.pages.visit.written_run import LinkError
from tokviz.pages.widgets.keys import OPENED
from tokviz.pages.widgets.style import in_one_place
from tokviz.server import page_limits
from tokviz.server.jobs import history_of
from tokviz.server.rejoin import asked_there, names_training
from tokviz.server.runs import Run, trainable

#: Restores the other parameters of an address, for its lanes.
Restore: TypeAlias = Callable[[Query, Sequence[History]], None]

#: The address's parameter, and the session key, that names the last Back or Forward (entries.js).
WENT = "went"


@in_one_place
def begin_visit(usual: Callable[[], tuple[tuple[Run, ...], int, str]], restore: Restore) -> None:
    """Set up a page: with the moment of an opened file; or, if it has no lanes yet or the visitor
    went back or forward, with the lanes in the address; else, if it has none, with the lanes,
    position and alignment that `usual` returns. A sentence says which parts could not be restored;
    if none of a moment or of an earlier address can be, the page stays as it was."""
    visit = this_visit()
    opened: Moment | None = st.session_state.get(OPENED)
    if opened is not None and opened.page == visit.page:
        lost, most = list[str](), page_limits.lanes()
        if len(opened.lanes) > most:
            lost.append(_("there is room for {n} lanes, and the file has more.", n=most))
        done = _restored(opened.lanes[:most], opened.parts, lost, restore, "file")
        # Not earlier: while its lanes are trained, a click anywhere reruns the page.
        del st.session_state[OPENED]
        if done:
            return
    if visit.lanes:
        if went():
            _go_there(restore)
            # Not earlier: while lanes are trained, a click anywhere reruns the page.
            arrive()
        return
    arrive()
    if opened is None and (_rejoined(visit) or _opened_from_address(restore)):
        return
    lanes, start, align = usual()
    _open(lanes, start, align)


def _opened_from_address(restore: Restore) -> bool:
    """Open the lanes in the address; return False if there are none that can be opened."""
    links, most = st.query_params.get_all("lane"), page_limits.lanes()
    if not links:
        return False
    runs, lost = _linked(links[:most], st.query_params.get("v"))
    if len(links) > most:
        lost.append(_("there is room for {n} lanes, and the address has more.", n=most))
    return _restored([run for run in runs if run], st.query_params, lost, restore, "address")


def went() -> bool:
    """Return whether the visitor went back or forward in the browser's history, or where a class
    is, since the last address was opened."""
    name = st.query_params.get(WENT)
    return name is not None and name != st.session_state.get(WENT)


def arrive() -> None:
    """Note that the address to which the visitor went is open."""
    st.session_state[WENT] = st.query_params.get(WENT)


def _go_there(restore: Restore) -> None:
    """Show the lanes of the address to which the visitor went; if it has none, those that fit in no
    address. Trainings under way are given up; a text that waits for its button stays in its
    field."""
    visit = this_visit()
    if not address_of(visit.lanes):
        visit.unlinked = visit.lanes
    visit.wanted_lane = visit.wanted_branch = None
    visit.wanted_lanes = visit.wanted_live = ()
    editing, waits = visit.editing, visit.long_lanes
    if not _opened_from_address(restore):
        if visit.unlinked and not st.query_params.get_all("lane"):
            forget_lanes()
            _open(visit.unlinked, 0, visit.align)
        else:
            # A new player all the same: it writes the address from now on.
            visit.open(visit.position or 0, visit.aligned)
    if editing is not None:
        visit.editing = min(editing, len(visit.lanes) - 1)
    if waits:
        visit.held = 0, replace(trainable(visit.lanes[0]), corpus=waits[0].corpus)


def _open(lanes: tuple[Run, ...], start: int, align: str) -> None:
    visit = this_visit()
    visit.editing = visit.form_lane = None
    visit.open(start, align, lanes)


def _rejoined(visit: Visit) -> bool:
    """Continue the request whose training token is in the address; return False if it is
    unknown."""
    if not names_training():
        return False
    asked = asked_there()
    if not isinstance(asked, Visit) or asked.page != visit.page:
        visit.link_refused = _("The training that this address names is no longer running here.")
        return False
    visit.wanted_lane, visit.wanted_branch = asked.wanted_lane, asked.wanted_branch
    visit.wanted_lanes, visit.wanted_live = asked.wanted_lanes, asked.wanted_live
    _open(asked.lanes, asked.start, asked.align)
    return True


def _linked(links: Sequence[str], version: str | None) -> tuple[list[Run | None], list[str]]:
    """Return the runs of an address (None for unreadable ones), and why those cannot be read."""
    try:
        return from_links(links, version_of(version))
    except LinkError as error:
        return [], [said_by(error)]


def _restored(
    runs: Sequence[Run], parts: Mapping[str, str], lost: list[str], restore: Restore, what: str
) -> bool:
    """Set up the page with the runs that can be trained and the saved parameters; return False if
    there are none. A sentence says what is `lost`."""
    visit, lanes = this_visit(), _trainable(runs, lost)
    lost += time_out_sentences(PURPOSE)
    forget(PURPOSE)
    if not lanes:
        visit.link_refused = (
            _("This file could not be opened: {why}", why=lost[0])
            if what == "file"
            else _("This address could not be opened: {why}", why=lost[0])
        )
        return False
    query, histories = Query(parts), [history_of(run) for run in lanes]
    forget_lanes()
    _open(lanes, *where(query, histories))
    visit.look = look_in_address(query, histories)
    restore(query, histories)
    # Sentences are joined into one, and lanes often have the same.
    if said := _("; ").join(
        said.removesuffix(".").removesuffix("。") for said in dict.fromkeys([*lost, *query.lost])
    ):
        visit.link_refused = (
            _("A part of this file could not be restored: {lost}.", lost=said)
            if what == "file"
            else _("A part of this address could not be restored: {lost}.", lost=said)
        )
    return True


def _trainable(runs: Sequence[Run], lost: list[str]) -> tuple[Run, ...]:
    """Return the runs that can be trained here, stopped ones with the size they reached; add to
    `lost` why others cannot."""
    lanes = []
    for run in runs:
        try:
            lanes.append(run_with_history(run, PURPOSE)[0])
        except (ValueError, Cancelled) as error:
            lost.append(said_by(error))
        except (TypeError, OverflowError, MemoryError):
            lost.append(_("it is damaged or too large."))
    return tuple(lanes)
