"""Draw pages one after the other, in the order they were requested.

Python runs one thread at a time. If forty pages share it, all of them are ready only at the end,
and switching between them costs time; one after the other, most are ready long before. A page that
waits for something else (a training) lets others go on. No page waits longer than a second for its
turn.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Semaphore, local
from typing import Any, TypeVar

#: Seconds that a page waits for its turn before it is drawn anyway.
PATIENCE = 1.0

TURN = Semaphore(1)
Function = TypeVar("Function", bound=Callable[..., Any])


class _Mine(local):
    """This thread's turn: how deeply `turn` is nested, and whether it holds the semaphore."""

    depth = 0
    has_it = False


_mine = _Mine()


@contextmanager
def turn() -> Iterator[None]:
    """Run the body when it is this thread's turn; nested uses share that turn."""
    if _mine.depth == 0:
        _mine.has_it = TURN.acquire(timeout=PATIENCE)
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
    had_it = _mine.has_it
    _give_up()
    try:
        yield
    finally:
        if had_it:
            _mine.has_it = TURN.acquire(timeout=PATIENCE)


def _give_up() -> None:
    if _mine.has_it:
        _mine.has_it = False
        TURN.release()


def in_turn(function: Function) -> Function:
    """Run a function in `turn`. To be applied below `st.fragment`, since fragments are redrawn
    alone."""

    @wraps(function)
    def done(*args: Any, **kwargs: Any) -> Any:
        with turn():
            return function(*args, **kwargs)

    return done  # type: ignore[return-value]
