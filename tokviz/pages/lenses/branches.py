"""Branches: lanes that follow another lane up to a step, and then make another choice."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

import tokviz
from tokviz.analysis.what_if import Branching
from tokviz.basics.messages import _, here, said_by
from tokviz.history.base import History
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.open_lanes import go_to, remove
from tokviz.pages.visit.visit import RunRequest, this_visit
from tokviz.pages.widgets.keys import BRANCH_HEARD, PLAYER
from tokviz.pages.widgets.markup import label, text
from tokviz.server import limits, page_limits
from tokviz.server.histories import kept
from tokviz.server.jobs import branches_from, history_of
from tokviz.server.limit_checks import LimitError, check_interventions
from tokviz.server.runs import Run, takes_interventions
from tokviz.trainers.interventions import Choice


def offers(lanes: Sequence[Run]) -> list[str | None]:
    """Return for every lane whether a branch can be made from it: "" if it can, a sentence if there
    is no room for one, None if its algorithm allows none."""
    full = ""
    most = page_limits.lanes()
    if len(lanes) >= most:
        full = _("A what-if needs a lane, and all {most} are taken: remove one.", most=most)
    return [full if takes_interventions(run.algorithm) else None for run in lanes]


def ask_for_branch() -> None:
    """Request the branch that the visitor chose in the player; the page trains it."""
    visit = this_visit()
    state = st.session_state
    asked = _valid_choice((state.get(PLAYER) or {}).get("what_if"))
    lanes: tuple[Run, ...] = visit.lanes
    if asked is None or asked[0] >= len(lanes):
        return
    lane, step, choice = asked
    # The branch is shown outside the player's fragment, so the page is rerun.
    state[BRANCH_HEARD] = True
    visit.refused = None
    if why := offers(lanes)[lane]:
        visit.refused = why
    if why != "":
        return
    earlier = [one for one in lanes[lane].interventions if one[0] < step]
    run = replace(lanes[lane], interventions=(*earlier, (step, choice)))
    if run in lanes:
        visit.refused = _("That what-if is already a lane: {name}.", name=_name(run, lanes))
        return
    try:
        check_interventions(len(run.interventions), limits.LIMITS.settings)
    except LimitError as error:
        visit.refused = said_by(error)
    else:
        branches_from(run, history_of(lanes[lane]))
        visit.wanted_branch = RunRequest(lane, run, step)


def _name(run: Run, lanes: Sequence[Run]) -> str:
    return labels(lanes)[list(lanes).index(run)]


def _valid_choice(said: Any) -> tuple[int, int, Choice] | None:
    """Return the lane, step and choice that the player sent, or None if they are invalid.

    >>> _valid_choice({"lane": 0, "step": 3, "choice": ["t", "h"]})
    (0, 3, ('t', 'h'))
    >>> _valid_choice({"lane": 0, "step": "3", "choice": ["t", "h"]}) is None
    True
    """
    if not isinstance(said, dict):
        return None
    match said.get("lane"), said.get("step"), said.get("choice"):
        case [int(lane), int(step), [str(first), str(second)]] if min(lane, step) >= 0:
            return lane, step, (first, second)
    return None


def branches(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Draw for every branch where it parts from its original, and where they agree again."""
    names = labels(lanes)
    for lane, run in enumerate(lanes):
        original = original_of(run, lanes)
        if original is None:
            continue
        made = partial(tokviz.branching, histories[original], histories[lane])
        with st.spinner(_("Comparing the lanes …")):
            found = kept(run, "branching", 4, lanes[original].key, made)
        _draw_branch(found, names, original, lane)


def original_of(run: Run, lanes: Sequence[Run]) -> int | None:
    """Return the lane from which a run branches at its last intervention, or None.

    >>> from tokviz.server.runs import Corpus
    >>> run = Run(Corpus("", "a b"), "bpe", 9, "gpt2")
    >>> branch = replace(run, interventions=((2, ("a", "b")),))
    >>> original_of(branch, [run, branch]), original_of(run, [run, branch])
    (0, None)
    """
    if not run.interventions:
        return None
    *earlier, (last, _choice) = run.interventions
    same = [
        lane
        for lane, other in enumerate(lanes)
        if other != run
        and replace(other, interventions=()).key == replace(run, interventions=()).key
        and [one for one in other.interventions if one[0] < last] == earlier
        # Another choice at that step is another branch of the same run.
        and last not in dict(other.interventions)
    ]
    # A run with later interventions is the same until then.
    return min(same, key=lambda lane: len(lanes[lane].interventions), default=None)


def _draw_branch(found: Branching, names: Sequence[str], original: int, lane: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"what_if_{lane}"):
        pair = _("{branch} beside {original}:", branch=names[lane], original=names[original])
        st.html(
            f'<p class="tv-note" role="status"><b>{text(pair)}</b> {text(here(found.said))} '
            f"{text(here(found.vocabularies_said))}</p>",
            width="content",
        )
        for what, step, help in (
            ("parted", found.parted, _("The first step at which they cut a word differently.")),
            ("healed", found.healed, _("From this step on they cut every word alike.")),
        ):
            if step is not None:
                st.button(
                    _("Go to step {step:,}", step=step),
                    on_click=go_to,
                    args=((original, lane), step),
                    key=f"{what}_{lane}",
                    type="tertiary",
                    help=help,
                )
        st.button(
            _("Remove lane"),
            on_click=remove,
            args=(lane,),
            key=f"unbranch_{lane}",
            type="tertiary",
            help=label(_("Remove {name}.", name=names[lane])),
        )
