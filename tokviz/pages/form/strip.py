"""The set-up that is always open on the page Train: text, algorithm and vocabulary size of its only
run. Each change trains at once where that takes a moment; the rest of the settings is in the form.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import _, here, message, said_by
from tokviz.pages.form.corpus_fields import file_field, sample_field, text_field, upload_error
from tokviz.pages.form.editing import edit
from tokviz.pages.form.setup import (
    algorithm_changed,
    describes,
    fill_form,
    fill_training,
    give_room,
    run_in_form,
    size_field,
)
from tokviz.pages.visit.open_lanes import replace_only_lane
from tokviz.pages.visit.visit import RunRequest, this_visit
from tokviz.pages.widgets.keys import ALGORITHM, SIZE_SLIDER, VOCAB_SIZE
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import fact_line, note
from tokviz.player.live_text import live_text
from tokviz.server.before_training import MOST_COUNTED, possible_sizes
from tokviz.server.jobs import history_of
from tokviz.server.runs import Run, trained_here
from tokviz.server.waiting import TakesLong, briefly
from tokviz.trainers import TRAINERS

#: Seconds of a worker that a change may take to be trained without a button. A training of 0.1 s
#: has them on a busy machine too, and where a worker loads SentencePiece's normalizer first.
MOMENT = 0.5
#: The algorithms that are always in sight.
FAMILIES = ("bpe", "wordpiece", "unigram")
#: The largest size on the slider, unless the run has a larger one.
USUAL_SIZES = 2000


def has_strip() -> bool:
    """Return whether the page shows one run that can be trained here, and no form."""
    visit = this_visit()
    one = visit.page == "train" and len(visit.lanes) == 1
    return one and visit.editing is None and not visit.lanes[0].is_replay


def follow_strip() -> None:
    """Train what the fields hold if it is not on the page, and show it there. If that takes long or
    is not possible, the page stays as it is and says why."""
    visit = this_visit()
    if not has_strip():
        return
    shown = visit.lanes[0]
    if visit.form_lane != 0:
        fill_form(shown)
        visit.form_lane = 0
    run = run_in_form()
    if _is_other(run, shown) and run.corpus.key != shown.corpus.key:
        _make_room(run)
        run = run_in_form()
    if run == visit.long_run:
        return
    visit.long_run = visit.strip_said = None
    if _is_other(run, shown):
        _train(run)


def _is_other(run: Run, shown: Run) -> bool:
    return trained_here(run).key != trained_here(shown).key


def _make_room(run: Run) -> None:
    """Raise a size that is too small for a new text."""
    try:
        give_room(run)
    except ValueError:
        return  # Training says what is wrong with a setting.


def _train(run: Run) -> None:
    visit = this_visit()
    if not run.corpus.text.strip():
        visit.strip_said = message("Type or paste a text: it is trained as you type.")
        return
    try:
        history_of(run, briefly(MOMENT))
    except TakesLong as error:
        visit.long_run, visit.strip_said = run, said_by(error)
    except (ValueError, Cancelled) as error:
        visit.strip_said = said_by(error)
    except MemoryError:
        visit.strip_said = _("The corpus is too large for this computer; train on a shorter text.")
    else:
        replace_only_lane(run)


def strip(facts: Mapping[str, str], notes: Sequence[str], buttons: Callable[[], None]) -> None:
    """Draw the fields, other `facts` and `notes` of their run or what keeps it from being trained,
    and what `buttons` draws."""
    st.html(Path(__file__).with_name("strip.css"))
    run = run_in_form()
    with st.container(key="strip"):
        left, right = st.columns([892, 404], gap="small")
        with left:
            _text_fields()
        with right:
            _algorithm_fields()
            _size_fields(run)
        with st.container(horizontal=True, vertical_alignment="center", key="strip_below"):
            _below(facts, notes)
            if _is_of_many_bytes(run):
                _offer_characters()
            buttons()
    live_text()
    describes(run, 0)


def _name(said: str, more: str = "") -> None:
    """Draw the name of some fields before them; those who hear the page hear it from the fields."""
    name = f'<b aria-hidden="true">{text(said)}</b>'
    width: Literal["stretch", "content"] = "stretch" if more else "content"
    st.html(f'<p class="tv-strip-name">{name} <span>{text(more)}</span></p>', width=width)


def _text_fields() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_text"):
        _name(_("Your text"), _("Type or paste your own: training follows every key."))
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
        with st.popover(_("More"), width="content", key="strip_more"):
            for name in others:
                st.button(
                    here(TRAINERS[name].label),
                    key=f"take_{name}",
                    on_click=_take_algorithm,
                    args=(name,),
                    type="tertiary",
                    help=here(TRAINERS[name].help),
                )


def _take_algorithm(name: str) -> None:
    st.session_state[ALGORITHM] = name
    algorithm_changed()


def _size_fields(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="strip_size"):
        _name(_("Vocabulary"))
        _slider(run)
        size_field(_("How many tokens the finished vocabulary holds."))
        st.button(
            _("Settings"),
            on_click=edit,
            args=(0,),
            key="change",
            help=_("Pre-tokenizer, tie-break and all other settings; word counts; presets."),
        )


def _slider(run: Run) -> None:
    """Draw the sizes that are possible for a text that is counted quickly."""
    if len(run.corpus.text) > MOST_COUNTED:
        return
    try:
        _words, least, greatest = possible_sizes(run)
    except ValueError:
        return  # Below the fields it is said why.
    state = st.session_state
    most = max(min(greatest, USUAL_SIZES), state[VOCAB_SIZE])
    if least >= most:
        return
    state[SIZE_SLIDER] = max(state[VOCAB_SIZE], least)
    st.slider(
        _("Vocabulary"),
        min_value=least,
        max_value=most,
        key=SIZE_SLIDER,
        on_change=_take_size,
    )


def _take_size() -> None:
    st.session_state[VOCAB_SIZE] = st.session_state[SIZE_SLIDER]


def _below(facts: Mapping[str, str], notes: Sequence[str]) -> None:
    visit = this_visit()
    # Always one container, so that what is below keeps its place.
    with st.container(horizontal=True, vertical_alignment="center", key="strip_said"):
        if visit.strip_said is None:
            fact_line(facts)
            for said in notes:
                note(said)
        else:
            note(visit.strip_said)
        if visit.long_run is not None:
            st.button(_("Train"), type="primary", key="train", on_click=_train_long)


def _is_of_many_bytes(run: Run) -> bool:
    """Return whether training starts from bytes of a text that is mostly not ASCII."""
    text = run.corpus.text
    size = len(text.encode("utf-8", "replace"))
    return run.trainer_settings.get("unit") == "byte" and size > 1.5 * len(text)


def _offer_characters() -> None:
    st.button(
        _("Characters instead of bytes"),
        key="take_characters",
        on_click=_take_characters,
        help=_(
            "In this text, most characters are two to four bytes each. Training can start from the "
            "characters, as many tokenizers for one language do."
        ),
    )


def _take_characters() -> None:
    st.session_state[f"{st.session_state[ALGORITHM]}.unit"] = "char"
    _make_room(run_in_form())


def _train_long() -> None:
    visit = this_visit()
    if visit.long_run is not None:
        visit.wanted_lane = RunRequest(0, visit.long_run)
