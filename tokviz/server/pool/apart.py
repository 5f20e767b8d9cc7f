"""Run the libraries of opened files in a process of their own: native code that reads a stranger's
file may take all memory, hang or crash, and then only that process is lost.

    page ── a text, or ids ──▶ Apart ──▶ a worker with limits ──▶ the library's answer
"""

import atexit
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
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

#: Seconds for one answer, reading the file included, and megabytes of the process.
SECONDS, MEGABYTES = 30.0, 2000
#: Libraries that the worker keeps open; an older one is opened again when it is needed.
MOST_KEPT = 4

_KEPT: OrderedDict[str, Library] = OrderedDict()


class _Answer(NamedTuple):
    """A library's answer; `unknown` if the worker has to open the file first."""

    said: Any
    unknown: bool = False


def answer(
    key: str, reads: tuple[Any, ...] | None, asked: str, arguments: tuple[Any, ...], _note: object
) -> _Answer:
    """Return the answer of the library known by `key`, in the worker. `reads` are the arguments of
    `here` that open its file, if it may not be open."""
    if key not in _KEPT:
        if reads is None:
            return _Answer(None, unknown=True)
        while len(_KEPT) >= MOST_KEPT:
            _KEPT.popitem(last=False)
        _KEPT[key] = here(*reads)
    _KEPT.move_to_end(key)
    return _Answer(getattr(_KEPT[key], asked)(*arguments))


class Apart:
    """One worker process for the libraries of all opened files. It is started when needed, again
    when it has ended, and handles one call at a time."""

    def __init__(
        self,
        seconds: float = SECONDS,
        start: Callable[[], WorkerProcess] = lambda: WorkerProcess(MEGABYTES, quiet=True),
    ) -> None:
        self._seconds, self._start = seconds, start
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(4, "apart")
        self.worker: WorkerProcess | None = None
        atexit.register(self.close)

    def prepare(self) -> None:
        """Begin to start the worker, if there is none: somebody may soon open a file."""
        if self.worker is None and not self._lock.locked():
            self._threads.submit(self._prepared)

    def host(self, name: str, *arguments: Any) -> Library:
        """Return the library of that name, which begins to read in the worker; see `Host`."""
        reads = name, *arguments
        key = _digest(reads)
        told = self._threads.submit(self.ask, key, reads, "about", ())
        return _Elsewhere(key, reads, self, told)

    def ask(self, key: str, reads: tuple[Any, ...], asked: str, arguments: tuple[Any, ...]) -> Any:
        """Return the library's answer. Raises what the library raises, and TokenizerFileError if it
        takes too much time or memory, or crashes."""
        with self._lock:
            found = self._call(Call(answer, (key, None, asked, arguments)))
            if found.unknown:
                found = self._call(Call(answer, (key, reads, asked, arguments)))
            return found.said

    def close(self) -> None:
        """Kill the worker."""
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.kill()

    def _prepared(self) -> None:
        with self._lock:
            self._there()

    def _there(self) -> WorkerProcess:
        """Return the worker, started if it is not running. The lock is to be held."""
        if self.worker is None or not self.worker.alive():
            self.close()
            self.worker = self._start()
        return self.worker

    def _call(self, call: Call) -> _Answer:
        worker, late = self._there(), list[bool]()

        def stop() -> None:
            late.append(True)
            worker.kill()

        # The time starts with the first report: a new process needs some time to start.
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
            raise _late_error(self._seconds) if late else _crash_error() from None
        finally:
            with suppress(RuntimeError):
                clock.cancel()
        if kind == DONE:
            assert isinstance(said, _Answer)
            return said
        if kind == REFUSED and not isinstance(said, MemoryError):
            raise said
        # The worker's state is unknown now.
        self.close()
        raise _crash_error()


def _digest(arguments: tuple[Any, ...]) -> str:
    """Return a digest of arguments: the same ones are the same file."""
    digest = sha256()
    for each in arguments:
        # A text may be megabytes, which `repr` takes long for.
        written = each if isinstance(each, str) else repr(each)
        data = written.encode("utf-8", "surrogatepass")
        digest.update(f"{type(each).__name__} {len(data)} ".encode() + data)
    return digest.hexdigest()


def _late_error(seconds: float) -> TokenizerFileError:
    return TokenizerFileError(
        message(
            "The library of this file was stopped after {seconds:g} s; try a shorter text, or the "
            "file on your own computer.",
            seconds=seconds,
        )
    )


def _crash_error() -> TokenizerFileError:
    return TokenizerFileError(
        message(
            "The library of this file crashed, or took more memory than this server allows; try a "
            "shorter text, or the file on your own computer."
        )
    )


@dataclass(frozen=True)
class _Elsewhere:
    """A `Library` that runs in the worker of `apart`."""

    key: str
    reads: tuple[Any, ...] = field(repr=False, compare=False)
    apart: Apart = field(repr=False, compare=False)
    told: Future[Any] = field(repr=False, compare=False)

    def splits(self, text: str) -> list[Split]:
        """See `Library`."""
        found: list[Split] = self._ask("splits", text)
        return found

    def decode(self, ids: list[int], new: Mapping[int, str] | None = None) -> str:
        """See `Library`."""
        text: str = self._ask("decode", ids, new)
        return text

    def about(self) -> Any:
        """See `Library`."""
        return self.told.result()

    def _ask(self, what: str, *arguments: Any) -> Any:
        return self.apart.ask(self.key, self.reads, what, arguments)
