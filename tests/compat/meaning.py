"""What a history, a tokenizer or a file means: a plain structure in named parts, and its digest.

A structure holds nothing but None, yes and no, whole numbers, texts, bytes, lists, and dictionaries
with texts as keys. Floats are in it as the 64 bits that they are. Nothing depends on how a file was
compressed, on the order of a dictionary, or on how Python prints a number.

Only what was known when the keepsake was made is looked at: a field, a column or a setting that
comes later is no difference.
"""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

#: What was known of a step: whole numbers and texts, how ties were broken, and floats.
STEP = (
    *("index", "action", "left", "right", "token", "token_id", "count", "times", "grows"),
    *("forced", "removed", "added", "sub_iteration", "size_before", "size_after"),
    *("unused", "split"),
)
TIES = ("tied", "tied_removed", "rule")
STEP_FLOATS = ("score", "loss_before", "loss_after")
#: The columns of a table of candidates.
COLUMNS = (
    *("left", "right", "token", "count", "score", "left_count", "right_count", "rank"),
    *("log_prob", "loss_delta", "frequency", "exact_delta", "exact_rank", "alternative"),
    *("reason", "tied", "chosen"),
)
#: What Unigram knows of every token of a state.
PER_TOKEN = ("log_probs", "loss_deltas", "expected_counts", "approximate_deltas", "exact_deltas")
#: States whose candidates are looked at, rows of each, and words whose tokens are spelled out.
MOST_STATES, ROWS, MOST_WORDS = 6, 20, 20
#: What every tokenizer cuts.
TEXTS = (
    "low lower newest widest",
    "Tokenizers tokenize tokens, don't they? 1234",
    " ▁a Ġb ##c </w> <unk> [UNK] <s>  \tx",
    "naïve e\u0301 日本語 한국 हिन्दी שלום 👩\u200d👩\u200d👧",
    "",
)


def digest(structure: Any) -> str:
    """The same 32 characters for the same structure, on every machine."""
    found = hashlib.sha256()
    _feed(found, structure)
    return found.hexdigest()[:32]


def _feed(found: Any, value: Any) -> None:
    """Every value with its kind and its length, so that no two structures are fed alike."""
    if value is None or isinstance(value, bool):
        found.update({None: b"n", True: b"t", False: b"f"}[value])
    elif isinstance(value, int):
        found.update(b"i%d;" % value)
    elif isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        found.update(b"s%d;" % len(data) + data)
    elif isinstance(value, bytes):
        found.update(b"b%d;" % len(value) + value)
    elif isinstance(value, list | tuple) and {*map(type, value)} == {int}:
        # Long columns, fed at once.
        found.update(b"c%d;" % len(value) + ",".join(map(str, value)).encode("ascii"))
    elif isinstance(value, list | tuple):
        found.update(b"l%d;" % len(value))
        for item in value:
            _feed(found, item)
    elif isinstance(value, Mapping):
        found.update(b"d%d;" % len(value))
        for key in sorted(value):
            _feed(found, key)
            _feed(found, value[key])
    else:
        raise TypeError(f"{type(value).__name__} has no place in a structure")


def ints(values: Any) -> list[Any]:
    """Whole numbers, as a column or a list has them."""
    return np.asarray(values).astype(np.int64).tolist()


def bits(values: Any) -> list[int]:
    """Floats as the numbers that their 64 bits are; what is not a number is always the same."""
    column = np.atleast_1d(np.asarray(values, np.float64)).copy()
    column[np.isnan(column)] = np.nan
    return column.view(np.int64).tolist()


def whole(value: Any) -> Any:
    """A plain value with its floats as texts that hold every bit."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"float {value.hex()}"
    if isinstance(value, Mapping):
        return {name: whole(item) for name, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list | tuple) else value


def spread(last: int, most: int) -> list[int]:
    """At most so many numbers from 0 to the last one, both among them."""
    steps = min(most - 1, last)
    return [i * last // steps for i in range(steps + 1)] if steps else [0]


def of_history(history: Any) -> dict[str, Any]:
    """A history in parts. `settings` is for people, too: it is kept as it is."""
    last, floats = len(history), dict[str, Any]()
    states, steps = spread(last, MOST_STATES), list(history.steps)
    tables = [_table(history.candidates(t, ROWS)) for t in states]
    curve, words = history.curve(), history.words
    ends = words.line_ends
    floats["steps"] = [bits([getattr(s, f) for f in STEP_FLOATS if hasattr(s, f)]) for s in steps]
    floats["curve"] = {name: bits(curve[name]) for name in ("characters_per_token", "loss")}
    floats["candidates"] = [table["floats"] for table in tables]
    for name in PER_TOKEN:
        if hasattr(history, name):
            floats[name] = [bits(getattr(history, name)(t)) for t in states]
    # Half-way, a tokenizer shows most by what it does not know yet.
    some = {last // 2: TEXTS[:2], last: TEXTS}
    cuts = [of_encodings(history.tokenizer(t), texts) for t, texts in some.items()]
    floats["ways"] = [ways.pop("floats") for ways in cuts]
    return {
        "settings": settings_of(history),
        "words": [list(words.words), list(words.counts), ends and list(ends)],
        "steps": [_fields(step, STEP) for step in steps],
        "ties": [_fields(step, TIES) for step in steps],
        "gaps": _gaps(history, states),
        "counts": [ints(counts) for counts in history.counts_over(range(last + 1))]
        + [ints(curve[name]) for name in ("vocab_size", "corpus_tokens")],
        "candidates": [table["rows"] for table in tables]
        + [history.candidate_count(t) for t in states],
        "vocabulary": [history.vocab(0), history.vocab(last), ints(history.births(last))],
        "encodings": cuts,
        "stopped": str(history.stopped),
        "floats": floats,
    }


def settings_of(history: Any) -> dict[str, Any]:
    """Every setting of the trainer and of the pre-tokenizer, by its name."""
    found = {"algorithm": history.algorithm, "pretokenizer": history.pretokenizer.name}
    for kind, settings in (("", history.trainer), ("pretokenizer.", history.pretokenizer)):
        if dataclasses.is_dataclass(settings):
            for field in dataclasses.fields(settings):
                value = getattr(settings, field.name)
                # What a file brings has parts of its own, and they show in what it does.
                if plain(value) is not None:
                    found[kind + field.name] = plain(value)
    return found


def plain(value: Any) -> Any:
    """A setting as JSON holds it; None for what no setting of a form is."""
    if isinstance(value, bool | int | str | float):
        return whole(value)
    if isinstance(value, tuple | list):
        items = [plain(item) for item in value]
        return None if None in items else items
    return None


def _fields(step: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: whole(getattr(step, name)) for name in names if hasattr(step, name)}


def _table(frame: Any) -> dict[str, Any]:
    """The columns of a table that were known, floats apart from the others."""
    rows, floats = dict[str, Any](), dict[str, Any]()
    for name, column in frame.items():
        if name not in COLUMNS:
            continue
        if column.dtype.kind == "f":
            floats[name] = bits(column.to_numpy())
        else:
            rows[name] = [None if item is None or item != item else item for item in _list(column)]
    return {"rows": rows, "floats": floats}


def _list(column: Any) -> list[Any]:
    """The values of a column; where it has none, None."""
    if str(column.dtype) == "Int64":
        return [None if gone else int(v) for v, gone in zip(column, column.isna(), strict=True)]
    return column.tolist()


def _gaps(history: Any, states: list[int]) -> dict[str, Any]:
    """The step that closes each gap, or where gaps open again, which are open in every state; and
    the tokens of some words."""
    closings = history.closings
    words = history.words.words
    some = [words[i] for i in spread(len(words) - 1, MOST_WORDS)] if words else []
    return {
        "spans": [ints(column) for column in history.gap_spans],
        "closed": None if closings is None else ints(closings),
        "open": [
            np.packbits(history.open_gaps(t)).tobytes()
            for t in (states if closings is not None else range(len(history) + 1))
        ],
        "tokens": [history.segmentation(word, t) for t in states[::2] for word in some],
    }


def of_encodings(tokenizer: Any, texts: Iterable[str]) -> dict[str, Any]:
    """What a tokenizer makes of texts, and the best ways of one that knows several."""
    found: dict[str, Any] = {"encoded": [], "decoded": [], "ways": [], "floats": []}
    for text in texts:
        encoding = tokenizer.encode(text)
        ids = list(encoding.ids)
        offsets = [list(pair) for pair in encoding.offsets]
        found["encoded"].append([list(encoding.tokens), ids, offsets])
        found["decoded"].append(None if None in ids else tokenizer.decode(ids))
    try:
        ways = tokenizer.nbest("low lower", 3)
    except ValueError:
        # Merges know one way only.
        return found
    found["ways"] = [list(way.tokens) for way, _ in ways]
    found["floats"] = bits([log_prob for _, log_prob in ways])
    return found
