"""The player of a run, its curves, and the tables of the state on which the player settled."""

import pandas as pd
import streamlit as st

from tokviz.corpus import excerpt
from tokviz.history import History
from tokviz.pages import markup
from tokviz.pages.charts import curve_chart, titles
from tokviz.pages.run import MOST_WORDS, Run, place_for
from tokviz.player.pack import pack
from tokviz.player.player import player
from tokviz.trainers import TRAINERS

#: Rows of a lens; the whole table is in the history itself.
MOST_ROWS = 5000
#: How many steps before the present one, and after it, are told in words.
AROUND = 200


@st.fragment
def stepper(history: History, run: Run) -> None:
    """The player, the curves, and the lenses of the state on which it settled."""
    start = min(st.session_state["start"], len(history))
    t = player(_blob(history, run), start, st.session_state["visit"], key="player")
    t = st.session_state["step"] = min(t, len(history))
    _curves(history, start)
    _lenses(history, t)


def _blob(history: History, run: Run) -> bytes:
    """The packed history, made once for everybody."""
    place = place_for(run)
    if "blob" not in place:
        lines = None
        if not run.is_table:
            lines = excerpt(run.corpus, history.pretokenizer, history.special_tokens, MOST_WORDS)
        place["blob"] = pack(history, TRAINERS[run.algorithm].label, lines, MOST_WORDS)
    blob: bytes = place["blob"]
    return blob


def _curves(history: History, start: int) -> None:
    curve = history.curve()
    shown = titles(curve, history.algorithm)
    for column, (name, title) in zip(st.columns(len(shown)), shown.items(), strict=True):
        with column:
            st.altair_chart(
                curve_chart(curve, name, title, start),
                alt=f"{title} by step, with a cursor at the present one.",
                key=f"curve_{name}",
            )


def _lenses(history: History, t: int) -> None:
    lens = st.segmented_control(
        "Lens",
        ["Score table", "Vocabulary", "Steps"],
        default="Vocabulary",
        key="lens",
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    if lens == "Score table":
        _frame(history.candidates(t, None), "The score table of this state.")
    elif lens == "Vocabulary":
        born = history.births(t)
        frame = pd.DataFrame(
            {
                "id": range(history.vocab_size(t)),
                "token": history.vocab(t),
                "made by step": born,
                "count now": history.token_counts(t),
            }
        )
        _frame(frame, "The vocabulary of this state. Step 0: there from the start.")
    elif lens == "Steps":
        first = max(1, t - AROUND)
        numbers = range(first, min(len(history), first + 2 * AROUND) + 1)
        frame = pd.DataFrame(
            {"step": numbers, "what happened": [history.narrate(i) for i in numbers]}
        )
        _frame(frame, f"The steps around the present one. {history.stopped}")


def _frame(frame: pd.DataFrame, caption: str) -> None:
    cut = frame.head(MOST_ROWS).copy()
    for column in cut.select_dtypes(exclude=["number", "bool"]):
        cut[column] = cut[column].map(markup.visible)
    more = f" The first {MOST_ROWS:,} of {len(frame):,} rows." if len(frame) > MOST_ROWS else ""
    st.html(f'<p class="tv-caption">{markup.text(caption + more)}</p>')
    st.dataframe(cut, hide_index=True, height=320)
