"""The set-up that is always open: the text and the vocabulary size of all lanes, and the algorithm
of the only one. Each change trains at once where that takes a moment (`live.py`); the other
settings of each lane are in the panel.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

import streamlit as st

from tokviz.basics.messages import _, here, message
from tokviz.history.base import History
from tokviz.pages.form.corpus_fields import file_field, sample_field, text_field, upload_error
from tokviz.pages.form.editing import add, edit
from tokviz.pages.form.live import train_long
from tokviz.pages.form.notes import notes
from tokviz.pages.form.panel import no_room
from tokviz.pages.form.setup import (
    algorithm_changed,
    describes,
    fill_training,
    give_room,
    run_in_form,
    set_size,
    size_field,
)
from tokviz.pages.share.take_along import take_along_button
from tokviz.pages.visit.lanes import labels, other_score
from tokviz.pages.visit.visit import RunRequest, this_visit
from tokviz.pages.widgets.keys import (
    ALGORITHM,
    SIZE_OF_ALL,
    SIZE_SLIDER,
    UNIT,
    VOCAB_SIZE,
)
from tokviz.pages.widgets.markup import label, text
from tokviz.pages.widgets.put import keyed, put
from tokviz.pages.widgets.style import in_one_place, sentence
from tokviz.player.live_text import live_text
from tokviz.server import page_limits
from tokviz.server.before_training import MOST_COUNTED, possible_sizes
from tokviz.server.runs import Run
from tokviz.trainers import TRAINERS, settings_of

#: The algorithms that are always in sight.
FAMILIES = ("bpe", "wordpiece", "unigram")
#: What a training on a text may start from.
UNITS = {"byte": message("bytes"), "char": message("characters")}
#: The largest size on the slider, unless a run has a larger one.
USUAL_SIZES = 2000


@in_one_place
def sentences() -> None:
    """Draw the sentences about what could not be trained or opened."""
    visit = this_visit()
    for said in (visit.refused, visit.link_refused):
        if said is not None:
            sentence(said)


def lane_buttons(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Draw the buttons that add a lane and take the lanes along."""
    full = len(lanes) >= page_limits.lanes()
    with st.container(horizontal=True, width="content", gap="small", key="lane_buttons"):
        st.button(
            _("Compare side by side") if len(lanes) == 1 else _("Add a lane"),
            on_click=add,
            key="add",
            disabled=full,
            help=no_room() if full else _("Train another algorithm or setting beside this one."),
        )
        take_along_button(lanes, histories, "content")


def strip(lanes: Sequence[Run], histories: Sequence[History], has_buttons: bool = False) -> None:
    """Draw the fields, and what is to be said of the lanes or keeps them from being trained. It
    `has_buttons` for lanes beside the page's headline."""
    st.html(Path(__file__).with_name("strip.css"))
    run = run_in_form()
    is_one = len(lanes) == 1 and not lanes[0].of_tokenizer
    with st.container(key="strip"):
        left, right = st.columns([892, 404] if is_one else [600, 696], gap="small")
        with left:
            _text_fields(run if is_one else None)
        with right:
            # After the text for those who go through the page by keyboard.
            if has_buttons:
                lane_buttons(lanes, histories)
            if is_one:
                _algorithm_fields()
            else:
                _settings_buttons(lanes)
            least = _size_fields(
                [run] if is_one else [run for run in lanes if not run.of_tokenizer]
            )
            is_too_small = is_one and run.vocab_size < least and this_visit().strip_said is not None
            _said_of_size(is_too_small)
            _other_score(lanes)
        _said(notes(lanes, histories), is_too_small)
    live_text()
    describes(run)


def _name(said: str, more: str = "") -> None:
    """Draw the name of some fields before them; those who hear the page hear it from the fields."""
    name = f'<b aria-hidden="true">{text(said)}</b>'
    width: Literal["stretch", "content"] = "stretch" if more else "content"
    st.html(f'<p class="tv-strip-name">{name} <span>{text(more)}</span></p>', width=width)


def _text_fields(run: Run | None) -> None:
    unit = None if run is None else _unit_of(run)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_text"):
        said = _("Type or paste your own: training follows every key.")
        _name(_("Your text"), said if run and unit is None else " ")
        _unit_field(unit)
        sample_field(fill_training)
        with st.popover(_("Open a file"), width="content", key="strip_file"):
            file_field()
    upload_error()
    text_field(_("Your text"), 76)


def _algorithm_fields() -> None:
    chosen = st.session_state[ALGORITHM]
    shown = [*FAMILIES, *([chosen] if chosen not in FAMILIES else [])]
    others = [name for name in TRAINERS if name not in FAMILIES]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_kind"):
        _name(_("Algorithm"))
        st.segmented_control(
            _("Algorithm"),
            shown,
            format_func=lambda name: here(TRAINERS[name].label),
            key=ALGORITHM,
            required=True,
            on_change=algorithm_changed,
            persist_state="session",
        )
        # The browser closes it (panel_focus.js): it knows at once whether it is open.
        with st.popover(_("More"), width="content", key="strip_more"):
            for name in others:
                st.button(
                    here(TRAINERS[name].label),
                    key=f"more_{name}",
                    on_click=_take_algorithm,
                    args=(name,),
                    type="tertiary",
                    help=here(TRAINERS[name].help),
                )


def _take_algorithm(name: str) -> None:
    st.session_state[ALGORITHM] = name
    algorithm_changed()


def _settings_buttons(lanes: Sequence[Run]) -> None:
    """Draw a button for each lane, which opens its settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_lanes"):
        _name(_("Settings"))
        for lane, name in enumerate(labels(lanes)):
            st.button(
                label(name),
                on_click=edit,
                args=(lane,),
                key=f"settings_{lane}",
                help=label(_("Algorithm and settings of {name}", name=name)),
            )


def _size_fields(runs: Sequence[Run]) -> int:
    """Draw the vocabulary size of the only run or of all, if there are any; return the least that
    is possible, 0 if it is not known."""
    if not runs:
        return 0
    is_one = len(this_visit().lanes) == 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_size"):
        _name(_("Vocabulary"))
        size = st.session_state[VOCAB_SIZE] if is_one else this_visit().size_of_all
        size = runs[0].vocab_size if size is None else size
        least = _slider(runs, size)
        if is_one:
            size_field()
            st.button(
                _("Settings"),
                on_click=edit,
                args=(0,),
                key="settings_0",
                help=_("Pre-tokenizer, tie-break and all other settings; word counts; presets."),
            )
            return least
        st.session_state[SIZE_OF_ALL] = size
        st.number_input(
            _("Vocabulary size of all"),
            min_value=1,
            max_value=page_limits.vocabulary(),
            key=SIZE_OF_ALL,
            on_change=lambda: _take_size(st.session_state[SIZE_OF_ALL]),
        )
    return least


@in_one_place
def _said_of_size(is_too_small: bool) -> None:
    """Draw what keeps the only lane from being trained below its size, if that is the reason."""
    said = this_visit().strip_said
    if is_too_small and said is not None:
        st.html(f'<p class="tv-note" role="status">{text(here(said))}</p>')


@in_one_place
def _other_score(lanes: Sequence[Run]) -> None:
    """Draw a button that trains the other one of WordPiece's two scores as a further lane."""
    other = other_score(lanes)
    if other is None or len(lanes) >= page_limits.lanes():
        return
    st.button(
        _(
            "Compare with the {score} score",
            score=dict(other.settings).get("score", "likelihood"),
        ),
        on_click=partial(setattr, this_visit(), "wanted_lane", RunRequest(len(lanes), other)),
        key="compare",
        type="tertiary",
        help=_(
            "Hugging Face’s WordPiece trainer is BPE with ##: it merges the most frequent pair, "
            "not the one of greatest likelihood."
        ),
    )


def _slider(runs: Sequence[Run], size: int) -> int:
    """Draw the sizes that are possible for a text that is counted quickly; return the least, 0 if
    it is not known."""
    if max(len(run.corpus.text) for run in runs) > MOST_COUNTED:
        return 0
    try:
        ends = [possible_sizes(run)[1:] for run in runs]
    except ValueError:
        return 0  # Below the fields it is said why.
    least = max(least for least, _greatest in ends)
    most = max(min(max(greatest for _least, greatest in ends), USUAL_SIZES), size)
    if least >= most:
        return least
    put(SIZE_SLIDER, max(size, least))
    st.slider(
        _("Vocabulary"),
        min_value=least,
        max_value=most,
        format="localized",
        **keyed(SIZE_SLIDER, least, _take_size),
    )
    return least


def _take_size(size: int) -> None:
    """Take a size for the only lane or for all."""
    visit = this_visit()
    set_size(size)
    if len(visit.lanes) > 1:
        visit.size_of_all = size


@in_one_place
def _said(told: Sequence[str], is_said: bool) -> None:
    """Draw what there is to say, if anything that `is_said` nowhere else, and a button to train
    what takes long."""
    visit = this_visit()
    said = list(told) if visit.strip_said is None else [] if is_said else [visit.strip_said]
    if not said and not visit.long_lanes:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="strip_said"):
        for each in said:
            st.html(f'<p class="tv-note" role="status">{text(here(each))}</p>', width="content")
        if visit.long_lanes:
            st.button(_("Train"), type="primary", key="train", on_click=train_long)


def _unit_of(run: Run) -> str | None:
    """Return what training starts from, "byte" or "char", if that is a choice for a text that is
    mostly not ASCII."""
    text = run.corpus.text
    if len(text.encode("utf-8", "replace")) <= 1.5 * len(text):
        return None
    units = (each for each in settings_of(TRAINERS[run.algorithm]) if each.name == "unit")
    return next((run.trainer_settings.get("unit", unit.default) for unit in units), None)


@in_one_place
def _unit_field(unit: str | None) -> None:
    if unit is None:
        return
    st.session_state[UNIT] = unit
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_unit"):
        _name(_("Start from"))
        st.segmented_control(
            _("Start from"),
            list(UNITS),
            format_func=lambda name: here(UNITS[name]),
            key=UNIT,
            required=True,
            on_change=_take_unit,
            help=_(
                "In this text, most characters are two to four bytes each. Training can start from "
                "the characters, as many tokenizers for one language do."
            ),
        )


def _take_unit() -> None:
    state = st.session_state
    state[f"{state[ALGORITHM]}.unit"] = state[UNIT]
    with suppress(ValueError):  # Training says what is wrong with a setting.
        give_room(run_in_form())
