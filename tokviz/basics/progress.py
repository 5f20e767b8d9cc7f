"""How a long run says where it is, and how it is told to stop."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter


@dataclass(frozen=True)
class Progress:
    """One report: `done` of `total` units of `stage`: "characters" of a text, "documents" of a
    stream or "bytes" of files, then "words", then "merges", "tokens" or "steps".

    `seconds` have passed since the stage began. `total` is what the run asked for; it may end
    earlier (no pair left, for example).

    >>> Progress("merges", done=20, total=80, seconds=1.0).seconds_left
    3.0
    """

    stage: str
    done: int
    total: int
    seconds: float

    @property
    def seconds_left(self) -> float:
        """Time left at the pace so far; 0 before anything is done."""
        return self.seconds * (self.total - self.done) / self.done if self.done else 0.0


#: Called with a `Progress`; return False to stop the run. What was trained until then stays usable.
ProgressCallback = Callable[[Progress], bool | None]


#: Called between parts of long work.
Pause = Callable[[], None]


class Interrupted(Exception):
    """The callback asked to stop in the middle of a step, which is then as if it never began."""


class Slices:
    """How much to do between two reports, where it is not known how long it takes: twice as much
    each time, and no more than some seconds take at the pace of the last time.

    >>> slices = Slices(first=1, seconds=10)
    >>> slices.begin(), slices.end(), slices.most
    (None, None, 2)
    """

    def __init__(self, first: int, seconds: float) -> None:
        self.most, self._seconds = first, seconds

    def begin(self) -> None:
        """Work of at most `most` begins."""
        self._began = perf_counter()

    def end(self) -> None:
        """It is done."""
        fits = self.most * self._seconds / (perf_counter() - self._began + 1e-9)
        self.most = max(1, min(2 * self.most, int(fits)))


class Reporter:
    """Calls back at most about twenty times a second, so that a loop can report at every turn.

    >>> seen = []
    >>> reporter = Reporter("merges", 10, lambda p: seen.append(p.done), interval=0)
    >>> [reporter.cancelled(i) for i in range(3)], seen
    ([False, False, False], [0, 1, 2])
    """

    def __init__(
        self, stage: str, total: int, callback: ProgressCallback | None, interval: float = 0.05
    ) -> None:
        self._stage, self._total, self._callback = stage, total, callback
        self.interval = interval
        self._start = perf_counter()
        # The first report comes at once.
        self._last = self._start - interval

    def cancelled(self, done: int) -> bool:
        """Reports if it is time to; True when the callback asked to stop."""
        if self._callback is None:
            return False
        now = perf_counter()
        if now - self._last < self.interval:
            return False
        self._last = now
        report = Progress(self._stage, done, self._total, now - self._start)
        return self._callback(report) is False

    def expect(self, total: int) -> None:
        """There is more to do than was thought: so much at least.

        >>> reporter = Reporter("merges", 10, lambda p: print(p.total), interval=0)
        >>> reporter.expect(12), reporter.cancelled(11)
        12
        (None, False)
        """
        self._total = max(self._total, total)

    def check(self, done: int) -> None:
        """`cancelled` for loops inside a step: raises Interrupted instead of returning True."""
        if self.cancelled(done):
            raise Interrupted

    def pause(self, done: int) -> Pause:
        """What long work calls between its parts while `done` units are done; it raises
        Interrupted when the callback asked to stop."""
        return partial(self.check, done)
