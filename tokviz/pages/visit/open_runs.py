"""The runs that a session has on its desks: one for the Train page, one for the Compare page.

The names in `_ON_DESK` are those of the desk that was entered last; the other desk's are put away.
Encode looks at the runs of that desk too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.axis import make_axis
from tokviz.basics.messages import _, said_by
from tokviz.history.base import History
from tokviz.pages.visit import page_limits
from tokviz.pages.visit.address import Query, look_of, where
from tokviz.pages.visit.link import LinkError, from_links, version_of
from tokviz.pages.visit.moment_file import Moment
from tokviz.pages.visit.unfinished import forget, late, reached
from tokviz.pages.widgets.style import sentence
from tokviz.server.jobs import history_of
from tokviz.server.limit_checks import check_lanes
from tokviz.server.rejoin import reachable, take_up
from tokviz.server.runs import Run

#: Lanes, where their scrubber stands, and what the form and the sentences above them say.
_ON_DESK = (
    *("lanes", "visit", "start", "align", "look", "settled_align", "states", "position"),
    *(
        "editing",
        "form_lane",
        "wanted",
        "wanted_lanes",
        "wanted_branch",
        "refused",
        "draft_back",
        "link_refused",
        "drawn",
        "cursor",
        "cue",
    ),
)


#: What is ended while a desk waits for its lanes.
WISH = "desk"
#: What is ended while a page waits for what it shows: seldom, since it was trained before.
_SHOWN = "shown"
#: How lanes are aligned that are to be compared: each counts from its own start to its own end.
COMPARED = "share"


def enter(name: str) -> None:
    """Puts the desk of a page in the place of the one before it."""
    state = st.session_state
    if state.setdefault("desk", name) == name:
        return
    kept = state.setdefault("desks", {})
    kept[state["desk"]] = {key: state.pop(key) for key in _ON_DESK if key in state}
    state.update(kept.pop(name, {}))
    state["desk"] = name
    # The form is one for all desks, and described a lane of the other one.
    state["editing"] = state["form_lane"] = None


def lanes_of(name: str) -> tuple[Run, ...]:
    """The lanes on a desk that was put away; none if it never had any."""
    lanes: tuple[Run, ...] = st.session_state.get("desks", {}).get(name, {}).get("lanes", ())
    return lanes


#: Restores what else an address says, for the lanes that it names.
Restore: TypeAlias = Callable[[Query, Sequence[History]], None]


def set_desk(usual: Callable[[], tuple[tuple[Run, ...], int, str]], restore: Restore) -> None:
    """Sets a desk with the moment of a file that was opened for it, or, if it has no lanes yet,
    with what the address names, or else with the lanes, position and alignment that `usual` gives.
    Of a damaged address the rest is opened, and a sentence says what could not be restored; a
    moment of which nothing can be restored leaves the desk as it was."""
    state, lost, most = st.session_state, list[str](), page_limits.lanes()
    opened: Moment | None = state.get("opened")
    if opened is not None and opened.page == state.get("desk"):
        if len(opened.lanes) > most:
            lost.append(_("there is room for {n} lanes, and the file has more.", n=most))
        done = _restored(opened.lanes[:most], opened.parts, lost, restore, "file")
        # Not before: while its lanes are trained, a click anywhere runs the page anew.
        del state["opened"]
        if done:
            return
    if "lanes" in state:
        return
    if opened is None and take_up():
        _set(state["lanes"], state["start"], state["align"])
        return
    if opened is None and (links := st.query_params.get_all("lane")):
        runs, lost = _linked(links[:most], st.query_params.get("v"))
        if len(links) > most:
            lost.append(_("there is room for {n} lanes, and the address has more.", n=most))
        if _restored([run for run in runs if run], st.query_params, lost, restore, "address"):
            return
    _set(*usual())


def _linked(links: Sequence[str], version: str | None) -> tuple[list[Run | None], list[str]]:
    """The runs of an address, and why those that are None cannot be read."""
    try:
        return from_links(links, version_of(version))
    except LinkError as error:
        return [], [said_by(error)]


def _restored(
    runs: Sequence[Run], parts: Mapping[str, str], lost: list[str], restore: Restore, what: str
) -> bool:
    """Sets the desk with those of the runs that can be trained, and with what else was saved with
    them; False if none can. A sentence tells what is `lost`."""
    state = st.session_state
    lanes = _trainable(runs, lost)
    lost += late(WISH)
    forget(WISH)
    if not lanes:
        state["link_refused"] = (
            _("This file could not be opened: {why}", why=lost[0])
            if what == "file"
            else _("This address could not be opened: {why}", why=lost[0])
        )
        return False
    query, histories = Query(parts), [history_of(run) for run in lanes]
    _forget()
    _set(lanes, *where(query, histories))
    state["look"] = look_of(query, histories)
    restore(query, histories)
    # Whole sentences become parts of one.
    if said := _("; ").join(
        said.removesuffix(".").removesuffix("。") for said in [*lost, *query.lost]
    ):
        state["link_refused"] = (
            _("A part of this file could not be restored: {lost}.", lost=said)
            if what == "file"
            else _("A part of this address could not be restored: {lost}.", lost=said)
        )
    return True


def shown(runs: Sequence[Run]) -> tuple[tuple[Run, ...], list[History]]:
    """Runs that a page shows, those that are stopped as far as they came, and their histories.
    Where one of them cannot be had just now, a sentence says so in the place of the page."""
    try:
        had = [reached(run, _SHOWN) for run in runs]
        return tuple(run for run, _history in had), [history for _run, history in had]
    except (ValueError, Cancelled) as error:
        said = said_by(error)
    except MemoryError:
        said = _("The corpus is too large for this computer; train on a shorter text.")
    sentence(said)
    st.button(_("Try again"), key="try_again", on_click=forget, args=(_SHOWN,))
    return st.stop()


def lanes_shown() -> tuple[tuple[Run, ...], list[History]]:
    """The lanes of the desk and their histories. Those that are stopped now, or whose time is over,
    are on it as far as they came."""
    state = st.session_state
    lanes, histories = shown(state["lanes"])
    said = late(_SHOWN)
    forget(_SHOWN)
    if lanes != state["lanes"]:
        show(lanes)
    elif not said:
        return lanes, histories
    if said:
        state["refused"] = " ".join(said)
    # The form and the sentences are drawn already.
    return st.rerun()


def _trainable(runs: Sequence[Run], lost: list[str]) -> tuple[Run, ...]:
    """The runs that can be trained here, those that were stopped as far as they came; adds to
    `lost` why others cannot."""
    lanes = []
    for run in runs:
        try:
            lanes.append(reached(run, WISH)[0])
        except (ValueError, Cancelled) as error:
            lost.append(said_by(error))
        except (TypeError, OverflowError, MemoryError):
            lost.append(_("it is damaged or too large."))
    return tuple(lanes)


def _set(lanes: tuple[Run, ...], start: int, align: str) -> None:
    state = st.session_state
    state["editing"], state["form_lane"] = None, None
    state["start"], state["align"] = start, align
    state["lanes"] = lanes
    _new_visit()


def _new_visit() -> None:
    """Players tell each other apart by their visit, whatever desk they are on."""
    state = st.session_state
    state["visits"] = state["visit"] = state.get("visits", -1) + 1


def train_wanted() -> None:
    """Trains what the form or a button asked for, if anything: one lane, a branch beside the lane
    that it goes on from, or all of them. On success it is on the desk, else a sentence says why
    not."""
    state = st.session_state
    if "wanted" in state:
        lane, wanted = state["wanted"]
        # The form holds the run if it described it.
        described = state["editing"]
        if (trained := _trained((wanted,))) is not None:
            show((*state["lanes"][:lane], *trained, *state["lanes"][lane + 1 :]))
            state["form_lane"] = described
        del state["wanted"]
    if "wanted_branch" in state:
        lane, wanted, step = state["wanted_branch"]
        if (trained := _trained((wanted,))) is not None:
            lanes = state["lanes"]
            show((*lanes[: lane + 1], *trained, *lanes[lane + 1 :]))
            state["start"] = _position((lane,), step)
        del state["wanted_branch"]
    if "wanted_lanes" in state:
        if (trained := _trained(state["wanted_lanes"])) is not None:
            name = state.get("comparison")
            show(trained, COMPARED)
            state["comparison"] = name
            state["start"] = end_of([history_of(run) for run in trained], COMPARED)
        del state["wanted_lanes"]
    if said := state.pop("late", None):
        state.setdefault("refused", " ".join(dict.fromkeys(said)))


def _trained(runs: tuple[Run, ...]) -> tuple[Run, ...] | None:
    """The runs, of which all histories are known then: those that were stopped as far as they came.
    None, and a sentence, if one cannot be trained."""
    state, trained = st.session_state, list[Run]()
    state.pop("refused", None)
    try:
        check_lanes(len(runs), page_limits.lanes())
        with reachable():
            trained += (reached(run, WISH)[0] for run in runs)
    except (ValueError, Cancelled) as error:
        state["refused"] = said_by(error)
    except MemoryError:
        state["refused"] = _("The corpus is too large for this computer; train on a shorter text.")
    state["late"] = [*state.get("late", ()), *late(WISH)]
    forget(WISH)
    return None if "refused" in state else tuple(trained)


def show(lanes: tuple[Run, ...], align: str | None = None) -> None:
    """Puts other lanes on the desk, at their first step."""
    state = st.session_state
    state["lanes"], state["start"] = lanes, 0
    state["align"] = align or state.get("settled_align", state["align"])
    _new_visit()
    _forget()


def _forget() -> None:
    """Forgets what was of the lanes that were on the desk before."""
    state = st.session_state
    for gone in ("states", "settled_align", "link_refused", "refused", "look", "draft_back"):
        state.pop(gone, None)
    forget(_SHOWN)
    state["editing"] = state["form_lane"] = state["comparison"] = None


def end_of(histories: Sequence[History], align: str) -> int:
    """The position at which every run is in its own last state."""
    return len(make_axis(histories, align).values) - 1


def go(position: int) -> None:
    """The player opens anew at that position."""
    state = st.session_state
    state["start"] = position
    state["align"] = state.get("settled_align", state["align"])
    _new_visit()
    # What the address wanted was for the first look: people may have changed it since.
    state.pop("look", None)


def go_to(lanes: Sequence[int], step: int) -> None:
    """The player opens anew where the longest of some lanes is at a step."""
    go(_position(lanes, step))


def _position(lanes: Sequence[int], step: int) -> int:
    """The position at which the longest of some lanes is at a step, or nearest to it."""
    state = st.session_state
    histories = [history_of(run) for run in state["lanes"]]
    axis = make_axis(histories, state.get("settled_align", state["align"]))
    longest = max(lanes, key=lambda lane: len(histories[lane]))
    return int(np.abs(axis.states[longest] - step).argmin())


def remove(lane: int) -> None:
    """Takes a lane off the desk."""
    lanes = st.session_state["lanes"]
    show((*lanes[:lane], *lanes[lane + 1 :]))
