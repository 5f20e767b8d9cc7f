"""A unigram model on its corpus: best segmentations, and what losing each token would cost.

A round asks two questions. How is every word cut now? And for each token, how would the words that
use it be cut without it? Words whose best path does not use a token keep that path when it goes, so
only (token, word that uses it) pairs are segmented again: a few tens of thousands, where the
published loop segments tokens × words.
"""

from collections.abc import Iterator

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.encoding.lattice import START, Lattices, costs_of
from tokviz.history.base import Floats, Ints
from tokviz.text.corpus import WordCounts
from tokviz.trainers.pruning.ordered_sums import plain_sum, sums_with_replacements

#: Characters of words whose lattices are worked on together: small enough to stay in a processor's
#: cache and for a run to be cancelled in between, large enough to spread NumPy's overhead.
_CHUNK = 20_000


class UnigramModel:
    """The tokens with their fixed counts, and the best segmentation of every word.

    >>> model = UnigramModel(WordCounts(("ab",), (3,)), {"a": 3, "b": 3, "ab": 3}, lambda: None)
    >>> loss, path = model.segment(lambda: None)
    >>> round(loss, 3), path.tolist()               # word 0 is cut at 0 into token 2: 3 × ln 3
    (3.296, [[0], [0], [2]])
    >>> model.deltas(lambda: None).round(3).tolist()           # without "ab": 3 × 2 × ln 3
    [nan, nan, 3.296]
    """

    def __init__(self, words: WordCounts, seeds: dict[str, int], pause: Pause) -> None:
        self.counts = np.fromiter(seeds.values(), np.int64, len(seeds))
        self.alive = np.ones(len(seeds), bool)
        self._long = np.fromiter((len(token) > 1 for token in seeds), bool, len(seeds))
        self._words = words
        self._frequency = np.asarray(words.counts, np.float64)
        numbers = {token: i for i, token in enumerate(seeds)}
        self._firsts: list[int] = []
        self._chunks: list[Lattices] = []
        for first, last in _chunks(words):
            pause()
            self._firsts.append(first)
            self._chunks.append(Lattices.of(words.words[first:last], numbers))
        self._score()

    def _score(self) -> None:
        self._cost = np.full(len(self.counts), np.inf)
        self._cost[self.alive] = costs_of(self.counts[self.alive])

    def remove(self, tokens: Ints, pause: Pause) -> None:
        """Tokens go; what is left is normalised again, its counts unchanged."""
        self.alive[tokens] = False
        for i, lattices in enumerate(self._chunks):
            pause()
            self._chunks[i] = lattices.keep(self.alive)
        self._score()

    def segment(self, pause: Pause) -> tuple[float, Ints]:
        """The loss of the corpus, and the best paths as (word, start, token) columns.

        The loss is counted from 0; `START` is taken out of every word.
        """
        best, paths = [np.empty(0)], [np.empty((3, 0), np.int64)]
        for first, lattices in zip(self._firsts, self._chunks, strict=True):
            pause()
            costs, back = lattices.best(self._cost)
            edges = lattices.path_edges(back)
            best.append(costs)
            paths.append(
                np.stack(
                    [lattices.word[edges] + first, lattices.start[edges], lattices.token[edges]]
                )
            )
        self._terms = self._frequency * np.concatenate(best)
        self._loss = plain_sum(self._terms)
        self._path = np.concatenate(paths, axis=1)
        return self._loss - START * self._words.total, self._path

    def deltas(self, pause: Pause) -> Floats:
        """By how much the loss rises without each token; nan for characters and removed tokens.

        To the last bit the difference of two losses of the published loop: each is summed word by
        word in its order.
        """
        deltas = np.where(self.alive & self._long, 0.0, np.nan)
        word, _, token = self._path[:, self._long[self._path[2]]]
        # Each (word, token) once, word by word.
        word, token = np.divmod(np.unique(word * len(deltas) + token), len(deltas))
        pause()
        if not len(word):
            return deltas
        bounds = np.searchsorted(word, [*self._firsts, len(self._words)]).tolist()
        best: list[Floats] = []
        for i, (first, lattices) in enumerate(zip(self._firsts, self._chunks, strict=True)):
            mine = slice(bounds[i], bounds[i + 1])
            for w, t in lattices.batches(word[mine] - first, token[mine]):
                pause()
                best.append(lattices.without(w, t).least_costs(self._cost))
        pause()
        tokens, column = np.unique(token, return_inverse=True)
        terms = self._frequency[word] * np.concatenate(best)
        losses = sums_with_replacements(self._terms, column, word, terms, pause)
        deltas[tokens] = losses - self._loss
        return deltas


def _chunks(words: WordCounts) -> Iterator[tuple[int, int]]:
    """Ranges of words of about `_CHUNK` characters; a longer word is a range of its own."""
    first = size = 0
    for number, word in enumerate(words.words):
        if size and size + len(word) > _CHUNK:
            yield first, number
            first, size = number, 0
        size += len(word)
    if size:
        yield first, len(words)
