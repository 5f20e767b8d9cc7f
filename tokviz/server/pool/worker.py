"""What runs in a worker process: one call after the other, each told where it is and when to end.

    server ── (function, arguments) ──▶ worker ── progress, progress, … the result ──▶ server
              "rest", "go on", "enough" ──▶

It prints nothing, and what it was given to train on is nowhere but in its memory.
"""

import logging
import os
import pickle
import sys
import threading
import traceback
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

from tokviz.server.pool.frames import receive, send
from tokviz.server.server_log import keep_texts_out_of_the_log


class Call(NamedTuple):
    """A function of a module, and its arguments, before the last, which is a progress callback."""

    function: Any
    arguments: tuple[Any, ...]


#: How an answer begins: on the way, the result, an error that is known, and one that is not.
PROGRESS, DONE, REFUSED, FAILED = "progress", "done", "refused", "failed"
#: What the server may say during a call: end it, stand still, go on.
ENOUGH, REST, GO_ON = "enough", "rest", "go on"

_LOG = logging.getLogger("tokviz")


class _Inbox:
    """Reads what the server says, in a thread of its own, since a call is at work meanwhile."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._calls: list[Call] = []
        self._come = threading.Condition()
        self.enough = self._resting = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                said, _length = receive(self._pipe)
            except Exception:
                # Without a server nobody waits for the result, and what cannot be read has none.
                os._exit(1)
            with self._come:
                if said in (REST, GO_ON):
                    self._resting = said == REST
                elif said == ENOUGH:
                    self.enough = True
                else:
                    # What was said before was for another call; what follows is for this one.
                    self.enough = self._resting = False
                    self._calls.append(said)
                self._come.notify()

    def next_call(self) -> Call:
        with self._come:
            self._come.wait_for(lambda: self._calls)
            return self._calls.pop(0)

    def rest(self) -> None:
        """Stands still if that was said, until the opposite is."""
        with self._come:
            self._come.wait_for(lambda: self.enough or not self._resting)


def answer(call: Call, inbox: Any, out: BinaryIO) -> None:
    """Makes one call, and writes what comes of it. Ends the process where nobody reads it."""

    def note(progress: object) -> bool:
        _tell(out, (PROGRESS, progress))
        inbox.rest()
        return not inbox.enough

    # From now on its time counts.
    _tell(out, (PROGRESS, None))
    try:
        made = call.function(*call.arguments, note)
    except Exception as error:
        kind, said = _told(error)
        del error
        _tell(out, (kind, said))
        return
    try:
        _tell(out, (DONE, made))
    except MemoryError:
        _tell(out, (REFUSED, MemoryError()))


def _tell(out: BinaryIO, value: object) -> None:
    try:
        send(out, value)
    except BrokenPipeError:
        # The server is gone: that is no failure of the training, and nobody to be told of one.
        raise SystemExit(1) from None


def _told(error: Exception) -> tuple[str, Any]:
    """An error that says what to change, as it is; of any other one the kind, since its words may
    be out of somebody's text, and for who runs the server where it arose."""
    from tokviz.text.corpus import Cancelled

    if isinstance(error, ValueError | Cancelled | MemoryError | OverflowError | TypeError):
        with suppress(Exception):
            # Some errors cannot be made again from what they were made of.
            return REFUSED, pickle.loads(pickle.dumps(error))
    places = traceback.extract_tb(error.__traceback__)
    where = "\n".join(f"  {place.filename}:{place.lineno} {place.name}" for place in places)
    _LOG.error("A training failed with %s, from\n%s", type(error).__name__, where)
    return FAILED, type(error).__name__


def allow_memory(megabytes: int) -> None:
    """Lets this process take so many more megabytes than it has now, where the system can see to
    it (Linux): what asks for more raises MemoryError."""
    with suppress(ImportError, OSError, ValueError, StopIteration):
        import resource

        with open("/proc/self/status", encoding="ascii") as status:
            now = next(int(line.split()[1]) for line in status if line.startswith("VmData:"))
        _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (now * 1024 + megabytes * 1_000_000, hard))


def _give_way() -> None:
    """The server answers first, and if memory ends, this process is the one to go."""
    with suppress(AttributeError, OSError):
        os.nice(5)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("500")


def main() -> None:
    """Works for the server at the other ends of standard input and output."""
    pipe_in, pipe_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever prints must not come between the answers.
    os.dup2(2, 1)
    # Ctrl-C in the server's terminal reaches this process too; the server ends it.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_texts_out_of_the_log()
    _give_way()
    import tokviz.server.pool.work  # noqa: F401 (before the first call, not during it)

    allow_memory(int(sys.argv[1]))
    inbox = _Inbox(pipe_in)
    with suppress(SystemExit):
        while True:
            answer(inbox.next_call(), inbox, pipe_out)
    # At once: what is left to be written has no reader either.
    os._exit(1)
