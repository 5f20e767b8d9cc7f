"""What the reader of the page Encode asks for, as far as what the browser says makes sense."""

from typing import Any, NamedTuple, TypeGuard

#: Characters of a text, and columns that a reader adds (those beyond a run's end are kept for
#: another lane).
MOST_CHARACTERS, MOST_PINS, MOST_KEPT = 20_000, 4, 12
#: Characters of ids or tokens that are decoded.
MOST_TYPED_IDS = 2_000
#: How often a word can be drawn, and the greatest seed.
DRAWS, LAST_SEED = (100, 1_000, 10_000), 999_999_999
#: The greatest α in tenths, and the greatest chance to skip a merge in twentieths.
MOST_ALPHA, MOST_DROPOUT = 20, 20


class Chosen(NamedTuple):
    """A token: its column, where its text starts, and which of those that start there it is."""

    state: int
    at: int
    nth: int


class Sampling(NamedTuple):
    """How the word of the chosen token is drawn: α in tenths (Unigram), the chance to skip a merge
    in twentieths (BPE-dropout), how often, and from which seed. Whole numbers, so that they are
    exact. At first α is half-way between all alike (0) and the model itself (1), and p a tenth, as
    Provilkov et al. 2020 train with."""

    alpha: int = 5
    dropout: int = 2
    draws: int = 1_000
    seed: int = 1


class Asked(NamedTuple):
    """What the reader wants to see. `serial` numbers the questions of one visit; `text` is None
    until one is typed: then a sentence that fits the run is shown. `sampling` is None while the
    trace of the word is looked at, and nothing is drawn before `draw` says so: while somebody types
    it does not. `ids` are ids or tokens to decode."""

    serial: int = 0
    text: str | None = None
    pins: tuple[int, ...] = ()
    chosen: Chosen | None = None
    sampling: Sampling | None = None
    draw: bool = False
    ids: str = ""


def asked_from(said: Any) -> Asked:
    """What the browser said, as far as it makes sense.

    >>> asked_from({"serial": 3, "text": "hug", "pins": [5, 5, -1]})
    Asked(serial=3, text='hug', pins=(5,), chosen=None, sampling=None, draw=False, ids='')
    >>> asked_from("nothing") == Asked()
    True
    """
    if not isinstance(said, dict):
        return Asked()
    text = said.get("text")
    pins, chosen = said.get("pins"), said.get("chosen")
    pins = [t for t in pins if _is_count(t)] if isinstance(pins, list) else []
    if not isinstance(chosen, list) or len(chosen) != 3 or not all(map(_is_count, chosen)):
        chosen = None
    serial, ids = said.get("serial"), said.get("ids")
    return Asked(
        serial if _is_count(serial) else 0,
        text[:MOST_CHARACTERS] if isinstance(text, str) else None,
        tuple(dict.fromkeys(pins))[-MOST_KEPT:],
        None if chosen is None else Chosen(*chosen),
        _sampling(said.get("sampling")),
        said.get("draw") is True,
        ids[:MOST_TYPED_IDS] if isinstance(ids, str) else "",
    )


def _sampling(said: Any) -> Sampling | None:
    if not isinstance(said, list) or len(said) != 4 or not all(map(_is_count, said)):
        return None
    asked = Sampling(*said)
    possible = asked.alpha <= MOST_ALPHA and asked.dropout <= MOST_DROPOUT
    return asked if possible and asked.draws in DRAWS and asked.seed <= LAST_SEED else None


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and value >= 0
