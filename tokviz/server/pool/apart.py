"""The libraries of opened files, apart from the server: native code that reads strangers' files may
take all memory, never end, or crash, and then only its own process is gone.

    page ── a text, or ids ──▶ Apart ──▶ a worker with limits ──▶ what the library says
"""

import atexit
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock, Timer
from typing import Any, NamedTuple

from tokviz.basics.messages import message
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Library, Split
from tokviz.server.pool.process import WorkerProcess
from tokviz.server.pool.worker import DONE, PROGRESS, REFUSED, Call

#: How long one answer may take, reading a file included, and how much memory the process may take.
SECONDS, MEGABYTES = 30.0, 2000
#: Files that the worker keeps read; one that it has forgotten it is told anew.
MOST_KEPT = 4

_KEPT: OrderedDict[str, Library] = OrderedDict()


class _Answer(NamedTuple):
    """What a library said; `unknown` if the worker has to be told the file first."""

    said: Any
    unknown: bool = False


def answer(
    key: str, reads: tuple[Any, ...] | None, asked: str, arguments: tuple[Any, ...], _note: object
) -> _Answer:
    """What the library that is known by `key` answers, in the worker; `reads` are the arguments of
    `here` that read its file, if it may be unknown."""
    if key not in _KEPT:
        if reads is None:
            return _Answer(None, unknown=True)
        while len(_KEPT) >= MOST_KEPT:
            _KEPT.popitem(last=False)
        _KEPT[key] = here(*reads)
    _KEPT.move_to_end(key)
    return _Answer(getattr(_KEPT[key], asked)(*arguments))


class Apart:
    """One worker process for the libraries of all opened files, started when it is needed and again
    when it is gone. It does one thing after the other."""

    def __init__(
        self,
        seconds: float = SECONDS,
        start: Callable[[], WorkerProcess] = lambda: WorkerProcess(MEGABYTES, quiet=True),
    ) -> None:
        self._seconds, self._start = seconds, start
        self._lock = Lock()
        self._worker: WorkerProcess | None = None
        atexit.register(self.close)

    def host(self, name: str, *arguments: Any) -> Library:
        """The library of that name in the worker; see `Host`."""
        # What is told twice is the same file.
        key = sha256(repr((name, arguments)).encode("utf-8", "surrogatepass")).hexdigest()
        library = _Elsewhere(key, (name, *arguments), self)
        library.about()
        return library

    def ask(self, key: str, reads: tuple[Any, ...], asked: str, arguments: tuple[Any, ...]) -> Any:
        """What the library says. Raises what it raises, and TokenizerFileError if it takes too much
        time or memory, or ends its process."""
        with self._lock:
            found = self._hear(Call(answer, (key, None, asked, arguments)))
            if found.unknown:
                found = self._hear(Call(answer, (key, reads, asked, arguments)))
            return found.said

    def close(self) -> None:
        """Ends the worker."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def _hear(self, call: Call) -> _Answer:
        if self._worker is None or not self._worker.alive():
            self.close()
            self._worker = self._start()
        worker, late = self._worker, list[bool]()

        def stop() -> None:
            late.append(True)
            worker.kill()

        # From when it is at it: a process takes its time to start.
        clock = Timer(self._seconds, stop)
        clock.daemon = True
        try:
            worker.tell(call)
            while True:
                (kind, said), _ = worker.hear()
                if kind == PROGRESS:
                    clock.start()
                    continue
                break
        except (EOFError, OSError, ValueError):
            self.close()
            raise _late(self._seconds) if late else _gone() from None
        finally:
            with suppress(RuntimeError):
                clock.cancel()
        if kind == DONE:
            assert isinstance(said, _Answer)
            return said
        if kind == REFUSED and not isinstance(said, MemoryError):
            raise said
        # Nobody knows what state it is in.
        self.close()
        raise _gone()


def _late(seconds: float) -> TokenizerFileError:
    return TokenizerFileError(
        message(
            "The library of this file was stopped after {seconds:g} s; try a shorter text, or the "
            "file on your own computer.",
            seconds=seconds,
        )
    )


def _gone() -> TokenizerFileError:
    return TokenizerFileError(
        message(
            "The library of this file crashed, or took more memory than this server allows; try a "
            "shorter text, or the file on your own computer."
        )
    )


@dataclass(frozen=True)
class _Elsewhere:
    """A `Library` that the worker of `apart` runs."""

    key: str
    reads: tuple[Any, ...] = field(repr=False, compare=False)
    apart: Apart = field(repr=False, compare=False)

    def splits(self, text: str) -> list[Split]:
        """See `Library`."""
        found: list[Split] = self._asked("splits", text)
        return found

    def decode(self, ids: list[int]) -> str:
        """See `Library`."""
        text: str = self._asked("decode", ids)
        return text

    def about(self) -> Any:
        """See `Library`."""
        return self._asked("about")

    def _asked(self, what: str, *arguments: Any) -> Any:
        return self.apart.ask(self.key, self.reads, what, arguments)
