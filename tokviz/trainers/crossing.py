"""The two stages of SuperBPE: merges within words, and then merges across their borders.

What stage 1 merges is done again in the runs of text, in the same order and wherever a pair stands,
as the program does and as the finished tokenizer will. So two words of a run may be joined where
letters of one and signs of the other are a pair that other words have; and where all places of a
pair were taken by earlier merges, there is nothing to do again: such a merge is passed over.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tokviz.basics.progress import ProgressCallback
from tokviz.history.merge_record import MergeRecord
from tokviz.history.stop import Stop
from tokviz.text.symbols import Spelling, Symbol, SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.interventions import Interventions, MergeInterventions
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.merging.loop import merging, run_merges
from tokviz.trainers.merging.record import record_of
from tokviz.trainers.merging.spliced import spliced
from tokviz.trainers.merging.task import Merging, Start, Task

if TYPE_CHECKING:
    from tokviz.trainers.super_bpe import SuperBPE


class Stages:
    """The two runs of merges of a training."""

    def __init__(
        self, trainer: "SuperBPE", runs: WordCounts, spelling: Spelling, alphabet: list[Symbol]
    ) -> None:
        self._trainer, self._spelling, self._alphabet = trainer, spelling, alphabet
        self._runs = Start.of(runs, spelling, alphabet)

    def within(
        self, words: WordCounts, progress: ProgressCallback | None
    ) -> tuple[MergeRecord, Stop]:
        """The merges within words, until their borders fall or the vocabulary is full."""
        size = min(self._trainer.vocab_size, self._trainer.transition_size)
        start = Start.of(words, self._spelling, self._alphabet, progress)
        told = WithinInterventions(self._trainer.interventions, self._begin)
        return run_merges(self._task(start, max(size, len(self._table()))), progress, told)

    def in_runs(self, within: MergeRecord) -> MergeRecord:
        """What the merges within words do in runs."""
        followed, run = self._followed(within)
        steps = np.asarray([*followed, len(within.left)], np.int64)
        columns = record_of(self._runs, run)
        gaps = steps[columns.gaps].astype(within.gaps.dtype)
        return replace(within, symbols=columns.symbols, starts=columns.starts, gaps=gaps)

    def across(
        self, within: MergeRecord, progress: ProgressCallback | None
    ) -> tuple[MergeRecord, Stop]:
        """The same, and then merges across the borders of words."""
        trainer = self._trainer
        followed, run = self._followed(within)
        border, at = len(within.left), len(followed)
        numbers = np.full(len(self._alphabet) + border, -1)
        numbers[: len(self._alphabet)] = np.arange(len(self._alphabet))
        numbers[len(self._alphabet) + np.asarray(followed, np.int64)] = len(
            self._alphabet
        ) + np.arange(at)
        left, right = (numbers[side[followed]] for side in (within.left, within.right))
        # Merges that are passed over have made tokens, too.
        more = self._size(within) - int(run.column("sizes")[-1])
        given = zip(left.tolist(), right.tolist(), strict=True)
        candidates = PairsAcross(self._alphabet, self._spelling.unit, trainer.longest, given)
        task = self._task(self._runs, trainer.vocab_size - more, candidates)
        told = AcrossInterventions(border - at, self._told_from(border), self._begin)
        other, stop = run_merges(task, progress, told, replace(within, left=left, right=right), at)
        record = record_of(self._runs, spliced(within, other, followed)) if border else other
        return record, self._ended(stop, more, border - at)

    def _followed(self, within: MergeRecord) -> tuple[list[int], Merging]:
        """The steps of stage 1 that have something to merge in runs, and the run that made them."""
        run = merging(self._task(self._runs, self._trainer.vocab_size), lambda: None)
        n_base, steps = len(self._alphabet), len(within.left)
        numbers, followed, step = np.arange(n_base + steps), list[int](), 0
        while step < steps:
            numbers[n_base + step :] = n_base + len(followed) + np.arange(steps - step)
            left, right = (numbers[side[step:]] for side in (within.left, within.right))
            gone = np.flatnonzero((left < 0) | (right < 0))
            end = int(gone[0]) if len(gone) else steps - step
            done = run.follow(left[:end], right[:end])
            followed += range(step, step + done)
            step += done
            if step < steps:
                numbers[n_base + step] = -1
                step += 1
        return followed, run

    def _table(self) -> SymbolTable:
        return SymbolTable(self._spelling, self._trainer.special_tokens, self._alphabet)

    def _begin(self) -> SymbolTable:
        return SymbolTable(self._spelling, (), self._alphabet)

    def _task(self, start: Start, size: int, candidates: Candidates | None = None) -> Task:
        rule, least = self._trainer.tie_break, self._trainer.min_frequency
        return Task(start, self._table(), rule, size, least, candidates)

    def _size(self, record: MergeRecord) -> int:
        table = self._table()
        for left, right in zip(record.left.tolist(), record.right.tolist(), strict=True):
            table.merge(left, right)
        return len(table)

    def _told_from(self, border: int) -> Interventions:
        return tuple(choice for choice in self._trainer.interventions if choice[0] >= border)

    def _ended(self, stop: Stop, more: int, missed: int) -> Stop:
        """Why the training ended, with what was passed over."""
        if stop.kind == "cancelled":
            return replace(stop, values={"merges": int(stop.values["merges"]) + missed})
        kind = "no_pair_across" if stop.kind == "no_valid_pair" else stop.kind
        asked, reached = (n and n + more for n in (stop.asked, stop.reached))
        return replace(stop, kind=kind, asked=asked, reached=reached)


class PairsAcross(Candidates):
    """Pairs that make a token of at most `longest` words, in which no space is behind a colon; and
    those that are `given`.

    >>> pairs = PairsAcross([Symbol(text) for text in (":", " ", "a", " b")], "char", 2, ())
    >>> pairs.allowed(0, 1), pairs.allowed(2, 3), pairs.join(2, 3), pairs.allowed(4, 3)
    (False, True, None, False)
    """

    def __init__(
        self,
        alphabet: Iterable[Symbol],
        unit: str,
        longest: int,
        given: Iterable[tuple[int, int]],
    ) -> None:
        self._texts = [symbol.text for symbol in alphabet]
        self._space = "Ġ" if unit == "byte" else " "
        self._longest, self._given = longest, {*given}

    def allowed(self, left: int, right: int) -> bool:
        made = self._texts[left] + self._texts[right]
        if f":{self._space}" not in made:
            words = sum(map(bool, made.split(self._space)))
            if words <= self._longest:
                return True
        return (left, right) in self._given

    def join(self, left: int, right: int) -> None:
        self._texts.append(self._texts[left] + self._texts[right])


class WithinInterventions(MergeInterventions):
    """What stage 1 is told: its last steps may be those of stage 2."""

    def check_all_made(self, steps: int, stop: Stop) -> None:
        """Nothing: stage 2 looks whether all was made."""


class AcrossInterventions(MergeInterventions):
    """What stage 2 is told, whose run has made some steps less: those that were passed over."""

    def __init__(self, missed: int, told: Interventions, begin: Callable[[], SymbolTable]) -> None:
        super().__init__(told, begin)
        self._missed = missed

    def steps_before(self, step: int) -> int:
        return super().steps_before(step + self._missed)

    def pair(self, step: int, run: Merging) -> tuple[int, int] | None:
        return super().pair(step + self._missed, run)

    def check_all_made(self, steps: int, stop: Stop) -> None:
        super().check_all_made(steps + self._missed, stop)
