"""The real app as a process of its own, and what it costs: processor time, memory, its log."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from app_server import Server
from streamlit_client import Failed

_TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """Of the server's process and of its child processes: seconds of processor time, megabytes."""

    seconds: float
    children_seconds: float
    megabytes: float
    children_megabytes: float
    children: int


class Served(Server):
    """The running app, and what it costs."""

    def errors(self) -> list[str]:
        """What the log says that is no greeting."""
        usual = (
            *("You can now view", "URL:", "Stopping...", "Uvicorn server started", "external IP"),
            "pages at once.",
            "Please go to https://docs.streamlit.io/ for debugging hints.",
        )
        lines = [line for line in self.said().splitlines() if line.strip()]
        return [line for line in lines if not any(said in line for said in usual)]

    def cost(self) -> Cost:
        """All that was spent until now, and the memory of this moment."""
        own, reaped = _seconds(self.process.pid)
        below = _descendants(self.process.pid)
        return Cost(
            own,
            reaped + sum(sum(_seconds(pid)) for pid in below),
            _megabytes(self.process.pid),
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


def run_served(measure: Callable[[Served], Coroutine[Any, Any, bool]]) -> None:
    """Starts the app, measures it, and ends this program: with 0 if all is well."""
    with tempfile.TemporaryDirectory() as place, Served(Path(place, "log")) as served:
        try:
            good = asyncio.run(measure(served))
        except Failed as failed:
            print(f"a session failed: {failed}\n{served.said()[-3000:]}")
            good = False
    raise SystemExit(not good)
