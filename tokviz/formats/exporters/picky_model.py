"""The model file of PickyBPE's authors: tokens, merges and removals.

Source: pchizhov/picky_bpe, bpe_trainer.py (_dump) and picky_tokenize.py (_load_bpe_model).
"""

import json
from typing import Any

from tokviz.formats.exporters.strings import ExportError, check_text
from tokviz.history.base import History
from tokviz.history.picking.history import PickyHistory

#: What the program calls a character that it does not know.
_UNKNOWN = "<UNK>"


def check(history: History) -> PickyHistory:
    """The run, as one of PickyBPE. Raises ExportError if the program would cut otherwise."""
    if not isinstance(history, PickyHistory) or history.algorithm != "picky-bpe":
        raise ExportError.saying(
            "This is the file of PickyBPE, and this run is one of {algorithm}; train with "
            "picky-bpe.",
            algorithm=history.algorithm,
        )
    if history.pretokenizer.name != "metaspace":
        raise ExportError.saying(
            "The program of PickyBPE puts ▁ before each word between white space, and this run was "
            "trained with the pre-tokenizer {pretokenizer}; train with metaspace.",
            pretokenizer=history.pretokenizer.name,
        )
    spelling = history.spelling
    marked = spelling.continuing_subword_prefix or spelling.end_of_word_suffix
    if spelling.unit != "char" or marked:
        raise ExportError.saying(
            'The program of PickyBPE begins with characters that have no markers; train with unit="'
            'char", no end_of_word_suffix and no continuing_subword_prefix.'
        )
    strings = _strings(history)
    check_text(strings)
    if len({*strings}) < len(strings):
        raise ExportError.saying(
            "The corpus holds a typed ▁, which the program of PickyBPE takes for a space; take it "
            "out."
        )
    return history


def files(history: History, t: int | None = None) -> dict[str, bytes]:
    """The model of state t.

    >>> import tokviz
    >>> history = tokviz.train("low lower", "picky-bpe", 9, "metaspace", threshold=0.6)
    >>> model = json.loads(files(history)["model.json"])
    >>> [(merge["id"], merge["new_token"]["str"]) for merge in model["merges"]][:2]
    [(0, '▁l'), (1, '▁lo')]
    >>> [(split["id"], split["token"]["str"]) for split in model["splits"]][:2]
    [(2, '▁l'), (4, '▁lo')]
    """
    run = check(history)
    t = len(run) if t is None else t
    run.check_state(t)
    tokens, events = _tokens(run, t), run.events
    of = run.symbol_ids.tolist()
    merges: list[dict[str, Any]] = []
    splits: list[dict[str, Any]] = []
    for step in range(t):
        left, right, made = (of[side[step]] for side in (events.left, events.right, events.made))
        if run.removals[step]:
            parts = [tokens[of[part]] for part in events.parts(step)]
            splits.append({"id": step, "token": tokens[made], "split": parts})
        else:
            pair = [tokens[left], tokens[right]]
            merges.append({"id": step, "pair": pair, "new_token": tokens[made]})
    present = [token["id"] for token in tokens if token["present"]]
    model = {
        "tokens": tokens,
        "id2int": {token: place for place, token in enumerate(present)},
        "int2id": dict(enumerate(present)),
        "merges": merges,
        "splits": splits,
    }
    return {"model.json": json.dumps(model, ensure_ascii=False).encode()}


def _strings(history: PickyHistory) -> list[str]:
    """Every token that there ever was, in the order of tokens."""
    strings = dict(enumerate(history.special_tokens))
    for symbol, i in zip(history.symbols, history.symbol_ids.tolist(), strict=True):
        strings.setdefault(i, history.spelling.plain(symbol))
    return [strings[i] for i in range(len(strings))]


def _tokens(history: PickyHistory, t: int) -> list[dict[str, Any]]:
    """The tokens of the states up to t, as the program writes them."""
    special, strings, of = history.special_tokens, _strings(history), history.symbol_ids.tolist()
    numbers = dict(zip(reversed(of), reversed(range(len(of))), strict=True))
    ids, counts, events = history.ids_at(t), history.token_counts(t), history.events
    n_base, born = len(history.record.alphabet), int((history.births_of_all <= t).sum())
    tokens = []
    for i, string in enumerate(strings[:born]):
        number = numbers.get(i)
        place = i if number is None else int(ids[number])
        made_of = None if number is None or number < n_base else events.made_of[number]
        left, right = (of[side] for side in made_of) if made_of else (None, None)
        parts = [number] if place >= 0 or number is None else events.parts_after(number, t - 1)
        tokens.append(
            {
                "id": i,
                "str": string,
                "freq": int(counts[place]) if place >= 0 else 0,
                "special": i < len(special),
                "present": place >= 0,
                "left": left,
                "right": right,
                "split": [i if part is None else of[part] for part in parts],
            }
        )
    if _UNKNOWN not in special:
        unknown = {"id": len(tokens), "str": _UNKNOWN, "freq": 0, "special": True}
        whole = {"present": True, "left": None, "right": None, "split": [len(tokens)]}
        tokens.append({**unknown, **whole})
    return tokens
