"""One training in the pool: its state, its progress and its result."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import RLock
from typing import Any

from tokviz.basics.errors import TokvizError
from tokviz.basics.messages import message
from tokviz.server.pool.process import WorkerProcess
from tokviz.server.pool.worker import Call

#: A job's state: waiting for its first turn, working, resting until its next turn, or over.
WAITING, WORKING, RESTING, OVER = "waiting", "working", "resting", "over"
#: Why a job is ended: keep the result so far, discard it, or the time limit was reached.
STOP, CANCEL, LATE = "stop", "cancel", "late"
#: Seconds after its last `wait` for which a session counts as waiting.
_THERE = 2.0


class TrainingFailed(TokvizError):
    """A training that ended without a result; the message says why, and what to change."""


class Job:
    """A submitted training. Only its pool changes it.

    `progress` is its last report, `enough` why it was told to end, `worked` its seconds of work,
    `bytes` the size of its pickled result, and `who` the session that asked for it first.
    """

    def __init__(self, call: Call, clock: Callable[[], float], who: str = "") -> None:
        self.call, self.who = call, who
        self.state = WAITING
        self.progress: Any = None
        self.enough: str | None = None
        self.worked = 0.0
        #: The seconds of them that were lost when it was set back.
        self.lost = 0.0
        self.bytes = 0
        self.worker: WorkerProcess | None = None
        #: Whether the worker has received the call; before that it cannot receive anything else.
        self.delivered = False
        self.turn = 0.0
        self.kill_at: float | None = None
        #: Whether the worker has begun the call; until then its process may still be starting.
        self.begun = False
        #: Whether it has to begin anew, because another job needed its process.
        self.set_back = False
        self._clock = clock
        self._seen: dict[str, float] = {"": clock()}
        self._finishing = RLock()
        self._tell: Callable[[], object] | None = None
        self._made: Future[Any] = Future()

    def done(self) -> bool:
        """Return whether there is a result or an error."""
        return self._made.done()

    def wait(self, seconds: float, who: str = "") -> bool:
        """Wait for the end for at most `seconds`, and return whether it has come. Records that
        `who` is waiting."""
        self._seen[who] = self._clock()
        wait([self._made], timeout=seconds)
        return self.done()

    def others_wait(self, who: str) -> bool:
        """Return whether another session was waiting within the last seconds."""
        now, seen = self._clock(), list(self._seen.items())
        return any(other not in ("", who) and now - at < _THERE for other, at in seen)

    def when_done(self, tell: Callable[[], object]) -> None:
        """Call `tell` once there is a result or an error, then forget it: `tell` may refer to the
        job, and such a cycle is freed late."""
        with self._finishing:
            if not self.done():
                self._tell = tell
                return
        tell()

    def failed(self) -> bool:
        """Return whether it ended with an error."""
        return self._made.done() and self._made.exception() is not None

    def result(self) -> Any:
        """Return the result. Raises what the training raised, Cancelled, or TrainingFailed."""
        return self._made.result()

    def unwatched(self) -> float:
        """Return for how many seconds no session has waited for it."""
        return self._clock() - max(list(self._seen.values()))

    def finish(self, made: Any = None, error: BaseException | None = None) -> None:
        """Set the result or the error; only the first call counts."""
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
    """Return the error for a training that took too long and has nothing to show."""
    return TrainingFailed(
        message(
            "The training took more than {seconds:,.0f} seconds, which is what this server "
            "allows. Train on a shorter text or to a smaller vocabulary, or on your own computer "
            "with python -m tokviz train.",
            seconds=seconds,
        )
    )


def killed() -> TrainingFailed:
    """Return the error for a training whose process was killed."""
    return TrainingFailed(
        message(
            "The system ended the process of this training, most likely because memory ran "
            "out. Train on a shorter text or to a smaller vocabulary, or try again."
        )
    )


def broken(kind: str) -> TrainingFailed:
    """Return the error for a training that failed because of a bug in tokviz."""
    return TrainingFailed(
        message(
            "The training failed because of a mistake in tokviz ({kind}), not because of one "
            "of yours. Try other settings, and please report it.",
            kind=kind,
        )
    )
