"""Languages, on the page Compare: what the same text costs in each, before and after another mix of
languages in the training corpus."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from tokviz import Cancelled
from tokviz.history import History
from tokviz.languages import compared, language_costs
from tokviz.pages.lanes import facts
from tokviz.pages.language_setup import Trial, language_setup
from tokviz.pages.markup import text
from tokviz.pages.run import Run, Stopped, history_of, place_for
from tokviz.pages.style import csv_button, fact_line, sentence

_WANTED, _SHOWN, _REFUSED = (f"languages_{name}" for name in ("wanted", "shown", "refused"))
_SOURCE = "Petrov, La Malfa, Torr and Bibi 2023; Ahia et al. 2023"
_COLUMNS = {
    "language": ("Language", "The dearest before comes first.", None),
    "tokens_before": ("Tokens before", "Tokens of the text in this language.", "%d"),
    "ratio_before": (
        "Ratio before",
        f"Tokens ÷ tokens of the cheapest language. Source: {_SOURCE}.",
        "%.2f",
    ),
    "tokens_after": ("Tokens after", "Tokens of the same text with the other mix.", "%d"),
    "ratio_after": (
        "Ratio after",
        f"Tokens ÷ tokens of the language that is the cheapest then. Source: {_SOURCE}.",
        "%.2f",
    ),
    "change": ("Change", "(Tokens after − tokens before) ÷ tokens before, in percent.", "%+.1f%%"),
    "unknown_before": (
        "Unknown before",
        "Tokens that stand for what the vocabulary does not hold. One may hide a whole word.",
        "%d",
    ),
    "unknown_after": ("Unknown after", "The same with the other mix.", "%d"),
}


def languages(open_lanes: Callable[[tuple[Run, ...]], None]) -> None:
    """Draws the tab. A first visit shows a trained result at once; `open_lanes` gets the two runs
    that somebody wants to see step by step."""
    state = st.session_state
    left, right = st.columns([2, 3], gap="large")
    with left:
        asked = language_setup()
        pressed = st.button("Train both", type="primary", key="languages_train", width="stretch")
        if (
            not isinstance(asked, str)
            and _SHOWN in state
            and asked != state[_SHOWN]
            and not pressed
        ):
            st.html('<p class="tv-note" role="status">Changed, and not trained yet.</p>')
    if pressed or not (_SHOWN in state or _REFUSED in state):
        state.pop(_REFUSED, None)
        if isinstance(asked, str):
            state[_REFUSED] = asked
        else:
            state[_WANTED] = asked
    with right:
        # It is wanted until it is there: a click elsewhere meanwhile runs the page anew.
        if _WANTED in state:
            if (done := _trained(state[_WANTED])) is not None:
                state[_SHOWN] = done[0]
            del state[_WANTED]
        done = _trained(state[_SHOWN]) if _SHOWN in state else None
        if _REFUSED in state:
            sentence(state[_REFUSED])
        if done is not None:
            trial, histories, table = done
            _summary(trial, histories, table)
            _chart(table)
    if done is not None:
        _table(table)
        with st.container(horizontal=True, key="languages_doors"):
            csv_button("Download CSV", "languages", lambda: table)
            if st.button(
                "Open both as lanes",
                key="languages_open",
                help="Look at both trainings step by step under one scrubber.",
            ):
                open_lanes((trial.before, trial.after))


def _trained(trial: Trial) -> tuple[Trial, list[History], pd.DataFrame] | None:
    """A trial as far as somebody let it be trained, its histories, and its costs compared. None if
    it cannot be; then a sentence says why."""
    runs, histories, where = list[Run](), list[History](), ""
    try:
        for when, run in (("Before", trial.before), ("After", trial.after)):
            where = f"{when}: "
            try:
                histories.append(history_of(run))
                runs.append(run)
            except Stopped as stopped:
                histories.append(stopped.history)
                runs.append(stopped.run)
        where = ""
        before, after = (
            _costs(run, history, trial.texts) for run, history in zip(runs, histories, strict=True)
        )
    except (ValueError, Cancelled) as error:
        st.session_state[_REFUSED] = f"{where}{error}"
    except MemoryError:
        st.session_state[_REFUSED] = "The texts are too large for this computer; shorten them."
    else:
        return Trial(trial.title, trial.texts, *runs), histories, compared(before, after)
    return None


def _costs(run: Run, history: History, texts: tuple[tuple[str, str], ...]) -> pd.DataFrame:
    """What a run makes of the texts, counted once for everybody; only the last few are kept."""
    known: dict[object, pd.DataFrame] = place_for(run).setdefault("language_costs", {})
    if (table := known.get(texts)) is None:
        table = known[texts] = language_costs(history.tokenizer(), dict(texts))
    for old in list(known)[:-4]:
        known.pop(old, None)
    return table


# --- the result -----------------------------------------------------------------------------------


def _summary(trial: Trial, histories: Sequence[History], table: pd.DataFrame) -> None:
    rows = {"Texts": trial.title, **facts(trial.before)}
    sizes = [history.vocab_size(len(history)) for history in histories]
    rows["Vocabulary"] = f"{sizes[0]:,}"
    if sizes[0] != sizes[1]:
        rows["Vocabulary"] = f"{sizes[0]:,} before, {sizes[1]:,} after"
    rows |= {
        when.capitalize(): run.title.removeprefix(f"{when}: ")
        for when, run in (("before", trial.before), ("after", trial.after))
    }
    notes = [
        f"{when}: {text(history.stopped)}"
        for when, run, history in zip(("Before", "After"), trial[2:], histories, strict=True)
        if history.vocab_size(len(history)) < run.vocab_size
    ]
    notes += unknown_said(table)
    fact_line(rows)
    st.html(
        f'<p role="status">{finding(table)}</p>'
        + "".join(f'<p class="tv-note">{note}</p>' for note in notes)
    )


def finding(table: pd.DataFrame) -> str:
    """What came out, in HTML: the dearest language before, and what the other mix does to it."""
    rows = table.to_dict("records")
    cheapest, then = (
        [row for row in rows if row[f"cheapest_{when}"]] for when in ("before", "after")
    )
    first, dearest = cheapest[0], rows[0]
    who = ""
    if len(cheapest) == len(rows):
        said = f"Before, all languages cost the same, {first['tokens_before']:,} tokens; after, "
        dearest = max(rows, key=lambda row: row["tokens_after"])
        who = f"{_name(dearest)} costs "
    else:
        said = (
            f"Before, <strong>{_name(dearest)} costs {dearest['ratio_before']:.2f} times</strong> "
            f"as many tokens as {_cheapest(cheapest)} ({dearest['tokens_before']:,} and "
            f"{first['tokens_before']:,}); after, "
        )
    if len(then) == len(rows):
        said += f"all cost the same, {dearest['tokens_after']:,}."
    elif dearest["cheapest_after"]:
        said += f"{_name(dearest)} is {_rank(then)} itself with {dearest['tokens_after']:,}."
    else:
        said += (
            f"<strong>{who}{dearest['ratio_after']:.2f} times</strong> as many as "
            f"{_cheapest(then)} then ({dearest['tokens_after']:,} and "
            f"{then[0]['tokens_after']:,})."
        )
    if len(cheapest) < len(rows) and first["tokens_before"] != first["tokens_after"]:
        said += (
            f" {_name(first)} itself goes from {first['tokens_before']:,} to "
            f"{first['tokens_after']:,}."
        )
    return said


def _name(row: Mapping[Hashable, Any]) -> str:
    return f"<bdi>{text(row['language'])}</bdi>"


def _cheapest(rows: Sequence[Mapping[Hashable, Any]]) -> str:
    return f"{_name(rows[0])}, {_rank(rows)}"


def _rank(cheapest: Sequence[Mapping[Hashable, Any]]) -> str:
    return "one of the cheapest" if len(cheapest) > 1 else "the cheapest"


def unknown_said(table: pd.DataFrame) -> list[str]:
    """For each training with unknown tokens a sentence, in HTML, that they make a language look
    cheap."""
    said = []
    for when in ("before", "after"):
        rows = table[table[f"unknown_{when}"] > 0].to_dict("records")
        if rows:
            # That of the cheapest misleads most.
            named = max(rows, key=lambda row: (row[f"cheapest_{when}"], row[f"unknown_{when}"]))
            n = "1 language has" if len(rows) == 1 else f"{len(rows)} languages have"
            said.append(
                f"{when.capitalize()}, {n} unknown tokens: {_name(named)} "
                f"{named[f'unknown_{when}']:,} of {named[f'tokens_{when}']:,}. One may hide a "
                "whole word, so such a language looks cheaper than it is."
            )
    return said


def _chart(table: pd.DataFrame) -> None:
    # As with the other charts, Altair is loaded only once the page is there.
    from tokviz.pages.language_chart import language_chart

    st.altair_chart(
        language_chart(table),
        alt="For each language the tokens of its text as a multiple of the cheapest language's, "
        "before and after; the table below has the numbers.",
        key="languages_chart",
    )


def _table(table: pd.DataFrame) -> None:
    st.html(
        '<p class="tv-note">Where all texts say the same, a ratio of 2 is twice the price if '
        "tokens are paid for, and half the text where they are limited. The texts that "
        f"are counted are those that were trained on. Source of the ratio: {_SOURCE}.</p>"
    )
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        column_order=list(_COLUMNS),
        column_config={
            name: st.column_config.NumberColumn(label, help=told, format=number)
            if number
            else st.column_config.TextColumn(label, help=told)
            for name, (label, told, number) in _COLUMNS.items()
        },
        alt="Tokens of every language before and after",
    )
