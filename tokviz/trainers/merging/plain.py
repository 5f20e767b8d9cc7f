"""BPE and WordPiece, as plainly as they can be told: after every merge, all pairs are counted anew.

`compiled` is the same, only faster: it is compared with this, column by column.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

from tokviz.history.ties import TIE_BREAKS
from tokviz.trainers.merging.task import Task

#: The numbers of two symbols.
Pair: TypeAlias = tuple[int, int]

#: Words of more starting symbols are noted as those are that have a pair several times.
LONG = 500


class PlainCorpus:
    """Words in a state of a training. A token is a symbol and the place where it begins.

    >>> from tokviz.trainers.merging.task import task_of
    >>> corpus = PlainCorpus(task_of({"hugs": 2, "hug": 1}))     # g h s u are 0 1 2 3
    >>> corpus.counts, corpus.best()[:2]
    ({(1, 3): 3, (3, 0): 3, (0, 2): 2}, [(1, 3), (3, 0)])
    >>> corpus.merge((1, 3)), corpus.words[1], corpus.counts
    ([(1, 3), (3, 0), (4, 0)], [(4, 4), (0, 6)], {(4, 0): 3, (0, 2): 2})
    """

    def __init__(self, task: Task) -> None:
        self.task, self.symbols, start = task, [*task.start.alphabet], task.start
        tokens = [*zip(start.symbols.tolist(), range(len(start.symbols)), strict=True)]
        self.words = [tokens[first:end] for first, end in pairwise(start.starts.tolist())]
        self.long = {w for w, word in enumerate(self.words) if len(word) > LONG}
        self.gaps: dict[int, int] = {}  # where two symbols were joined, and by which step
        self.number: dict[Pair, int] = {}
        self.ranks: dict[Pair, int] = {}
        rule = TIE_BREAKS.get(task.rule)
        self.tie_key = rule.key(task.vocabulary.spelling) if rule and rule.key else None
        self.count()
        self.meet([*self.counts])

    def count(self) -> None:
        """Counts pairs and symbols, and notes where each pair is met first."""
        self.counts: dict[Pair, int] = {}
        self.places: dict[Pair, int] = {}
        self.used: dict[int, int] = {}
        for word, n in zip(self.words, self.task.start.counts, strict=True):
            for symbol, _ in word:
                self.used[symbol] = self.used.get(symbol, 0) + n
            for (left, place), (right, _) in pairwise(word):
                self.counts[left, right] = self.counts.get((left, right), 0) + n
                self.places.setdefault((left, right), place)

    def meet(self, pairs: Iterable[Pair]) -> None:
        """Numbers new pairs. Those that may not be merged are no candidates, ever."""
        candidates = self.task.candidates
        for pair in pairs:
            self.number[pair] = len(self.number)
            self.ranks[pair] = candidates.rank(*pair) if candidates else 0
        self.counts = {pair: n for pair, n in self.counts.items() if self.ranks[pair] >= 0}

    def best(self) -> list[Pair]:
        """All candidates, the best first."""
        return sorted(self.counts, key=lambda pair: (self.score(pair), self.tie(pair)))

    def score(self, pair: Pair) -> int | Fraction:
        """What is smallest for the best pairs."""
        if self.task.rule == "given":
            return self.ranks[pair]
        parts = self.used[pair[0]] * self.used[pair[1]]
        return -Fraction(self.counts[pair], parts if self.task.rule == "likelihood" else 1)

    def tie(self, pair: Pair) -> Any:
        """What is smallest for the one of them that is merged."""
        if self.task.rule == "given" or self.tie_key is None:
            return self.number[pair] if self.task.rule == "given" else self.places[pair]
        ids, (left, right) = self.task.vocabulary.ids, pair
        key = self.tie_key(self.symbols[left], self.symbols[right], ids[left], ids[right])
        return key, self.places[pair]

    def merge(self, pair: Pair) -> list[Pair]:
        """Merges a pair everywhere, left to right. Returns the pairs whose counts that changed:
        itself, those that lost a neighbour to it, and the new ones."""
        (left, right), new = pair, len(self.symbols)
        step = new - len(self.task.start.alphabet)
        before, behind, lost, come = (dict[Any, None]() for _ in range(4))  # sets, in order
        for w, word in enumerate(self.words):
            after, at = [], set[int]()
            for i, (symbol, place) in enumerate(word):
                if i - 1 in at:
                    self.gaps[place] = step
                elif (symbol, *(s for s, _ in word[i + 1 : i + 2])) == pair:
                    at.add(i)
                    after.append((new, place))
                else:
                    after.append((symbol, place))
            if len(at) == 1 and w not in self.long:
                [i] = at
                before |= {s: None for s, _ in word[:i][-1:]}
                behind |= {s: None for s, _ in word[i + 2 :][:1]}
            elif at:
                near = [i for i in range(len(word) - 1) if i not in at and {i - 1, i + 1} & at]
                lost |= {(word[i][0], word[i + 1][0]): None for i in near}
                come |= {(a, b): None for (a, _), (b, _) in pairwise(after) if new in (a, b)}
            self.words[w] = after
        lost |= {(s, left): None for s in before} | {(right, s): None for s in behind}
        come = {(s, new): None for s in before} | {(new, s): None for s in behind} | come
        self.symbols.append(self.symbols[left] + self.symbols[right])
        self.task.vocabulary.merge(left, right)
        if self.task.candidates:
            self.task.candidates.join(left, right)
        self.count()
        self.meet(come)
        return [pair, *(p for p in lost if p != pair and self.ranks[p] >= 0), *come]
