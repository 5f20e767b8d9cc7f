"""Start the server's tasks, and end them and the workers when the server stops."""

import asyncio
import ctypes
import gc
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import streamlit as st
import uvicorn

from tokviz.core.host import prepare
from tokviz.server.connection_watch import CONNECTION_WATCH
from tokviz.server.rooms.stream import end_streams
from tokviz.server.streamlit_parts.applied import applied
from tokviz.server.streamlit_parts.web_server import prepare_streamlit
from tokviz.server.waiting import training_pool

#: Seconds for open answers to finish after the server is told to stop.
PATIENCE = 5
#: Seconds between two looks whether the server was told to stop.
LOOK = 0.2
#: Seconds between two garbage collections; each takes about a tenth of a second.
MINUTE = 60.0
#: Seconds for which one thread computes while another one waits; Python's own are five times as
#: long. A reply is several messages, and each may wait for a page of somebody else that takes long.
SWITCH = 0.001
#: Heaps of the C library at most, besides those that its threads have already.
HEAPS = 2
#: Bytes from which on a block is the system's again as soon as it is free, and so is free memory at
#: the end of a heap. glibc's own limit grows with what is freed, to 32 MB.
LARGE = 128 * 1024
#: What glibc's malloc.h calls M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD.
_LIMITS = {-8: HEAPS, -3: LARGE, -1: LARGE}


def have_few_heaps() -> bool:
    """Limit the heaps of this process, before it starts threads; return False where the C library
    has no such limits (musl, macOS, Windows). Each page is drawn by a thread of its own, and glibc
    gives threads up to eight heaps for each core. What one page frees, a page with another heap
    cannot use: the process would grow for hours, though nothing in it does."""
    try:
        limit = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return all(limit(name, value) for name, value in _LIMITS.items())


async def free_memory() -> None:
    """Collect garbage once a minute. Ended sessions are reference cycles, which Python collects by
    the number of objects, not by the bytes of the histories they hold."""
    while True:
        await asyncio.sleep(MINUTE)
        gc.collect()


async def end_rooms_with(server: uvicorn.Server | None) -> None:
    """End the streams of rooms when the server is told to stop: it waits for open answers."""
    while server is not None and not server.should_exit:
        await asyncio.sleep(LOOK)
    end_streams()


def get_ready() -> None:
    """Do what would make the first visitor wait. Imported libraries are excluded from garbage
    collection, which then comes less often. An answer of the page Encode makes tens of thousands of
    tuples without cycles, and would wait while all histories are traversed. Ended sessions are
    cycles: memory needs a full collection every hundred sessions."""
    prepare_streamlit()
    prepare()
    sys.setswitchinterval(SWITCH)
    gc.freeze()
    gc.set_threshold(50_000, 4, 2)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncGenerator[None]:
    """Set the server up before its first request, and clean up after its last answer."""
    # Without this limit, one browser that stalls in a download would keep the server from stopping.
    with applied(PATIENCE) as server:
        CONNECTION_WATCH.open(server)
        # A browser that comes at once loads Streamlit's scripts meanwhile.
        asyncio.get_running_loop().run_in_executor(None, get_ready)
        tasks = [
            asyncio.create_task(free_memory()),
            asyncio.create_task(CONNECTION_WATCH.watch(server)),
            asyncio.create_task(end_rooms_with(server)),
        ]
        yield
    for task in tasks:
        task.cancel()
    # Uvicorn exits by the signal it got, so Python's exit handlers do not end the workers.
    training_pool().close()
