"""Trainings of the pool in the test's own process, where a test can click at any report."""

import os
import time
from threading import Thread

from helpers import PATIENCE

from tokviz.basics import progress
from tokviz.server import waiting
from tokviz.server.limits import LIMITS
from tokviz.server.pool import Call, Pool
from tokviz.server.pool.frames import receive
from tokviz.server.pool.worker import ENOUGH, answer


class HereWorker:
    """A worker of the pool in the test's own process; `at_report` hears of every report first."""

    def __init__(self, at_report):
        self.enough, self._at_report, self._living = False, at_report, True
        read, write = os.pipe()
        self._from, self._to = os.fdopen(read, "rb"), os.fdopen(write, "wb")

    def tell(self, value):
        if value == ENOUGH:
            self.enough = True
        else:
            self.enough = False
            Thread(target=self._answer, args=(value,), daemon=True).start()
        return True

    def _answer(self, call):
        def function(*arguments):
            *most, note = arguments

            def noted(report):
                self._at_report(report)
                return note(report)

            return call.function(*most, noted)

        answer(Call(function, call.arguments), self, self._to)

    def rest(self):
        """What works here never rests."""

    def hear(self):
        return receive(self._from)

    def alive(self):
        return self._living

    def kill(self):
        self._living = False


def clicked(monkeypatch, what, when):
    """Trainings go on, in this process, as if somebody clicked at the first report that `when` is
    true of, and every report is made."""
    monkeypatch.setattr(progress.Reporter.__init__, "__defaults__", (0,))

    def at_report(report):
        if when(report):
            job = pool.jobs[-1]
            pool.end(job, what)
            # At the first report the pool may not know yet that the call was delivered.
            until = time.monotonic() + PATIENCE
            while not job.worker.enough and time.monotonic() < until:
                time.sleep(0.001)

    pool = Pool(LIMITS.training, start=lambda _: HereWorker(at_report))
    monkeypatch.setattr(waiting, "training_pool", lambda: pool)
