"""Stepping through a history with plain widgets: transport, chips, candidates, curves, lenses."""

import pandas as pd
import streamlit as st

from tokviz.history import History
from tokviz.narration import announce
from tokviz.pages import markup
from tokviz.pages.charts import curve_chart, titles
from tokviz.pages.run import MOST_WORDS, Run, excerpt_of
from tokviz.symbols import Spelling, Symbol
from tokviz.trainers import TRAINERS
from tokviz.unigram_history import UnigramHistory
from tokviz.views import TokenView, by_count, word_view

ROWS, MOST_DOOMED = 20, 200
#: Tokens of one word that are shown.
MOST_TOKENS = 300
#: Rows of a lens; the whole table is in the history itself.
MOST_ROWS = 5000
#: How many steps before the present one, and after it, are told in words.
AROUND = 200


@st.fragment
def stepper(history: History, run: Run) -> None:
    """Everything that changes with the step. `st.session_state["step"]` is the present state."""
    curve = history.curve()
    t = _transport(history, curve)
    st.html(
        f'<div class="tv-say" role="status" data-step="{t}" data-steps="{len(history)}">'
        f"<p>{markup.text(history.narrate(t))}</p>"
        f'<p class="tv-next">{markup.text(announce(history, t))}</p></div>'
    )
    left, right = st.columns([2, 1], gap="small")
    with left:
        _corpus(history, run, t)
    with right:
        _candidates(history, t)
    _curves(history, curve, t)
    _lenses(history, t)


def _go(to: int) -> None:
    st.session_state["step"] = to


def _go_typed() -> None:
    st.session_state["step"] = st.session_state["typed_step"]


def _transport(history: History, curve: pd.DataFrame) -> int:
    last = len(history)
    t = min(max(0, int(st.session_state.get("step", 0))), last)
    st.session_state["step"] = t
    buttons, scrub, typed, position = st.columns(
        [1.6, 3.5, 0.9, 2.9], vertical_alignment="center", gap="medium"
    )
    with buttons, st.container(key="transport", horizontal=True, gap="xxsmall"):
        for label, icon, to in (
            ("First step", "first_page", 0),
            ("Previous step", "chevron_left", max(0, t - 1)),
            ("Next step", "chevron_right", min(last, t + 1)),
            ("Last step", "last_page", last),
        ):
            st.button(
                label,
                icon=f":material/{icon}:",
                on_click=_go,
                args=(to,),
                disabled=to == t,
                key=f"go_{icon}",
            )
    with scrub:
        st.slider(
            "Training step",
            0,
            max(1, last),
            key="step",
            label_visibility="collapsed",
            disabled=not last,
        )
    with typed:
        st.session_state["typed_step"] = t
        st.number_input(
            "Go to step",
            0,
            last,
            key="typed_step",
            label_visibility="collapsed",
            on_change=_go_typed,
        )
    row = curve.iloc[t]
    with position:
        st.html(
            f'<div class="tv-position"><span><b>{t:,}</b> of {last:,}</span>'
            f"<span>vocabulary <b>{int(row['vocab_size']):,}</b></span>"
            f"<span>corpus tokens <b>{int(row['corpus_tokens']):,}</b></span></div>"
        )
    return t


def _corpus(history: History, run: Run, t: int) -> None:
    lines = None
    if not run.is_table:
        lines = excerpt_of(
            run.corpus, run.pretokenizer, run.pretokenizer_settings, run.special_tokens
        )
    word_number = {word: i for i, word in enumerate(history.words.words)}
    if lines is None:
        words = [
            f"{_word(history, number, t)}<span class='tv-times'>×{count:,}</span>"
            for number, count in by_count(history, MOST_WORDS)
        ]
        said = f"{len(history.words):,} words with their counts"
        body = "".join(f'<span class="tv-word">{word}</span> ' for word in words)
    else:
        body = "".join(
            "<p>"
            + "".join(
                f'<span class="tv-word">{_word(history, word_number[word], t)}</span> '
                for word in line
            )
            + "</p>"
            for line in lines
            if line
        )
        shown = sum(map(len, lines))
        total = history.words.total
        said = f"{total:,} words" if shown >= total else f"the first {shown:,} of {total:,} words"
    if not body:
        body = '<p class="tv-note">This corpus has no words.</p>'
    st.html(
        '<section class="tv-panel tv-corpus" aria-label="Corpus in tokens" tabindex="0">'
        f"<h2>Corpus <small>{said}</small></h2>{body}</section>"
    )


def _word(history: History, number: int, t: int) -> str:
    """One word as chips; the pair that the next step merges is underlined together."""
    chips: list[str] = []
    views = word_view(history, number, t)
    for view in views[:MOST_TOKENS]:
        shown = _chip(history.spelling, view)
        if view.mark == "left":
            shown = f'<span class="tv-pair">{shown}'
        elif view.mark == "right":
            shown = f"{shown}</span>"
        chips.append(shown)
    if len(views) > MOST_TOKENS:
        if views[MOST_TOKENS - 1].mark == "left":
            chips.append("</span>")
        more = len(views) - MOST_TOKENS
        chips.append(f'<span class="tv-note"> … and {more:,} more tokens in this word</span>')
    return "".join(chips)


def _chip(spelling: Spelling, view: TokenView) -> str:
    symbol: Symbol = view.symbol
    born = f"made by step {view.born}" if view.born else "there from the start"
    kind = view.mark if view.mark in ("new", "doomed") else ""
    return markup.chip(spelling, symbol, kind, f"id {view.id}, {born}")


def _candidates(history: History, t: int) -> None:
    rows = history.candidates(t, ROWS)
    count = history.candidate_count(t)
    if isinstance(history, UnigramHistory):
        table, what = markup.prune_rows(_around_cut(history, t)), "tokens, cheapest to lose first"
    else:
        table = markup.merge_rows(rows, TRAINERS[history.algorithm].label)
        what = "pairs, best first"
    if not count:
        table, what = '<p class="tv-note">Nothing is left to merge.</p>', "pairs"
    st.html(
        '<section class="tv-panel tv-candidates" aria-label="Score table" tabindex="0">'
        f"<h2>Candidates <small>{count:,} {what}</small></h2>{table}</section>"
    )


def _around_cut(history: UnigramHistory, t: int) -> pd.DataFrame:
    """The doomed tokens, as far as a table can show them, and some after the cut."""
    doomed = history.vocab_size(t) - history.vocab_size(min(t + 1, len(history)))
    return history.candidates(t, max(ROWS, min(doomed, MOST_DOOMED) + 8))


def _curves(history: History, curve: pd.DataFrame, t: int) -> None:
    shown = titles(curve, history.algorithm)
    for column, (name, title) in zip(st.columns(len(shown)), shown.items(), strict=True):
        with column:
            st.altair_chart(
                curve_chart(curve, name, title, t),
                alt=f"{title} by step; the cursor is at step {t}.",
                key=f"curve_{name}",
            )


def _lenses(history: History, t: int) -> None:
    lens = st.segmented_control(
        "Lens",
        ["Score table", "Vocabulary", "Steps"],
        default="Vocabulary",
        key="lens",
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
        _frame(frame, history.stopped)


def _frame(frame: pd.DataFrame, caption: str) -> None:
    cut = frame.head(MOST_ROWS).copy()
    for column in cut.select_dtypes(exclude=["number", "bool"]):
        cut[column] = cut[column].map(markup.visible)
    more = f" The first {MOST_ROWS:,} of {len(frame):,} rows." if len(frame) > MOST_ROWS else ""
    st.html(f'<p class="tv-caption">{markup.text(caption + more)}</p>')
    st.dataframe(cut, hide_index=True, height=320)
