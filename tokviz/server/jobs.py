"""A run in, its history out: trained in a process of its own, once for everybody.

Run ──▶ history_of ──▶ the pool ──▶ a worker: `pool/work.py` ──▶ tokviz.train ──▶ History
            └─▶ it is known: `histories.py`
"""

from dataclasses import replace
from typing import Any

from tokviz.basics.messages import message
from tokviz.history.base import History
from tokviz.server import limits
from tokviz.server.histories import hold, place_for, put_back, weigh_history
from tokviz.server.limit_checks import check_run
from tokviz.server.limits import LIMITS
from tokviz.server.opened_files import files_of, find
from tokviz.server.pool import CANCEL, LATE, Call, Job, out_of_time, work
from tokviz.server.runs import Run, TokenizerFile
from tokviz.server.shared_cache import Place
from tokviz.server.waiting import bar, made_once
from tokviz.text.corpus import Cancelled

#: Where the place of a branch has the history that it is to go on from.
_PARENT = "parent"


class Stopped(Cancelled):
    """Somebody wanted no more steps, or the time of the training was over. `run` is what was
    trained until then: the same run with a vocabulary of the size that was reached, whose history
    is known. `late` says so if its time was over."""

    def __init__(self, run: Run, history: History, late: str = "") -> None:
        super().__init__(history.stopped)
        self.run, self.history, self.late = run, history, late


def history_of(run: Run) -> History:
    """The history of a run; trains with a progress bar unless somebody did before.

    Training goes on in a process of its own, so that neither a click elsewhere on the page nor a
    reload loses it. Raises ValueError with a sentence for a corpus or setting that cannot be and
    for a training that failed, Cancelled, and Stopped.
    """
    put_back(run)
    place = place_for(run)

    def finish(job: Job, made: Any) -> History:
        if isinstance(run.source, TokenizerFile):
            made = work.replayed(find(run.source.digest), made)
        try:
            history = _finished(run, job, made)
        except Stopped as stopped:
            place_for(stopped.run).setdefault("made", stopped.history)
            weigh_history(stopped.run, stopped.history)
            raise
        weigh_history(run, history)
        return history

    try:
        history = made_once(place, lambda: _call(run, place), finish, bar(f"{hash(run.key):x}"))
    finally:
        # Nobody weighs it.
        place.pop(_PARENT, None)
    hold(run, history)
    return history


def branches_from(run: Run, history: History) -> None:
    """Has a branch trained out of the history of the run that has all its interventions but the
    last, at the cost of the steps that follow."""
    # A run that was stopped would go on to the size that it was meant to have.
    if history.trainer.vocab_size == run.vocab_size:
        place_for(run)[_PARENT] = history


def _call(run: Run, place: Place) -> Call:
    """What a worker does for a run."""
    check_run(run, limits.LIMITS)
    if isinstance(run.source, TokenizerFile):
        return Call(work.replay, (files_of(run.source.digest), *run.corpus.key))
    if _PARENT in place:
        return Call(work.branch, (place[_PARENT], *run.interventions[-1]))
    asked = (run.algorithm, run.vocab_size, run.make_pretokenizer(), run.trainer_settings)
    return Call(work.train, (*run.corpus.key, *asked, limits.LIMITS.corpus))


def _finished(run: Run, job: Job, history: History) -> History:
    """The history that a job made, if it is whole. Raises Stopped or Cancelled if not."""
    steps = len(history)
    if history.stop.kind != "cancelled":
        # It was done before it heard that it was enough.
        return history
    if job.enough == LATE and not steps:
        raise out_of_time(LIMITS.training.seconds)
    if not steps or job.enough in (CANCEL, None):
        raise Cancelled(message("Training was cancelled."))
    late = ""
    if job.enough == LATE:
        late = message(
            "The training took more than the {seconds:,.0f} seconds that this server allows. You "
            "see what was trained until then; for all of it, use a shorter text, or your own "
            "computer with python -m tokviz train.",
            seconds=LIMITS.training.seconds,
        )
    if isinstance(run.source, TokenizerFile):
        raise Stopped(replace(run, source=replace(run.source, steps=steps)), history, late)
    raise Stopped(replace(run, vocab_size=history.vocab_size(steps)), history, late)
