"""How the server begins and ends: uploads stay in memory; told to stop, it soon does, and nothing
that it started outlives it.
"""

import atexit
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.formparsers import MultiPartParser
from uvicorn import Server

#: Seconds that answers have to be finished in, after the server was told to stop.
PATIENCE = 5


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncGenerator[None]:
    """From the first request to the last answer."""
    # What people upload is written to no disk, on its way to the session neither.
    MultiPartParser.spool_max_size = (st.get_option("server.maxUploadSize") + 1) * 2**20
    # Without a bound, one browser that stalls in a download would keep the server for ever. Uvicorn
    # is configured by Streamlit, which has no setting for it; it is whoever listens to the signal.
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if isinstance(server, Server) and server.config.timeout_graceful_shutdown is None:
        server.config.timeout_graceful_shutdown = PATIENCE
    yield
    # Uvicorn ends itself by the signal that it got, and then Python runs none of these.
    atexit._run_exitfuncs()
