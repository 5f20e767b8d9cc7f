"""A worker process as the server holds it."""

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
    """One process; whoever has it gives it one call at a time. What a `quiet` one prints is gone:
    native code may print the text that it fails at."""

    def __init__(self, megabytes: int, quiet: bool = False) -> None:
        path = os.environ.get("PYTHONPATH")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tokviz.server.pool", str(megabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            env={
                **os.environ,
                "PYTHONPATH": f"{_ROOT}{os.pathsep}{path}" if path else str(_ROOT),
                # Trainings share the cores; one of them is enough for each.
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            },
        )
        self._telling = Lock()
        self._to = cast(BinaryIO, self._process.stdin)
        self._from = cast(BinaryIO, self._process.stdout)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def tell(self, value: object) -> bool:
        """Sends it something; False if it is gone."""
        try:
            with self._telling:
                send(self._to, value)
        except (OSError, ValueError):
            # ValueError: it was killed, and what leads to it is closed.
            return False
        return True

    def hear(self) -> tuple[Any, int]:
        """The next thing that it says, with its length in bytes. Raises EOFError if it is gone."""
        return receive(self._from)

    def kill(self) -> None:
        """Ends it at once."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        # A thread may be reading from it; that one finds the end, and closes nothing.
        with suppress(OSError):
            self._to.close()
