"""A way from browsers to a server that can be cut, be away, or stand still."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from app_server import free_port

Result = TypeVar("Result")
_LOOP = asyncio.new_event_loop()
threading.Thread(target=_LOOP.run_forever, daemon=True).start()


def beside(does: Coroutine[Any, Any, Result]) -> Future[Result]:
    """Does something in a thread that all of this process share."""
    return asyncio.run_coroutine_threadsafe(does, _LOOP)


class Network:
    """Passes on to the port of a server what comes to one of its own."""

    def __init__(self, server: int) -> None:
        self._server, self.port = server, free_port()
        self.address = f"http://localhost:{self.port}"
        self._open: set[asyncio.StreamWriter] = set()
        self._is_away, self._flows = False, asyncio.Event()
        self._flows.set()
        beside(asyncio.start_server(self._pass_on, "localhost", self.port)).result()

    def cut(self) -> None:
        """Ends all connections."""
        _LOOP.call_soon_threadsafe(self._cut)

    def go_away(self) -> None:
        """Ends all connections, and lets nobody through until it comes back."""
        self._is_away = True
        self.cut()

    def come_back(self) -> None:
        """Lets all through, and what was on its way while it stood still."""
        self._is_away = False
        _LOOP.call_soon_threadsafe(self._flows.set)

    def stand_still(self) -> None:
        """Keeps all that is said on its way, as a network does out of which somebody walks."""
        _LOOP.call_soon_threadsafe(self._flows.clear)

    def _cut(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = {writer}
        with suppress(OSError):
            if not self._is_away:
                there, answers = await asyncio.open_connection("localhost", self._server)
                ends |= {answers}
                self._open |= ends
                ways = (self._copy(reader, answers), self._copy(there, writer))
                tasks = [asyncio.create_task(way) for way in ways]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
        self._open -= ends
        for end in ends:
            end.close()

    async def _copy(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while said := await source.read(65536):
                await self._flows.wait()
                target.write(said)
                await target.drain()
