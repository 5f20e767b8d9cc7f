"""How a page waits for what the pool of the server makes, once for everybody who asks for it."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from threading import RLock
from typing import Any, TypeAlias, TypeVar

import streamlit as st

from tokviz.basics.messages import _, _n, message
from tokviz.basics.progress import Progress
from tokviz.server.draw_queue import others_first
from tokviz.server.limits import LIMITS
from tokviz.server.pool import CANCEL, RESTING, STOP, WAITING, Call, Job, Pool
from tokviz.server.rejoin import say_where
from tokviz.server.shared_cache import Place
from tokviz.server.streamlit_patches import session
from tokviz.text.corpus import Cancelled

_STARTING = RLock()
Made = TypeVar("Made")
#: Shows where a job is until it is done.
Show: TypeAlias = Callable[[Job], None]

#: A report of a training as a share of it and in words.
Told: TypeAlias = Callable[[Any], tuple[float, str]]
#: What a place has while something is made for it.
TRAINING = "training"
#: In the session's state: what it waits for, and a job that it waits for no more.
_AWAITED, _LEFT = "awaited", "left_job"


@cache
def training_pool() -> Pool:
    """Where all trainings of this server run. The first call has a process made ready."""
    pool = Pool(LIMITS.training)
    pool.warm()
    return pool


def _awaited() -> dict[str, Any]:
    """The job that this session waits for, and the place that it is for."""
    if not session():
        return {}
    awaited: dict[str, Any] = st.session_state.setdefault(_AWAITED, {})
    return awaited


def told_of_training(progress: Progress) -> tuple[float, str]:
    """The share of a training that is done, and where it is in words."""
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


def made_once(
    place: Place,
    call: Callable[[], Call],
    finish: Callable[[Job, Any], Made],
    show: Show,
) -> Made:
    """What a worker makes, kept in its place for everybody, unless somebody made it before.

    `call` says what to do where nobody does it yet, and `show` waits for its end. Whoever waits has
    `finish` look at what came of it; if that raises an error, nothing is kept. Raises as the worker
    does: see `Job.result`.
    """
    if "made" in place:
        made: Made = place["made"]
        return made
    awaited = _awaited()
    # Several people may ask for the same at once: one training serves them all. Whoever waited for
    # one that ended since, in another tab say, hears how it ended; nobody else does.
    own: Job | None = awaited.get("job") if awaited.get("for") is place else None
    # What there is to be done is put together before: for a long text that takes a while.
    asked = None if TRAINING in place or (own is not None and own.done()) else call()
    with _STARTING:
        if "made" in place:
            return made_once(place, call, finish, show)
        job: Job | None = place.get(TRAINING)
        if own is not None and own.done():
            job = own
        elif job is None or job.failed():
            job = place[TRAINING] = training_pool().submit(asked or call(), session())
            job.when_done(partial(_put, place, job, finish))
    awaited.update({"for": place, "job": job})
    if own is None or not own.done():
        with others_first():
            show(job)
    awaited.clear()
    if session():
        st.session_state.pop(_LEFT, None)
    if not job.done():
        raise Cancelled(
            message(
                "Others wait for this training too, so it goes on; train again to see it when it "
                "is done."
            )
        )
    kept: Made = place.setdefault("made", finish(job, job.result()))
    return kept


def _put(place: Place, job: Job, finish: Callable[[Job, Any], Made]) -> None:
    """What a job made comes into its place, whether anybody still waits for it or not."""
    try:
        with suppress(Exception):
            place.setdefault("made", finish(job, job.result()))
    finally:
        with _STARTING:
            if place.get(TRAINING) is job:
                del place[TRAINING]


def bar(key: str, told: Told = told_of_training) -> Show:
    """Waits for a training with a bar and ways out, once it takes a while."""
    return partial(_show_progress, key=key, told=told)


class TakesLong(ValueError):
    """What a page only wanted to know beforehand takes longer than anybody would wait for that."""


def spinner(said: str, most: float) -> Show:
    """Waits for what takes some seconds, with a few words. Raises TakesLong once a worker has
    worked at it for `most` seconds."""

    def show(job: Job) -> None:
        who = session()
        if not job.wait(0.3, who):
            with st.spinner(said):
                shown = st.empty()
                while not job.wait(0.5, who):
                    if job.worked > most:
                        _end(job, CANCEL, who)
                        raise TakesLong(
                            message(
                                "The words of this corpus take more than {n:g} seconds to count, "
                                "so it is not known beforehand which sizes are possible. Train to "
                                "see.",
                                n=most,
                            )
                        )
                    # Where somebody clicked elsewhere, the page leaves here.
                    shown.empty()

    return show


def _show_progress(job: Job, key: str, told: Told) -> None:
    who = session()
    if job.wait(0.3, who):
        return
    area = st.empty()
    with area.container():
        say_where()
        shown = st.empty()
        # A click runs the page anew; it finds the training in its place and waits for it again.
        with st.container(horizontal=True):
            for label, enough, effect in (
                (_("Stop here"), STOP, _("Show what has been trained until now.")),
                (_("Cancel"), CANCEL, _("Train nothing, and keep what is on the page.")),
            ):
                st.button(
                    label,
                    on_click=_end,
                    args=(job, enough, who),
                    key=f"{enough}_{key}",
                    help=effect,
                )
    while not job.done() and _left() is not job:
        # Where somebody clicked elsewhere, this is where the page leaves, and the training goes on.
        shown.progress(*_where(job, told))
        job.wait(0.2, who)
    area.empty()


def _end(job: Job, why: str, who: str) -> None:
    """Ends a job for whoever waits for it alone; one that others wait for is only left."""
    if job.others_wait(who):
        st.session_state[_LEFT] = job
    else:
        training_pool().end(job, why)


def _left() -> Job | None:
    """The job that this session waits for no more."""
    left: Job | None = st.session_state.get(_LEFT) if session() else None
    return left


def _where(job: Job, told: Told) -> tuple[float, str]:
    """The share of a job that is done, and what it does, in words."""
    share, said = (0.0, _("Starting …")) if job.progress is None else told(job.progress)
    if job.state == WAITING:
        n = training_pool().ahead(job)
        if not n:
            return share, _("Waiting for its turn.")
        return share, _n(
            "Waiting: {n} training is before this one.",
            "Waiting: {n} trainings are before this one.",
            n,
        )
    if job.state == RESTING:
        return share, _("{said}. Other people’s trainings have their turn.", said=said)
    return share, said
