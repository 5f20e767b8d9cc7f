"""Limit the open pages and connections: when files run short, silent connections are closed.

    connection ──▶ sends a request in time? ──no──▶ dropped, and sooner where files run short
                        ├─▶ page: room for one more? (visits.py)
                        └─▶ takes its answer in time? (slow_transfers.py)

The system allows a process only so many open files, and each connection is one. With none left, no
one can connect and no file of the app can be read, so some are always kept free.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

from uvicorn import Server

from tokviz.server import limits
from tokviz.server.descriptors import Files, allow
from tokviz.server.slow_transfers import SlowReaders
from tokviz.server.streamlit_parts.parts import CONNECTIONS, missing

#: Open files for everything but pages. macOS allows 10,240 in all.
_BESIDES = 2_000
#: One in this many files is kept free for answers and the app's own files.
_KEPT_OF_FILES = 8
#: One in this many pages is kept free for returning visitors and for pages that are still loading.
_KEPT_OF_PAGES = 10
#: Seconds between two checks for silent connections.
_SECOND = 1.0


class ConnectionWatch:
    """Count the open pages and connections, and know whether there is room for more."""

    def __init__(self, files: Files | None = None, clock: Callable[[], float] = time.monotonic):
        #: How many pages are open.
        self.pages = 0
        self._files, self._clock = files or Files(None), clock
        self.reserve = self.most = 0
        self.connections: Collection[Any] = ()
        #: How many connections may wait to be accepted.
        self._backlog = 2048
        #: For each silent connection, its last request and when it fell silent.
        self._silent_since: dict[Any, tuple[object, float]] = {}
        self._slow_readers = SlowReaders(clock)

    def open(self, server: Server | None) -> None:
        """Raise the limit of open files, and watch the connections of a Uvicorn server that does
        not listen yet."""
        wanted = limits.LIMITS.visits.pages
        most = allow(2 * wanted + _BESIDES)
        self._files = Files(most)
        self.reserve = most // _KEPT_OF_FILES if most else 0
        self.most = max(1, min(wanted, self._files.left() - self.reserve))
        if self.most < wanted:
            logging.getLogger("tokviz.server").warning(
                "The system allows %s open files: room for %s pages at once, and not for %s.",
                *(f"{number:,}" for number in (most or 0, self.most, wanted)),
            )
        if server is None:
            return
        try:
            self.connections = server.server_state.connections
            usual, backlog = server.config.http_protocol_class, server.config.backlog
        except AttributeError as error:
            missing(CONNECTIONS, error)
            return

        def connect(**given: Any) -> Any:
            self.make_room()
            connection = usual(**given)
            self._silent_since[connection] = None, self._clock()
            return connection

        server.config.http_protocol_class = connect  # type: ignore[assignment]
        if most:
            # Uvicorn also lets this many connections wait; `watch` sets that back later.
            self._backlog, server.config.backlog = backlog, accepted_at_once(most)

    async def watch(self, server: Server | None) -> None:
        """Close connections that stay silent or take their answer for too long, every second."""
        if server is None:
            return
        while not server.started:
            await asyncio.sleep(0.05)
        for listening in server.servers:
            for sock in listening.sockets:
                with sock.dup() as same:
                    same.listen(self._backlog)
        while True:
            await asyncio.sleep(_SECOND)
            self.drop_silent()
            self._slow_readers.drop(self.connections)

    def drop_silent(self) -> None:
        """Close the connections that have sent no request for `request_seconds`."""
        silent = self.silent_connections()
        over = self._clock() - limits.LIMITS.visits.request_seconds
        self._close(one for one in silent if self._silent_since[one][1] <= over)

    def room(self) -> int:
        """Return how many more pages may be open, if all silent connections were closed."""
        return min(limits.LIMITS.visits.pages - self.pages, self.files_free())

    def files_free(self) -> int:
        """Return how many more connections may be open, if all silent ones were closed."""
        return self._files.left() + len(self.silent_connections()) - self.reserve

    def room_for_newcomers(self) -> int:
        """Return how many new visitors may load a page. Some places are kept for pages that have
        still to connect, and for returning visitors."""
        return max(0, self.room() - self.most // _KEPT_OF_PAGES)

    def make_room(self) -> None:
        """Count a new connection. Where files run short, close those silent for longest, but at
        most half: the others may be about to send their request."""
        self._files.changed(1)
        if self._files.left() < self.reserve // 2:
            silent = self.silent_connections()
            self._close(silent[: min((len(silent) + 1) // 2, 1 + self.reserve // 4)])

    def silent_connections(self) -> list[Any]:
        """Return the connections without an open request, those silent for longest first: they have
        sent no complete request since they were made or last answered."""
        now, known = self._clock(), self._silent_since
        self._silent_since = {}
        for one in self.connections:
            # A WebSocket has no request cycle.
            if not hasattr(one, "cycle"):
                continue
            request = one.cycle
            if request is None or request.response_complete:
                last, since = known.get(one, (None, now))
                self._silent_since[one] = request, since if last is request else now
        return sorted(self._silent_since, key=lambda one: self._silent_since[one][1])

    def _close(self, connections: Iterable[Any]) -> None:
        for one in connections:
            if not one.transport.is_closing():
                self._files.changed(-1)
                one.transport.close()


def accepted_at_once(most: int) -> int:
    """Return how many connections Uvicorn accepts in one go: a few times as many are open before
    the first can be closed.

    >>> accepted_at_once(1024), accepted_at_once(100_000)
    (16, 128)
    """
    return max(1, min(128, most // 64))


#: The connections of this server.
CONNECTION_WATCH = ConnectionWatch()
