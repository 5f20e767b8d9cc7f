"""The main loop of a worker process: run one call after the other, and report progress.

    server ── (function, arguments) ──▶ worker ── progress, progress, … the result ──▶ server
              "rest", "go on", "enough" ──▶

It prints nothing, and keeps the corpus only in memory.
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
    """A function of a module and its arguments, without the last one, the progress callback."""

    function: Any
    arguments: tuple[Any, ...]


#: Kinds of answers: progress, the result, an error with a message for the visitor, another error.
PROGRESS, DONE, REFUSED, FAILED = "progress", "done", "refused", "failed"
#: Orders that the server may send during a call: end it, pause, go on.
ENOUGH, REST, GO_ON = "enough", "rest", "go on"

_LOG = logging.getLogger("tokviz")


class _Inbox:
    """Read the server's messages in a thread, while a call runs."""

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
                # The server is gone, or sent a value that cannot be read.
                os._exit(1)
            with self._come:
                if said in (REST, GO_ON):
                    self._resting = said == REST
                elif said == ENOUGH:
                    self.enough = True
                else:
                    # Earlier orders were for another call.
                    self.enough = self._resting = False
                    self._calls.append(said)
                self._come.notify()

    def next_call(self) -> Call:
        with self._come:
            self._come.wait_for(lambda: self._calls)
            return self._calls.pop(0)

    def rest(self) -> None:
        """Wait while the server wants the call to rest."""
        with self._come:
            self._come.wait_for(lambda: self.enough or not self._resting)


def answer(call: Call, inbox: Any, out: BinaryIO) -> None:
    """Run one call and write its result. Ends the process if the server is gone."""

    def note(progress: object) -> bool:
        _send_answer(out, (PROGRESS, progress))
        inbox.rest()
        return not inbox.enough

    # The time limit counts from this report.
    _send_answer(out, (PROGRESS, None))
    try:
        made = call.function(*call.arguments, note)
    except Exception as error:
        kind, said = _error_answer(error)
        del error
        _send_answer(out, (kind, said))
        return
    try:
        _send_answer(out, (DONE, made))
    except MemoryError:
        _send_answer(out, (REFUSED, MemoryError()))


def _send_answer(out: BinaryIO, value: object) -> None:
    try:
        send(out, value)
    except BrokenPipeError:
        # The server is gone, so the training did not fail and needs no error in the log.
        raise SystemExit(1) from None


def _error_answer(error: Exception) -> tuple[str, Any]:
    """Return the kind of an answer and an error for the visitor. Of an unexpected error only the
    class is sent, since its message may quote a text; the log gets its place."""
    from tokviz.text.corpus import Cancelled

    if isinstance(error, ValueError | Cancelled | MemoryError | OverflowError | TypeError):
        with suppress(Exception):
            # Some errors cannot be unpickled.
            return REFUSED, pickle.loads(pickle.dumps(error))
    places = traceback.extract_tb(error.__traceback__)
    where = "\n".join(f"  {place.filename}:{place.lineno} {place.name}" for place in places)
    _LOG.error("A training failed with %s, from\n%s", type(error).__name__, where)
    return FAILED, type(error).__name__


def allow_memory(megabytes: int) -> None:
    """Let this process take at most this many megabytes more than now, where the system can
    (Linux); beyond that, MemoryError is raised."""
    with suppress(ImportError, OSError, ValueError, StopIteration):
        import resource

        with open("/proc/self/status", encoding="ascii") as status:
            now = next(int(line.split()[1]) for line in status if line.startswith("VmData:"))
        _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (now * 1024 + megabytes * 1_000_000, hard))


def _give_way() -> None:
    """Lower this process's priority, and let it be killed first if memory runs out."""
    with suppress(AttributeError, OSError):
        os.nice(5)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("500")


def main() -> None:
    """Run calls from standard input, and write the answers to standard output."""
    pipe_in, pipe_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Prints go to standard error, so that they do not mix with the answers.
    os.dup2(2, 1)
    # Ctrl-C in the server's terminal reaches this process too, but the server ends it.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_texts_out_of_the_log()
    _give_way()
    import tokviz.server.pool.work  # noqa: F401 (before the first call, not during it)
    from tokviz.core.host import prepare

    prepare()
    allow_memory(int(sys.argv[1]))
    inbox = _Inbox(pipe_in)
    with suppress(SystemExit):
        while True:
            answer(inbox.next_call(), inbox, pipe_out)
    # At once: the server no longer reads what is not yet written.
    os._exit(1)
