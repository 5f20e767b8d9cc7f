"""Wait on a page for a job of the pool; one job serves all sessions that ask for the same."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache, partial
from threading import RLock
from time import monotonic
from typing import Any, TypeAlias, TypeVar

import streamlit as st

from tokviz.basics.messages import _, _n, counted, message
from tokviz.basics.progress import Progress
from tokviz.server.draw_queue import others_first
from tokviz.server.limits import LIMITS
from tokviz.server.pool import CANCEL, RESTING, STOP, WAITING, Call, Job, Pool
from tokviz.server.rejoin import say_where
from tokviz.server.shared_cache import CacheEntry
from tokviz.server.streamlit_parts.sessions import session
from tokviz.text.corpus import Cancelled

_STARTING = RLock()
#: Threads for `beside`.
_BESIDE = ThreadPoolExecutor(4, "beside")
Made = TypeVar("Made")
#: Shows the progress of a job until it ends.
Show: TypeAlias = Callable[[Job], None]

#: Turns a progress report into a share from 0 to 1 and a sentence.
Describe: TypeAlias = Callable[[Any], tuple[float, str]]
#: Key in a cache entry: the job that is making its value.
TRAINING = "training"
#: Keys in the session state: the job it waits for, and a job it no longer waits for.
_AWAITED, _LEFT = "awaited", "left_job"


@cache
def training_pool() -> Pool:
    """Return the pool of this server. The first call starts a worker in advance."""
    pool = Pool(LIMITS.training)
    pool.warm()
    return pool


def awaited_job() -> dict[str, Any]:
    """Return the job that this session waits for and its cache entry, as a dict."""
    if not session():
        return {}
    awaited: dict[str, Any] = st.session_state.setdefault(_AWAITED, {})
    return awaited


def training_progress(progress: Progress) -> tuple[float, str]:
    """Return how much of a training is done, as a share and as a sentence."""
    done: dict[str, Any] = {
        "done": progress.done,
        "total": progress.total,
        "stage": progress.stage,
    }
    if progress.seconds > 1:
        left = f"{progress.seconds_left:.0f}"
        said = _("{done:,} of {total:,} {stage}, about {seconds} s left", **done, seconds=left)
    else:
        said = _("{done:,} of {total:,} {stage}", **done)
    return min(1.0, progress.done / progress.total) if progress.total else 1.0, said


def compute_once(
    entry: CacheEntry,
    call: Callable[[], Call],
    finish: Callable[[Job, Any], Made],
    show: Show,
) -> Made:
    """Return the value of a cache entry, made by a job unless it is there already.

    `call` says what a worker has to do, `show` waits until the job ends, and `finish` turns the
    job's result into the value; if it raises, nothing is cached. Raises as `Job.result` does.
    """
    if "made" in entry:
        made: Made = entry["made"]
        return made
    awaited = awaited_job()
    # One job serves all sessions that ask at once. If the job that this session waited for has
    # ended, in another tab for example, its result or error is for this session.
    own: Job | None = awaited.get("job") if awaited.get("for") is entry else None
    # Make the call before taking the lock: for a long text it takes a while.
    asked = None if TRAINING in entry or (own is not None and own.done()) else call()
    with _STARTING:
        if "made" in entry:
            return compute_once(entry, call, finish, show)
        job: Job | None = entry.get(TRAINING)
        if own is not None and own.done():
            job = own
        elif job is None or job.failed():
            job = entry[TRAINING] = training_pool().submit(asked or call(), session())
            job.when_done(partial(_store_result, entry, job, finish))
    awaited.update({"for": entry, "job": job})
    if own is None or not own.done():
        try:
            with others_first():
                show(job)
        except TakesLong:
            # This session gave the job up: if it asks again, the job's end is no answer.
            awaited.clear()
            if _left_job() is job:
                del st.session_state[_LEFT]
            else:
                _forget(entry, job)
            raise
    awaited.clear()
    if session():
        st.session_state.pop(_LEFT, None)
    if not job.done():
        raise Cancelled(
            message(
                "Others are waiting for this training too, so it goes on; train again to see "
                "it when it is done."
            )
        )
    try:
        kept: Made = entry.setdefault("made", finish(job, job.result()))
    finally:
        # Whoever asks next for what was stopped or failed gets a job of its own.
        _forget(entry, job)
    return kept


def _store_result(entry: CacheEntry, job: Job, finish: Callable[[Job, Any], Made]) -> None:
    """Put a job's result in its cache entry, whether or not a session still waits for it."""
    try:
        with suppress(Exception):
            entry.setdefault("made", finish(job, job.result()))
    finally:
        _forget(entry, job)


def _forget(entry: CacheEntry, job: Job) -> None:
    """Remove a job that has ended from its cache entry."""
    with _STARTING:
        if entry.get(TRAINING) is job:
            del entry[TRAINING]


def bar(key: str, describe: Describe = training_progress) -> Show:
    """Return a `Show` with a progress bar and buttons to stop, for jobs that take a while."""
    return partial(_show_progress, key=key, describe=describe)


class TakesLong(ValueError):
    """A job takes longer than a visitor would wait for it without asking for it."""


def spinner(said: str, most: float) -> Show:
    """Return a `Show` with a spinner and a text. Raises TakesLong after `most` seconds of work."""

    def show(job: Job) -> None:
        who = session()
        if not _ends_within(0.3, job, who):
            with st.spinner(said):
                while not _ends_within(0.5, job, who):
                    if job.worked > most:
                        _end(job, CANCEL, who)
                        raise TakesLong(
                            message(
                                "The words of this corpus take more than {n:g} seconds to "
                                "count, so the possible sizes are not known beforehand. Train "
                                "to see.",
                                n=most,
                            )
                        )

    return show


#: Seconds between two looks whether the visitor clicked elsewhere.
_LOOK = 0.02
#: Seconds that a job of `briefly` may wait for its turn, besides those of its work.
MOST_WAITED = 3.0


def briefly(seconds: float) -> Show:
    """Return a `Show` that shows nothing. Raises TakesLong after `seconds` of work, and says about
    how long all of it takes if that is known by then."""

    def show(job: Job) -> None:
        who, end = session(), monotonic() + seconds + MOST_WAITED
        while not _ends_within(_LOOK, job, who):
            if job.worked > seconds or monotonic() > end:
                left = job.progress.seconds_left if isinstance(job.progress, Progress) else 0
                _end(job, CANCEL, who)
                if left < 1:
                    raise TakesLong(message("Training on this takes longer than a moment."))
                raise TakesLong(
                    counted(
                        "Training on this takes about {n} second.",
                        "Training on this takes about {n} seconds.",
                        round(job.worked + left),
                    )
                )

    return show


def _show_progress(job: Job, key: str, describe: Describe) -> None:
    who = session()
    if _ends_within(0.3, job, who):
        return
    area = st.empty()
    with area.container():
        say_where(key)
        shown = st.empty()
        # A click reruns the page, which finds the job in its cache entry and waits again.
        with st.container(horizontal=True):
            for label, enough, effect in (
                (_("Stop here"), STOP, _("Show what has been trained so far.")),
                (_("Cancel"), CANCEL, _("Give up this training, and keep what is on the page.")),
            ):
                st.button(
                    label,
                    on_click=_end,
                    args=(job, enough, who),
                    key=f"{enough}_{key}",
                    help=effect,
                )
    while not job.done() and _left_job() is not job:
        shown.progress(*_where(job, describe))
        _ends_within(0.2, job, who)
    area.empty()


def _ends_within(seconds: float, job: Job, who: str) -> bool:
    """Wait for a job for at most `seconds`, and return whether it has ended. If the visitor clicks
    elsewhere meanwhile, Streamlit ends the script here; the job goes on."""
    end = monotonic() + seconds
    while not job.wait(min(seconds, _LOOK), who):
        if monotonic() >= end:
            return False
        # Streamlit looks for other requests when its session state is asked for something.
        _left_job()
    return True


def beside(call: Callable[[], Made]) -> Made:
    """Return what a call gives, made in another thread. If the visitor clicks elsewhere meanwhile,
    Streamlit ends the script here; the call goes on."""
    made = _BESIDE.submit(call)
    while not made.done():
        wait([made], timeout=_LOOK)
        _left_job()
    return made.result()


def _end(job: Job, why: str, who: str) -> None:
    """End a job if only this session waits for it; otherwise just stop waiting for it."""
    if job.others_wait(who):
        st.session_state[_LEFT] = job
    else:
        training_pool().end(job, why)


def _left_job() -> Job | None:
    """Return the job that this session no longer waits for, if any."""
    left: Job | None = st.session_state.get(_LEFT) if session() else None
    return left


def _where(job: Job, describe: Describe) -> tuple[float, str]:
    """Return how much of a job is done, as a share and as a sentence."""
    share, said = (0.0, _("Starting …")) if job.progress is None else describe(job.progress)
    if job.state == WAITING:
        n = training_pool().ahead(job)
        if not n:
            return share, _("Waiting for its turn.")
        return share, _n(
            "Waiting: {n} training is ahead of this one.",
            "Waiting: {n} trainings are ahead of this one.",
            n,
        )
    if job.state == RESTING:
        return share, _("{said}. It is other people’s turn.", said=said)
    return share, said
