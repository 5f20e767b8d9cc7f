"""Turn a run into its history: trained once, in a worker process, for all who ask for it.

Run ──▶ history_of ──▶ the pool ──▶ a worker: `pool/work.py` ──▶ tokviz.train ──▶ History
            └─▶ it is cached: `histories.py`
"""

from dataclasses import replace
from typing import Any

from tokviz.basics.messages import current, message, using
from tokviz.formats.choice_checks import not_chosen
from tokviz.history.base import History
from tokviz.narration.choosing import chooses
from tokviz.server import limits
from tokviz.server.histories import (
    entry_for,
    hold,
    kept_packed,
    put_back,
    put_history,
    weigh_history,
)
from tokviz.server.limit_checks import check_new_tokens, check_run
from tokviz.server.limits import LIMITS
from tokviz.server.opened.opened_files import files_of, find
from tokviz.server.pool import CANCEL, LATE, Call, Job, out_of_time, work
from tokviz.server.runs import Run, TokenizerFile
from tokviz.server.shared_cache import CacheEntry
from tokviz.server.waiting import Show, bar, compute_once
from tokviz.text.corpus import Cancelled

#: Key in the cache entry of a branch: the history that it continues.
_PARENT = "parent"
#: The same: how the history is drawn next.
_DRAWN = "drawn"
#: Of an opened file: that its characters are not those that its settings choose.
_NOT_CHOSEN = "not chosen"


class Stopped(Cancelled):
    """A training was stopped early, by the visitor or the time limit. `run` is the same run with
    the vocabulary size that was reached; its history is cached. `late` is a sentence if time was
    up."""

    def __init__(self, run: Run, history: History, late: str = "") -> None:
        super().__init__(history.stopped)
        self.run, self.history, self.late = run, history, late


def draw_next(run: Run, label: str, lanes: int) -> None:
    """Have the worker that trains a run also pack it: it is drawn next under a label, as one of so
    many lanes, in the current language."""
    entry = entry_for(run)
    if "made" not in entry:
        entry[_DRAWN] = work.Drawn(label, lanes, current())


def history_of(run: Run, show: Show | None = None) -> History:
    """Return the history of a run: from the cache, or trained while `show` waits, by default with a
    progress bar.

    The training runs in a worker process, so it survives a click elsewhere and a reload. Raises
    ValueError for an invalid corpus or setting and for a failed training, Cancelled, and Stopped.
    """
    put_back(run)
    entry = entry_for(run)

    def finish(job: Job, made: Any) -> History:
        if isinstance(run.source, TokenizerFile):
            opened = find(run.source.digest)
            if run.goes_on:
                made = work.continued(run.vocab_size, run.interventions, opened, made)
            else:
                made = work.replayed(opened, made)
        packed = None
        if isinstance(made, work.Packed):
            packed, made = made, made.history
        try:
            history = _finished(run, job, made)
        except Stopped as stopped:
            entry_for(stopped.run).setdefault("made", stopped.history)
            weigh_history(stopped.run, stopped.history)
            raise
        weigh_history(run, history)
        if packed:
            label, lanes, language = packed.drawn
            with using(language):
                kept_packed(run, label, lanes, lambda: packed.blob)
        return history

    try:
        wait = show or bar(f"{hash(run.key):x}")
        history = compute_once(entry, lambda: _call(run, entry), finish, wait)
    finally:
        # Its bytes are not counted, so it must not stay in the cache.
        entry.pop(_PARENT, None)
        entry.pop(_DRAWN, None)
    hold(run, history)
    return history


def keep_opened(run: Run, history: History, name: str) -> None:
    """Cache the history of a file of that name. If its characters were chosen, a worker checks that
    first, with a progress bar: that takes as long as a training, and anyone may have written it.

    Raises HistoryFileError for other characters than its settings choose, Cancelled, and ValueError
    if the check failed.
    """
    if not chooses(history):
        put_history(run, history)
        return
    entry = entry_for(run)
    # The page asks again at every click beside it.
    if _NOT_CHOSEN in entry:
        raise not_chosen(name)

    def finish(_job: Job, made: History | None) -> History:
        if made is None:
            entry[_NOT_CHOSEN] = True
            raise not_chosen(name)
        weigh_history(run, made)
        return made

    call = Call(work.with_choice, (history,))
    compute_once(entry, lambda: call, finish, bar(f"{hash(run.key):x}"))


def branches_from(run: Run, history: History) -> None:
    """Let a branch be trained from `history`, which lacks only the last intervention."""
    # A stopped run would continue to the size it was first asked for.
    if history.trainer.vocab_size == run.vocab_size:
        entry_for(run)[_PARENT] = history


def _call(run: Run, entry: CacheEntry) -> Call:
    """Return the call with which a worker makes a run's history, packed if that is drawn next."""
    check_run(run, limits.LIMITS)
    if isinstance(run.source, TokenizerFile):
        given = files_of(run.source.digest), *run.corpus.key
        if not run.goes_on:
            return Call(work.replay, given)
        new = run.vocab_size - find(run.source.digest).next_id
        check_new_tokens(new, limits.LIMITS.settings)
        further = run.vocab_size, run.interventions, limits.LIMITS.corpus
        return Call(work.go_on, (*given, *further))
    if _PARENT in entry:
        return Call(work.branch, (entry[_PARENT], *run.interventions[-1]))
    asked = (run.algorithm, run.vocab_size, run.make_pretokenizer(), run.trainer_settings)
    of_text = *run.corpus.key, *asked, limits.LIMITS.corpus
    drawn: work.Drawn | None = entry.get(_DRAWN)
    if drawn is None:
        return Call(work.train, of_text)
    return Call(work.train_packed, (drawn, *of_text))


def _finished(run: Run, job: Job, history: History) -> History:
    """Return a job's history if it is complete. Raises Stopped or Cancelled if not."""
    steps = len(history)
    if history.stop.kind != "cancelled":
        # The job finished before the order to stop reached it.
        return history
    if job.enough == LATE and not steps:
        raise out_of_time(LIMITS.training.seconds)
    if not steps or job.enough in (CANCEL, None):
        raise Cancelled(message("Training was cancelled."))
    late = ""
    if job.enough == LATE:
        late = message(
            "The training took more than the {seconds:,.0f} seconds that this server allows. "
            "You see what had been trained by then; for all of it, use a shorter text, or your "
            "own computer with python -m tokviz train.",
            seconds=LIMITS.training.seconds,
        )
    if isinstance(run.source, TokenizerFile) and not run.goes_on:
        raise Stopped(replace(run, source=replace(run.source, steps=steps)), history, late)
    raise Stopped(replace(run, vocab_size=history.vocab_size(steps)), history, late)
