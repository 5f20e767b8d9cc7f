"""The trace of a word on the page Encode, row by row, as JSON for the browser."""

from collections.abc import Sequence
from typing import Any

from tokviz.basics.messages import _, here, message
from tokviz.encoding.encoders import Piece
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.encoding.word_trace import Row, word_trace
from tokviz.pages.lenses.token_table import Table, cells_of

#: Names of the encoders.
ENCODERS = {
    "merges": message("Merges in order"),
    "events": message("Merges and removals in order"),
    "longest-match": message("Longest match first"),
    "longest-token": message("Longest token anywhere"),
    "viterbi": message("Most probable path"),
}

#: Headings of a trace's columns, by its kind.
HEADS = {
    "merges": (message("Merge"), message("What is joined"), message("The word after it")),
    "events": (message("Step"), message("What happens"), message("The word after it")),
    "longest-match": (
        message("Tried"),
        message("In the vocabulary"),
        message("The word after it"),
    ),
    "viterbi": (
        message("From, to"),
        message("Token"),
        message("log P"),
        message("Best way through it"),
        message("Role"),
    ),
    "longest-token": (message("Found"), message("At"), message("The word after it")),
}


#: The kinds of traces that begin with the word before anything is joined.
_JOINING = ("merges", "events")


def traced(tokenizer: Tokenizer, encoding: Encoding, number: int, table: Table) -> dict[str, Any]:
    """Return a word's trace as rows of cells: each is a text, or a list of texts and table rows."""
    told = word_trace(tokenizer, encoding, number)
    word, ids = told.word.text, {token: i for i, token in enumerate(tokenizer.strings)}

    def chip(token: str, covered: str = "") -> int:
        return table.number(tokenizer, token, ids.get(token), covered)

    def after(pieces: Sequence[Piece]) -> list[str | int]:
        return cells_of(table, tokenizer, word, [p._replace(id=ids.get(p.token)) for p in pieces])

    def cells(row: Row) -> list[Any]:
        event = row.event
        span = f"{event.start}\u2013{event.end}"
        token = chip(event.token, word[event.start : event.end])
        if told.kind == "merges":
            joined = [chip(row.left), " + ", chip(row.right), " \u2192 ", token]
            return [f"{event.step + 1:,}", joined, after(row.pieces)]
        if told.kind == "events":
            joined = [chip(row.left), " + ", chip(row.right), " \u2192 ", token]
            happens = joined if event.accepted else [token, " ", _("is taken back")]
            return [f"{event.step + 1:,}", happens, after(row.pieces)]
        if told.kind == "longest-match":
            tried = [token] if event.accepted else event.token
            return [tried, _("yes") if event.accepted else _("no"), after(row.pieces)]
        if told.kind == "viterbi":
            mark = _("best to its end") if row.best else ""
            mark = _("on the path") if event.accepted else mark
            return [span, [token], f"{row.log_prob:.4f}", f"{row.total:.4f}", mark]
        return [[token], span, after(row.pieces)]

    first = [["", _("the word before"), after(told.pieces)]] if told.kind in _JOINING else []
    return {
        "title": _(ENCODERS[told.kind]),
        "kind": told.kind,
        "word": word,
        "reason": here(told.reason),
        "head": [_(head) for head in HEADS[told.kind]],
        "rows": [
            *({"cells": row, "ok": True} for row in first if told.pieces),
            *({"cells": cells(row), "ok": row.event.accepted} for row in told.rows),
        ],
    }
