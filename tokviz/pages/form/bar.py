"""The bar above a player: a summary of the lanes, buttons that change them, and the form."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from tokviz.basics.messages import _, _n, here, message, said_by
from tokviz.history.base import History
from tokviz.pages.form.corpus_fields import corpus_fields
from tokviz.pages.form.draft import draft_note, take_draft_back
from tokviz.pages.form.editing import ALL_LANES, close, edit, edit_corpus
from tokviz.pages.form.setup import describes, form
from tokviz.pages.form.strip import follow_strip, has_strip, strip
from tokviz.pages.share.take_along import take_along_button
from tokviz.pages.visit.comparisons import fitted
from tokviz.pages.visit.lanes import facts, labels, settings_facts
from tokviz.pages.visit.link import links_of
from tokviz.pages.visit.open_lanes import remove
from tokviz.pages.visit.visit import RunRequest, this_visit
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import fact_line, in_one_place, note, sentence
from tokviz.server import page_limits
from tokviz.server.runs import Run, title_of
from tokviz.trainers.reached import unreached


@in_one_place
def form_and_sentences() -> None:
    """Draw the form if it is open, and the sentences about what could not be trained or opened.
    Before, train what was changed in the set-up that is always open."""
    visit = this_visit()
    take_draft_back()
    follow_strip()
    if visit.editing is not None:
        with st.container(border=True, key="form"):
            _form()
    elif visit.refused is not None:
        sentence(visit.refused)
    if visit.link_refused is not None:
        sentence(visit.link_refused)


def _form() -> None:
    """Draw the form for one lane, or for the corpus of all; request training once it is sent."""
    visit = this_visit()
    draft_note()
    if visit.editing == ALL_LANES:
        if lanes := _same_corpus():
            visit.wanted_lanes = lanes
    elif run := form():
        assert visit.editing is not None
        visit.wanted_lane = RunRequest(visit.editing, run)
    if visit.refused is not None:
        sentence(visit.refused)
    if visit.wanted_lane or visit.wanted_lanes:
        st.rerun()


def _same_corpus() -> tuple[Run, ...] | None:
    """Draw the form for the corpus of all lanes; return the new lanes if its button is pressed."""
    visit = this_visit()
    corpus = corpus_fields(lambda _run: None)
    describes(replace(visit.lanes[0], corpus=corpus), visit.editing)
    if not st.button(_("Train all lanes"), type="primary", key="train_all"):
        return None
    visit.refused = None
    try:
        lanes = visit.lanes
        return fitted([replace(run, corpus=corpus) for run in lanes])
    except ValueError as error:
        visit.refused = said_by(error)
        return None


def bar(lanes: Sequence[Run], histories: Sequence[History], title: str = "") -> None:
    """Draw the bar. `title` is the page's heading for screen readers, if it shows none."""
    if has_strip():
        buttons = partial(_bar_buttons, lanes, histories)
        strip(lane_facts(lanes, histories), lane_notes(lanes, histories), buttons)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        with st.container(key="summary"):
            _summary(lanes, histories, title)
        _bar_buttons(lanes, histories)


def _bar_buttons(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Draw the buttons that open and close the form, change the lanes, and take them along."""
    with st.container(horizontal=True, width="content", gap="small", key="bar_buttons"):
        _buttons(lanes)
        take_along_button(lanes, histories, "content")


def _buttons(lanes: Sequence[Run]) -> None:
    if this_visit().editing is not None:
        st.button(_("Close"), on_click=close, key="change")
        return
    most = page_limits.lanes()
    full = len(lanes) >= most
    no_room = _("There is room for {n} lanes: remove one to add another.", n=most)
    if len(lanes) == 1 and not has_strip():
        st.button(
            _("Your own text"),
            on_click=edit,
            args=(0,),
            key="change",
            type="primary",
            help=_("Type or paste a text, or open a file; choose the algorithm and its settings."),
        )
    st.button(
        _("Compare side by side"),
        on_click=edit,
        args=(len(lanes),),
        key="add",
        disabled=full,
        help=no_room if full else _("Train another algorithm or setting beside this one."),
    )
    if len(lanes) > 1:
        with st.popover(_("Lanes")), st.container(key="lane_list"):
            _lanes(lanes, no_room if full else "")


def _lanes(lanes: Sequence[Run], no_room: str) -> None:
    """Draw the buttons of each lane; `no_room` says why there can be no more lanes."""
    st.button(_("Change the corpus of all lanes"), on_click=edit_corpus, key="corpus_of_all")
    for i, name in enumerate(labels(lanes, whole=True)):
        st.html(f'<p class="tv-caption">{text(name)}</p>')
        with st.container(horizontal=True, key=f"lane_{i}"):
            st.button(_("Change"), on_click=edit, args=(i,), key=f"change_{i}")
            st.button(
                _("Duplicate"),
                on_click=edit,
                args=(len(lanes), i),
                key=f"duplicate_{i}",
                disabled=bool(no_room),
                help=no_room
                or _("Open the form with a copy of this lane, to change one thing in it."),
            )
            st.button(_("Remove"), on_click=remove, args=(i,), key=f"remove_{i}")
    if no_room:
        note(no_room)


def _summary(lanes: Sequence[Run], histories: Sequence[History], title: str) -> None:
    first = histories[0]
    words = _n("{n} word", "{n} words", first.words.total)
    rows: dict[str, str] = {message("Corpus"): title_of(lanes[0]), message("Size"): words}
    if len(lanes) == 1:
        rows |= facts(lanes[0])
    else:
        corpora = {run.corpus.text for run in lanes}
        if len(corpora) > 1:
            rows = {message("Corpus"): message("one for each lane")}
        rows[message("Vocabulary")] = " · ".join(f"{run.vocab_size:,}" for run in lanes)
        cuts = [here(facts(run).get("Words", message("word counts"))) for run in lanes]
        rows[message("Words")] = " · ".join(dict.fromkeys(cuts))
    fact_line(rows | _link_fact(lanes), title)
    for said in lane_notes(lanes, histories):
        note(said)


def lane_facts(lanes: Sequence[Run], histories: Sequence[History]) -> dict[str, str]:
    """Return what the open set-up of the only lane does not show."""
    words = _n("{n} word", "{n} words", histories[0].words.total)
    rows: dict[str, str] = {message("Corpus"): title_of(lanes[0]), message("Size"): words}
    return rows | settings_facts(lanes[0]) | _link_fact(lanes)


def _link_fact(lanes: Sequence[Run]) -> dict[str, str]:
    if any(run.is_replay for run in lanes):
        return {message("Link"): message("none can hold a tokenizer’s file")}
    if not links_of(lanes):
        said = message("none, the text is too long: save a file to come back to it")
        return {message("Link"): said}
    return {}


def lane_notes(lanes: Sequence[Run], histories: Sequence[History]) -> list[str]:
    """Return a sentence for each lane whose training ended before its vocabulary size."""
    notes = []
    for run, history, name in zip(lanes, histories, labels(lanes), strict=True):
        if not run.is_replay and unreached(history, run.vocab_size):
            why = history.stopped
            notes.append(why if len(lanes) == 1 else _("{lane}: {said}", lane=name, said=here(why)))
    return notes
