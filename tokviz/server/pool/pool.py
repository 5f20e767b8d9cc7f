"""Run the trainings of all visitors, each in a worker process.

    submit ─▶ waiting ─▶ working ─▶ over
                            ▲ │
                            │ ▼
                          resting

`workers` jobs work at a time. If others wait, the job that has worked longest rests after its turn,
and the one that has worked least goes on: short trainings overtake long ones. A resting process
keeps its memory, so at most `begun` jobs have one. Jobs that no page waits for come last, and are
cancelled for new ones when the queue is full.
"""

import atexit
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from threading import RLock, Thread
from typing import Any

from tokviz.basics.errors import TokvizError
from tokviz.basics.messages import counted, message
from tokviz.server.limits import Training
from tokviz.server.pool.job import (
    CANCEL,
    LATE,
    OVER,
    RESTING,
    STOP,
    WAITING,
    WORKING,
    Job,
    TrainingFailed,
    broken,
    killed,
    out_of_time,
)
from tokviz.server.pool.process import WorkerProcess
from tokviz.server.pool.worker import DONE, ENOUGH, GO_ON, PROGRESS, REFUSED, REST, Call
from tokviz.text.corpus import Cancelled

#: Seconds between two checks of the jobs, and seconds that a worker has to end a job.
_TICK, GRACE = 0.1, {CANCEL: 1.0, STOP: 60.0, LATE: 10.0}
#: A process that worked longer is replaced: it may hold memory it no longer needs.
_YOUNG = 5.0
#: Seconds that a job works until the next process is started in advance. Earlier it would take the
#: processor from the page that is being drawn, and most trainings end sooner.
_SPARE = 0.5
#: Seconds without a waiting page after which a job counts as left; a reload takes less.
_LEFT = 20.0


class QueueFull(TokvizError):
    """The queue takes no more trainings, of anyone or of this session."""


class Pool:
    """Worker processes and a queue of trainings.

    `limits` say how many, how long and how large; see `limits.toml`. Processes are started when
    they are needed, or by `warm`.
    """

    def __init__(
        self,
        limits: Training,
        start: Callable[[int], WorkerProcess] = WorkerProcess,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits
        self.start_worker, self._clock = start, clock
        self._most = limits.workers or os.cpu_count() or 1
        # One more than work, so that a working job can rest for a waiting one.
        self._begun = max(limits.begun, self._most + 1)
        self.lock = RLock()
        self.jobs: list[Job] = []
        self.idle: list[WorkerProcess] = []
        self._ticking = self._closed = False
        self._looked = 0.0
        atexit.register(self.close)

    def warm(self) -> None:
        """Start a process for the next training in advance."""
        # If this fails, the next training starts its own, or says that it cannot.
        with self.lock, suppress(OSError):
            if not self._closed and not self.idle:
                self.idle.append(self.start_worker(self.limits.megabytes))

    def submit(self, call: Call, who: str = "") -> Job:
        """Queue a call for the session `who` ("" for none), and return its job.

        When the queue is full, the job that was left longest is cancelled. Raises QueueFull if none
        was left.
        """
        with self.lock:
            leaves = self._job_to_cancel(who)
            gone = leaves is not None and self._end(leaves, CANCEL)
            job = Job(call, self._clock, who)
            self.jobs.append(job)
            self.give_turns()
            if not self._ticking:
                self._ticking, self._looked = True, self._clock()
                Thread(target=self.look_after, name="training-clock", daemon=True).start()
        if leaves is not None and gone:
            leaves.finish(error=_cancelled())
        return job

    def _job_to_cancel(self, who: str) -> Job | None:
        """Return the job to cancel for a new one, or None; raises QueueFull if there is no room and
        no job that was left."""
        full = self.jobs if len(self.jobs) >= self.limits.queue else None
        own = [job for job in self.jobs if who and job.who == who and job.state != OVER]
        if len(own) >= self.limits.each:
            full = own
        if full is None:
            return None
        left = [job for job in full if job.state != OVER and _is_left(job)]
        if left:
            return max(left, key=Job.unwatched)
        n = len(full)
        if full is own:
            raise QueueFull(
                counted(
                    "You have {n} training under way; wait for it or cancel it.",
                    "You have {n} trainings under way; wait for one or cancel it.",
                    n,
                )
            )
        raise QueueFull(
            message(
                "{n} trainings are running or waiting, and this server takes no more. Try "
                "again in a minute, or train on your own computer.",
                n=n,
            )
        )

    def end(self, job: Job, why: str) -> None:
        """End a job: with the result so far (STOP, LATE), or at once without one (CANCEL)."""
        with self.lock:
            gone = self._end(job, why)
        if gone:
            # Without the lock: the callback may need one whose holder waits for this lock.
            job.finish(error=_cancelled())

    def _end(self, job: Job, why: str) -> bool:
        """End a job as `end` does; return whether it must be finished as cancelled at once."""
        heard = (why, CANCEL) if why == CANCEL else (why, CANCEL, LATE)
        if job.state == OVER or job.enough in heard:
            return False
        job.enough, was = why, job.state
        job.kill_at = self._clock() + GRACE[why]
        gone = why == CANCEL or was == WAITING
        if gone:
            job.state = OVER
        if was == WAITING:
            self.jobs.remove(job)
        elif was == RESTING and job.worker is not None:
            if gone:
                # A resting worker would read the order only after it goes on.
                job.worker.kill()
            else:
                job.state = WORKING
                job.worker.tell(GO_ON)
        if job.worker is not None and job.delivered:
            # Under the lock, since a moment later the worker may have another job.
            job.worker.tell(ENOUGH)
        return gone

    def ahead(self, job: Job) -> int:
        """Return how many unfinished trainings were submitted before this one."""
        with self.lock:
            before = self.jobs[: self.jobs.index(job)] if job in self.jobs else []
            return sum(other.state != OVER for other in before)

    def close(self) -> None:
        """Kill all processes; every job is finished as cancelled."""
        with self.lock:
            self._closed = True
            jobs = [*self.jobs]
            workers = [*self.idle, *(job.worker for job in jobs if job.worker)]
            self.idle.clear()
        for job in jobs:
            job.finish(error=_cancelled())
        for worker in workers:
            worker.kill()

    def give_turns(self) -> None:
        """Let jobs work while there is room, those that have worked least first."""
        ready = sorted((j for j in self.jobs if j.state in (WAITING, RESTING)), key=_turn_key)
        room = self._most - sum(job.state == WORKING for job in self.jobs)
        begun = sum(job.state in (WORKING, RESTING) for job in self.jobs)
        for job in ready:
            if room <= 0:
                return
            if job.state == WAITING and begun >= self._begun:
                continue
            room, job.turn = room - 1, self._clock()
            if job.state == RESTING:
                job.state = WORKING
                if job.worker is not None:
                    job.worker.tell(GO_ON)
            else:
                job.state, begun = WORKING, begun + 1
                Thread(target=self._work, args=(job,), name="training", daemon=True).start()

    def _work(self, job: Job) -> None:
        """Run a job in a worker from its beginning to its end."""
        worker = self._worker_for(job)
        if worker is None:
            return
        length, error, made = 0, None, None
        try:
            if worker.tell(job.call):
                self._delivered(job, worker)
                kind, made, length = self._receive_result(job, worker)
                if kind != DONE:
                    error = made if kind == REFUSED else broken(made)
                if job.enough == LATE and isinstance(error, Cancelled):
                    # It had no result yet to show.
                    error = out_of_time(self.limits.seconds)
                if isinstance(error, MemoryError):
                    worker.kill()
            else:
                raise EOFError
        except (EOFError, OSError):
            worker.kill()
            error = _ended(job, self.limits.seconds)
        except Exception as mistake:  # Sessions wait for the end of the job in any case.
            worker.kill()
            error = broken(type(mistake).__name__)
        if job.set_back and error is not None:
            self.begin_anew(job)
            return
        job.bytes = length
        job.finish(made, error)
        self._put_back(job, worker)

    def begin_anew(self, job: Job) -> None:
        """Put a job whose process was killed back in the queue."""
        with self.lock:
            job.worker, job.delivered, job.begun, job.set_back = None, False, False, False
            job.progress, job.lost = None, job.worked
            if job.state != OVER:
                job.state = WAITING
            elif job in self.jobs:
                self.jobs.remove(job)
            self.give_turns()

    def _delivered(self, job: Job, worker: WorkerProcess) -> None:
        with self.lock:
            job.delivered = True
            if job.enough:
                worker.tell(ENOUGH)

    @staticmethod
    def _receive_result(job: Job, worker: WorkerProcess) -> tuple[str, Any, int]:
        while True:
            (kind, said), length = worker.hear()
            if kind != PROGRESS:
                return kind, said, length
            job.progress, job.begun = said, True

    def _put_back(self, job: Job, worker: WorkerProcess) -> None:
        """Make a worker idle if it is young, else replace it."""
        with self.lock:
            job.worker = None
            if job in self.jobs:
                self.jobs.remove(job)
            young = worker.alive() and job.worked < _YOUNG and len(self.idle) <= self._most
            if young and not self._closed:
                self.idle.append(worker)
            self.give_turns()
        if not young or self._closed:
            worker.kill()
            self.warm()

    def _worker_for(self, job: Job) -> WorkerProcess | None:
        """Return a worker for a job, or None if the job was ended or no process can start."""
        with self.lock:
            worker = None
            while self.idle and worker is None:
                worker = self.idle.pop()
                worker = worker if worker.alive() else None
        try:
            worker = worker or self.start_worker(self.limits.megabytes)
        except OSError:
            self._drop(
                job, TrainingFailed(message("This server cannot start a training right now."))
            )
            return None
        with self.lock:
            if job.state == OVER or self._closed:
                self.idle.append(worker)
            else:
                job.worker = worker
        if job.worker is worker:
            return worker
        self._drop(job, _cancelled())
        if self._closed:
            worker.kill()
        return None

    def _drop(self, job: Job, error: Exception) -> None:
        with self.lock:
            if job in self.jobs:
                self.jobs.remove(job)
            self.give_turns()
        job.finish(error=error)

    def look_after(self) -> None:
        """While there are jobs, end those that take too long, and change turns."""
        while True:
            time.sleep(_TICK)
            try:
                with self.lock:
                    if not self.jobs or self._closed:
                        self._ticking = False
                        return
                self.check_limits()
            except Exception as mistake:
                # Without this thread no job would get another turn, or end.
                logging.getLogger("tokviz").error("A turn failed: %s", type(mistake).__name__)

    def check_limits(self) -> None:
        with self.lock:
            now = self._clock()
            passed, self._looked = now - self._looked, now
            overdue = [job for job in self.jobs if job.kill_at and now > job.kill_at]
            for job in self.jobs:
                if job.state == WORKING and job.begun:
                    job.worked += passed
            too_long = [
                job
                for job in self.jobs
                if not job.enough and job.worked - job.lost > self.limits.seconds
            ]
            unwatched = [
                job for job in self.jobs if job.unwatched() > self.limits.unwatched_seconds
            ]
            self._change_turns(now)
            for job in overdue:
                if job.worker is not None:
                    job.worker.kill()
            long = any(job.state == WORKING and job.worked > _SPARE for job in self.jobs)
        if long:
            # The next job then need not wait for a process to start.
            self.warm()
        for job in too_long:
            self.end(job, LATE)
        for job in unwatched:
            self.end(job, CANCEL)

    def _change_turns(self, now: float) -> None:
        """Let the jobs that have worked longest rest, one for each waiting job that worked less."""
        ready = sorted((j for j in self.jobs if j.state in (WAITING, RESTING)), key=_turn_key)
        begun = sum(job.state in (WORKING, RESTING) for job in self.jobs)
        if begun >= self._begun:
            if any(job.state == WAITING and _turn_key(job) == (False, 0) for job in ready):
                self._make_place()
            ready = [job for job in ready if job.state == RESTING]
        for other in ready:
            working = [
                job
                for job in self.jobs
                if job.state == WORKING
                and job.delivered
                and not job.enough
                and job.worker is not None
                and _turn_key(job) > _turn_key(other)
                and now - job.turn >= self.limits.turn_seconds
            ]
            if not working:
                break
            job = max(working, key=_turn_key)
            if job.worker is not None and job.worker.tell(REST):
                job.state = RESTING
        self.give_turns()

    def _make_place(self) -> None:
        """Kill the process of a resting job, so that a new job gets one; the killed job begins anew
        later. Jobs that were left come first, then the one that has worked least."""
        resting = [job for job in self.jobs if job.state == RESTING and not job.set_back]
        if resting and not any(job.set_back for job in self.jobs):
            job = min(resting, key=lambda job: (not _is_left(job), job.worked))
            job.set_back = True
            if job.worker is not None:
                job.worker.kill()


def _ended(job: Job, seconds: float) -> Exception:
    """Return the error for a job whose process ended during the job."""
    if job.enough == LATE:
        return out_of_time(seconds)
    return _cancelled() if job.enough else killed()


def _cancelled() -> Cancelled:
    return Cancelled(message("Training was cancelled."))


def _is_left(job: Job) -> bool:
    """Return whether no page has waited for a job for a while, even with a reload."""
    return job.unwatched() > _LEFT


def _turn_key(job: Job) -> tuple[bool, float]:
    """Sort key of turns: the lowest works first."""
    return _is_left(job), job.worked
