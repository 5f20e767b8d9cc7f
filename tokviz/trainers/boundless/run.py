"""A run of BoundlessBPE in plain Python, which writes down what it does."""

from typing import Any

import numpy as np

from tokviz.basics.no_cycles import no_cycles
from tokviz.basics.progress import Pause
from tokviz.history.base import Ints
from tokviz.history.boundless.history import BoundlessRecord
from tokviz.history.boundless.removals import BoundlessRemovalRecord
from tokviz.history.merge_record import TOP
from tokviz.trainers.boundless.corpus import NONE, BoundlessCorpus
from tokviz.trainers.boundless.run_gaps import run_gaps
from tokviz.trainers.merging.record import narrow, record_of
from tokviz.trainers.merging.task import Boundless, Start, Task
from tokviz.trainers.picking.ranking import Entry, Ranking

_COLUMNS = "left right across made uses tied known log_starts log_pair log_count sizes"
#: What stands among the best pairs where there are fewer.
_NO_PAIR: Entry = (0, None, 0, NONE)


class BoundlessMerges:
    """A `Merging` whose pairs are within words or across them. With a threshold, its steps are
    merges and removals; a removal has the token that goes on its left, and −1 on its right."""

    @no_cycles()
    def __init__(self, task: Task, boundless: Boundless, pause: Pause) -> None:
        self._task, self._words, self._cut = task, boundless.words, boundless.cut
        table, counts = task.vocabulary, task.start.counts
        self._corpus = BoundlessCorpus(self._words, self._cut, counts, table.shows_special)
        pause()
        spelling = table.spelling
        self._bytes = spelled = [*map(spelling.bytes_of, task.start.alphabet)]
        self._pairs = pairs = self._corpus.pairs

        def tie(p: int) -> tuple[bool, bytes, bytes]:
            """See `tokviz.history.boundless.history.tie_of`."""
            return not pairs.across[p], spelled[pairs.left[p]], spelled[pairs.right[p]]

        self._ranking = Ranking(pairs, tie)
        self._first_counts = [*self._pairs.counts]
        self._columns: dict[str, list[int]] = {name: [] for name in _COLUMNS.split()}
        #: The best pairs of every state.
        self._best: list[Entry] = []
        self._removed = 0
        #: The tokens that the last merge used up, and how often each was used before it.
        self._used_up: list[tuple[int, int]] = []
        self._enter_state()

    @property
    def going(self) -> int | None:
        """The token that the next step takes back."""
        return self._used_up[0][0] if self._used_up else None

    @property
    def size(self) -> int:
        """How many tokens the vocabulary has."""
        return len(self._task.vocabulary) - self._removed

    def _enter_state(self) -> None:
        write, best = self._columns, self._ranking.front[:TOP]
        self._best += best + [_NO_PAIR] * (TOP - len(best))
        # Where a token is taken back, nothing is decided among pairs.
        write["tied"].append(len(best[:1]) if self._used_up else self._ranking.tied)
        write["known"].append(len(self._pairs.left))
        write["log_starts"].append(len(write["log_pair"]))
        write["sizes"].append(self.size)

    def _take_step(self, p: int) -> None:
        write, pairs = self._columns, self._pairs
        step = self._take_back() if self._used_up else self._merge(p)
        for name, value in zip(("left", "right", "across", "made", "uses"), step, strict=True):
            write[name].append(value)
        touched = [*pairs.touched]
        self._ranking.update(touched)
        write["log_pair"] += touched
        write["log_count"] += [pairs.counts[p] for p in touched]
        self._enter_state()

    def _merge(self, p: int) -> tuple[int, int, int, int, int]:
        pairs, corpus = self._pairs, self._corpus
        left, right, across = pairs.left[p], pairs.right[p], pairs.across[p]
        used = [(side, corpus.uses[side]) for side in dict.fromkeys((left, right))]
        self._bytes.append(self._bytes[left] + self._bytes[right])
        self._task.vocabulary.merge(left, right)
        new, times = corpus.merge(p)
        least = self._task.threshold
        if least is not None and not across:
            self._used_up = [
                (side, uses)
                for side, uses in used
                if corpus.may_go(side) and times * least.denominator >= least.numerator * uses
            ]
        return left, right, across, new, 0

    def _take_back(self) -> tuple[int, int, int, int, int]:
        token, uses = self._used_up.pop(0)
        self._removed += 1
        self._bytes.append(self._bytes[token])
        self._task.vocabulary.repeat(token)
        self._corpus.take_back(token)
        return token, -1, 0, token, uses

    @no_cycles()
    def go_on(self, steps: int) -> str:
        while not (stop := self._ended()) and steps:
            self._take_step(self._ranking.front[0][3] if self._ranking.front else NONE)
            steps -= 1
        return stop

    def _ended(self) -> str:
        if self._used_up:
            return ""
        if self.size >= self._task.vocab_size:
            return "size"
        if not self._task.start.counts:
            return "no_words"
        if not self._ranking.front:
            return "no_pair"
        return "min_frequency" if -self._ranking.front[0][0] < self._task.min_frequency else ""

    def follow(self, left: Ints, right: Ints) -> int:
        for done, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            p = self._pairs.number(*pair)
            if p < 0 or self._used_up:
                return done
            self._take_step(p)
        return len(left)

    def first_seen(self, p: int) -> int:
        return p

    def column(self, name: str) -> Ints:
        values = self._columns.get(name)
        if name == "gaps":
            return self._gaps()[0]
        if name in ("pair_left", "pair_right"):
            values = self._pairs.right if name == "pair_right" else self._pairs.left
        elif name == "top_pair":
            values = [entry[3] for entry in self._best]
        elif name == "top_count":
            values = [-entry[0] for entry in self._best]
        elif name == "pair_counts":
            values = self._pairs.counts
        elif name == "first_counts":
            values = self._first_counts
        return np.asarray(values, np.int64)

    def _gaps(self) -> tuple[Ints, Ints]:
        corpus, starts = self._corpus, np.asarray(self._words.starts, np.int64)
        return run_gaps(self._cut, starts, corpus.words.codes, corpus.runs.codes, corpus.steps)

    def record(self, start: Start) -> BoundlessRecord:
        """What it has written down until now."""
        plain = record_of(start, self)
        kinds: dict[str, Any] = {
            "across": self.column("across").astype(np.int8),
            "pair_across": np.asarray(self._pairs.across, np.int8),
        }
        if self._task.threshold is None:
            return BoundlessRecord(**vars(plain), **kinds)
        never, (gaps, changes) = self._corpus.steps, self._gaps()
        gaps[changes[:, 1]] = never
        return BoundlessRemovalRecord(
            **{**vars(plain), "gaps": gaps.astype(plain.gaps.dtype)},
            **kinds,
            made=self.column("made").astype(np.int32),
            uses=narrow(self.column("uses")),
            change_state=narrow(changes[:, 0]),
            change_gap=narrow(changes[:, 1]),
            change_code=narrow(changes[:, 2]),
            log_place=np.zeros(len(plain.log_pair), np.int32),
            keyframe_place=np.zeros(len(plain.keyframe_pair), np.int32),
        )
