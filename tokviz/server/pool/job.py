"""One training in the pool: where it is, and what came of it."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import RLock
from typing import Any

from tokviz.basics.errors import TokvizError
from tokviz.basics.messages import message
from tokviz.server.pool.process import WorkerProcess
from tokviz.server.pool.worker import Call

#: What a job does: it waits for its first turn, works, rests until its next turn, or is over.
WAITING, WORKING, RESTING, OVER = "waiting", "working", "resting", "over"
#: Why a job is told that it is enough: somebody wants what there is, or nothing; its time is over.
STOP, CANCEL, LATE = "stop", "cancel", "late"
#: Seconds for which whoever waited is taken to be there.
_THERE = 2.0


class TrainingFailed(TokvizError):
    """A training that ended without a result; the message says why, and what to change."""


class Job:
    """A training that was submitted. Only the pool that has it changes it.

    `progress` is what it reported last, `enough` why it was told to end, `worked` how many seconds
    it has worked, `bytes` how large its result was on the way, and `who` asked for it first.
    """

    def __init__(self, call: Call, clock: Callable[[], float], who: str = "") -> None:
        self.call, self.who = call, who
        self.state = WAITING
        self.progress: Any = None
        self.enough: str | None = None
        self.worked = 0.0
        #: Of these, what it will have to do again.
        self.lost = 0.0
        self.bytes = 0
        self.worker: WorkerProcess | None = None
        #: Whether the worker has the whole call; before, it cannot rest or hear anything else.
        self.delivered = False
        self.turn = 0.0
        self.kill_at: float | None = None
        #: Whether the worker is at it; until then its process may still be starting.
        self.begun = False
        #: Whether it has to begin anew, since its place was needed.
        self.set_back = False
        self._clock = clock
        self._seen: dict[str, float] = {"": clock()}
        self._finishing = RLock()
        self._tell: Callable[[], object] | None = None
        self._made: Future[Any] = Future()

    def done(self) -> bool:
        """Whether there is a result or an error."""
        return self._made.done()

    def wait(self, seconds: float, who: str = "") -> bool:
        """Waits for the end, so long at most; whether it has come. Whoever waits is there."""
        self._seen[who] = self._clock()
        wait([self._made], timeout=seconds)
        return self.done()

    def others_wait(self, who: str) -> bool:
        """Whether somebody else was there within the last seconds."""
        now, seen = self._clock(), list(self._seen.items())
        return any(other not in ("", who) and now - at < _THERE for other, at in seen)

    def when_done(self, tell: Callable[[], object]) -> None:
        """Has something called once there is a result or an error, and then forgotten: it may know
        the job, and the memory of such a circle would be free only much later."""
        with self._finishing:
            if not self.done():
                self._tell = tell
                return
        tell()

    def failed(self) -> bool:
        """Whether it ended with an error."""
        return self._made.done() and self._made.exception() is not None

    def result(self) -> Any:
        """What was made. Raises what the training raised, Cancelled, and TrainingFailed."""
        return self._made.result()

    def unwatched(self) -> float:
        """For how many seconds nobody has waited for it."""
        return self._clock() - max(list(self._seen.values()))

    def finish(self, made: Any = None, error: BaseException | None = None) -> None:
        """Gives all who wait the result, or the error; the first one counts."""
        with self._finishing:
            self.state = OVER
            if self._made.done():
                return
            tell, self._tell = self._tell, None
            if error is None:
                self._made.set_result(made)
            else:
                self._made.set_exception(error)
        if tell is not None:
            tell()


def out_of_time(seconds: float) -> TrainingFailed:
    """What is said of a training that took too long and cannot be shown as far as it came."""
    return TrainingFailed(
        message(
            "The training took more than {seconds:,.0f} seconds, which is what this server "
            "allows. Train on a shorter text or to a smaller vocabulary, or on your own computer "
            "with python -m tokviz train.",
            seconds=seconds,
        )
    )


def killed() -> TrainingFailed:
    """What is said of a training whose process is gone."""
    return TrainingFailed(
        message(
            "The system ended the process of this training, most often for want of memory. "
            "Train on a shorter text or to a smaller vocabulary, or once more."
        )
    )


def broken(kind: str) -> TrainingFailed:
    """What is said of a training that met an error that nobody thought of."""
    return TrainingFailed(
        message(
            "The training failed by a mistake in tokviz ({kind}), not by yours. Try other "
            "settings, and please report it.",
            kind=kind,
        )
    )
