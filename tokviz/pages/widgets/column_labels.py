"""Translate the column names of the engine's tables; scripts see the English names."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from tokviz.basics.glossary import meaning
from tokviz.basics.messages import here, message
from tokviz.history.em_numbers import REASONS

_LABELS = {
    str(label): label
    for label in (
        message("alternative"),
        message("bytes"),
        message("character"),
        message("characters in merges"),
        message("chosen"),
        message("characters per token"),
        message("code point"),
        message("count"),
        message("count now"),
        message("cut"),
        message("exact_delta"),
        message("exact_rank"),
        message("field"),
        message("finding"),
        message("frequency"),
        message("from"),
        message("id"),
        message("instead"),
        message("its count"),
        message("left"),
        message("left_count"),
        message("log_prob"),
        message("loss_delta"),
        message("made by step"),
        message("rank"),
        message("reason"),
        message("right"),
        message("right_count"),
        message("right_goes"),
        message("right_loss"),
        message("made of"),
        message("merges"),
        message("other characters"),
        message("script"),
        message("saved by characters"),
        message("saved by merges"),
        message("saved here"),
        message("saved in held-out text"),
        message("score"),
        message("step"),
        message("text"),
        message("tied"),
        message("times in it"),
        message("to"),
        message("together"),
        message("token"),
        message("tokenizer"),
        message("tokens"),
        message("tokens saved"),
        message("value"),
        message("what happened"),
        message("word"),
    )
}


def column_labels(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns of a table with their names in the language of the page.

    >>> column_labels(["left", "right"])
    {'left': 'left', 'right': 'right'}
    """
    return {name: here(_LABELS.get(name, name)) for name in columns}


#: Columns of lenses that are terms, with their names in the glossary.
_TERMS = {
    "left": "pair",
    "right": "pair",
    "count": "count",
    "score": "score",
    "tied": "tie",
    "token": "token",
    "log_prob": "log-probability",
    "loss_delta": "loss-delta",
    "exact_delta": "loss-delta",
    "right_loss": "loss-delta",
}


def explained_columns(columns: Iterable[str]) -> dict[str, Any]:
    """Return the columns of a table as `column_labels` names them; terms explain themselves.

    >>> explained_columns(["left"])["left"]["help"]
    'Two tokens that stand next to each other inside a word.'
    """
    labels: dict[str, Any] = {**column_labels(columns)}
    for name in labels.keys() & _TERMS.keys():
        labels[name] = st.column_config.Column(labels[name], help=meaning(_TERMS[name]))
    return labels


def reason(why: str) -> str:
    """Return why a round removes a piece or keeps it, in the language of the page."""
    return here(REASONS.get(why, why))
