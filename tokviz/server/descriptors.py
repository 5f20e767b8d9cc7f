"""Count and limit the open files of this process; every connection is one."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

#: Seconds for which a count is reused: each one lists every open file.
_GOOD_FOR = 0.05


def allow(wanted: int) -> int | None:
    """Raise the system's limit of open files to `wanted`, or as far as possible. Returns the limit
    then in force, or None where there is none."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return None if soft == resource.RLIM_INFINITY else soft


def count_open() -> int | None:
    """Return how many files are open now, or None where the system does not say."""
    try:
        return len(os.listdir("/dev/fd"))
    except FileNotFoundError:
        return None
    except OSError:
        # The count itself opens a file, and no more can be opened.
        return sys.maxsize


class Files:
    """Know how many more files this process may open."""

    def __init__(
        self,
        most: int | None,
        count: Callable[[], int | None] = count_open,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._count, self._clock = most, count, clock
        self._open: int | None = None
        self._counted = -_GOOD_FOR

    def left(self) -> int:
        """Return how many more files may be opened, or sys.maxsize where no limit is known."""
        if (now := self._clock()) - self._counted >= _GOOD_FOR:
            self._open, self._counted = self._count(), now
        if self._most is None or self._open is None:
            return sys.maxsize
        return max(0, self._most - self._open)

    def changed(self, by: int) -> None:
        """Add `by` to the count of open files until they are counted again."""
        if self._open is not None:
            self._open += by
