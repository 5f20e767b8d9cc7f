"""The local engine: one process a core."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from tokviz.counting.errors import CountingError
from tokviz.counting.sources import Tell
from tokviz.counting.tasks import Job, Table, Task, count_task

#: Seconds between two looks at how far the others are.
_LOOK = 0.1


def count_here(job: Job, tasks: Sequence[Task], tell: Tell) -> Iterator[tuple[int, Table]]:
    """One task after the other, in this process."""
    for number, task in enumerate(tasks):
        yield number, count_task(job, task, tell)


def count_locally(
    job: Job, tasks: Sequence[Task], tell: Tell, workers: int
) -> Iterator[tuple[int, Table]]:
    """Every task's number and table as it is done, by so many processes of this machine.

    Whatever ends this early, an exception of `tell` included, also ends the processes. Raises
    CountingError if one of them is killed.
    """
    if workers < 2 or len(tasks) < 2:
        yield from count_here(job, tasks, tell)
        return
    # Not forked: this process may have threads.
    context = multiprocessing.get_context("spawn")
    stop, read = context.Event(), context.Value("q", 0)
    waiting = iter(enumerate(tasks))
    running: dict[Future[Table], int] = {}
    told = 0
    with ProcessPoolExecutor(
        min(workers, len(tasks)), context, initializer=begin_in_process, initargs=(job, stop, read)
    ) as pool:
        try:
            while True:
                # Few wait with their tables: they take memory.
                with unheard():
                    for number, task in waiting:
                        running[pool.submit(_count, task)] = number
                        if len(running) >= 2 * workers:
                            break
                if not running:
                    return
                done, _ = wait(running, _LOOK, FIRST_COMPLETED)
                now = read.value
                tell(now - told)
                told = now
                for future in done:
                    number = running.pop(future)
                    yield number, future.result()
        except BrokenProcessPool:
            raise CountingError(
                "a process that counted was killed, maybe because memory ran out; ask for fewer "
                "with --workers."
            ) from None
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def unheard() -> Iterator[None]:
    """Processes that begin in here never hear Ctrl-C, not even while they begin: it is for the one
    that was started, which tells the others."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # What Python starts beside the first process lets the signal through again, once.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Stopped(Exception):
    """Nobody wants this task any more."""


# Of a process of the pool.
_job: Job
_stop: Any
_read: Any


def begin_in_process(job: Job, stop: Any, read: Any) -> None:
    global _job, _stop, _read
    _job, _stop, _read = job, stop, read
    # Where `unheard` can do nothing.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _count(task: Task) -> Table:
    return count_task(_job, task, _tell)


def _tell(more: int) -> None:
    if _stop.is_set():
        raise _Stopped
    with _read.get_lock():
        _read.value += more
