"""The end of a first-seen run, when no pair occurs twice, without looking for the best each time.

Then every word that is not yet one token occurs once, every pair in it has the count 1, and so has
any pair that a merge makes. All pairs tie; the first one met is the first of the first such word.
Its merge leaves that word the first, with one symbol less. So the words fold up, one after the
other, each from the left:

    a b c   d e   →   ab c   d e   →   abc   d e   →   abc   de
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tokviz.history.base import Ints
from tokviz.trainers.merging.pairs import PairIndex
from tokviz.trainers.merging.vocabulary import Vocabulary


class Folded(NamedTuple):
    """What was folded. `left`, `right`: the symbols that each step merged. `inside`: whether its
    word went on behind them. `gaps`: the pairs that stood, before the first step, at the gaps in
    the order in which they close: one for each step, and some more. `cancelled`: whether
    `stop` said so."""

    left: list[int]
    right: list[int]
    inside: Ints
    gaps: Ints
    cancelled: bool


def fold(
    index: PairIndex,
    vocabulary: Vocabulary,
    vocab_size: int,
    more: int,
    stop: Callable[[int], bool],
) -> Folded:
    """Folds words until the vocabulary holds `vocab_size` strings, no gap is left, or `stop`,
    asked with the number of steps, says so; `gaps` then has `more` entries more than there are
    steps, if there are as many. Of the index, only `words` and `pairs` are kept up to date.

    >>> index = PairIndex(["\\0\\1\\2", "\\3\\4"], [1, 1], n_symbols=5)       # "abc", "de"
    >>> from tokviz.trainers.merging.vocabulary import Size
    >>> folded = fold(index, Size(5), 8, 20, lambda _: False)
    >>> folded.left, folded.right, folded.inside.tolist(), folded.gaps.tolist()
    ([0, 5, 3], [1, 2, 4], [True, False, False], [0, 1, 2])
    """
    words, pairs, number = index.words, index.pairs, index.number
    first = len(index.symbol_counts)
    left: list[int] = []
    right: list[int] = []
    inside: list[bool] = []
    gaps: list[int] = []
    full = cancelled = False
    for w, word in enumerate(words):
        if len(word) < 2:
            continue
        if len(gaps) >= len(left) + more and (full or cancelled):
            break
        gaps += [number[word[at : at + 2]] for at in range(len(word) - 1)]
        at, symbol = 1, word[0]
        while at < len(word) and not full and not cancelled:
            left.append(ord(symbol))
            right.append(ord(word[at]))
            vocabulary.merge(left[-1], right[-1])
            symbol = chr(first + len(left) - 1)
            at += 1
            inside.append(at < len(word))
            if inside[-1]:
                pairs.append(symbol + word[at])
            full = len(vocabulary) >= vocab_size
            cancelled = not full and stop(len(left))
        words[w] = symbol + word[at:]
    return Folded(left, right, np.asarray(inside, bool), np.asarray(gaps, np.int64), cancelled)
