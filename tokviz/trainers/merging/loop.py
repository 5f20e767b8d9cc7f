"""The training loop of BPE and WordPiece: slices of merges, what is told, and why it ends."""

import numpy as np

from tokviz.basics.errors import FileError
from tokviz.basics.messages import message
from tokviz.basics.progress import Interrupted, Pause, ProgressCallback, Reporter, Slices
from tokviz.history.merge_record import TOP, MergeRecord
from tokviz.history.stop import Stop
from tokviz.text.corpus import Cancelled
from tokviz.trainers.boundless.run import BoundlessMerges
from tokviz.trainers.compiled import runs_compiled
from tokviz.trainers.interventions import NO_INTERVENTIONS, MergeInterventions
from tokviz.trainers.merging.compiled import CompiledMerges
from tokviz.trainers.merging.plain_run import PlainMerges
from tokviz.trainers.merging.record import record_of
from tokviz.trainers.merging.task import Merging, Task
from tokviz.trainers.parity.run import ParityMerges
from tokviz.trainers.picking.run import PickyMerges

#: Seconds between two looks at the keyboard where nobody asked for progress.
_SLICE = 0.1


def run_merges(
    task: Task,
    progress: ProgressCallback | None,
    interventions: MergeInterventions = NO_INTERVENTIONS,
    record: MergeRecord | None = None,
    state: int = 0,
) -> tuple[MergeRecord, Stop]:
    """Merges the best pair again and again until the task is done, or what `interventions` says
    instead. The first `state` merges are those of a `record`. Returns the record and the reason why
    it ended.

    Raises Cancelled if the callback stops it before the first merge, SettingError for an
    intervention that cannot be made, or is not reached, and FileError if the merges of the record
    are not those of its words.
    """
    indexing = Reporter("words", len(task.start.counts), progress)
    try:
        run = merging(task, indexing.pause(len(task.start.counts)))
    except Interrupted:
        raise Cancelled(message("Cancelled before the first merge.")) from None
    steps = 0
    if record is not None:
        left, right = (np.asarray(side[:state], np.int64) for side in (record.left, record.right))
        steps = run.follow(left, right)
        if steps < state:
            raise FileError.saying(
                "The candidates of this history are not the pairs of its words: its file is "
                "damaged. Train again."
            )
    size = int(run.column("sizes")[-1])
    reporter = Reporter("merges", steps + task.vocab_size - size, progress)
    slices = Slices(1, reporter.interval / 5) if progress else Slices(1000, _SLICE)
    unit = "merges" if task.threshold is None else "steps"
    kind = run.go_on(0)
    while not kind:
        reporter.expect(steps + 1)
        if reporter.cancelled(steps):
            return _written(task, run), Stop("cancelled", values={unit: steps})
        if pair := interventions.pair(steps, run):
            run.follow(*(np.asarray([symbol]) for symbol in pair))
            steps += 1
            kind = run.go_on(0)
            continue
        some = min(slices.most, interventions.steps_before(steps))
        slices.begin()
        kind = run.go_on(some)
        slices.end()
        steps = len(run.column("left")) if kind else steps + some
    reporter.expect(steps)
    reporter.cancelled(steps)
    stop = _stop(kind, task, run)
    interventions.check_all_made(steps, stop)
    return _written(task, run), stop


def merging(task: Task, pause: Pause) -> Merging:
    """What makes the merges: the compiled trainer, if it runs here; else plain Python."""
    if task.boundless is not None:
        return BoundlessMerges(task, task.boundless, pause)
    if task.threshold is not None:
        return PickyMerges(task, task.threshold, pause)
    if task.parity is not None:
        return ParityMerges(task, task.parity, pause)
    # A space that is written as several characters would not be compared as they are.
    if len(task.vocabulary.spelling.space_mark) == 1 and runs_compiled():
        return CompiledMerges(task, pause)
    return PlainMerges(task)


def _written(task: Task, run: Merging) -> MergeRecord:
    if isinstance(run, PickyMerges | ParityMerges | BoundlessMerges):
        return run.record(task.start)
    return record_of(task.start, run)


def _stop(kind: str, task: Task, run: Merging) -> Stop:
    size = int(run.column("sizes")[-1])
    if kind == "size":
        return Stop("size", task.vocab_size)
    if kind == "no_words":
        return Stop("no_words")
    if kind == "min_frequency":
        values = {"count": int(run.column("top_count")[-TOP]), "least": task.min_frequency}
        return Stop("min_frequency", task.vocab_size, size, values)
    open_gaps = run.column("gaps") == len(run.column("left"))
    whole = np.array_equal(np.flatnonzero(open_gaps), task.start.starts[:-1])
    if whole:
        return Stop("no_pair", task.vocab_size, size)
    others = task.boundless is None
    return Stop("no_valid_pair" if others else "no_words_to_join", task.vocab_size, size)
