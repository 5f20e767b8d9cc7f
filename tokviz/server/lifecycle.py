"""How the server begins and ends: told to stop, it soon does, and nothing that it started outlives
it.
"""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import streamlit as st

from tokviz.server import streamlit_patches
from tokviz.server.doors import DOORS
from tokviz.server.waiting import training_pool

#: Seconds that answers have to be finished in, after the server was told to stop.
PATIENCE = 5
#: Seconds between two looks for memory that nobody needs; each takes about a tenth of a second.
_MINUTE = 60.0


async def free_memory() -> None:
    """Frees the memory of sessions that are over, once a minute. They are circles, and Python looks
    for these by the number of objects, not by the bytes of the histories that they hold."""
    while True:
        await asyncio.sleep(_MINUTE)
        gc.collect()


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncGenerator[None]:
    """From the first request to the last answer."""
    # Without a bound, one browser that stalls in a download would keep the server for ever.
    with streamlit_patches.applied(PATIENCE) as server:
        DOORS.open(server)
        tasks = [asyncio.create_task(free_memory()), asyncio.create_task(DOORS.watch(server))]
        yield
    for task in tasks:
        task.cancel()
    # Uvicorn ends itself by the signal that it got: Python does not get to end them.
    training_pool().close()
