"""The tab Languages of the page Compare: the tokens that one text takes in each language, before
and after the mix of languages in the training corpus changes, or the algorithm."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd
import streamlit as st

from tokviz import TRAINERS, Cancelled
from tokviz.analysis.language_costs import compared, language_costs
from tokviz.basics.messages import _, _n, here, message, said_by, sentences
from tokviz.history.base import History
from tokviz.pages.comparison.language_setup import Trial, language_setup
from tokviz.pages.comparison.language_texts import named
from tokviz.pages.visit.lanes import facts
from tokviz.pages.visit.unfinished import forget, run_with_history, time_out_sentences
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import csv_button, fact_line, note, sentence
from tokviz.server.histories import entry_for
from tokviz.server.runs import Run

#: Session keys: the requested trial; the trial that is shown; a sentence why there is none.
_WANTED, _SHOWN, _REFUSED = (f"languages_{name}" for name in ("wanted", "shown", "refused"))
#: A trial as far as it was trained, its histories, and the costs of each language.
Done: TypeAlias = tuple[Trial, list[History], pd.DataFrame]
#: The name under which `reached` remembers a stopped run while both are trained.
_PURPOSE = "languages"
_SOURCE = "Petrov, La Malfa, Torr and Bibi 2023; Ahia et al. 2023"
_COLUMNS = {
    "language": (
        message("Language"),
        message("The language with the most tokens before the change comes first."),
        None,
    ),
    "tokens_before": (
        message("Tokens before"),
        message("Tokens of the text in this language."),
        "%d",
    ),
    "ratio_before": (
        message("Ratio before"),
        message("Tokens ÷ tokens of the cheapest language. Source: {source}.", source=_SOURCE),
        "%.2f",
    ),
    "tokens_after": (
        message("Tokens after"),
        message("Tokens of the same text with the other training."),
        "%d",
    ),
    "ratio_after": (
        message("Ratio after"),
        message(
            "Tokens ÷ tokens of the language that is then the cheapest. Source: {source}.",
            source=_SOURCE,
        ),
        "%.2f",
    ),
    "change": (
        message("Change"),
        message("(Tokens after − tokens before) ÷ tokens before, in percent."),
        "%+.1f%%",
    ),
    "unknown_before": (
        message("Unknown before"),
        message(
            "Tokens that stand for what the vocabulary does not contain. A single one may hide "
            "a whole word."
        ),
        "%d",
    ),
    "unknown_after": (message("Unknown after"), message("The same with the other training."), "%d"),
}


def languages(open_lanes: Callable[[tuple[Run, ...]], None]) -> None:
    """Draw the tab. The first visit trains a trial at once; `open_lanes` gets its two runs."""
    state = st.session_state
    left, right = st.columns([2, 3], gap="large")
    with left:
        asked = language_setup()
        pressed = st.button(_("Train both"), type="primary", key="languages_train", width="stretch")
        latest = state.get(_WANTED) or state.get(_SHOWN, (asked,))[0]
        if not (pressed or isinstance(asked, str) or asked == latest):
            said = text(_("Changed, and not trained yet."))
            st.html(f'<p class="tv-note" role="status">{said}</p>')
    if pressed or not any(known in state for known in (_WANTED, _SHOWN, _REFUSED)):
        state.pop(_REFUSED, None)
        if isinstance(asked, str):
            state[_REFUSED] = asked
        else:
            state[_WANTED] = asked
            forget(_PURPOSE)
    with right:
        done = _result()
        if _REFUSED in state:
            sentence(state[_REFUSED])
        if done is not None:
            trial, histories, table = done
            shown = named(table, trial.names)
            _summary(trial, histories, shown)
            _chart(shown)
    if done is not None:
        _table(shown)
        with st.container(horizontal=True, key="languages_doors"):
            csv_button(_("Download CSV"), "languages", lambda: table)
            if st.button(
                _("Open both as lanes"),
                key="languages_open",
                help=_("Look at both trainings step by step under one scrubber."),
            ):
                open_lanes((trial.before, trial.after))


def _result() -> Done | None:
    """Return what is shown: the requested trial if it could be trained, else the one before."""
    state = st.session_state
    # The request stays until it is trained: a click elsewhere reruns the page meanwhile.
    if _WANTED in state:
        if (done := _trained(state[_WANTED])) is not None:
            state[_SHOWN] = state[_WANTED], done[0]
        del state[_WANTED]
    if _SHOWN not in state:
        return None
    asked, shown = state[_SHOWN]
    # If its histories are no longer cached, they are trained again, and may be stopped again.
    again = _trained(shown)
    if again is None:
        del state[_SHOWN]
    else:
        state[_SHOWN] = asked, again[0]
    return again


def _trained(trial: Trial) -> Done | None:
    """Train a trial until it ends or is stopped; if it cannot be, return None and set a
    sentence."""
    runs, histories = list[Run](), list[History]()
    done: Done | None = None
    where: str = "{why}"
    try:
        for when, run in (
            (message("Before: {why}"), trial.before),
            (message("After: {why}"), trial.after),
        ):
            where = when
            known, history = run_with_history(run, _PURPOSE)
            runs.append(known)
            histories.append(history)
        where = "{why}"
        before, after = (
            _costs(run, history, trial.texts) for run, history in zip(runs, histories, strict=True)
        )
    except (ValueError, Cancelled) as error:
        st.session_state[_REFUSED] = _(where, why=said_by(error))
    except MemoryError:
        st.session_state[_REFUSED] = _("The texts are too large for this computer; shorten them.")
    else:
        if said := time_out_sentences(_PURPOSE):
            st.session_state[_REFUSED] = " ".join(said)
        shorter = trial._replace(before=runs[0], after=runs[1])
        done = shorter, histories, compared(before, after)
    forget(_PURPOSE)
    return done


def _costs(run: Run, history: History, texts: tuple[tuple[str, str], ...]) -> pd.DataFrame:
    """Return the tokens of each text with a run's tokenizer; the last few are cached for all
    visitors."""
    known: dict[object, pd.DataFrame] = entry_for(run).setdefault("language_costs", {})
    if (table := known.get(texts)) is None:
        table = known[texts] = language_costs(history.tokenizer(), dict(texts))
    for old in list(known)[:-4]:
        known.pop(old, None)
    return table


# --- the result -----------------------------------------------------------------------------------


def _summary(trial: Trial, histories: Sequence[History], table: pd.DataFrame) -> None:
    rows: dict[str, str] = {message("Texts"): trial.title, **facts(trial.before)}
    if trial.before.algorithm != trial.after.algorithm:
        rows[message("Algorithm after")] = TRAINERS[trial.after.algorithm].label
    before, after = (history.vocab_size(len(history)) for history in histories)
    rows[message("Vocabulary")] = f"{before:,}"
    if before != after:
        rows[message("Vocabulary")] = message(
            "{before:,} before, {after:,} after", before=before, after=after
        )
    rows[message("Before")], rows[message("After")] = trial.mixes
    notes = [
        text(_(when, why=history.stopped))
        for when, run, history in (
            (message("Before: {why}"), trial.before, histories[0]),
            (message("After: {why}"), trial.after, histories[1]),
        )
        if history.vocab_size(len(history)) < run.vocab_size
    ]
    notes += unknown_said(table)
    fact_line(rows)
    st.html(
        f'<p role="status">{finding(table)}</p>'
        + "".join(f'<p class="tv-note">{told}</p>' for told in notes)
    )


def finding(table: pd.DataFrame) -> str:
    """Return the main result as HTML: the dearest language before, and what the other training
    does to it."""
    rows = table.to_dict("records")
    cheapest, then = (
        [row for row in rows if row[f"cheapest_{when}"]] for when in ("before", "after")
    )
    first, dearest = cheapest[0], rows[0]
    alike = len(cheapest) == len(rows)
    if alike:
        dearest = max(rows, key=lambda row: row["tokens_after"])
    what = _other_training(dearest, then, len(rows), alike)
    if alike:
        return _n(
            "Before, all languages cost the same, {n} token; after, {then}",
            "Before, all languages cost the same, {n} tokens; after, {then}",
            first["tokens_before"],
            then=what,
        )
    said = _(
        "Before, <strong>{language} costs {ratio:.2f} times</strong> as many tokens as {cheapest} "
        "({n:,} and {least:,}); after, {then}",
        language=_name(dearest),
        ratio=dearest["ratio_before"],
        cheapest=_cheapest(cheapest),
        n=dearest["tokens_before"],
        least=first["tokens_before"],
        then=what,
    )
    if first["tokens_before"] == first["tokens_after"]:
        return said
    itself = _(
        "{language} itself goes from {before:,} to {after:,}.",
        language=_name(first),
        before=first["tokens_before"],
        after=first["tokens_after"],
    )
    return here(sentences(said, itself))


def _other_training(
    dearest: Mapping[Hashable, Any], then: Sequence[Mapping[Hashable, Any]], n: int, alike: bool
) -> str:
    """Describe a language's cost with the other training; `alike` if all cost the same before."""
    tokens = dearest["tokens_after"]
    if len(then) == n:
        return _("all cost the same, {n:,}.", n=tokens)
    who = _name(dearest)
    if dearest["cheapest_after"]:
        if len(then) > 1:
            return _(
                "{language} is then one of the cheapest itself, with {n:,}.", language=who, n=tokens
            )
        return _("{language} is then the cheapest itself, with {n:,}.", language=who, n=tokens)
    said: dict[str, Any] = {
        "ratio": dearest["ratio_after"],
        "cheapest": _cheapest(then),
        "n": tokens,
        "least": then[0]["tokens_after"],
    }
    if alike:
        return _(
            "<strong>{language} costs {ratio:.2f} times</strong> as many as {cheapest} then ({n:,} "
            "and {least:,}).",
            language=who,
            **said,
        )
    return _(
        "<strong>{ratio:.2f} times</strong> as many as {cheapest} then ({n:,} and {least:,}).",
        **said,
    )


def _name(row: Mapping[Hashable, Any]) -> str:
    return f"<bdi>{text(row['language'])}</bdi>"


def _cheapest(rows: Sequence[Mapping[Hashable, Any]]) -> str:
    if len(rows) > 1:
        return _("{language}, one of the cheapest", language=_name(rows[0]))
    return _("{language}, the cheapest", language=_name(rows[0]))


def unknown_said(table: pd.DataFrame) -> list[str]:
    """Return a warning in HTML for each training with unknown tokens: they make a language look
    cheap."""
    said = []
    for when in ("before", "after"):
        rows = table[table[f"unknown_{when}"] > 0].to_dict("records")
        if rows:
            # Those of the cheapest language mislead most.
            named = max(rows, key=lambda row: (row[f"cheapest_{when}"], row[f"unknown_{when}"]))
            values: dict[str, Any] = {
                "language": _name(named),
                "unknown": named[f"unknown_{when}"],
                "tokens": named[f"tokens_{when}"],
            }
            found = (
                _n(
                    "Before, {n} language has unknown tokens: {language} {unknown:,} of "
                    "{tokens:,}.",
                    "Before, {n} languages have unknown tokens: {language} {unknown:,} of "
                    "{tokens:,}.",
                    len(rows),
                    **values,
                )
                if when == "before"
                else _n(
                    "After, {n} language has unknown tokens: {language} {unknown:,} of {tokens:,}.",
                    "After, {n} languages have unknown tokens: {language} {unknown:,} of "
                    "{tokens:,}.",
                    len(rows),
                    **values,
                )
            )
            so = _(
                "An unknown token may hide a whole word, so such a language looks cheaper "
                "than it is."
            )
            said.append(here(sentences(found, so)))
    return said


def _chart(table: pd.DataFrame) -> None:
    # Altair is slow to import.
    from tokviz.pages.comparison.language_chart import language_chart

    st.altair_chart(
        language_chart(table),
        alt=_(
            "For each language the tokens of its text as a multiple of the cheapest language's, "
            "before and after; the table below has the numbers."
        ),
        key="languages_chart",
    )


def _table(table: pd.DataFrame) -> None:
    said = _(
        "If all texts say the same, a ratio of 2 means twice the price where tokens are paid "
        "for, and half as much text where their number is limited. The texts that are counted "
        "are those that were trained on. Source of the ratio: {source}.",
        source=_SOURCE,
    )
    note(said)
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        column_order=list(_COLUMNS),
        column_config={
            name: st.column_config.NumberColumn(here(label), help=here(told), format=number)
            if number
            else st.column_config.TextColumn(here(label), help=here(told))
            for name, (label, told, number) in _COLUMNS.items()
        },
        alt=_("Tokens of every language before and after"),
    )
