"""The page Train: runs in one player, from their set-up to their last step."""

import streamlit as st

from tokviz import SAMPLES
from tokviz.basics.messages import _
from tokviz.pages.form.live import follow_fields
from tokviz.pages.form.live_choices import live_choices
from tokviz.pages.form.panel import panel
from tokviz.pages.form.strip import sentences, strip
from tokviz.pages.lenses.branches import branches
from tokviz.pages.lenses.stepper import restore_lens, stepper
from tokviz.pages.visit.open_lanes import lanes_shown, train_wanted
from tokviz.pages.visit.opening import begin_visit
from tokviz.pages.visit.visit import enter, this_visit
from tokviz.pages.widgets.keys import BRANCH_HEARD
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
        headline(
            _(
                "Watch a tokenizer learn, step by step, how to cut your text into tokens, the "
                "pieces that language models read."
            ),
            _("Watch a tokenizer learn to cut your text into tokens."),
        )
        strip(lanes, histories, has_buttons=True)
        branches(lanes, histories)
    # The whole page is being drawn already.
    state.pop(BRANCH_HEARD, None)
    with st.container(horizontal=True, key="beside"):
        panel(lanes)
        with st.container(key="shown"):
            stepper(histories, lanes, live_choices())


def opening() -> tuple[tuple[Run, ...], int, str]:
    """Return what a first visit shows: lanes, position and alignment; before the first step, the
    player invites to a guess."""
    this_visit().look = {"invite": True}
    return (run_of_sample(SAMPLES[OPENING]),), 0, "step"
