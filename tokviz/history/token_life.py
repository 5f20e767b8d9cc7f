"""The life of a token over all states: when it comes, how often the corpus uses it, when it is only
scaffolding, and when it goes.

Merges leave scaffolding behind: a token that was needed to build a longer one, and that is nowhere
in the corpus any more once all of it went into that one, keeps its place in the vocabulary. Unigram
works the other way round, and takes such tokens out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints

if TYPE_CHECKING:
    import pandas as pd

    from tokviz.history.base import History


@dataclass(frozen=True)
class TokenLife:
    """What became of a token. Made by `History.life`.

    `counts` holds for every state how often the corpus uses it, `present` whether the vocabulary
    has it. `words` are the words that paid for it: those whose segmentation uses it in the first
    state that uses it at all, which for what was merged is the one where it was born. They have the
    columns word, count (of the word), times (in one word), those that use it most first.
    """

    __repr__ = short_repr

    token: str
    counts: Ints
    present: npt.NDArray[np.bool_]
    words: "pd.DataFrame"

    @property
    def born(self) -> int:
        """The first state that has it in its vocabulary."""
        return int(np.flatnonzero(self.present)[0])

    @property
    def gone(self) -> int | None:
        """The first state after it left the vocabulary for good; None if the last one has it."""
        end = int(np.flatnonzero(self.present)[-1]) + 1
        return end if end < len(self.present) else None

    @property
    def unused_from(self) -> int | None:
        """The state from which on the corpus no longer uses it, though the vocabulary has it; for
        one that is never used, the state where it was born. None if it is used as long as it is
        there."""
        used = np.flatnonzero(self.counts)
        after = int(used[-1]) + 1 if len(used) else 0
        idle = np.flatnonzero(self.present[after:])
        return after + int(idle[0]) if len(idle) else None


class Scaffolding(NamedTuple):
    """The `tokens` of a vocabulary that the corpus does not use, in id order, and their `share` of
    the vocabulary. Special tokens among them, which the corpus never counts, are also in `special`.
    """

    tokens: list[str]
    special: list[str]
    share: Fraction

    def __repr__(self) -> str:
        return short_repr(self)


def life_of(history: "History", token: str) -> TokenLife:
    """The life of a token. Nothing is trained again: see `History.provenance` for the counts.

    Raises KeyError for a string that never was in the vocabulary.

    >>> import tokviz
    >>> history = tokviz.train({"newest": 6, "widest": 3}, "bpe", vocab_size=9)
    >>> es = life_of(history, "es")
    >>> es.counts.tolist(), es.born, es.unused_from, es.gone, es.words.word.tolist()
    ([0, 9, 0], 1, 2, None, ['newest', 'widest'])
    """
    counts = history.provenance(token).counts
    first = int(np.argmax(counts > 0))
    return TokenLife(token, counts, history.present(token), history.users(token, first))


def scaffolding_of(history: "History", t: int) -> Scaffolding:
    """What the vocabulary of state t holds though the corpus, as segmented then, does not use it.

    Raises IndexError for a state that the run does not have.

    >>> import tokviz
    >>> history = tokviz.train({"newest": 6, "widest": 3}, "bpe", vocab_size=9)
    >>> scaffolding_of(history, 2)
    Scaffolding(tokens=['s', 't', 'es'], special=[], share=Fraction(1, 3))
    """
    vocab, counts = history.vocab(t), history.token_counts(t)
    tokens = [vocab[i] for i in np.flatnonzero(counts == 0).tolist()]
    special = [token for token in tokens if token in history.special_tokens]
    return Scaffolding(tokens, special, Fraction(len(tokens), max(1, len(vocab))))


def users_table(rows: Iterable[tuple[str, int, int]]) -> "pd.DataFrame":
    """Words as a table: word, count, times; those with the greatest count × times first.

    >>> users_table([("hug", 2, 1), ("hughug", 2, 2)]).word.tolist()
    ['hughug', 'hug']
    """
    import pandas as pd

    found = sorted(rows, key=lambda row: -row[1] * row[2])
    # As objects: Arrow's strings take no lone surrogates.
    words = pd.Series([word for word, _, _ in found], dtype=object)
    counts, times = (np.array([row[i] for row in found], np.int64) for i in (1, 2))
    return pd.DataFrame({"word": words, "count": counts, "times": times})
