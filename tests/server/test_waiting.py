"""What a page shows while it waits for a training."""

import time
from contextlib import nullcontext
from queue import Queue
from threading import Event

import pytest
import streamlit as st
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

from tokviz.basics.progress import Progress
from tokviz.server import waiting
from tokviz.server.pool import RESTING, WAITING, Call
from tokviz.server.pool.job import Job
from tokviz.server.waiting import TakesLong, bar, beside, briefly, compute_once
from tokviz.text.corpus import Cancelled


class Area:
    """What the page writes while it waits; the training is done once it has said something."""

    def __init__(self, job):
        self.said, self._job = [], job

    def container(self):
        return nullcontext()

    def empty(self):
        self.said.append("gone")

    def progress(self, share, text):
        self.said.append((share, text))
        self._job.finish()


@pytest.fixture
def job():
    job = Job(Call(None, ()), time.monotonic)
    job.state = "working"
    return job


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (None, (0.0, "Starting …")),
        (Progress("merges", 500, 2000, 0.5), (0.25, "500 of 2,000 merges")),
        (Progress("merges", 500, 2000, 2.0), (0.25, "500 of 2,000 merges, about 6 s left")),
        (Progress("documents", 9, 3, 0.5), (1.0, "9 of 3 documents")),
        (Progress("merges", 0, 0, 0.5), (1.0, "0 of 0 merges")),
    ],
)
def test_the_bar_says_where_a_training_is(monkeypatch, job, report, said):
    area = Area(job)
    monkeypatch.setattr(st, "empty", lambda: area)
    job.progress = report
    bar("key")(job)
    assert area.said == [said, "gone"]


@pytest.mark.parametrize(
    ("state", "ahead", "said"),
    [
        (WAITING, 1, "Waiting: 1 training is ahead of this one."),
        (WAITING, 3, "Waiting: 3 trainings are ahead of this one."),
        (RESTING, 2, "10 of 20 merges. It is other people’s turn."),
    ],
)
def test_the_bar_says_why_nothing_moves(monkeypatch, job, state, ahead, said):
    area = Area(job)
    monkeypatch.setattr(st, "empty", lambda: area)
    monkeypatch.setattr(waiting.training_pool(), "ahead", lambda _job: ahead)
    job.state, job.progress = state, Progress("merges", 10, 20, 0.5)
    bar("key")(job)
    assert area.said == [(0.5, said), "gone"]


@pytest.mark.parametrize(("label", "enough"), [("Stop here", "stop"), ("Cancel", "cancel")])
def test_either_button_says_what_was_wanted(monkeypatch, job, label, enough):
    wanted = []

    def button(said, on_click, args, **_):
        if said == label:
            on_click(*args)
            job.finish()

    monkeypatch.setattr(st, "button", button)
    monkeypatch.setattr(waiting.training_pool(), "end", lambda *how: wanted.append(how))
    bar("key")(job)
    assert wanted == [(job, enough)]


def test_a_worker_is_ready_before_the_first_training():
    assert waiting.training_pool() is waiting.training_pool()
    assert waiting.training_pool().idle or waiting.training_pool().jobs


class Left(Exception):
    """Somebody clicked elsewhere while the page waited."""


class Submitted:
    """A pool that does nothing with what it is given."""

    def __init__(self):
        self.jobs = []

    def submit(self, call, who=""):
        assert isinstance(call, Call)
        self.jobs.append(Job(call, time.monotonic, who))
        return self.jobs[-1]


@pytest.fixture
def pool(monkeypatch):
    """What one session submits."""
    pool, awaited = Submitted(), {}
    monkeypatch.setattr(waiting, "training_pool", lambda: pool)
    monkeypatch.setattr(waiting, "awaited_job", lambda: awaited)
    return pool


def ask(entry, show):
    return compute_once(entry, lambda: Call(None, ()), lambda _job, made: made, show)


def leave(_job):
    raise Left


def test_who_looked_elsewhere_hears_once_how_it_ended(pool):
    entry = {}
    with pytest.raises(Left):
        ask(entry, leave)
    [job] = pool.jobs
    job.finish(error=Cancelled("Training was cancelled."))
    with pytest.raises(Cancelled):
        ask(entry, leave)
    assert pool.jobs == [job]
    with pytest.raises(Left):
        ask(entry, leave)
    assert len(pool.jobs) == 2


def test_what_failed_is_begun_anew_for_somebody_else(pool):
    entry = {}
    with pytest.raises(Left):
        ask(entry, leave)
    waiting.awaited_job().clear()
    # As long as nobody has taken it out of the place.
    pool.jobs[0].finish(error=Cancelled("Training was cancelled."))
    entry[waiting.TRAINING] = pool.jobs[0]
    assert ask(entry, lambda job: job.finish("made")) == "made"
    assert len(pool.jobs) == 2
    assert ask(entry, leave) == "made"


def test_a_training_counts_for_whoever_asked_for_it_first(pool, monkeypatch):
    entry = {}
    for session in ("me", "you"):
        monkeypatch.setattr(waiting, "session", lambda session=session: session)
        waiting.awaited_job().clear()
        with pytest.raises(Left):
            ask(entry, leave)
    assert [job.who for job in pool.jobs] == ["me"]


def test_a_page_waits_for_one_training_after_the_other():
    """Each puts where it is found again in the address."""

    def page():
        from tokviz.server import rejoin, waiting

        class Job:
            state, progress, waits = "running", None, 0

            def wait(self, _seconds, _who=""):
                self.waits += 1
                return self.done()

            def done(self):
                return self.waits > 2

        with rejoin.reachable("both"):
            for key in ("one", "other"):
                waiting.bar(key)(Job())

    app = AppTest.from_function(page, default_timeout=30).run()
    assert not app.exception


class Ended:
    """A pool that notes which jobs were ended."""

    def __init__(self):
        self.jobs = []

    def end(self, job, _why):
        self.jobs.append(job)


def test_a_short_wait_is_silent_and_a_longer_one_says_how_long(monkeypatch, job):
    pool = Ended()
    monkeypatch.setattr(waiting, "training_pool", lambda: pool)
    job.progress = Progress("merges", 20, 100, 2.0)
    job.worked = 0.2
    with pytest.raises(TakesLong) as error:
        briefly(0.1)(job)
    assert str(error.value) == "Training on this takes about 8 seconds."
    assert pool.jobs == [job]
    job.progress = None
    with pytest.raises(TakesLong, match="longer than a moment"):
        briefly(0.1)(job)
    job.finish("made")
    briefly(0.1)(job)


def test_a_job_that_does_not_get_its_turn_takes_long(monkeypatch, job):
    monkeypatch.setattr(waiting, "training_pool", Ended)
    monkeypatch.setattr(waiting, "MOST_WAITED", 0.05)
    with pytest.raises(TakesLong):
        briefly(0.05)(job)


class Leaving:
    """A session state that ends the script of a visitor who has clicked elsewhere."""

    def get(self, _key):
        raise StopIteration("left")


def test_what_runs_beside_a_script_goes_on_when_its_visitor_leaves(monkeypatch):
    go_on, made = Event(), Queue()

    def call():
        go_on.wait(PATIENCE)
        made.put("made")
        return "made"

    monkeypatch.setattr(waiting, "session", lambda: "somebody")
    with monkeypatch.context() as patch:
        patch.setattr(waiting.st, "session_state", Leaving())
        with pytest.raises(StopIteration, match="left"):
            beside(call)
    go_on.set()
    assert beside(call) == "made"
    # The first one may end after the second.
    assert [made.get(timeout=PATIENCE) for _ in range(2)] == ["made"] * 2
    with pytest.raises(ZeroDivisionError):
        beside(lambda: 1 / 0)
