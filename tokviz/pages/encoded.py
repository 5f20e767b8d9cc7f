"""What the page Encode shows of a text: the tokens of several states, and the trace of a word.

All of it is asked of the engine; here it is only written down for the browser.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeGuard

from tokviz.encoders import Piece
from tokviz.history import History
from tokviz.merge_history import MergeHistory
from tokviz.pages.markup import visible
from tokviz.player.columns import parts_of
from tokviz.round_trip import RoundTrip, round_trip
from tokviz.tokenizer import Encoding, Tokenizer
from tokviz.word_trace import Row, word_trace

#: Characters of a text, columns that a reader adds (those beyond a run's end are kept for another
#: lane), and unknown tokens that are named one by one.
MOST_CHARACTERS, MOST_PINS, MOST_KEPT, MOST_NAMED = 20_000, 4, 12, 6

#: Ways to cut a word, as people call them.
ENCODERS = {
    "merges": "Merges in order",
    "longest-match": "Longest match first",
    "longest-token": "Longest token anywhere",
    "viterbi": "Most probable path",
}


class Chosen(NamedTuple):
    """A token: its column, where its text starts, and which of those that start there it is."""

    state: int
    at: int
    nth: int


class Asked(NamedTuple):
    """What the reader wants to see. `serial` numbers the questions of one visit; `text` is None
    until one is typed: then a sentence that fits the run is shown."""

    serial: int = 0
    text: str | None = None
    pins: tuple[int, ...] = ()
    chosen: Chosen | None = None


def asked_from(said: Any) -> Asked:
    """What the browser said, as far as it makes sense.

    >>> asked_from({"serial": 3, "text": "hug", "pins": [5, 5, -1]})
    Asked(serial=3, text='hug', pins=(5,), chosen=None)
    >>> asked_from("nothing")
    Asked(serial=0, text=None, pins=(), chosen=None)
    """
    if not isinstance(said, dict):
        return Asked()
    text = said.get("text")
    pins = [t for t in said.get("pins") or () if _is_count(t)]
    chosen = said.get("chosen")
    if not isinstance(chosen, list) or len(chosen) != 3 or not all(map(_is_count, chosen)):
        chosen = None
    serial = said.get("serial")
    return Asked(
        serial if _is_count(serial) else 0,
        text[:MOST_CHARACTERS] if isinstance(text, str) else None,
        tuple(dict.fromkeys(pins))[-MOST_KEPT:],
        None if chosen is None else Chosen(*chosen),
    )


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def encoders_of(history: History) -> list[str]:
    """The ways in which a run's tokenizer can cut a word, its own first.

    >>> import tokviz
    >>> encoders_of(tokviz.train({"hug": 10}, "wordpiece", 6))
    ['longest-match', 'merges', 'longest-token']
    """
    own = str(history.trainer.default_encoder)
    if not isinstance(history, MergeHistory):
        return [own]
    matches = ["longest-match"] if history.spelling.continuing_subword_prefix else []
    return list(dict.fromkeys([own, "merges", *matches, "longest-token"]))


def unit_of(history: History) -> str:
    """What a step of a run is called."""
    if isinstance(history, MergeHistory):
        return "merge"
    return "round" if history.algorithm == "unigram" else "step"


def name_of(history: History, t: int) -> str:
    """A state of a run as a heading."""
    if not t:
        return "Before training"
    unit = unit_of(history)
    return f"After 1 {unit}" if t == 1 else f"After {t:,} {unit}s"


class Table:
    """The different tokens of an answer: as shown (markers apart), the id, and what kind."""

    def __init__(self) -> None:
        self.entries: list[tuple[str | list[str], int | None, str]] = []
        self._numbers: dict[tuple[str, int | None, str], int] = {}

    def number(self, tokenizer: Tokenizer, token: str, token_id: int | None, covered: str) -> int:
        """The number in the table of a token that covers some text."""
        if (known := self._numbers.get((token, token_id, ""))) is not None:
            return known
        symbol = None if token_id is None else tokenizer.symbols[token_id]
        kind = "" if symbol else _kind(tokenizer, token, token_id, covered)
        if (known := self._numbers.get((token, token_id, kind))) is not None:
            return known
        shown = parts_of(tokenizer.spelling, [symbol])[0] if symbol else token
        self.entries.append((shown, token_id, kind))
        return self._numbers.setdefault((token, token_id, kind), len(self.entries) - 1)

    def is_unknown(self, number: int) -> bool:
        """Whether a token stands for what the vocabulary does not hold."""
        return self.entries[number][2] == "unknown"


def _kind(tokenizer: Tokenizer, token: str, token_id: int | None, covered: str) -> str:
    """ "unknown" for what the vocabulary does not hold, "special" for special tokens."""
    known = token_id is not None and (covered == token or token_id in tokenizer.bytes_of)
    return "special" if known else "unknown"


def answer(
    history: History,
    tokenizers: Sequence[tuple[int, str, Tokenizer]],
    asked: Asked,
    text: str,
    head: dict[str, Any],
) -> bytes:
    """Everything about a text in several states: (state, tag, tokenizer) each. JSON in ASCII."""
    table, columns = Table(), []
    encodings = [tokenizer.encode(text) for _, _, tokenizer in tokenizers]
    for (t, tag, tokenizer), encoding in zip(tokenizers, encodings, strict=True):
        columns.append(_column(history, t, tag, tokenizer, encoding, text, table))
    states = [t for t, _, _ in tokenizers]
    at = states.index(asked.chosen.state) if asked.chosen and asked.chosen.state in states else -1
    at %= len(states)
    index = _chosen(encodings[at], asked.chosen)
    number = None if index is None else encodings[at].word_ids[index]
    trace = None
    if number is not None:
        trace = _trace(tokenizers[at][2], encodings[at], number, table)
    said = {
        **head,
        "serial": asked.serial,
        "text": text,
        "typed": asked.text is not None,
        "pins": asked.pins,
        "last": len(history),
        "unit": history.spelling.unit,
        "columns": columns,
        "chosen": None if index is None else [at, index],
        "trace": trace,
        "table": table.entries,
    }
    return json.dumps(said, separators=(",", ":")).encode("ascii")


def _column(
    history: History,
    t: int,
    tag: str,
    tokenizer: Tokenizer,
    encoding: Encoding,
    text: str,
    table: Table,
) -> dict[str, Any]:
    tokens = [
        table.number(tokenizer, token, token_id, text[start:end])
        for token, token_id, (start, end) in zip(
            encoding.tokens, encoding.ids, encoding.offsets, strict=True
        )
    ]
    ids = encoding.word_ids
    firsts = [i for i, word in enumerate(ids) if word is None or not i or word != ids[i - 1]]
    missing = {token for token in set(tokens) if table.is_unknown(token)}
    unknown = [i for i, token in enumerate(tokens) if token in missing] if missing else []
    return {
        "state": t,
        "name": name_of(history, t),
        "tag": tag,
        "tokens": tokens,
        "starts": [start for start, _ in encoding.offsets],
        "ends": [end for _, end in encoding.offsets],
        "words": firsts,
        "back": came_back(tokenizer, encoding, text),
        "unknown": _named(text[slice(*encoding.offsets[i])] for i in unknown),
    }


def came_back(tokenizer: Tokenizer, encoding: Encoding, text: str) -> str:
    """What the ids give back of a text, in a sentence.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low lower", "wordpiece", 12).tokenizer()
    >>> came_back(tokenizer, tokenizer.encode("low low"), "low low")
    'Ids back to text: exact.'
    >>> came_back(tokenizer, tokenizer.encode("low  low"), "low  low")
    'Ids back to text: differs in 1 place, at 4: " " became nothing (white space dropped).'
    """
    known = [i for i in encoding.ids if i is not None]
    # Whether anything differs is told much sooner than what.
    same = tokenizer.decode(known) == text
    trip = RoundTrip(text, text, ()) if same else round_trip(tokenizer, text, encoding)
    without = " Tokens without an id are left out." if len(known) < len(encoding.ids) else ""
    if trip.exact:
        return f"Ids back to text: exact.{without}"
    first, n = trip.differences[0], len(trip.differences)
    source = text[first.start : first.end]
    decoded = trip.decoded[first.decoded_start : first.decoded_end]
    change = f"{_quoted(source)} became {_quoted(decoded)}"
    if not source:
        change = f"{_quoted(decoded)} came in"
    places = "1 place, at" if n == 1 else f"{n:,} places, first at"
    where = f"{places} {first.start:,}: {change} ({first.reason})"
    return f"Ids back to text: differs in {where}.{without}"


def _quoted(text: str) -> str:
    if not text:
        return "nothing"
    return f'"{visible(text[:24])}"' + (" …" if len(text) > 24 else "")


def _named(covered: Iterable[str]) -> str:
    """Unknown tokens by the text that they stand for."""
    texts = list(covered)
    if not texts:
        return ""
    different = list(dict.fromkeys(texts))
    named = ", ".join(map(_quoted, different[:MOST_NAMED]))
    more = f" and {len(different) - MOST_NAMED:,} more" if len(different) > MOST_NAMED else ""
    count = "1 unknown token" if len(texts) == 1 else f"{len(texts):,} unknown tokens"
    return f"{count}: {named}{more}."


def _chosen(encoding: Encoding, chosen: Chosen | None) -> int | None:
    """The token that was chosen; after an edit, the one that covers the same place. Before any was,
    the first one of the longest word."""
    if chosen is None:
        longest = max(
            range(len(encoding.words)), key=lambda i: len(encoding.words[i].text), default=None
        )
        return None if longest is None else encoding.word_ids.index(longest)
    starts = [start for start, _ in encoding.offsets]
    same = [i for i, start in enumerate(starts) if start == chosen.at]
    if same:
        return same[min(chosen.nth, len(same) - 1)]
    return next(
        (i for i, (start, end) in enumerate(encoding.offsets) if start <= chosen.at < end), None
    )


# --- the trace of a word --------------------------------------------------------------------------

#: The headings of a trace's rows, by its kind.
HEADS = {
    "merges": ("Merge", "What is joined", "The word after it"),
    "longest-match": ("Tried", "In the vocabulary", "The word after it"),
    "viterbi": ("From, to", "Token", "log P", "Best way through it", ""),
    "longest-token": ("Found", "At", "The word after it"),
}


def _trace(tokenizer: Tokenizer, encoding: Encoding, number: int, table: Table) -> dict[str, Any]:
    """A word's trace as rows of cells: each a text, or a list of texts and numbers of tokens."""
    told = word_trace(tokenizer, encoding, number)
    word, ids = told.word.text, {token: i for i, token in enumerate(tokenizer.strings)}

    def chip(token: str, covered: str = "") -> int:
        return table.number(tokenizer, token, ids.get(token), covered)

    def after(pieces: Sequence[Piece]) -> list[str | int]:
        shown: list[str | int] = []
        at = 0
        for piece in pieces:
            if piece.start > at:
                shown.append(word[at : piece.start])
            shown.append(chip(piece.token, word[piece.start : piece.end]))
            at = max(at, piece.end)
        return [*shown, word[at:]] if at < len(word) else shown

    def cells(row: Row) -> list[Any]:
        event = row.event
        span = f"{event.start}\u2013{event.end}"
        token = chip(event.token, word[event.start : event.end])
        if told.kind == "merges":
            joined = [chip(row.left), " + ", chip(row.right), " \u2192 ", token]
            return [f"{event.step + 1:,}", joined, after(row.pieces)]
        if told.kind == "longest-match":
            tried = [token] if event.accepted else event.token
            return [tried, "yes" if event.accepted else "no", after(row.pieces)]
        if told.kind == "viterbi":
            mark = "on the path" if event.accepted else "best to its end" if row.best else ""
            return [span, [token], f"{row.log_prob:.4f}", f"{row.total:.4f}", mark]
        return [[token], span, after(row.pieces)]

    first = [["", "the word before", after(told.pieces)]] if told.kind == "merges" else []
    return {
        "title": ENCODERS[told.kind],
        "kind": told.kind,
        "word": word,
        "reason": told.reason,
        "head": HEADS[told.kind],
        "rows": [
            *({"cells": row, "ok": True} for row in first if told.pieces),
            *({"cells": cells(row), "ok": row.event.accepted} for row in told.rows),
        ],
    }
