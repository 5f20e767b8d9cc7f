"""The lens Held-out text: metrics of the lanes on a text that they were not trained on."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from tokviz.analysis.comparison import Comparison
from tokviz.analysis.held_out import RESAMPLES, hold_back, hold_back_each
from tokviz.analysis.metrics import PER_WORD, PerWord, metrics_of
from tokviz.basics.messages import _, current, here, message, said_by
from tokviz.pages.comparison.language_texts import MOST_LANGUAGES
from tokviz.pages.comparison.who_pays import own_held_out, who_pays_view
from tokviz.pages.lenses.saved_view import held_out_field, saved_view
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.keys import (
    HELD_OUT_OFFERED,
    HELD_OUT_TEXT,
    HOLD_BACK_REFUSED,
    TRAINED_ON,
)
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import note, sentence
from tokviz.server import limits
from tokviz.server.draw_queue import others_first
from tokviz.server.histories import kept
from tokviz.server.limit_checks import check_held_out
from tokviz.server.runs import Corpus, Run
from tokviz.text.languages import by_language, joined, only_measures, together

_NOTE = message(
    "Unknown words: words with a token that the vocabulary does not hold ÷ words. A vocabulary has "
    "its alphabet from the start, so the step does not change it; only the Unigram of "
    "SentencePiece and that of Hugging Face may lose rare characters before their last step. "
    "Fertility: tokens ÷ words. Kept whole: words that are one token of the vocabulary ÷ words. "
    "Characters and bytes per token: those of the text, white space included ÷ tokens. In brackets "
    "the 95 % interval of {n:,} bootstrap resamples of the words (Efron 1979).",
    n=RESAMPLES,
)


def held_out_view(comparison: Comparison, lanes: Sequence[Run], position: int) -> None:
    """Draw the text field, the button that holds back a tenth of the corpus, and the lanes'
    metrics."""
    state, corpus = st.session_state, lanes[0].corpus
    _offer_own(corpus)
    if corpus.has_languages:
        _costs(comparison, lanes, position, state.get(HELD_OUT_TEXT) or "")
    left, right = st.columns([2, 3], gap="large")
    with left:
        held_out_field(150)
        if corpus.has_languages:
            note(
                _("Lines such as === English === say which language follows, and are not counted.")
            )
        if corpus.text == state.get(TRAINED_ON):
            note(_("A tenth of the corpus was held back for this."))
        elif (
            not any(run.corpus.is_table for run in lanes)
            and len({run.corpus.key for run in lanes}) == 1
        ):
            st.button(
                _("Hold back a tenth of the corpus"),
                on_click=_hold_back,
                args=(tuple(lanes),),
                key="hold_back",
                help=_(
                    "Every tenth line becomes the held-out text, and all lanes are trained "
                    "again on the rest. If the corpus has fewer than ten lines, it is the last "
                    "tenth of the words. Of texts in several languages it is a tenth of each."
                ),
            )
        if HOLD_BACK_REFUSED in state:
            sentence(state[HOLD_BACK_REFUSED])
    held: str = state.get(HELD_OUT_TEXT) or ""
    if corpus.has_languages:
        held = together(by_language(held))
    with right:
        if not held.strip():
            note(_("There is no held-out text yet."))
            return
        try:
            check_held_out(held, limits.LIMITS.corpus)
            with others_first():
                rows = kept(
                    lanes[0],
                    "held_out",
                    8,
                    (
                        *(tuple(lanes[1:]), comparison.axis.align, comparison.per_word),
                        *(position, held, current()),
                    ),
                    lambda: comparison.held_out(held, position).to_dict("records"),
                )
        except ValueError as error:
            sentence(said_by(error))
            return
        st.html(_html(rows))
        note(_NOTE)
    saved_view(comparison, lanes, held)


def _offer_own(corpus: Corpus) -> None:
    """Put the held-out text of a sample into the field, once, where nothing is typed there."""
    state = st.session_state
    own = own_held_out(corpus) if corpus.has_languages else ""
    if own and state.get(HELD_OUT_OFFERED) != corpus.key:
        state[HELD_OUT_OFFERED] = corpus.key
        if not (state.get(HELD_OUT_TEXT) or "").strip():
            state[HELD_OUT_TEXT] = own


def _costs(comparison: Comparison, lanes: Sequence[Run], position: int, held: str) -> None:
    """Draw what the held-out texts cost in each language, or why that cannot be told."""
    texts = {name: said for name, said in by_language(held).items() if not only_measures(name)}
    if len(texts) < 2:
        note(
            _(
                "To see who pays, give a held-out text in several languages, each below a line "
                "such as === English ===. They should say the same."
            )
        )
        return
    if len(texts) > MOST_LANGUAGES:
        sentence(
            _("These are {n:,} languages; give at most {most}.", n=len(texts), most=MOST_LANGUAGES)
        )
        return
    try:
        check_held_out(held, limits.LIMITS.corpus)
        with others_first():
            table = kept(
                lanes[0],
                "who_pays",
                8,
                (tuple(lanes[1:]), comparison.axis.align, position, held, current()),
                lambda: comparison.held_out_languages(texts, position),
            )
    except ValueError as error:
        sentence(said_by(error))
        return
    who_pays_view(table, lanes[0].corpus)


def _hold_back(lanes: tuple[Run, ...]) -> None:
    state, corpus = st.session_state, lanes[0].corpus
    state.pop(HOLD_BACK_REFUSED, None)
    try:
        if corpus.has_languages:
            trained_on, held = map(joined, hold_back_each(by_language(corpus.text)))
        else:
            trained_on, held = hold_back(corpus.text)
        check_held_out(held, limits.LIMITS.corpus)
    except ValueError as error:
        state[HOLD_BACK_REFUSED] = said_by(error)
        return
    state[HELD_OUT_TEXT], state[TRAINED_ON] = held, trained_on
    this_visit().wanted_lanes = tuple(
        replace(
            run,
            corpus=replace(
                run.corpus,
                title=message("Nine tenths of {title}", title=run.corpus.title),
                text=trained_on,
            ),
        )
        for run in lanes
    )


def _html(rows: list[dict[Any, Any]]) -> str:
    body = "".join(
        f'<tr><th scope="row">{text(row["lane"])}</th>'
        f"<td>{_plain(row['characters_per_token'])}</td><td>{_plain(row['bytes_per_token'])}</td>"
        f"<td>{_number(row, 'fertility', _plain)}</td>"
        f"<td>{_number(row, 'whole_words', _percent)}</td>"
        f"<td>{_number(row, 'unknown', _percent)}</td>"
        f"<td>{row['tokens']:,}</td><td>{row['words']:,}</td></tr>"
        for row in rows
    )
    per_word: PerWord = rows[0]["per_word"]
    metrics = {metric.name: here(metric.label) for metric in metrics_of(per_word)}
    names = ("characters_per_token", "bytes_per_token", "fertility", "whole_words")
    rates = [metrics[name] for name in names]
    counts = (_("Unknown words"), _("Tokens"), here(PER_WORD[per_word]))
    heads = (_("Lane"), *rates, *counts)
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    return (
        '<div class="tv-numbers" tabindex="0" role="region" '
        f'aria-label="{text(_("Held-out text"))}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _number(row: dict[Any, Any], name: str, written: Callable[[float], str]) -> str:
    """Return a number with its interval, as HTML."""
    low, high = (written(row[f"{name}_{end}"]) for end in ("low", "high"))
    between = _("({low} to {high})", low=low, high=high)
    return f"{written(row[name])} <small>{text(between)}</small>"


def _plain(number: float) -> str:
    return f"{number:.3f}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"
