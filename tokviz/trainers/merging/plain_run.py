"""A run of merges in plain Python, which writes down what the compiled one does."""

import numpy as np

from tokviz.history.base import Ints
from tokviz.history.merge_record import TOP
from tokviz.trainers.merging.plain import Pair, PlainCorpus
from tokviz.trainers.merging.task import Task

_COLUMNS = "left right tied known log_starts log_pair log_count top_pair top_count sizes"


class PlainMerges:
    """A `Merging`.

    >>> from tokviz.trainers.merging.task import task_of
    >>> run = PlainMerges(task_of({"hugs": 2, "hug": 1}, vocab_size=6))
    >>> run.go_on(9), run.column("left").tolist(), run.column("gaps").tolist()
    ('size', [1, 4], [2, 0, 1, 2, 2, 0, 1])
    """

    def __init__(self, task: Task) -> None:
        self._task, self._corpus = task, PlainCorpus(task)
        self._first_counts = self._counts()
        self._columns: dict[str, list[int]] = {name: [] for name in _COLUMNS.split()}
        self._enter_state()

    def _counts(self) -> list[int]:
        return [self._corpus.counts.get(pair, 0) for pair in self._corpus.number]

    def _enter_state(self) -> None:
        corpus, write = self._corpus, self._columns
        self._best = corpus.best()
        best = self._best[:TOP]
        missing = TOP - len(best)
        write["top_pair"] += [corpus.number[pair] for pair in best] + [-1] * missing
        write["top_count"] += [corpus.counts[pair] for pair in best] + [0] * missing
        scores = [] if self._task.rule == "given" else [*map(corpus.score, self._best)]
        write["tied"].append(scores.count(scores[0]) if scores else len(best[:1]))
        write["known"].append(len(corpus.number))
        write["log_starts"].append(len(write["log_pair"]))
        write["sizes"].append(len(self._task.vocabulary))

    def _take_step(self, pair: Pair) -> None:
        corpus, write = self._corpus, self._columns
        changed = corpus.merge(pair)
        write["left"].append(pair[0])
        write["right"].append(pair[1])
        write["log_pair"] += [corpus.number[p] for p in changed]
        write["log_count"] += [corpus.counts.get(p, 0) for p in changed]
        self._enter_state()

    def go_on(self, steps: int) -> str:
        while not (stop := self._ended()) and steps:
            self._take_step(self._best[0])
            steps -= 1
        return stop

    def _ended(self) -> str:
        if len(self._task.vocabulary) >= self._task.vocab_size:
            return "size"
        if not self._corpus.words:
            return "no_words"
        if not self._best:
            return "no_pair"
        best = self._corpus.counts[self._best[0]]
        return "min_frequency" if best < self._task.min_frequency else ""

    def follow(self, left: Ints, right: Ints) -> int:
        for done, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            if pair not in self._corpus.counts:
                return done
            self._take_step(pair)
        return len(left)

    def first_seen(self, p: int) -> int:
        return self._corpus.places[[*self._corpus.number][p]]

    def column(self, name: str) -> Ints:
        if name == "gaps":
            gaps, never = self._corpus.gaps, len(self._columns["left"])
            values = [gaps.get(place, never) for place in range(len(self._task.start.symbols))]
        elif name in ("pair_left", "pair_right"):
            values = [pair[name == "pair_right"] for pair in self._corpus.number]
        elif name == "pair_counts":
            values = self._counts()
        else:
            values = self._first_counts if name == "first_counts" else self._columns[name]
        return np.asarray(values, np.int64)
