"""A run of parity-aware BPE in plain Python, which writes down what it does."""

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.history.base import Ints
from tokviz.history.merge_record import TOP
from tokviz.history.parity.record import ParityRecord
from tokviz.history.ties import TIE_BREAKS
from tokviz.trainers.merging.record import narrow, record_of
from tokviz.trainers.merging.task import Parity, Start, Task
from tokviz.trainers.parity.corpus import ParityCorpus
from tokviz.trainers.parity.turns import Balance, Turns
from tokviz.trainers.picking.ranking import Ranking

#: The turn of no language: all are counted together.
ALL = -1
_COLUMNS = (
    "left right tied known log_starts log_pair log_count top_pair top_count sizes turn live overall"
)


class Counts:
    """The pairs that one language has, or all have together."""

    def __init__(self, counts: list[int]) -> None:
        self.counts = counts

    def first_place(self, _p: int) -> int:
        """No rule that this trainer has asks for it."""
        return 0


class ParityMerges:
    """A `Merging` in each of whose states it is some language's turn. The best rows of a state are
    those of that language."""

    def __init__(self, task: Task, parity: Parity, pause: Pause) -> None:
        languages, held, balance = parity
        self._task, self._balance = task, balance
        measured = languages.development
        self._corpus = corpus = ParityCorpus(task.start, languages.counts, held, measured)
        pause()
        rule = TIE_BREAKS[task.rule].key
        assert rule
        key, keys, ids = rule(task.vocabulary.spelling), list[object](), task.vocabulary.ids
        self._symbols = symbols = [*task.start.alphabet]

        def tie(p: int) -> object:
            """What the rule compares of a pair; of all languages the same."""
            while len(keys) <= p:
                a, b = corpus.left[len(keys)], corpus.right[len(keys)]
                keys.append(key(symbols[a], symbols[b], ids[a], ids[b]))
            return keys[p]

        counts = [*corpus.counts, *([corpus.total] if balance.global_merges else [])]
        self._rankings = [Ranking(Counts(each), tie) for each in counts]
        #: Which lengths decide: those of the development texts, if there are any.
        self._measured = slice(len(languages.names), None) if measured else slice(0, None)
        ratio = () if measured else balance.ratio
        own = Balance(**{**vars(balance), "ratio": ratio})
        self._turns = Turns(own, corpus.lengths[self._measured])
        self._first_counts = [*corpus.total]
        self._columns: dict[str, list[int]] = {name: [] for name in _COLUMNS.split()}
        self._lengths: list[list[int]] = []
        self._turn = ALL
        self._enter_state()

    def _enter_state(self) -> None:
        write = self._columns
        self._turn = self._choose()
        front = self._rankings[self._turn].front if self._rankings else []
        best = front[:TOP]
        missing = TOP - len(best)
        write["top_pair"] += [entry[3] for entry in best] + [-1] * missing
        write["top_count"] += [-entry[0] for entry in best] + [0] * missing
        write["tied"].append(self._rankings[self._turn].tied if front else 0)
        write["turn"].append(self._turn)
        corpus = self._corpus
        write["live"].append(corpus.live_in_all if self._turn == ALL else corpus.live[self._turn])
        write["known"].append(len(self._corpus.left))
        write["log_starts"].append(len(write["log_pair"]))
        write["sizes"].append(len(self._task.vocabulary))
        self._lengths.append([*self._corpus.lengths[self._measured]])

    def _choose(self) -> int:
        """Whose turn it is; where it is nobody's, the language that has the best pair."""
        if len(self._columns["left"]) < self._balance.global_merges:
            return ALL
        while not self._turns.over:
            language = self._turns.next(self._corpus.lengths[self._measured])
            if self._best(language) >= self._task.min_frequency:
                return language
            self._turns.exhaust(language)
        return max(range(len(self._corpus.counts)), key=self._best, default=ALL)

    def _best(self, turn: int) -> int:
        """The count of the best pair of a language."""
        front = self._rankings[turn].front if self._rankings else []
        return -front[0][0] if front else 0

    def _take_step(self, p: int) -> None:
        corpus, write = self._corpus, self._columns
        left, right = corpus.left[p], corpus.right[p]
        write["left"].append(left)
        write["right"].append(right)
        write["overall"].append(corpus.total[p])
        self._symbols.append(self._symbols[left] + self._symbols[right])
        self._task.vocabulary.merge(left, right)
        corpus.merge(p)
        changed = [*corpus.touched_in, corpus.touched]
        for ranking, pairs in zip(self._rankings, changed, strict=False):
            ranking.update([*pairs])
        touched = [*corpus.touched]
        write["log_pair"] += touched
        write["log_count"] += [corpus.total[p] for p in touched]
        self._enter_state()

    def go_on(self, steps: int) -> str:
        while not (stop := self._ended()) and steps:
            self._take_step(self._rankings[self._turn].front[0][3])
            steps -= 1
        return stop

    def _ended(self) -> str:
        if len(self._task.vocabulary) >= self._task.vocab_size:
            return "size"
        if not self._task.start.counts:
            return "no_words"
        best = self._best(self._turn)
        if not best:
            return "no_pair"
        return "min_frequency" if best < self._task.min_frequency else ""

    def follow(self, left: Ints, right: Ints) -> int:
        for done, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            p = self._corpus.number.get(pair)
            if p is None or not self._rankings[self._turn].counts[p]:
                return done
            self._take_step(p)
        return len(left)

    def first_seen(self, p: int) -> int:
        return p

    def column(self, name: str) -> Ints:
        corpus, values = self._corpus, self._columns.get(name)
        if name == "gaps":
            never = corpus.steps
            values = [never if code < 0 else code for code in corpus.codes]
        elif name in ("pair_left", "pair_right"):
            values = corpus.right if name == "pair_right" else corpus.left
        elif name == "pair_counts":
            values = self._rankings[self._turn].counts if self._rankings else []
        elif name == "first_counts":
            values = self._first_counts
        return np.asarray(values, np.int64)

    def record(self, start: Start) -> ParityRecord:
        """What it has written down until now."""
        lengths = np.asarray(self._lengths, np.int64).reshape(len(self._lengths), -1)
        return ParityRecord(
            **vars(record_of(start, self)),
            turn=self.column("turn").astype(np.int16),
            live=narrow(self.column("live")),
            overall=narrow(self.column("overall")),
            lengths=narrow(lengths),
        )
