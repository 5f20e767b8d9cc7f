"""Where a token comes from: its parents, its use over time, the words that paid for it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints
from tokviz.history.token_life import users_table

if TYPE_CHECKING:
    import pandas as pd

    from tokviz.history.merges import MergeHistory


@dataclass(frozen=True)
class Provenance:
    """Where a token comes from and what became of it.

    `born` is the first state that has it, `left` and `right` what it was merged from (None for
    symbols that were there from the start), `counts` its count in the corpus at every state,
    `unused_from` the first state after its last use (None if it is still in use at the end), and
    `words` the words that paid for it: word, count, times (in one word), most paying first.
    """

    __repr__ = short_repr

    token: str
    token_id: int
    born: int
    left: str | None
    right: str | None
    counts: Ints
    unused_from: int | None
    words: "pd.DataFrame"


def seed_provenance(token: str, token_id: int, counts: Ints, words: "pd.DataFrame") -> Provenance:
    """The provenance of a token that training started from."""
    in_use = np.flatnonzero(counts)
    unused_from = int(in_use[-1]) + 1 if len(in_use) else len(counts)
    return Provenance(
        token=token,
        token_id=token_id,
        born=0,
        left=None,
        right=None,
        counts=counts,
        unused_from=unused_from if unused_from < len(counts) else None,
        words=words,
    )


def provenance_of(history: "MergeHistory", token_id: int) -> Provenance:
    """The provenance of the token with an id in the last vocabulary.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> ug = provenance_of(history, history.vocab(2).index("ug"))
    >>> ug.left, ug.right, ug.counts.tolist(), ug.words.word.tolist()
    ('u', 'g', [0, 15, 5], ['hug', 'pug'])
    """
    n_base = len(history.record.alphabet)
    mine = np.flatnonzero(history.symbol_ids == token_id)
    counts = np.zeros(len(history) + 1, np.int64)
    for symbol in mine.tolist():
        born = max(0, symbol - n_base + 1)
        counts[born:] += history.times[born - 1] if born else history.symbol_counts(0)[symbol]
        for side in (history.record.left, history.record.right):
            used = np.flatnonzero(side == symbol)
            for t in used.tolist():
                counts[t + 1 :] -= history.times[t]
    step = int(mine[-1]) - n_base if len(mine) and mine[-1] >= n_base else None
    in_use = np.flatnonzero(counts)
    last = int(in_use[-1]) + 1 if len(in_use) else None
    return Provenance(
        token=history.vocab(len(history))[token_id],
        token_id=token_id,
        born=int(history.births(len(history))[token_id]),
        left=None if step is None else history.strings[history.record.left[step]],
        right=None if step is None else history.strings[history.record.right[step]],
        counts=counts,
        unused_from=last if last is not None and last <= len(history) else None,
        words=_paying_words(history, step),
    )


def _paying_words(history: "MergeHistory", step: int | None) -> "pd.DataFrame":
    if step is None:
        return users_table([])
    order, starts = history.gaps_by_step
    gaps = order[starts[step] : starts[step + 1]]
    return words_at(history, gaps)


def users_of(history: "MergeHistory", token_id: int, t: int) -> "pd.DataFrame":
    """The words whose segmentation in state t uses the token with an id in the last vocabulary.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> users_of(history, history.vocab(2).index("ug"), 2).values.tolist()
    [['pug', 5, 1]]
    """
    symbols, starts = history.record.state_symbols(t)
    return words_at(history, starts[history.symbol_ids[symbols] == token_id])


def words_at(history: "MergeHistory", places: Ints) -> "pd.DataFrame":
    """The words that hold these places of the corpus, in starting symbols."""
    numbers = np.searchsorted(history.record.starts, places, side="right") - 1
    words, times = np.unique(numbers, return_counts=True)
    rows = zip(words.tolist(), times.tolist(), strict=True)
    table = history.words
    return users_table((table.words[word], table.counts[word], n) for word, n in rows)
