"""The page Train: runs in one player, from their set-up to their last step."""

from functools import partial

import streamlit as st

from tokviz import SAMPLES
from tokviz.basics.messages import _
from tokviz.pages.form.live import follow_fields
from tokviz.pages.form.panel import panel
from tokviz.pages.form.strip import lane_buttons, sentences, strip
from tokviz.pages.lenses.branches import branches
from tokviz.pages.lenses.stepper import restore_lens, stepper
from tokviz.pages.visit.lanes import has_two_scores, other_score
from tokviz.pages.visit.open_lanes import lanes_shown, train_wanted
from tokviz.pages.visit.opening import begin_visit
from tokviz.pages.visit.visit import RunRequest, enter, this_visit
from tokviz.pages.widgets.keys import BRANCH_HEARD
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import headline
from tokviz.server.runs import Run, run_of_sample

#: The sample of a first visit.
OPENING = "course"


def page() -> None:
    """Draw the page. The first visit shows a trained sample, or the lanes in the address."""
    state = st.session_state
    enter("train")
    begin_visit(opening, restore_lens)
    train_wanted()
    follow_fields()
    above = st.container(key="setup")
    sentences()
    lanes, histories = lanes_shown()
    with above:
        with st.container(horizontal=True, vertical_alignment="center", key="top"):
            headline(
                _(
                    "Watch a tokenizer learn, step by step, how to cut your text into tokens, the "
                    "pieces that language models read."
                ),
                _("Watch a tokenizer learn to cut your text into tokens."),
            )
            lane_buttons(lanes, histories)
        strip(lanes, histories)
        if any(map(has_two_scores, lanes)):
            _two_scores(other_score(lanes), len(lanes))
        branches(lanes, histories)
    # The whole page is being drawn already.
    state.pop(BRANCH_HEARD, None)
    with st.container(horizontal=True, key="beside"):
        panel(lanes)
        with st.container(key="shown"):
            stepper(histories, lanes)


def opening() -> tuple[tuple[Run, ...], int, str]:
    """Return what a first visit shows: lanes, position and alignment; before the first step, the
    player invites to a guess."""
    this_visit().look = {"invite": True}
    return (run_of_sample(SAMPLES[OPENING]),), 0, "step"


def _two_scores(other: Run | None, lane: int) -> None:
    """Draw a note on WordPiece's two scores, and a button that trains the other one."""
    with st.container(horizontal=True, vertical_alignment="center", key="two_scores"):
        said = _(
            "Hugging Face’s WordPiece trainer is BPE with ##: it merges the most frequent pair, "
            "not the one of greatest likelihood."
        )
        st.html(f'<p class="tv-note">{text(said)}</p>', width="content")
        if other is not None:
            score = dict(other.settings).get("score", "likelihood")
            st.button(
                _("Compare with the {score} score", score=score),
                on_click=partial(setattr, this_visit(), "wanted_lane", RunRequest(lane, other)),
                key="compare",
                type="tertiary",
                help=_("Train the other score as a second lane, on the same corpus and settings."),
            )
