"""The answer of the page Encode: a text's tokens in several states, and details of a chosen token.

The engine computes all of it; this module writes it as JSON for the browser.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from tokviz.basics.messages import _, _n, here, listed, message, sentences
from tokviz.encoding.round_trip import round_trip
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.formats.readers.opened_parts import GivenTokenizer
from tokviz.history.base import History
from tokviz.pages.lenses.decoded import decoded
from tokviz.pages.lenses.sampled import Known, sampled
from tokviz.pages.lenses.token_bytes import token_bytes
from tokviz.pages.lenses.token_table import Table
from tokviz.pages.lenses.traced import traced
from tokviz.pages.widgets.encode_request import Chosen, EncodeRequest
from tokviz.pages.widgets.markup import visible
from tokviz.server.before_training import is_own_pattern
from tokviz.server.draw_queue import others_first

#: Most unknown tokens that are named.
MOST_NAMED = 6
#: Why the decoded text differs: the keys of `tokviz.encoding.round_trip.REASONS`.
_REASONS = {
    str(reason): reason
    for reason in (
        message("unknown token"),
        message("lone surrogate"),
        message("white space dropped"),
        message("white space added"),
        message("white space changed"),
        message("left out"),
        message("normalization"),
    )
}


def name_of(history: History, t: int) -> str:
    """Return a heading for a state of a run."""
    if not t:
        return _("Before training")
    if history.step_noun == "merge":
        return _n("After {n} merge", "After {n} merges", t)
    if history.step_noun == "round":
        return _n("After {n} round", "After {n} rounds", t)
    return _n("After {n} step", "After {n} steps", t)


def answer(
    history: History,
    tokenizers: Sequence[tuple[int, str, Tokenizer]],
    request: EncodeRequest,
    text: str,
    head: dict[str, Any],
    known: Known | None = None,
) -> bytes:
    """Return everything about a text in several states as ASCII JSON. `tokenizers` has (state, tag,
    tokenizer) for each state; samples of words are cached in `known`."""
    table, columns = Table(history), []
    encodings = _encodings([tokenizer for _t, _tag, tokenizer in tokenizers], text)
    for (t, tag, tokenizer), encoding in zip(tokenizers, encodings, strict=True):
        column = _column(history, t, tag, tokenizer, encoding, text, table)
        columns.append({**column, "decoded": decoded(tokenizer, request.ids)})
    states = [t for t, _tag, _tokenizer in tokenizers]
    at = (
        states.index(request.chosen.state)
        if request.chosen and request.chosen.state in states
        else -1
    )
    at %= len(states)
    index = _chosen(encodings[at], request.chosen)
    (t, _tag, tokenizer), encoding = tokenizers[at], encodings[at]
    number = None if index is None else encoding.word_ids[index]
    trace, samples, spelled = None, None, None
    if number is not None:
        trace = traced(tokenizer, encoding, number, table)
        if request.sampling:
            drawn = {} if known is None else known
            word = encoding.words[number].text
            samples = sampled(tokenizer, t, word, request.sampling, request.draw, drawn, table)
    if index is not None:
        unknown = table.is_unknown(columns[at]["tokens"][index])
        covered = text[slice(*encoding.offsets[index])]
        known_id = None if unknown else encoding.ids[index]
        spelled = token_bytes(tokenizer, encoding.tokens[index], known_id, covered)
    said = {
        **head,
        "serial": request.serial,
        "text": text,
        "typed": request.text is not None,
        "pins": request.pins,
        "ids": request.ids,
        "last": len(history),
        "unit": history.spelling.unit,
        "columns": columns,
        "chosen": None if index is None else [at, index],
        "bytes": spelled,
        "trace": trace,
        "sampling": request.sampling,
        "samples": samples,
        "table": table.entries,
    }
    return json.dumps(said, separators=(",", ":")).encode("ascii")


def _encodings(tokenizers: Sequence[Tokenizer], text: str) -> list[Encoding]:
    """Encode a text with several tokenizers; split it into words once if all do that alike."""
    first = tokenizers[0]
    alike = [first.pretokenizer, first.special_tokens]
    # A custom pattern may take any time.
    slow = any(is_own_pattern(one.pretokenizer) for one in tokenizers)
    with others_first() if slow else nullcontext():
        if any([one.pretokenizer, one.special_tokens] != alike for one in tokenizers):
            return [tokenizer.encode(text) for tokenizer in tokenizers]
        cut = list(first.cut(text))
    return [
        # The library of an opened file gives the ids.
        tokenizer.encode(text)
        if isinstance(tokenizer, GivenTokenizer)
        else tokenizer.encode_pieces(cut)
        for tokenizer in tokenizers
    ]


def _column(
    history: History,
    t: int,
    tag: str,
    tokenizer: Tokenizer,
    encoding: Encoding,
    text: str,
    table: Table,
) -> dict[str, Any]:
    tokens = table.numbers(tokenizer, encoding, text)
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
        "unknown": _unknown_note(text[slice(*encoding.offsets[i])] for i in unknown),
    }


def came_back(tokenizer: Tokenizer, encoding: Encoding, text: str) -> str:
    """Say in a sentence how the decoded ids differ from the text.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low lower", "wordpiece", 12).tokenizer()
    >>> came_back(tokenizer, tokenizer.encode("low low"), "low low")
    'Ids back to text: exact.'
    >>> came_back(tokenizer, tokenizer.encode("low  low"), "low  low")
    'Ids back to text: differs in 1 place, at 4: " " became nothing (white space dropped).'
    """
    trip = round_trip(tokenizer, text, encoding)
    without = _("Tokens without an id are left out.") if None in encoding.ids else ""
    if trip.exact:
        return here(sentences(_("Ids back to text: exact."), without))
    first, n = trip.differences[0], len(trip.differences)
    source = text[first.start : first.end]
    decoded = trip.decoded[first.decoded_start : first.decoded_end]
    change = (
        _("{text} became {other}", text=_quoted(source), other=_quoted(decoded))
        if source
        else _("{text} was added", text=_quoted(decoded))
    )
    said = _n(
        "Ids back to text: differs in {n} place, at {at:,}: {change} ({reason}).",
        "Ids back to text: differs in {n} places, first at {at:,}: {change} ({reason}).",
        n,
        at=first.start,
        change=change,
        reason=_REASONS[first.reason],
    )
    return here(sentences(said, without))


def _quoted(text: str) -> str:
    if not text:
        return _("nothing")
    return f'"{visible(text[:24])}"' + (" …" if len(text) > 24 else "")


def _unknown_note(covered: Iterable[str]) -> str:
    """Return a sentence that names the unknown tokens by the text they cover."""
    texts = list(covered)
    if not texts:
        return ""
    different = list(dict.fromkeys(texts))
    named = here(listed(map(_quoted, different[:MOST_NAMED])))
    if (more := len(different) - MOST_NAMED) > 0:
        named = _("{named} and {more:,} more", named=named, more=more)
    return _n(
        "{n} unknown token: {named}.", "{n} unknown tokens: {named}.", len(texts), named=named
    )


def _chosen(encoding: Encoding, chosen: Chosen | None) -> int | None:
    """Return the index of the chosen token; after an edit, that of the token at the same place. If
    none is chosen yet, that of the first token of the longest word."""
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
