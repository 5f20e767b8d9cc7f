"""Who comes in when much is open: a newcomer takes the place of connections that say nothing.

    connection ──▶ sends a request in time? ──no──▶ dropped, and sooner where files run short
                        └─▶ page: room for one more? (visits.py)

The system allows a process so many open files, and each connection is one. Where none is left
nobody comes in, and no file of the app can be read. So some are always kept.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

from uvicorn import Server

from tokviz.server import limits
from tokviz.server.descriptors import Files, allow
from tokviz.server.streamlit_patches import CONNECTIONS, missing

#: Files that are enough for every other purpose than pages. macOS allows 10,240 at most.
_BESIDES = 2_000
#: One of so many files is kept for answers and the app's own files.
_KEPT_OF_FILES = 8
#: One of so many pages is kept for those who come back, and those who are on their way.
_KEPT_OF_PAGES = 10
#: Seconds between two looks for silent connections.
_SECOND = 1.0


class Doors:
    """The connections and pages that are open, and the room for more."""

    def __init__(self, files: Files | None = None, clock: Callable[[], float] = time.monotonic):
        #: The pages that are open.
        self.pages = 0
        self._files, self._clock = files or Files(None), clock
        self._reserve = self._most = 0
        self._connections: Collection[Any] = ()
        #: Connections that may wait to be accepted.
        self._backlog = 2048
        #: Of each silent connection its last request, and since when it has sent no other one.
        self._silent_since: dict[Any, tuple[object, float]] = {}

    def open(self, server: Server | None) -> None:
        """Sees that enough files may be open, and watches the connections of a server of uvicorn
        that has not begun to listen."""
        wanted = limits.LIMITS.visits.pages
        most = allow(2 * wanted + _BESIDES)
        self._files = Files(most)
        self._reserve = most // _KEPT_OF_FILES if most else 0
        self._most = max(1, min(wanted, self._files.left() - self._reserve))
        if self._most < wanted:
            logging.getLogger("tokviz.server").warning(
                "The system allows %s open files: room for %s pages at once, and not for %s.",
                *(f"{number:,}" for number in (most or 0, self._most, wanted)),
            )
        if server is None:
            return
        try:
            self._connections = server.server_state.connections
            usual, backlog = server.config.http_protocol_class, server.config.backlog
        except AttributeError as error:
            missing(CONNECTIONS, error)
            return

        def connect(**given: Any) -> Any:
            self._make_room()
            connection = usual(**given)
            self._silent_since[connection] = None, self._clock()
            return connection

        server.config.http_protocol_class = connect  # type: ignore[assignment]
        if most:
            # The number of those that wait to be accepted, too, until the server listens.
            self._backlog, server.config.backlog = backlog, accepted_at_once(most)

    async def watch(self, server: Server | None) -> None:
        """Drops silent connections when their time is over."""
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

    def drop_silent(self) -> None:
        """Closes the connections that have waited too long with a request."""
        silent = self._silent()
        over = self._clock() - limits.LIMITS.visits.request_seconds
        self._close(one for one in silent if self._silent_since[one][1] <= over)

    def room(self) -> int:
        """How many more pages may be open; connections that say nothing would make place."""
        free = self._files.left() + len(self._silent()) - self._reserve
        return min(limits.LIMITS.visits.pages - self.pages, free)

    def room_for_newcomers(self) -> bool:
        """Whether a page may be handed out. Some places are kept: whoever got the page has still to
        connect, and others may come back."""
        return self.room() > self._most // _KEPT_OF_PAGES

    def _make_room(self) -> None:
        """Takes note of a new connection. Where files run short, the longest silent ones go, but
        not more than half of them: the last ones may be about to ask."""
        self._files.changed(1)
        if self._files.left() < self._reserve // 2:
            silent = self._silent()
            self._close(silent[: min((len(silent) + 1) // 2, 1 + self._reserve // 4)])

    def _silent(self) -> list[Any]:
        """The connections that owe a request, the longest silent first: they have sent none, or
        only a part of one, since they were made or since they were answered."""
        now, known = self._clock(), self._silent_since
        self._silent_since = {}
        for one in self._connections:
            # A WebSocket has none.
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
    """How many connections may be accepted before others have their turn: a few times as many are
    open before the first of them can be closed.

    >>> accepted_at_once(1024), accepted_at_once(100_000)
    (16, 128)
    """
    return max(1, min(128, most // 64))


#: Those of this server.
DOORS = Doors()
