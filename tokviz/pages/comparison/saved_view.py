"""Below the held-out text: what each merge of a lane saves, on its own text and on that one."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from tokviz.analysis.comparison import Comparison
from tokviz.analysis.tokens_saved import tokens_saved
from tokviz.basics.messages import _, here
from tokviz.history.merges import MergeHistory
from tokviz.pages.visit.lanes import lane_choice
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.markup import visible
from tokviz.pages.widgets.style import note
from tokviz.server.histories import kept
from tokviz.server.runs import Run

#: Most rows of the table.
MOST_ROWS = 5_000


def saved_view(comparison: Comparison, lanes: Sequence[Run], held: str) -> None:
    """Draw the table of a lane that encodes by its merges, if there is one."""
    merging = [
        i
        for i, history in enumerate(comparison.histories)
        if isinstance(history, MergeHistory) and history.trainer.default_encoder == "merges"
    ]
    if not merging:
        return
    with st.expander(_("What each merge saves"), key="saved"):
        lane = merging[lane_choice([here(comparison.names[i]) for i in merging], "saved_lane")]
        history = comparison.histories[lane]
        table = kept(lanes[lane], "saved", 2, held, lambda: tokens_saved(history, held))
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
            "step": shown["step"],
            **{
                name: [visible(text) for text in shown[name]] for name in ("left", "right", "token")
            },
            "id": shown["id"],
            "saved here": shown["saved"],
            "saved in held-out text": shown["saved_held_out"],
        }
        config = column_labels(columns)
        st.dataframe(pd.DataFrame(columns), hide_index=True, height=320, column_config=config)
