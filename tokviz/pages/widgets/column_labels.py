"""Translate the column names of the engine's tables; scripts see the English names."""

from collections.abc import Iterable

from tokviz.basics.messages import here, message
from tokviz.history.em_numbers import REASONS

_LABELS = {
    str(label): label
    for label in (
        message("alternative"),
        message("chosen"),
        message("characters per token"),
        message("count"),
        message("count now"),
        message("cut"),
        message("exact_delta"),
        message("exact_rank"),
        message("field"),
        message("frequency"),
        message("from"),
        message("id"),
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


def reason(why: str) -> str:
    """Return why a round removes a piece or keeps it, in the language of the page."""
    return here(REASONS.get(why, why))
