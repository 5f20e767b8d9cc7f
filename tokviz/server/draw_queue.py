"""Draw pages one after the other, in the order they were requested.

Python runs one thread at a time. If forty pages share it, all of them are ready only at the end,
and switching between them costs time; one after the other, most are ready long before. A page that
waits for something else (a training) lets others go on, and so does one that takes long: whoever is
next is drawn beside it. No page waits longer than a second for its turn.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Event, Lock, local
from typing import Any, TypeVar

#: Seconds that a page waits for its turn before it is drawn anyway.
PATIENCE = 1.0
#: Seconds that a page is drawn before the next one's turn begins, too: more than most take.
LONG = 0.06

Function = TypeVar("Function", bound=Callable[..., Any])


class Turns:
    """Who is drawn, and who waits, in the order in which they came."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: deque[Event] = deque()
        #: Whose turn it is, and since when.
        self._drawn: Event | None = None
        self._since = 0.0

    def take(self, patience: float) -> Event | None:
        """Wait for a turn, and return what gives it back; None if patience ended before."""
        own, end = Event(), time.monotonic() + patience
        with self._lock:
            self._waiting.append(own)
        while True:
            with self._lock:
                now = time.monotonic()
                is_next = self._waiting[0] is own
                left = self._since + LONG - now if self._drawn else 0.0
                if is_next and left <= 0:
                    self._waiting.popleft()
                    self._drawn, self._since = own, now
                    self._call_next()
                    return own
                if now >= end:
                    self._waiting.remove(own)
                    self._call_next()
                    return None
                own.clear()
            own.wait(min(end - now, left) if is_next else end - now)

    def give_back(self, own: Event) -> None:
        """End a turn, unless the next one has begun."""
        with self._lock:
            if self._drawn is own:
                self._drawn = None
                self._call_next()

    def _call_next(self) -> None:
        """Have the next one look whether its turn has come, or when it comes."""
        if self._waiting:
            self._waiting[0].set()


TURNS = Turns()


class _Mine(local):
    """This thread's turn: how deeply `turn` is nested, and what gives it back if it has one."""

    depth = 0
    own: Event | None = None


_mine = _Mine()


@contextmanager
def turn() -> Iterator[None]:
    """Run the body when it is this thread's turn; nested uses share that turn."""
    if _mine.depth == 0:
        _mine.own = TURNS.take(PATIENCE)
    _mine.depth += 1
    try:
        yield
    finally:
        _mine.depth -= 1
        if _mine.depth == 0:
            _give_up()


@contextmanager
def others_first() -> Iterator[None]:
    """Give up this thread's turn while the body waits, and take one again afterwards."""
    had_it = _mine.own is not None
    _give_up()
    try:
        yield
    finally:
        if had_it:
            _mine.own = TURNS.take(PATIENCE)


def _give_up() -> None:
    if (own := _mine.own) is not None:
        _mine.own = None
        TURNS.give_back(own)


def in_turn(function: Function) -> Function:
    """Run a function in `turn`. To be applied below `st.fragment`, since fragments are redrawn
    alone."""

    @wraps(function)
    def done(*args: Any, **kwargs: Any) -> Any:
        with turn():
            return function(*args, **kwargs)

    return done  # type: ignore[return-value]
