"""Where cut words use a text as one token, in all states at once.

Unigram keeps one bit per character and state: does a token start there? So a text is a token where
its first bit is set, none is inside it, and the next one is set again or the word is over. No word
has to be cut anew, and no other token has to be looked at.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.history.base import Ints


class CutUses(NamedTuple):
    """`words` has the number of the word of every place where the text stands, `used` for every
    state and place whether it is a token there."""

    words: Ints
    used: npt.NDArray[np.bool_]

    def counts(self, weights: Sequence[int]) -> Ints:
        """Per state how often the corpus uses the token; `weights` are the counts of its words."""
        counts: Ints = self.used @ np.asarray(weights, np.int64)[self.words]
        return counts

    def users(self, state: int) -> list[tuple[int, int]]:
        """The words that use the token in a state, and how often each."""
        words, times = np.unique(self.words[self.used[state]], return_counts=True)
        return list(zip(words.tolist(), times.tolist(), strict=True))


def cut_uses(words: Sequence[str], starts: Ints, cuts: npt.NDArray[np.uint8], text: str) -> CutUses:
    """The uses of a text. `starts` says for each word where its bits start in each row of `cuts`.

    >>> bits = np.packbits([[1, 1, 0, 0, 1, 1], [1, 0, 1, 1, 1, 0]], axis=1)
    >>> uses = cut_uses(["abab", "ab"], np.array([0, 4]), bits, "ab")
    >>> uses.words.tolist(), uses.used.tolist()
    ([0, 0, 1], [[False, False, False], [True, False, True]])
    >>> uses.counts([10, 1]).tolist(), uses.users(1)
    ([0, 11], [(0, 1), (1, 1)])
    """
    joined, found = "".join(words), []
    at = joined.find(text) if text else -1
    while at >= 0:
        found.append(at)
        at = joined.find(text, at + 1)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    ends = np.cumsum(lengths)
    places = np.asarray(found, np.int64)
    inside = np.searchsorted(ends, places, side="right")
    whole = places + len(text) <= ends[inside]
    places, inside = places[whole], inside[whole]
    last = places + len(text) == ends[inside]
    places += starts[inside] - ends[inside] + lengths[inside]
    used = np.zeros((len(cuts), len(places)), bool)
    for state, packed in enumerate(cuts):
        bits = np.append(np.unpackbits(packed), 0)
        before = np.append(0, np.cumsum(bits, dtype=np.int64))
        after = before[places + len(text)]
        used[state] = (bits[places] == 1) & (after - before[places] == 1)
        used[state] &= last | (bits[places + len(text)] == 1)
    return CutUses(inside, used)
