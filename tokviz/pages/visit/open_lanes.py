"""The lanes on a page: trained as somebody asked for them, shown, and taken off."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.axis import make_axis
from tokviz.basics.messages import _, said_by
from tokviz.history.base import History
from tokviz.pages.visit import page_limits
from tokviz.pages.visit.unfinished import forget, late, reached
from tokviz.pages.visit.visit import Visit, this_visit
from tokviz.pages.widgets.keys import COMPARISON
from tokviz.pages.widgets.style import sentence
from tokviz.server.jobs import history_of
from tokviz.server.limit_checks import check_lanes
from tokviz.server.rejoin import reachable
from tokviz.server.runs import Run

#: What is ended while a page waits for its lanes.
WISH = "page"
#: What is ended while a page waits for what it shows: seldom, since it was trained before.
_SHOWN = "shown"
#: How lanes are aligned that are to be compared: each counts from its own start to its own end.
COMPARED = "share"


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
    """The lanes of the page and their histories. Those that are stopped now, or whose time is over,
    are on it as far as they came."""
    visit = this_visit()
    lanes, histories = shown(visit.lanes)
    said = late(_SHOWN)
    forget(_SHOWN)
    if lanes != visit.lanes:
        show(lanes)
    elif not said:
        return lanes, histories
    if said:
        visit.refused = " ".join(said)
    # The form and the sentences are drawn already.
    return st.rerun()


def train_wanted() -> None:
    """Trains what the form or a button asked for, if anything: one lane, a branch beside the lane
    that it goes on from, or all of them. On success it is on the page, else a sentence says why
    not."""
    visit = this_visit()
    if wanted := visit.wanted_lane:
        # The form holds the run if it described it.
        described, lane = visit.editing, wanted.lane
        if (trained := _trained((wanted.run,))) is not None:
            show((*visit.lanes[:lane], *trained, *visit.lanes[lane + 1 :]))
            visit.form_lane = described
        visit.wanted_lane = None
    if branch := visit.wanted_branch:
        if (trained := _trained((branch.run,))) is not None:
            after = branch.lane + 1
            show((*visit.lanes[:after], *trained, *visit.lanes[after:]))
            visit.start = _position((branch.lane,), branch.step)
        visit.wanted_branch = None
    if visit.wanted_lanes:
        if (trained := _trained(visit.wanted_lanes)) is not None:
            name = st.session_state.get(COMPARISON)
            show(trained, COMPARED)
            st.session_state[COMPARISON] = name
            visit.start = end_of([history_of(run) for run in trained], COMPARED)
        visit.wanted_lanes = ()
    if visit.late:
        if visit.refused is None:
            visit.refused = " ".join(dict.fromkeys(visit.late))
        visit.late = []


def _trained(runs: tuple[Run, ...]) -> tuple[Run, ...] | None:
    """The runs, of which all histories are known then: those that were stopped as far as they came.
    None, and a sentence, if one cannot be trained."""
    visit, trained = this_visit(), list[Run]()
    visit.refused = None
    try:
        check_lanes(len(runs), page_limits.lanes())
        with reachable(_asked(visit)):
            trained += (reached(run, WISH)[0] for run in runs)
    except (ValueError, Cancelled) as error:
        visit.refused = said_by(error)
    except MemoryError:
        visit.refused = _("The corpus is too large for this computer; train on a shorter text.")
    visit.late += late(WISH)
    forget(WISH)
    return tuple(trained) if visit.refused is None else None


def _asked(visit: Visit) -> Visit:
    """What a page is asked for and shows meanwhile; where the player stands now, it opens again."""
    return Visit(
        visit.page,
        visit.lanes,
        start=visit.start if visit.position is None else visit.position,
        align=visit.aligned,
        wanted_lane=visit.wanted_lane,
        wanted_branch=visit.wanted_branch,
        wanted_lanes=visit.wanted_lanes,
    )


def show(lanes: tuple[Run, ...], align: str | None = None) -> None:
    """Puts other lanes on the page, at their first step."""
    visit = this_visit()
    visit.open(0, align or visit.aligned, lanes)
    forget_lanes()


def forget_lanes() -> None:
    """Forgets what was of the lanes that were on the page before."""
    this_visit().forget()
    st.session_state[COMPARISON] = None
    forget(_SHOWN)


def end_of(histories: Sequence[History], align: str) -> int:
    """The position at which every run is in its own last state."""
    return len(make_axis(histories, align).values) - 1


def go(position: int) -> None:
    """The player opens anew at that position."""
    visit = this_visit()
    visit.open(position, visit.aligned)
    # What the address wanted was for the first look: people may have changed it since.
    visit.look = {}


def go_to(lanes: Sequence[int], step: int) -> None:
    """The player opens anew where the longest of some lanes is at a step."""
    go(_position(lanes, step))


def _position(lanes: Sequence[int], step: int) -> int:
    """The position at which the longest of some lanes is at a step, or nearest to it."""
    visit = this_visit()
    histories = [history_of(run) for run in visit.lanes]
    axis = make_axis(histories, visit.aligned)
    longest = max(lanes, key=lambda lane: len(histories[lane]))
    return int(np.abs(axis.states[longest] - step).argmin())


def remove(lane: int) -> None:
    """Takes a lane off the page."""
    lanes = this_visit().lanes
    show((*lanes[:lane], *lanes[lane + 1 :]))
