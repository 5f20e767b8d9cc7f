"""A run of PickyBPE in plain Python, which writes down what it does."""

from fractions import Fraction

import numpy as np

from tokviz.basics.progress import Pause
from tokviz.history.base import Ints
from tokviz.history.merge_record import TOP, MergeRecord
from tokviz.history.picking.record import PickyRecord
from tokviz.history.ties import TIE_BREAKS
from tokviz.trainers.merging.record import narrow, record_of
from tokviz.trainers.merging.task import Start, Task
from tokviz.trainers.picking.corpus import PickyCorpus
from tokviz.trainers.picking.gap_codes import OPEN
from tokviz.trainers.picking.ranking import Ranking

_COLUMNS = (
    "left right tied known log_starts log_pair log_count log_place top_pair top_count sizes made"
)


class PickyMerges:
    """A `Merging` whose steps are merges and removals. A removal has the token that goes on its
    left, and −1 on its right.

    >>> from tokviz.trainers.merging.task import task_of
    >>> task = task_of({"hugs": 9, "hug": 1, "ug": 1}, vocab_size=6)
    >>> run = PickyMerges(task, Fraction(4, 5), lambda: None)
    >>> run.go_on(2), run.column("left").tolist(), run.column("right").tolist()
    ('', [3, 1], [0, 4])
    """

    def __init__(self, task: Task, threshold: Fraction, pause: Pause) -> None:
        self._task, self._threshold = task, threshold
        self._corpus = corpus = PickyCorpus(task)
        pause()
        rule = TIE_BREAKS[task.rule]
        tie = rule.key(task.vocabulary.spelling) if rule.key else None
        symbols, ids = corpus.symbols, task.vocabulary.ids

        def key(p: int) -> tuple[object, ...]:
            left, right = corpus.left[p], corpus.right[p]
            assert tie
            return tie(symbols[left], symbols[right], ids[left], ids[right])

        self._ranking = Ranking(corpus, key if tie else None)
        self._first_counts = [*corpus.counts]
        self._first_places = [*self._ranking.places]
        self._columns: dict[str, list[int]] = {name: [] for name in _COLUMNS.split()}
        self._special = len(task.vocabulary) - corpus.n_base
        #: Of the last merge: how often it was made, and those of its parents not looked at yet.
        self._times, self._parents = 0, list[int]()
        #: The token that the next step takes back.
        self.going: int | None = None
        self._enter_state()

    @property
    def size(self) -> int:
        """How many tokens the vocabulary has."""
        return self._special + len(self._corpus.present) - self._corpus.like_special

    def _enter_state(self) -> None:
        write, front = self._columns, self._ranking.front
        self.going = self._goes_next()
        best = front[:TOP]
        missing = TOP - len(best)
        write["top_pair"] += [entry[3] for entry in best] + [-1] * missing
        write["top_count"] += [-entry[0] for entry in best] + [0] * missing
        # Where a token is taken back, nothing is decided among pairs.
        write["tied"].append(len(best[:1]) if self.going is not None else self._ranking.tied)
        write["known"].append(len(self._corpus.left))
        write["log_starts"].append(len(write["log_pair"]))
        write["sizes"].append(self.size)

    def _goes_next(self) -> int | None:
        while self._parents:
            parent = self._parents.pop(0)
            of = self._corpus.uses[parent] + self._times
            if self._corpus.may_go(parent) and Fraction(self._times, of) > self._threshold:
                return parent
        return None

    def _take_step(self, p: int) -> None:
        corpus, write = self._corpus, self._columns
        if self.going is not None:
            corpus.take_back(self.going)
            left, right, made = self.going, -1, self.going
        else:
            left, right = corpus.left[p], corpus.right[p]
            made, self._times = corpus.merge(p)
            self._parents = [*dict.fromkeys((left, right))]
        write["left"].append(left)
        write["right"].append(right)
        write["made"].append(made)
        touched = [*corpus.touched]
        self._ranking.update(touched)
        places = self._ranking.places
        write["log_pair"] += touched
        write["log_count"] += [corpus.counts[p] for p in touched]
        write["log_place"] += [places[p] for p in touched]
        self._enter_state()

    def go_on(self, steps: int) -> str:
        while not (stop := self._ended()) and steps:
            self._take_step(self._ranking.front[0][3] if self._ranking.front else -1)
            steps -= 1
        return stop

    def _ended(self) -> str:
        front = self._ranking.front
        if self.going is not None:
            return ""
        if self.size >= self._task.vocab_size:
            return "size"
        if not self._task.start.counts:
            return "no_words"
        if not front:
            return "no_pair"
        return "min_frequency" if -front[0][0] < self._task.min_frequency else ""

    def follow(self, left: Ints, right: Ints) -> int:
        for done, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            p = self._corpus.number.get(pair)
            if self.going is not None or p is None or not self._corpus.counts[p]:
                return done
            self._take_step(p)
        return len(left)

    def first_seen(self, p: int) -> int:
        return self._ranking.places[p]

    def column(self, name: str) -> Ints:
        corpus, values = self._corpus, self._columns.get(name)
        if name == "gaps":
            never = len(self._columns["left"])
            values = [never if code == OPEN else code for code in corpus.codes.now]
        elif name in ("pair_left", "pair_right"):
            values = corpus.right if name == "pair_right" else corpus.left
        elif name == "pair_counts":
            values = corpus.counts
        elif name == "first_counts":
            values = self._first_counts
        return np.asarray(values, np.int64)

    def record(self, start: Start) -> PickyRecord:
        """What it has written down until now."""
        plain = record_of(start, self)
        never, codes = len(plain.left), self._corpus.codes
        gaps = plain.gaps.copy()
        gaps[sorted(codes.restless)] = never
        # In the order of states; of one state, in that of gaps.
        changes = np.asarray(sorted(codes.changes), np.int64).reshape(-1, 3)
        changes[changes == OPEN] = never
        return PickyRecord(
            **{**vars(plain), "gaps": gaps},
            made=self.column("made").astype(np.int32),
            change_state=narrow(changes[:, 0]),
            change_gap=narrow(changes[:, 1]),
            change_code=narrow(changes[:, 2]),
            log_place=self.column("log_place").astype(np.int32),
            keyframe_place=self._framed(plain),
        )

    def _framed(self, record: MergeRecord) -> Ints:
        """The places of all pairs of the keyframes."""
        log, found = self.column("log_place"), []
        places = np.zeros(len(self._corpus.left), np.int64)
        places[: len(self._first_places)] = self._first_places
        at = 0
        for i, state in enumerate(record.keyframe_states.tolist()):
            end = int(record.log_starts[state])
            places[record.log_pair[at:end]] = log[at:end]
            rows = slice(*record.keyframe_starts[i : i + 2].tolist())
            found.append(places[record.keyframe_pair[rows]])
            at = end
        return np.concatenate(found).astype(np.int32)
