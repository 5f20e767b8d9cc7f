"""Which texts the vocabularies of two runs have in common.

Runs mark the same token differently: `Ġthe`, `▁the`, `the</w>` and `the` all stand for "the". So a
token counts as the bytes of the text that it stands for, without markers and without the one space
before a word; `##s` and `s` are then the same text. Special tokens and those for single bytes stand
for no text.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch

import numpy as np
import numpy.typing as npt

from tokviz.history.base import Floats, History, Ints
from tokviz.history.merges import MergeHistory


def token_texts(history: History, t: int) -> list[bytes]:
    """What each token of state t stands for, in id order; empty where that is no text.

    >>> import tokviz
    >>> token_texts(tokviz.train("low low", "bpe", 6), 2)
    [b'l', b'o', b'w', b' ', b'lo', b'low']
    """
    bytes_of = history.spelling.bytes_of
    symbols = history.vocab_symbols(t)
    texts = (b"" if symbol is None else bytes_of(symbol) for symbol in symbols)
    return [text.removeprefix(b" ") or text for text in texts]


@singledispatch
def texts_over(
    history: History, states: Iterable[int], numbers: dict[bytes, int]
) -> dict[int, Ints]:
    """What the vocabulary of each of some states stands for, as numbers that runs share: `numbers`
    gives every text one, and takes up those that are new. A token without a text has −1."""
    return {t: _numbered(token_texts(history, t), numbers) for t in set(states)}


@texts_over.register
def _texts_of_merges(
    history: MergeHistory, states: Iterable[int], numbers: dict[bytes, int]
) -> dict[int, Ints]:
    # The vocabulary only grows.
    known = _numbered(token_texts(history, len(history)), numbers)
    # A special token has a text once a merge makes its string.
    n, ids = len(history.record.alphabet), history.symbol_ids
    special = [(i, np.flatnonzero(ids == i)) for i in range(len(history.special_tokens))]
    found = {}
    for t in set(states):
        found[t] = known[: history.vocab_size(t)].copy()
        found[t][[i for i, made in special if not (made < n + t).any()]] = -1
    return found


def jaccard(
    left: Mapping[int, Ints],
    right: Mapping[int, Ints],
    left_states: Sequence[int],
    right_states: Sequence[int],
) -> Floats:
    """At each position the Jaccard index of two vocabularies: texts in both ÷ texts in either.

    `left_states` and `right_states` are the states of two runs at each position, `left` and `right`
    their texts in those states (see `texts_over`).

    >>> import tokviz
    >>> numbers, states = {}, ([0, 1, 1], [0, 1, 2])
    >>> runs = [tokviz.train("low low", "bpe", size) for size in (5, 6)]
    >>> texts = [texts_over(*run, numbers) for run in zip(runs, states)]
    >>> jaccard(*texts, *states).round(3).tolist()
    [1.0, 1.0, 0.833]
    """
    n, positions = 1, list(zip(left_states, right_states, strict=True))
    n += max(
        (int(ids.max(initial=-1)) for side in (left, right) for ids in side.values()), default=0
    )
    mine, others = ({t: _masked(ids, n) for t, ids in side.items()} for side in (left, right))
    shares = {}
    for a, b in set(positions):
        either = int((mine[a] | others[b]).sum())
        shares[a, b] = int((mine[a] & others[b]).sum()) / either if either else 1.0
    return np.asarray([shares[position] for position in positions])


def _numbered(texts: list[bytes], numbers: dict[bytes, int]) -> Ints:
    found = [numbers.setdefault(text, len(numbers)) if text else -1 for text in texts]
    return np.asarray(found, np.int64)


def _masked(numbers: Ints, n: int) -> npt.NDArray[np.bool_]:
    mask = np.zeros(n + 1, bool)
    mask[numbers] = True
    # Tokens without a text have the number -1.
    mask[n] = False
    return mask
