"""What each merge of a lane saves, on its own text and on a held-out one: in Compare below that
text, and in the panel of a lane that goes on from a file."""

from collections.abc import Collection, Sequence

import pandas as pd
import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.comparison import Comparison
from tokviz.analysis.tokens_saved import encodes_by_merges, tokens_saved
from tokviz.basics.messages import _, here, said_by
from tokviz.history.base import History
from tokviz.pages.visit.lanes import lane_choice
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.keys import HELD_OUT_TEXT
from tokviz.pages.widgets.markup import visible
from tokviz.pages.widgets.style import note, sentence
from tokviz.server import limits
from tokviz.server.histories import kept
from tokviz.server.jobs import history_of
from tokviz.server.limit_checks import check_held_out, size_said
from tokviz.server.runs import Run

#: Most rows of the table.
MOST_ROWS = 5_000
#: Columns of texts, and what those of numbers are called.
_TEXTS = "left", "right", "token"
_NAMES = {"saved": "saved here", "saved_held_out": "saved in held-out text"}


def saved_view(comparison: Comparison, lanes: Sequence[Run], held: str) -> None:
    """Draw the table of a lane that encodes by its merges, if there is one."""
    merging = [i for i, history in enumerate(comparison.histories) if encodes_by_merges(history)]
    if not merging:
        return
    with st.expander(_("What each merge saves"), key="saved"):
        lane = merging[lane_choice([here(comparison.names[i]) for i in merging], "saved_lane")]
        _table(lanes[lane], comparison.histories[lane], held)


def saved_by_new_tokens(run: Run) -> None:
    """Draw the table of a lane that goes on from a file, and the field for a held-out text."""
    with st.expander(_("What each new token saves"), key="saved_new"):
        held_out_field(100)
        held: str = st.session_state.get(HELD_OUT_TEXT) or ""
        try:
            check_held_out(held, limits.LIMITS.corpus)
            _table(run, history_of(run), held, ("token", "saved", "saved_held_out"))
        except (ValueError, Cancelled) as error:
            sentence(said_by(error))


def held_out_field(height: int) -> None:
    """Draw the text field."""
    st.text_area(
        _("Held-out text"),
        key=HELD_OUT_TEXT,
        height=height,
        placeholder=_("Paste a text that the lanes were not trained on."),
        persist_state="session",
        help=_("Up to {size}.", size=size_said(limits.LIMITS.corpus.held_out_bytes)),
    )


def _table(run: Run, history: History, held: str, only: Collection[str] = ()) -> None:
    """Draw the table, or some of its columns."""
    table = kept(run, "saved", 2, held, lambda: tokens_saved(history, held))
    note(
        _(
            "A merge makes one token of two, so it saves one each time that it is applied: in "
            "the lane’s own text, and in the held-out text, cut by all merges of the lane."
        )
    )
    if len(table) > MOST_ROWS:
        note(_("The first {n:,} of {all:,} merges.", n=MOST_ROWS, all=len(table)))
    shown = table.head(MOST_ROWS)
    columns = {
        _NAMES.get(name, name): [visible(text) for text in shown[name]]
        if name in _TEXTS
        else shown[name]
        for name in only or shown.columns
        # Without a text nothing is saved in it.
        if held.strip() or name != "saved_held_out"
    }
    config = column_labels(columns)
    st.dataframe(pd.DataFrame(columns), hide_index=True, height=320, column_config=config)
