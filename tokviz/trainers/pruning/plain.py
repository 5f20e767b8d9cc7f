"""The course's Unigram, as plainly as it can be told.

`compiled` is the same, only faster: it is compared with this, number by number.
"""

from math import inf, nan

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.encoding.lattice import START, costs_of
from tokviz.history.base import Ints
from tokviz.trainers.pruning.task import (
    MAX_SUBSTRINGS,
    Looked,
    Seeding,
    State,
    too_many_substrings,
)


class PlainPruning:
    """A `Pruning`.

    >>> from tokviz.text.word_counts import WordCounts
    >>> words = WordCounts(("ab", "a"), (3, 1))
    >>> pruning = PlainPruning(Seeding(words, size=3), lambda _: None)
    >>> pruning.seeds
    {'a': 4, 'b': 3, 'ab': 3}
    >>> loss, deltas, cheapest, path = pruning.state(lambda: None)
    >>> round(loss, 3), path.tolist()                       # 3 × ln (10/3) + ln (10/4)
    (4.528, [2, 0])
    >>> deltas.round(3).tolist()                            # without "ab": 3 × ln (10/4) more
    [nan, nan, 2.749]
    >>> pruning.remove(cheapest)
    >>> pruning.state(lambda: None).path.tolist()
    [0, 1, 0]
    """

    def __init__(self, seeding: Seeding, looked: Looked) -> None:
        self._words = seeding.words
        self.seeds, self.tied = _seeds(seeding, looked)
        self._tokens = [*self.seeds]
        self._longest = max(map(len, self.seeds), default=0)
        self._alive = [*range(len(self.seeds))]

    def remove(self, tokens: Ints) -> None:
        gone = set(tokens.tolist())
        self._alive = [i for i in self._alive if i not in gone]

    def state(self, pause: Pause) -> State:
        counts = np.fromiter(self.seeds.values(), np.int64, len(self.seeds))[self._alive]
        names = [self._tokens[i] for i in self._alive]
        cost = dict(zip(names, costs_of(counts).tolist(), strict=True))
        # One word after the other: what floats add up to depends on their order.
        loss, path = 0.0, list[str]()
        losses: dict[str, float] = {}  # without each token that a word before used
        for word, count in zip(self._words.words, self._words.counts, strict=True):
            pause()
            least, tokens = self._cut(word, cost)
            without = {t: self._cut(word, cost, t)[0] for t in tokens if len(t) > 1}
            losses = dict.fromkeys(without, loss) | losses
            losses = {t: sum_ + count * without.get(t, least) for t, sum_ in losses.items()}
            loss += count * least
            path += tokens
        deltas = [losses.get(t, loss) - loss if len(t) > 1 else nan for t in names]
        many = [i for i, t in enumerate(names) if len(t) > 1]
        numbers = {token: i for i, token in enumerate(self.seeds)}
        return State(
            loss - START * self._words.total,
            np.asarray(deltas, np.float64),
            np.asarray([self._alive[i] for i in sorted(many, key=deltas.__getitem__)], np.int64),
            np.asarray([numbers[t] for t in path], np.int64),
        )

    def _cut(self, word: str, cost: dict[str, float], without: str = "") -> tuple[float, list[str]]:
        """What the best path costs, from START on, and its tokens (Viterbi). Only a better way
        replaces another, so among equal ones that wins whose last token starts earliest."""
        ways = [(START, 0)]  # to each place: what the best way there costs, its last token's start
        for end in range(1, len(word) + 1):
            best = inf, 0
            for start in range(max(0, end - self._longest), end):
                token = word[start:end]
                if token in cost and token != without:
                    best = min(best, (ways[start][0] + cost[token], start))
            ways.append(best)
        tokens, end = list[str](), len(word)
        while end:
            start = ways[end][1]
            tokens.append(word[start:end])
            end = start
        return ways[-1][0], tokens[::-1]


def _seeds(seeding: Seeding, looked: Looked) -> tuple[dict[str, int], int]:
    """All characters in first-occurrence order, then longer substrings by count, then first
    occurrence; overlapping occurrences count. And how many have the count of the last one."""
    characters: dict[str, int] = {}
    longer: dict[str, int] = {}
    strict: set[str] = set()
    for done, (word, count) in enumerate(
        zip(seeding.words.words, seeding.words.counts, strict=True)
    ):
        n = len(word)
        for start, char in enumerate(word):
            characters[char] = characters.get(char, 0) + count
            for end in range(start + 2, min(n, start + seeding.longest) + 1):
                piece = word[start:end]
                longer[piece] = longer.get(piece, 0) + count
                if end - start < n:
                    strict.add(piece)
            looked(done)
            if len(longer) > MAX_SUBSTRINGS:
                raise too_many_substrings()
    if not seeding.whole_words:
        longer = {piece: count for piece, count in longer.items() if piece in strict}
    room = max(0, seeding.size - len(characters))
    ranked = sorted(longer, key=lambda piece: -longer[piece])
    best = ranked[:room]
    tied = 0
    if 0 < room < len(longer):
        tied = sum(count == longer[best[-1]] for count in longer.values())
    return characters | {piece: longer[piece] for piece in best}, tied
