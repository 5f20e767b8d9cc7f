"""How many files this process may have open, and how many it has: every connection is one."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

#: Seconds for which a count is good; each looks at every open file.
_GOOD_FOR = 0.05


def allow(wanted: int) -> int | None:
    """Has the system allow this process so many open files, or as many as it may have. Returns how
    many are allowed then; None where there is no such limit."""
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
    """How many files are open now; None where the system does not tell."""
    try:
        return len(os.listdir("/dev/fd"))
    except FileNotFoundError:
        return None
    except OSError:
        # To count takes a file, too.
        return sys.maxsize


class Files:
    """How many more files this process may open."""

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
        """How many more may be opened; very many where no limit is known."""
        if (now := self._clock()) - self._counted >= _GOOD_FOR:
            self._open, self._counted = self._count(), now
        if self._most is None or self._open is None:
            return sys.maxsize
        return max(0, self._most - self._open)

    def changed(self, by: int) -> None:
        """Takes note of files that were opened, or closed, until all are counted again."""
        if self._open is not None:
            self._open += by
