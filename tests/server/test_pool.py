"""Trainings in worker processes: real ones, which are ended, killed, slowed down and left alone."""

import gc
import operator
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import replace
from pathlib import Path

import pool_calls
import pytest
from effort import some
from helpers import PATIENCE, ROOT

import tokviz
from tokviz.basics.messages import Message
from tokviz.pretokenizers import make_pretokenizer
from tokviz.server.limits import LIMITS
from tokviz.server.pool import (
    CANCEL,
    LATE,
    STOP,
    Call,
    Pool,
    QueueFull,
    TrainingFailed,
    work,
    worker,
)
from tokviz.server.pool import pool as pool_module
from tokviz.server.pool.job import Job
from tokviz.server.pool.process import WorkerProcess

SMALL = "a b ab abc abcd"
LONG = " ".join(f"{i * 7919 % 1_000_003:x}" for i in range(30_000))


def asked(corpus=SMALL, algorithm="bpe", vocab_size=7, **settings):
    kind = tokviz.TRAINERS[algorithm]
    cut = make_pretokenizer(kind.default_pretokenizer)
    return Call(work.train, (corpus, "text", algorithm, vocab_size, cut, settings, LIMITS.corpus))


def long():
    return asked(LONG, "unigram", 300, seed_size=6000, prune_fraction=0.001)


def merges():
    """A long training whose steps come quickly."""
    words = " ".join(f"{i * 7919 % 100_000_007:x}" for i in range(60_000))
    return asked(words, "wordpiece", 99_000)


@pytest.fixture
def pool():
    """Makes pools with other limits than usual."""
    made = []

    def make(**limits):
        made.append(Pool(replace(LIMITS.training, **limits)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def usual():
    """A pool with the usual limits, for trainings that end by themselves."""
    one = Pool(LIMITS.training)
    yield one
    one.close()


def until(true):
    """Waits until something holds."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def finished(job):
    until(lambda: job.wait(0.1))
    return job.result()


def at_work(job):
    """Waits until a job has reported something."""
    until(lambda: job.wait(0) or job.progress is not None)
    assert not job.done()


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
def test_a_worker_trains_as_this_process_does(usual, algorithm):
    history = finished(usual.submit(asked(algorithm=algorithm, vocab_size=9)))
    here = tokviz.train(SMALL, algorithm, 9)
    assert list(history.steps) == list(here.steps)
    assert history.curve().equals(here.curve())
    assert [history.vocab(t) for t in range(len(here) + 1)] == [
        here.vocab(t) for t in range(len(here) + 1)
    ]
    assert history.text == here.text


def test_one_process_after_the_other_job(pool):
    one = pool(workers=1)
    finished(one.submit(asked()))
    until(lambda: one.idle)
    workers = [*one.idle]
    finished(one.submit(asked(vocab_size=8)))
    until(lambda: one.idle)
    assert workers == one.idle


def test_a_spare_process_is_started_for_a_long_job_only(pool):
    started = []
    one = pool(workers=1)
    start = one.start_worker
    one.start_worker = lambda megabytes: started.append(megabytes) or start(megabytes)
    finished(one.submit(asked()))
    until(lambda: one.idle)
    assert len(started) == 1
    job = one.submit(long())
    at_work(job)
    until(lambda: one.idle)
    assert len(started) == 2
    one.end(job, CANCEL)


def test_an_error_comes_as_the_sentence_that_it_was(usual):
    with pytest.raises(tokviz.SettingError, match="size of 2 is too small") as error:
        finished(usual.submit(asked(vocab_size=2)))
    assert isinstance(error.value.args[0], Message)


def test_a_mistake_of_ours_tells_nobody_the_text(pool, capfd):
    with pytest.raises(TrainingFailed, match=r"mistake in tokviz \(KeyError\)"):
        finished(pool().submit(Call(operator.getitem, ({"my text": 1},))))
    out, err = capfd.readouterr()
    assert "KeyError" in err
    assert "my text" not in out + err


def test_a_call_that_cannot_be_sent_has_an_end_too(usual):
    with pytest.raises(TrainingFailed, match="mistake in tokviz"):
        finished(usual.submit(Call(lambda note: note, ())))
    assert finished(usual.submit(asked()))


def test_cancelled_at_once_and_the_process_soon(pool):
    one = pool(workers=1)
    job = one.submit(long())
    at_work(job)
    pid = job.worker.pid
    one.end(job, CANCEL)
    assert job.done()
    with pytest.raises(tokviz.Cancelled, match="Training was cancelled"):
        job.result()
    assert finished(one.submit(asked()))

    def free():
        return pid in [worker.pid for worker in one.idle] or not Path(f"/proc/{pid}").exists()

    until(free)


def test_stopped_with_what_there_is(usual):
    job = usual.submit(merges())
    until(lambda: job.wait(0) or (job.progress and job.progress.stage == "merges"))
    until(lambda: job.progress.done)
    usual.end(job, STOP)
    history = finished(job)
    assert len(history) > 0
    assert "Cancelled" in history.stopped


def test_what_waits_is_cancelled_without_having_begun(pool):
    one = pool(workers=1, turn_seconds=1000)
    first, second = one.submit(long()), one.submit(asked())
    assert (one.ahead(first), one.ahead(second)) == (0, 1)
    until(lambda: first.worked > 0.5)
    assert one.ahead(second) == 1
    one.end(second, STOP)
    with pytest.raises(tokviz.Cancelled):
        second.result()
    one.end(first, CANCEL)


def test_a_killed_process_leaves_a_sentence_and_a_pool_that_works(pool):
    one = pool()
    job = one.submit(long())
    at_work(job)
    os.kill(job.worker.pid, signal.SIGKILL)
    with pytest.raises(TrainingFailed, match="The system ended the process of this training"):
        finished(job)
    assert finished(one.submit(asked()))


@pytest.fixture
def own_calls(monkeypatch):
    """Workers that are started know the calls of `pool_calls.py` too."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))


@pytest.mark.usefixtures("own_calls")
def test_more_memory_than_allowed_is_an_error_of_that_training(pool):
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux limits the memory of a process")
    one = pool(megabytes=60)
    with pytest.raises(MemoryError):
        finished(one.submit(Call(pool_calls.hungry, ())))
    assert finished(one.submit(asked()))


def test_a_corpus_that_does_not_fit_is_an_error_of_that_training(pool):
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux limits the memory of a process")
    one = pool(megabytes=30)
    with pytest.raises((MemoryError, TrainingFailed), match=r"^$|because memory ran out"):
        finished(one.submit(asked(LONG * 300, vocab_size=5000)))
    assert finished(one.submit(asked()))


def test_after_its_time_a_training_gives_what_it_has(usual):
    job = usual.submit(merges())
    until(lambda: job.wait(0) or (job.progress and job.progress.stage == "merges"))
    until(lambda: job.wait(0) or job.progress.done)
    usual.end(job, LATE)
    assert "Cancelled" in finished(job).stopped
    assert len(finished(job)) > 0


def test_after_its_time_a_training_without_a_state_leaves_a_sentence(pool):
    # Before it has looked through all words for seeds.
    words = " ".join(f"{i * 7919 % 1_000_003:020x}" for i in range(200_000))
    with pytest.raises(TrainingFailed, match="more than 0 seconds, which is what this server"):
        finished(pool(seconds=0.3).submit(asked(words, "unigram", 300)))


@pytest.mark.usefixtures("own_calls")
def test_a_process_that_does_not_hear_is_killed_after_its_time(pool, monkeypatch):
    monkeypatch.setitem(pool_module.GRACE, "late", 0.3)
    one = pool(seconds=0.5, workers=1)
    # Its process has begun then.
    finished(one.submit(asked()))
    job = one.submit(Call(pool_calls.deaf, ()))
    with pytest.raises(TrainingFailed, match="more than 0 seconds, which is what this server"):
        finished(job)
    assert job.progress == "deaf"
    assert finished(one.submit(asked()))


def test_what_is_said_before_the_worker_has_begun_is_heard(pool):
    one = pool(workers=1)
    job = one.submit(merges())
    until(lambda: job.worker)
    one.end(job, STOP)
    with pytest.raises(tokviz.Cancelled):
        finished(job)


def test_enough_for_one_is_not_heard_by_the_next(pool):
    one = pool(workers=1)
    for size in range(10, 10 + some(20)):
        job = one.submit(asked(LONG[:20_000], vocab_size=size * 10))
        while not job.wait(0):
            pass
        one.end(job, STOP)
        following = one.submit(asked(LONG[:20_000], vocab_size=size * 10 + 1))
        assert not finished(following).stopped.startswith("Cancelled")


def test_a_process_that_cannot_be_started_leaves_a_sentence(pool):
    one = pool()

    def none(_megabytes):
        raise OSError("no more processes")

    one.start_worker = none
    with pytest.raises(TrainingFailed, match="cannot start a training right now"):
        finished(one.submit(asked()))
    del one.start_worker
    one.start_worker = WorkerProcess
    assert finished(one.submit(asked()))


def test_a_short_training_passes_long_ones_and_these_share(pool):
    one = pool(workers=1, turn_seconds=0.2)
    first, second = one.submit(long()), one.submit(long())
    at_work(first)
    at_work(second)
    assert finished(one.submit(asked()))
    assert not first.done()
    assert not second.done()
    until(lambda: {first.state, second.state} == {"working", "resting"})
    for job in (first, second):
        one.end(job, CANCEL)
        assert job.done()


def test_a_job_that_is_over_is_in_no_circle():
    job = Job(Call(None, ()), time.monotonic)
    told = []
    job.when_done(lambda of=job: told.append(of.result()))
    known = weakref.ref(job)
    gc.disable()
    try:
        job.finish("made")
        job.when_done(lambda: told.append("late"))
        assert told == ["made", "late"]
        del job
        assert known() is None
    finally:
        gc.enable()


def test_others_that_wait_are_known(pool):
    one = pool()
    job = one.submit(long())
    job.wait(0, "me")
    assert not job.others_wait("me")
    job.wait(0, "you")
    assert job.others_wait("me")
    one.end(job, CANCEL)


def test_what_rested_is_the_same_history(pool):
    one = pool(workers=1, turn_seconds=0.1)
    text = LONG[:16_000]
    calls = [asked(text, "unigram", size, seed_size=1200) for size in (400, 401)]
    jobs = [one.submit(call) for call in calls]
    histories = [finished(job) for job in jobs]
    for size, history in zip((400, 401), histories, strict=True):
        here = tokviz.train(text, "unigram", size, seed_size=1200)
        assert list(history.steps) == list(here.steps)


def test_no_more_are_begun_than_have_memory_and_what_is_short_passes(pool):
    one = pool(workers=1, turn_seconds=0.1, begun=2)
    jobs = [one.submit(long()) for _ in range(3)]
    until(lambda: jobs[1].progress is not None)
    for _ in range(50):
        with one.lock:
            assert sum(job.worker is not None for job in jobs) <= 2
        time.sleep(0.02)
    assert finished(one.submit(asked()))
    assert not any(job.done() for job in jobs)
    for job in jobs:
        one.end(job, CANCEL)


def test_what_was_set_back_begins_anew_and_is_the_same_history(pool, monkeypatch):
    anew, begin_anew = [], Pool.begin_anew

    def noted(one, job):
        begin_anew(one, job)
        anew.append((job.progress, job.lost))

    monkeypatch.setattr(Pool, "begin_anew", noted)
    one = pool(workers=1, turn_seconds=0.1, begun=2)
    texts = [LONG[i : i + 20_000] for i in (0, 20_000, 40_000)]
    settings = {"seed_size": 3000, "prune_fraction": 0.01}
    jobs = [one.submit(asked(text, "unigram", 400, **settings)) for text in texts]
    for job, text in zip(jobs, texts, strict=True):
        here = tokviz.train(text, "unigram", 400, **settings)
        assert list(finished(job).steps) == list(here.steps)
    # What it reported is no longer true, and what it worked in vain is not its own time.
    assert anew
    assert all(progress is None and lost > 0 for progress, lost in anew)


@pytest.mark.parametrize("workers", [1, 2])
def test_where_all_that_may_have_a_process_work_a_short_one_passes_too(pool, workers):
    one = pool(workers=workers, turn_seconds=0.1, begun=workers)
    jobs = [one.submit(long()) for _ in range(workers)]
    for job in jobs:
        at_work(job)
    assert finished(one.submit(asked()))
    assert not any(job.done() for job in jobs)
    for job in jobs:
        one.end(job, CANCEL)


def test_time_that_was_lost_is_not_the_trainings_own():
    def no_process(_megabytes):
        raise OSError

    one = Pool(replace(LIMITS.training, seconds=100), start=no_process, clock=lambda: 0.0)
    job = Job(Call(None, ()), lambda: 0.0)
    one.jobs.append(job)
    job.state, job.begun, job.worked, job.lost = "working", True, 150.0, 60.0
    one.check_limits()
    assert job.enough is None
    job.worked = 161.0
    one.check_limits()
    assert job.enough == LATE


def test_cancel_is_heard_after_the_time_is_over():
    one = Pool(LIMITS.training, start=None)
    job = Job(Call(None, ()), time.monotonic)
    one.jobs.append(job)
    job.state, job.enough = "working", LATE
    one.end(job, STOP)
    assert not job.done()
    one.end(job, CANCEL)
    with pytest.raises(tokviz.Cancelled):
        job.result()


@pytest.mark.parametrize("ends", ["end", "close"])
def test_who_is_told_of_an_end_may_wait_for_somebody_who_submits(pool, ends):
    one, lock = pool(workers=1), threading.Lock()
    job = one.submit(long())
    holds, telling = threading.Event(), threading.Event()

    def tell():
        telling.set()
        with lock:
            pass

    def submit():
        with lock:
            holds.set()
            assert telling.wait(PATIENCE)
            one.submit(asked())

    def end():
        if ends == "close":
            one.close()
        else:
            one.end(job, CANCEL)

    job.when_done(tell)
    threads = [threading.Thread(target=does, daemon=True) for does in (submit, end)]
    threads[0].start()
    assert holds.wait(PATIENCE)
    threads[1].start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), "each waits for the other"


def test_one_process_more_waits_than_may_work(pool):
    one = pool(workers=2)
    for job in [one.submit(asked(vocab_size=size)) for size in (5, 6, 7, 8)]:
        finished(job)
    until(lambda: not one.jobs)
    assert len(one.idle) <= 3


def test_a_full_queue_says_so(pool):
    one = pool(workers=1, queue=2)
    jobs = [one.submit(long()), one.submit(asked())]
    with pytest.raises(QueueFull, match="2 trainings are running or waiting"):
        one.submit(asked())
    one.end(jobs[0], CANCEL)
    assert finished(jobs[1])


class Busy:
    """A worker that works until it is told that it is enough, or killed."""

    def __init__(self, _megabytes):
        self.pid, self.enough = 0, threading.Event()

    def tell(self, said):
        if said == worker.ENOUGH:
            self.enough.set()
        return True

    def hear(self):
        self.enough.wait(PATIENCE)
        raise EOFError

    def kill(self):
        self.enough.set()

    def alive(self):
        return not self.enough.is_set()


@pytest.fixture
def timed(monkeypatch):
    """Makes pools whose time is `timed.now`, and in which nothing happens by itself."""
    monkeypatch.setattr(pool_module.Pool, "look_after", lambda _self: None)
    made = []

    def make(**limits):
        made.append(Pool(replace(LIMITS.training, **limits), Busy, lambda: make.now))
        return made[-1]

    make.now = 0.0
    yield make
    for one in made:
        one.close()


def test_one_session_has_so_many_trainings_and_others_have_room(timed):
    one = timed(workers=1, each=2)
    jobs = [one.submit(asked(), "me") for _ in range(2)]
    with pytest.raises(QueueFull) as refused:
        one.submit(asked(), "me")
    assert str(refused.value) == "You have 2 trainings under way; wait for one or cancel it."
    assert isinstance(refused.value.args[0], Message)
    assert not one.submit(asked(), "you").done()
    assert not any(one.submit(asked()).done() for _ in range(3)), "programs are no session"
    one.end(jobs[0], CANCEL)
    assert not one.submit(asked(), "me").done(), "what is over does not count"


def test_ones_own_training_that_was_left_makes_room_for_ones_next(timed):
    one = timed(workers=1, each=2)
    left, watched = (one.submit(asked(), "me") for _ in range(2))
    others = one.submit(asked(), "you")
    timed.now = 20.0
    watched.wait(0, "you")
    with pytest.raises(QueueFull, match="You have 2 trainings"):
        one.submit(asked(), "me")
    timed.now = 20.1
    assert not one.submit(asked(), "me").done()
    with pytest.raises(tokviz.Cancelled, match="Training was cancelled"):
        left.result()
    assert not watched.done()
    assert not others.done(), "there is room for it"


def test_in_a_full_queue_the_one_left_longest_gives_its_place_to_a_new_one(timed):
    one = timed(workers=1, queue=4)
    jobs = [one.submit(asked(), f"visitor {n}") for n in range(4)]
    for n, at in ((2, 1.0), (1, 5.0), (3, 25.0)):
        timed.now = at
        jobs[n].wait(0, f"visitor {n}")
    for gone in ([0], [0, 2]):
        one.submit(asked(), "new").wait(0, "new")
        assert [n for n, job in enumerate(jobs) if job.done()] == gone
    until(lambda: len(one.jobs) == 4)
    with pytest.raises(QueueFull, match="4 trainings are running or waiting"):
        one.submit(asked(), "late")
    timed.now = 25.1
    assert not one.submit(asked(), "late").done()
    assert jobs[1].done()
    assert not jobs[3].done()


def test_what_was_left_waits_until_the_others_had_their_turn(timed):
    one = timed(workers=1)
    first, left = one.submit(asked(), "first"), one.submit(asked(), "left")
    timed.now = 21.0
    first.wait(0, "first")
    new = one.submit(asked(), "new")
    one.end(first, CANCEL)
    until(lambda: new.state == "working")
    assert left.state == "waiting"
    one.end(new, CANCEL)
    until(lambda: left.state == "working")


def test_whoever_waits_longer_passes_a_training_that_was_left(timed):
    one = timed(workers=1)
    left, new = one.submit(asked(), "left"), one.submit(asked(), "new")
    until(lambda: left.delivered)
    timed.now, new.worked = 21.0, 5.0
    one.check_limits()
    assert left.state == "working", "both were left"
    new.wait(0, "new")
    one.check_limits()
    assert (left.state, new.state) == ("resting", "working")
    one.check_limits()
    assert (left.state, new.state) == ("resting", "working")


def test_the_place_of_what_was_left_is_given_to_whoever_waits_and_never_the_other_way(timed):
    one = timed(workers=1, begun=3)
    left, watched, works, waits = (one.submit(asked(), str(n)) for n in range(4))
    until(lambda: left.delivered)
    # The first two have worked, and wait for their next turn.
    left.state = watched.state = "resting"
    left.worked, watched.worked = 3.0, 1.0
    one.give_turns()
    until(lambda: works.delivered)
    timed.now = 30.0
    watched.wait(0)
    works.wait(0)
    one.check_limits()
    assert not left.set_back, "nobody looks at what waits either"
    waits.wait(0)
    one.check_limits()
    assert left.set_back or left.state == "waiting"
    assert not watched.set_back


def test_a_training_that_nobody_waits_for_is_cancelled(pool):
    one = pool(unwatched_seconds=0.5)
    job, watched = one.submit(long()), one.submit(long())
    until(lambda: watched.wait(0.05) or job.done())
    assert not watched.done()
    one.end(watched, CANCEL)


def test_a_closed_pool_leaves_no_process(pool):
    one = pool()
    jobs = [one.submit(long()) for _ in range(3)]
    at_work(jobs[0])
    pids = [job.worker.pid for job in jobs if job.worker]
    one.close()
    assert all(job.done() for job in jobs)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


SERVER = """
import sys, time
from dataclasses import replace
sys.path[:0] = ["tests", "tests/server"]
from test_pool import long
from tokviz.server.limits import LIMITS
from tokviz.server.pool import Pool
pool = Pool(replace(LIMITS.training, workers=1, turn_seconds=0.1))
jobs = [pool.submit(long()) for _ in range(2)]
while not all(job.worker and job.progress for job in jobs):
    time.sleep(0.05)
print(*(job.worker.pid for job in jobs), flush=True)
time.sleep(1000)
"""


def test_without_its_server_no_worker_goes_on():
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    pids = server.stdout.readline().split()
    assert len(pids) == 2
    server.kill()
    server.wait()

    def gone(pid):
        try:
            return Path(f"/proc/{int(pid)}/stat").read_text().split()[2] == "Z"
        except FileNotFoundError:
            return True

    until(lambda: all(map(gone, pids)))
    assert server.stderr.read() == b"", "they end without a word"


def test_a_worker_that_nobody_reads_ends_without_a_word(capfd):
    class Inbox:
        enough = False

        def rest(self):
            pass

    read, write = os.pipe()
    os.close(read)
    out = os.fdopen(write, "wb")
    with pytest.raises(SystemExit):
        worker.answer(Call(operator.add, (1, 2)), Inbox(), out)
    with pytest.raises(BrokenPipeError):
        out.close()
    assert capfd.readouterr() == ("", "")
