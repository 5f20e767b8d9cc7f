"""The real app as a process of its own, and what it costs: processor time, memory, its log."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
#: How the app is started, as the README says.
COMMAND = [sys.executable, "-m", "streamlit", "run", "app.py"]
OPTIONS = ["--server.headless=true", "--server.fileWatcherType=none"]
_TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """Of the server's process and of its child processes: seconds of processor time, megabytes."""

    seconds: float
    children_seconds: float
    megabytes: float
    children_megabytes: float
    children: int


class Served:
    """The running app. A context manager: it ends with all its child processes."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("localhost", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://localhost:{self.port}"

    def __enter__(self) -> "Served":
        self._log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self._process = subprocess.Popen(
            [*COMMAND, f"--server.port={self.port}", *OPTIONS],
            cwd=ROOT,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1)
                return self
            except OSError:
                if self._process.poll() is not None:
                    raise SystemExit(f"The server did not start:\n{self.log()}") from None
                time.sleep(0.1)
        raise SystemExit("The server did not start within a minute.")

    def __exit__(self, *_: object) -> None:
        group = self._process.pid
        os.killpg(group, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(15)
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        self._log.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def log(self) -> str:
        return Path(self._log.name).read_text("utf-8", "replace")

    def errors(self) -> list[str]:
        """What the log says that is no greeting."""
        usual = (
            *("You can now view", "URL:", "Stopping...", "Uvicorn server started", "external IP"),
            "Please go to https://docs.streamlit.io/ for debugging hints.",
        )
        lines = [line for line in self.log().splitlines() if line.strip()]
        return [line for line in lines if not any(said in line for said in usual)]

    def cost(self) -> Cost:
        """All that was spent until now, and the memory of this moment."""
        own, reaped = _seconds(self.pid)
        below = _descendants(self.pid)
        return Cost(
            own,
            reaped + sum(sum(_seconds(pid)) for pid in below),
            _megabytes(self.pid),
            sum(map(_megabytes, below)),
            len(below),
        )


def _stat(pid: int) -> list[str]:
    # The name in brackets may hold spaces.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _seconds(pid: int) -> tuple[float, float]:
    """Of the process, and of its children that have ended."""
    try:
        fields = _stat(pid)
    except OSError:
        return 0.0, 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS, (
        int(fields[13]) + int(fields[14])
    ) / _TICKS


def _megabytes(pid: int) -> float:
    """What is in memory and is of this process alone or shared, as `ps` tells it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents.setdefault(int(_stat(int(entry))[1]), []).append(int(entry))
            except OSError:
                continue
    found, todo = [], [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found
