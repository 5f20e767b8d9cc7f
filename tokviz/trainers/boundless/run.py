"""A run of BoundlessBPE in plain Python, which writes down what it does."""

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.history.base import Ints
from tokviz.history.boundless.history import BoundlessRecord
from tokviz.history.merge_record import TOP
from tokviz.text.symbols import Symbol
from tokviz.trainers.boundless.corpus import NONE, BoundlessCorpus
from tokviz.trainers.merging.record import record_of
from tokviz.trainers.merging.task import Boundless, Start, Task
from tokviz.trainers.picking.ranking import Ranking

_COLUMNS = "left right across tied known log_starts log_pair log_count top_pair top_count sizes"


class BoundlessMerges:
    """A `Merging` whose pairs are within words or across them."""

    def __init__(self, task: Task, boundless: Boundless, pause: Pause) -> None:
        self._task, self._words, self._cut = task, boundless.words, boundless.cut
        table, counts = task.vocabulary, task.start.counts

        def is_special(text: str) -> bool:
            return table.special_id(Symbol(text)) is not None

        self._corpus = BoundlessCorpus(self._words, self._cut, counts, is_special)
        pause()
        spelling = table.spelling
        self._bytes = [*map(spelling.bytes_of, task.start.alphabet)]
        self._pairs = self._corpus.pairs
        self._ranking = Ranking(self._pairs, self._tie)
        self._first_counts = [*self._pairs.counts]
        self._columns: dict[str, list[int]] = {name: [] for name in _COLUMNS.split()}
        self._enter_state()

    def _tie(self, p: int) -> tuple[bool, bytes, bytes]:
        """See `tokviz.history.boundless.history.tie_of`."""
        pairs = self._pairs
        return not pairs.across[p], self._bytes[pairs.left[p]], self._bytes[pairs.right[p]]

    def _enter_state(self) -> None:
        write, best = self._columns, self._ranking.front[:TOP]
        missing = TOP - len(best)
        write["top_pair"] += [entry[3] for entry in best] + [NONE] * missing
        write["top_count"] += [-entry[0] for entry in best] + [0] * missing
        write["tied"].append(self._ranking.tied)
        write["known"].append(len(self._pairs.left))
        write["log_starts"].append(len(write["log_pair"]))
        write["sizes"].append(len(self._task.vocabulary))

    def _take_step(self, p: int) -> None:
        write, pairs = self._columns, self._pairs
        left, right = pairs.left[p], pairs.right[p]
        write["left"].append(left)
        write["right"].append(right)
        write["across"].append(pairs.across[p])
        self._bytes.append(self._bytes[left] + self._bytes[right])
        self._task.vocabulary.merge(left, right)
        self._corpus.merge(p)
        self._ranking.update([*pairs.touched])
        write["log_pair"] += pairs.touched
        write["log_count"] += [pairs.counts[p] for p in pairs.touched]
        self._enter_state()

    def go_on(self, steps: int) -> str:
        while not (stop := self._ended()) and steps:
            self._take_step(self._ranking.front[0][3])
            steps -= 1
        return stop

    def _ended(self) -> str:
        if len(self._task.vocabulary) >= self._task.vocab_size:
            return "size"
        if not self._task.start.counts:
            return "no_words"
        if not self._ranking.front:
            return "no_pair"
        return "min_frequency" if -self._ranking.front[0][0] < self._task.min_frequency else ""

    def follow(self, left: Ints, right: Ints) -> int:
        for done, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            p = self._pairs.number(*pair)
            if p < 0:
                return done
            self._take_step(p)
        return len(left)

    def first_seen(self, p: int) -> int:
        return p

    def column(self, name: str) -> Ints:
        values = self._columns.get(name)
        if name == "gaps":
            return self._gaps()
        if name in ("pair_left", "pair_right"):
            values = self._pairs.right if name == "pair_right" else self._pairs.left
        elif name == "pair_counts":
            values = self._pairs.counts
        elif name == "first_counts":
            values = self._first_counts
        return np.asarray(values, np.int64)

    def _gaps(self) -> Ints:
        """Those of the words in every run, and between them those of the run."""
        numbers, starts = self._cut.numbers, np.asarray(self._words.starts, np.int64)
        sizes = np.diff(starts)[numbers]
        firsts = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) + np.repeat(starts[numbers] - firsts, sizes)
        gaps: Ints = np.asarray(self._corpus.words.codes, np.int64)[places]
        gaps[firsts] = self._corpus.runs.codes
        gaps[gaps == NONE] = len(self._columns["left"])
        return gaps

    def record(self, start: Start) -> BoundlessRecord:
        """What it has written down until now."""
        return BoundlessRecord(
            **vars(record_of(start, self)),
            across=self.column("across").astype(np.int8),
            pair_across=np.asarray(self._pairs.across, np.int8),
        )
