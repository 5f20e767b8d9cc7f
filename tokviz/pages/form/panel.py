"""The panel beside the player: all settings of a lane. Each change trains at once where that takes
a moment, as in the set-up that is always open.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from tokviz.basics.messages import _
from tokviz.pages.form.corpus_fields import corpus_in_form, read_as_field, source_note
from tokviz.pages.form.editing import close, duplicate, train_further, train_on_text
from tokviz.pages.form.setup import algorithm_field, settings_part, size_field
from tokviz.pages.lenses.saved_view import saved_by_new_tokens
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.limit_list import corpus_limits
from tokviz.pages.visit.open_lanes import remove
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.put import keyed, put
from tokviz.pages.widgets.style import note
from tokviz.server import page_limits
from tokviz.server.limit_checks import bytes_of
from tokviz.server.opened.opened_files import find
from tokviz.server.runs import Run, TokenizerFile


def panel(lanes: Sequence[Run]) -> None:
    """Draw the panel if it is open. Its container is always there, so that the player keeps its
    place (`in_one_place`)."""
    lane, several = this_visit().editing, len(lanes) > 1
    st.html(Path(__file__).with_name("panel.css"))
    with st.container(key="panel", width=320):
        if lane is None or lane >= len(lanes):
            return
        is_open = "border-color: var(--tv-accent); background: var(--tv-soft)"
        st.html(f"<style>.st-key-settings_{lane} button {{ {is_open}; }}</style>")
        of_tokenizer = lanes[lane].of_tokenizer
        with st.container(horizontal=True, vertical_alignment="center", key="panel_top"):
            name = labels(lanes)[lane] if several or of_tokenizer else _("Settings")
            st.html(f'<h2 class="tv-panel-name">{text(name)}</h2>')
            st.button(_("Close"), on_click=close, key=f"close_{lane}")
        if several:
            _changes(lane, len(lanes))
        if of_tokenizer:
            if lanes[lane].goes_on:
                _new_tokens(lane, lanes[lane])
            else:
                note(_("These merges are the file’s. They are applied to your text as they are."))
            st.button(
                _("Train on this text instead"),
                on_click=train_on_text,
                args=(lane,),
                key="train_on_text",
            )
            return
        if several:
            algorithm_field()
            size_field()
        settings_part()
        read_as_field()
        corpus_limits(bytes_of(corpus_in_form().text))
        source_note()


def _new_tokens(lane: int, run: Run) -> None:
    """Draw how many tokens a lane learns that goes on from a file."""
    note(_("The file’s ids and merges stay as they are. What your text teaches follows them."))
    assert isinstance(run.source, TokenizerFile)
    first = find(run.source.digest).next_id
    key = f"new_tokens_{lane}"
    put(key, run.vocab_size - first)
    st.number_input(
        _("New tokens"),
        min_value=1,
        max_value=page_limits.vocabulary(),
        **keyed(key, 1, lambda more: train_further(lane, first + more)),
    )
    saved_by_new_tokens(run)


def _changes(lane: int, count: int) -> None:
    """Draw the buttons that duplicate and remove the lane."""
    full = count >= page_limits.lanes()
    with st.container(horizontal=True, key="panel_lane"):
        st.button(
            _("Duplicate"),
            on_click=duplicate,
            args=(lane,),
            key=f"duplicate_{lane}",
            disabled=full,
            help=no_room() if full else _("Add a copy, to change one thing in it."),
        )
        st.button(_("Remove"), on_click=remove, args=(lane,), key=f"remove_{lane}")


def no_room() -> str:
    """Return why there can be no more lanes."""
    return _("There is room for {n} lanes: remove one to add another.", n=page_limits.lanes())
