"""How the server begins and ends: uploads stay in memory; told to stop, it soon does, and nothing
that it started outlives it.
"""

import asyncio
import atexit
import gc
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.formparsers import MultiPartParser
from streamlit import config
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from uvicorn import Server

from tokviz.server.doors import DOORS
from tokviz.server.script_loops import without_loop

#: Seconds that answers have to be finished in, after the server was told to stop.
PATIENCE = 5
#: Bytes that may wait to be sent to one browser, beyond what one page draws.
MOST_WAITING = 20_000_000
#: Seconds between two looks for memory that nobody needs; each takes about a tenth of a second.
_MINUTE = 60.0


async def send_at_once(server: Server) -> None:
    """Has the server send each message when it is there. A reply is several small ones, and without
    this TCP holds the second one back until the browser has confirmed the first, which browsers put
    off by 40 ms. asyncio sees to that only for sockets made with a protocol number, and Streamlit
    makes its own without one; what they accept has the options that they have."""
    while not server.started:
        await asyncio.sleep(0.05)
    for listening in server.servers:
        for sock in listening.sockets:
            if sock.family in (socket.AF_INET, socket.AF_INET6):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def remembering(read: Callable[[str], dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    """Reads a section of Streamlit's options once. Streamlit looks through all of them six times
    whenever it draws anything, to tell the browser of the theme: a twentieth of what a settled
    scrubber costs."""
    known: dict[str, tuple[Any, dict[str, Any]]] = {}

    def remembered(section: str) -> dict[str, Any]:
        # Another dictionary once the file that they stand in was changed.
        options = config.get_config_options()
        if section not in known or known[section][0] is not options:
            known[section] = options, read(section)
        return known[section][1]

    return remembered


def losing_nothing(clear: Callable[..., None]) -> Callable[..., None]:
    """Clears what is on its way to a browser, when a script begins, but nothing of a page of which
    a fragment is to be drawn anew. Streamlit throws away what that fragment has drawn and not yet
    sent, and goes on to send what stands inside of it or behind it: a busy server, and a player
    that tells where it stands while its page is being drawn, and the browser shows a white page.
    Where too much waits, for a browser that asks and does not read, it is as Streamlit has it."""

    def cleared(
        queue: ForwardMsgQueue,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        waiting = sum(message.ByteSize() for message in queue._queue)
        if fragment_ids_this_run is None or waiting > MOST_WAITING:
            clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)
        else:
            # What is drawn from now on is sent after that, and not in its place.
            queue._delta_index_map = {}

    return cleared


async def free_memory() -> None:
    """Frees the memory of sessions that are over, once a minute. They are circles, and Python looks
    for these by the number of objects, not by the bytes of the histories that they hold."""
    while True:
        await asyncio.sleep(_MINUTE)
        gc.collect()


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncGenerator[None]:
    """From the first request to the last answer."""
    # What people upload is written to no disk, on its way to the session neither.
    MultiPartParser.spool_max_size = (st.get_option("server.maxUploadSize") + 1) * 2**20
    read = config.get_options_for_section
    config.get_options_for_section = remembering(read)  # type: ignore[assignment]
    clear = ForwardMsgQueue.clear
    ForwardMsgQueue.clear = losing_nothing(clear)  # type: ignore[method-assign]
    begin = AppSession.__init__
    AppSession.__init__ = without_loop(begin)  # type: ignore[method-assign]
    # Without a bound, one browser that stalls in a download would keep the server for ever. Uvicorn
    # is configured by Streamlit, which has no setting for it; it is whoever listens to the signal.
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    DOORS.open(server)
    tasks = [asyncio.create_task(free_memory()), asyncio.create_task(DOORS.watch(server))]
    if isinstance(server, Server):
        tasks.append(asyncio.create_task(send_at_once(server)))
        if server.config.timeout_graceful_shutdown is None:
            server.config.timeout_graceful_shutdown = PATIENCE
    yield
    for task in tasks:
        task.cancel()
    config.get_options_for_section = read
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign]
    AppSession.__init__ = begin  # type: ignore[method-assign]
    # Uvicorn ends itself by the signal that it got, and then Python runs none of these.
    atexit._run_exitfuncs()
