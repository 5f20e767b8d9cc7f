"""A worker process, as the server sees it."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, cast

from tokviz.server.pool.frames import receive, send

_ROOT = Path(__file__).parents[3]


class WorkerProcess:
    """One worker process, which gets one call at a time. The standard error of a `quiet` one is
    discarded: native code may print a visitor's text."""

    def __init__(self, megabytes: int, quiet: bool = False) -> None:
        path = os.environ.get("PYTHONPATH")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tokviz.server.pool", str(megabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            env={
                **os.environ,
                "PYTHONPATH": f"{_ROOT}{os.pathsep}{path}" if path else str(_ROOT),
                # One thread for each training, since they share the cores.
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            },
        )
        self._telling = Lock()
        self._to = cast(BinaryIO, self.process.stdin)
        self._from = cast(BinaryIO, self.process.stdout)

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    def alive(self) -> bool:
        """Return whether the process is running."""
        return self.process.poll() is None

    def tell(self, value: object) -> bool:
        """Send the worker a value; return False if the process has ended."""
        try:
            with self._telling:
                send(self._to, value)
        except (OSError, ValueError):
            # ValueError: it was killed, and its pipe is closed.
            return False
        return True

    def hear(self) -> tuple[Any, int]:
        """Return the worker's next value and its length in bytes. Raises EOFError if it has
        ended."""
        return receive(self._from)

    def kill(self) -> None:
        """Kill the process."""
        with suppress(OSError):
            self.process.kill()
        self.process.wait()
        # Another thread may be reading its output, so that pipe is not closed here.
        with suppress(OSError):
            self._to.close()
