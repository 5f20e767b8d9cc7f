"""Read the requests that the browser sends from the page Encode."""

from typing import Any, NamedTuple, TypeGuard

#: Most characters of a text; most pinned columns that are shown; most that are kept (a pin beyond
#: the end of this run may be possible for another lane).
MOST_CHARACTERS, MOST_PINS, MOST_KEPT = 20_000, 4, 12
#: Most characters of ids or tokens to decode.
MOST_TYPED_IDS = 2_000
#: The possible numbers of samples, and the largest seed.
DRAWS, LAST_SEED = (100, 1_000, 10_000), 999_999_999
#: The largest α in tenths, and the largest probability of skipping a merge in twentieths.
MOST_ALPHA, MOST_DROPOUT = 20, 20


class Chosen(NamedTuple):
    """A chosen token: its column's state, the start of its text, and its index among the tokens
    there."""

    state: int
    at: int
    nth: int


class Sampling(NamedTuple):
    """How the chosen token's word is sampled: α in tenths (Unigram), the probability of skipping a
    merge in twentieths (BPE-dropout), the number of samples, and the seed. Whole numbers are exact.
    The default α is half-way between uniform (0) and the model (1); p is 0.1, as in Provilkov et
    al. 2020."""

    alpha: int = 5
    dropout: int = 2
    draws: int = 1_000
    seed: int = 1


class EncodeRequest(NamedTuple):
    """A request of the browser. `serial` numbers the requests of a visit; `text` is None until the
    visitor types one. `sampling` is None while the word's trace is shown; samples are drawn only if
    `draw`, which is false during typing. `ids` are ids or tokens to decode."""

    serial: int = 0
    text: str | None = None
    pins: tuple[int, ...] = ()
    chosen: Chosen | None = None
    sampling: Sampling | None = None
    draw: bool = False
    ids: str = ""


def request_from(said: Any) -> EncodeRequest:
    """Return the valid part of what the browser sent.

    >>> request_from({"serial": 3, "text": "hug", "pins": [5, 5, -1]})
    EncodeRequest(serial=3, text='hug', pins=(5,), chosen=None, sampling=None, draw=False, ids='')
    >>> request_from("nothing") == EncodeRequest()
    True
    """
    if not isinstance(said, dict):
        return EncodeRequest()
    text = said.get("text")
    pins, chosen = said.get("pins"), said.get("chosen")
    pins = [t for t in pins if _is_count(t)] if isinstance(pins, list) else []
    if not isinstance(chosen, list) or len(chosen) != 3 or not all(map(_is_count, chosen)):
        chosen = None
    serial, ids = said.get("serial"), said.get("ids")
    return EncodeRequest(
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
    request = Sampling(*said)
    possible = request.alpha <= MOST_ALPHA and request.dropout <= MOST_DROPOUT
    return request if possible and request.draws in DRAWS and request.seed <= LAST_SEED else None


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and value >= 0
