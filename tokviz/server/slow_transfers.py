"""Drop connections that stand still, or crawl, in an answer or an upload: each is an open file, and
what is not sent yet, or not whole yet, is kept in memory.

    answer ──▶ taken at 1,000 bytes a second at least? ──no──▶ dropped
    upload ──▶ comes at 1,000 bytes a second at least? ──no──▶ status 408
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.server import limits

#: Bytes a second: a tenth of what the slowest of networks has.
_LEAST = 1_000


class SlowReaders:
    """Know how much each connection took of its answer, on Linux."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: Of each connection that is owed something: how much, how much that has changed, and since
        #: when. What is written and what is taken both change it; nothing is written before much of
        #: what was owed is taken.
        self._owed: dict[Any, tuple[int, int, float]] = {}

    def drop(self, connections: Iterable[Any]) -> None:
        """Drop those that took too little for `transfer_seconds`. To be called every second."""
        now, known, seconds = self._clock(), self._owed, limits.LIMITS.visits.transfer_seconds
        self._owed = {}
        for one in [*connections]:
            if not (owed := owed_to(one.transport)):
                continue
            before, moved, since = known.get(one, (owed, 0, now))
            moved += abs(owed - before)
            if now - since >= seconds:
                if moved < seconds * _LEAST:
                    # To close it would wait until all of it is taken.
                    one.transport.abort()
                    continue
                moved, since = 0, now
            self._owed[one] = owed, moved, since


def owed_to(transport: Any) -> int:
    """Return how many bytes of an answer are still here, in this process or in its system; 0 where
    the system says of neither."""
    if not (owed := transport.get_write_buffer_size()):
        return 0
    try:
        import fcntl
        import termios

        # Megabytes can be taken before this process may write once more.
        said = fcntl.ioctl(transport.get_extra_info("socket"), termios.TIOCOUTQ, bytes(4))
    except (ImportError, OSError):
        return 0
    return int(owed) + int.from_bytes(said, sys.byteorder)


class _Crawls(Exception):
    """An upload that takes too long."""


class SlowSenders:
    """ASGI middleware: end a request whose body takes too long to come."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            return await self._app(scope, receive, send)
        end = time.monotonic() + limits.LIMITS.visits.transfer_seconds
        is_whole = False

        async def received() -> Message:
            nonlocal end, is_whole
            if is_whole:
                # Whoever asks now waits for the visitor to leave.
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), end - time.monotonic())
            except TimeoutError:
                raise _Crawls from None
            end += len(message.get("body", b"")) / _LEAST
            is_whole = not message.get("more_body", False)
            return message

        try:
            await self._app(scope, received, send)
        except _Crawls:
            await PlainTextResponse("It took too long to come.\n", 408)(scope, receive, send)
