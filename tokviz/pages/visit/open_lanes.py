"""Train the lanes of a page, show them, and remove them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.axis import make_axis
from tokviz.basics.messages import _, said_by
from tokviz.history.base import History
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.unfinished import forget, run_with_history, time_out_sentences
from tokviz.pages.visit.visit import Visit, this_visit
from tokviz.pages.widgets.keys import COMPARISON
from tokviz.pages.widgets.style import in_one_place, sentence
from tokviz.server import page_limits
from tokviz.server.jobs import draw_next, history_of
from tokviz.server.limit_checks import check_lanes
from tokviz.server.rejoin import reachable
from tokviz.server.runs import Run, trainable

#: The name under which `reached` remembers stopped runs while a page trains new lanes.
PURPOSE = "page"
#: The same for the lanes on the page, which are rarely trained again.
_SHOWN = "shown"
#: The alignment of compared lanes: by the share of training that is done.
COMPARED = "share"


@in_one_place
def shown(runs: Sequence[Run]) -> tuple[tuple[Run, ...], list[History]]:
    """Return the runs of a page and their histories; stopped runs have the size they reached. If
    one cannot be trained now, draw a sentence in place of the page."""
    for run, name in zip(runs, labels(runs), strict=True):
        draw_next(run, name, len(runs))
    try:
        had = [run_with_history(run, _SHOWN) for run in runs]
        return tuple(run for run, _history in had), [history for _run, history in had]
    except (ValueError, Cancelled) as error:
        said = said_by(error)
    except MemoryError:
        said = _("The corpus is too large for this computer; train on a shorter text.")
    sentence(said)
    st.button(_("Try again"), key="try_again", on_click=forget, args=(_SHOWN,))
    return st.stop()


def lanes_shown() -> tuple[tuple[Run, ...], list[History]]:
    """Return the lanes of the page and their histories. Lanes that were stopped meanwhile are shown
    with the size they reached."""
    visit = this_visit()
    lanes, histories = shown(visit.lanes)
    said = time_out_sentences(_SHOWN)
    forget(_SHOWN)
    if lanes != visit.lanes:
        show(lanes)
    elif not said:
        return lanes, histories
    if said:
        visit.refused = " ".join(said)
    # The form and the sentences have been drawn already.
    return st.rerun()


@in_one_place
def train_wanted() -> None:
    """Train what the visitor requested, if anything: one lane, a branch beside its lane, or all
    lanes. Show it on the page, or a sentence why it failed."""
    visit = this_visit()
    if wanted := visit.wanted_lane:
        lane, editing = wanted.lane, visit.editing
        if (trained := _trained((wanted.run,))) is not None:
            # The second lane: from now on each moves from its own start to its own end.
            align = COMPARED if lane == len(visit.lanes) == 1 else None
            show((*visit.lanes[:lane], *trained, *visit.lanes[lane + 1 :]), align)
            visit.editing = editing
        elif editing == len(visit.lanes):
            visit.editing = None
        visit.wanted_lane = None
    if visit.wanted_live:
        if (trained := _trained(visit.wanted_live)) is not None:
            stopped = trained != visit.wanted_live
            replace_lanes(trained)
            if stopped:
                visit.form_lane = None
        visit.wanted_live = ()
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
    """Return the runs once all are trained, stopped ones with the size they reached; None, and a
    sentence, if one cannot be trained."""
    visit, trained = this_visit(), list[Run]()
    visit.refused = None
    try:
        check_lanes(len(runs), page_limits.lanes())
        with reachable(_request(visit)):
            trained += (run_with_history(run, PURPOSE)[0] for run in runs)
    except (ValueError, Cancelled) as error:
        visit.refused = said_by(error)
    except MemoryError:
        visit.refused = _("The corpus is too large for this computer; train on a shorter text.")
    visit.late += time_out_sentences(PURPOSE)
    forget(PURPOSE)
    return tuple(trained) if visit.refused is None else None


def _request(visit: Visit) -> Visit:
    """Return what the page requests and shows, with the player's present position."""
    return Visit(
        visit.page,
        visit.lanes,
        start=visit.start if visit.position is None else visit.position,
        align=visit.aligned,
        wanted_lane=visit.wanted_lane,
        wanted_branch=visit.wanted_branch,
        wanted_lanes=visit.wanted_lanes,
        wanted_live=visit.wanted_live,
    )


def show(lanes: tuple[Run, ...], align: str | None = None) -> None:
    """Put other lanes on the page, at their first step. A text that was typed and is not trained
    stays in its field."""
    visit = this_visit()
    typed = visit.held[1].corpus if visit.held else None
    is_kept = typed is not None and typed.key != visit.lanes[0].corpus.key
    visit.open(0, align or visit.aligned, lanes)
    forget_lanes()
    if typed is not None and is_kept:
        visit.held = 0, replace(trainable(lanes[0]), corpus=typed)


def replace_lanes(lanes: tuple[Run, ...]) -> None:
    """Show other trained runs in place of as many lanes, after the same share of the training."""
    visit = this_visit()
    align = visit.aligned if len(lanes) > 1 else "step"
    before, after = (
        end_of([history_of(run) for run in runs], align) for runs in (visit.lanes, lanes)
    )
    at = visit.start if visit.position is None or not visit.states else visit.position
    kept = visit.form_lane, visit.editing
    forget_lanes()
    visit.form_lane, visit.editing = kept
    visit.open(round(at / before * after) if before else 0, align, lanes)


def forget_lanes() -> None:
    """Forget the state of the lanes that were on the page before."""
    this_visit().forget()
    st.session_state[COMPARISON] = None
    forget(_SHOWN)


def end_of(histories: Sequence[History], align: str) -> int:
    """Return the position at which every run is in its last state."""
    return len(make_axis(histories, align).values) - 1


def go(position: int) -> None:
    """Open the player at a position."""
    visit = this_visit()
    visit.open(position, visit.aligned)
    # The address's settings are for the first player; the visitor may have changed them since.
    visit.look = {}


def go_to(lanes: Sequence[int], step: int) -> None:
    """Open the player where the longest of some lanes is at a step."""
    go(_position(lanes, step))


def _position(lanes: Sequence[int], step: int) -> int:
    """Return the position at which the longest of some lanes is at a step, or nearest to it."""
    visit = this_visit()
    histories = [history_of(run) for run in visit.lanes]
    axis = make_axis(histories, visit.aligned)
    longest = max(lanes, key=lambda lane: len(histories[lane]))
    return int(np.abs(axis.states[longest] - step).argmin())


def remove(lane: int) -> None:
    """Remove a lane from the page."""
    lanes = this_visit().lanes
    show((*lanes[:lane], *lanes[lane + 1 :]))
