"""Pages are drawn one after the other, as they were asked for.

Python runs one thread at a time. If it gives each of forty pages a little of every moment, all of
them are drawn at the end of it, and much of the time goes by in the changes between them; one after
the other most are drawn long before. Whoever waits for something else (a training) lets others go
on meanwhile, and nobody waits for a page that takes long: after a second both go on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Semaphore, local
from typing import Any, TypeVar

#: Seconds until a page is drawn beside another one.
PATIENCE = 1.0

_TURN = Semaphore(1)
Function = TypeVar("Function", bound=Callable[..., Any])


class _Mine(local):
    """What a thread knows of its own turn."""

    depth = 0
    has_it = False


_mine = _Mine()


@contextmanager
def turn() -> Iterator[None]:
    """Does something when it is its turn; parts of it are in the same turn."""
    if _mine.depth == 0:
        _mine.has_it = _TURN.acquire(timeout=PATIENCE)
    _mine.depth += 1
    try:
        yield
    finally:
        _mine.depth -= 1
        if _mine.depth == 0:
            _give_up()


@contextmanager
def others_first() -> Iterator[None]:
    """Lets others have their turn while this thread waits for something."""
    had_it = _mine.has_it
    _give_up()
    try:
        yield
    finally:
        if had_it:
            _mine.has_it = _TURN.acquire(timeout=PATIENCE)


def _give_up() -> None:
    if _mine.has_it:
        _mine.has_it = False
        _TURN.release()


def in_turn(function: Function) -> Function:
    """The function, done when it is its turn. Below `st.fragment`, since a fragment is drawn
    without the page around it."""

    @wraps(function)
    def done(*args: Any, **kwargs: Any) -> Any:
        with turn():
            return function(*args, **kwargs)

    return done  # type: ignore[return-value]
