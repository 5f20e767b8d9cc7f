"""The web server below Streamlit, its files and its first page."""

import asyncio
import signal
import socket
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
import uvicorn

from tokviz.server.streamlit_parts.parts import PAGE, READY, SERVER, expect, found, missing


def web_server(patience: int) -> uvicorn.Server:
    """Return the Uvicorn server, with a time limit for its shutdown. Streamlit makes it, and has no
    setting for this; it is found as the handler of SIGTERM."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if not isinstance(server, uvicorn.Server):
        raise LookupError("another one listens to SIGTERM")
    if server.config.timeout_graceful_shutdown is None:
        server.config.timeout_graceful_shutdown = patience
    return server


async def send_at_once(server: uvicorn.Server) -> None:
    """Send each message without delay (TCP_NODELAY). A reply consists of several small messages,
    and TCP holds the second back until the browser confirms the first, up to 40 ms later. asyncio
    sets this only for sockets with a protocol number, and Streamlit makes its own without one;
    accepted sockets inherit the option."""
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        for listening in server.servers:
            for sock in listening.sockets:
                if sock.family in (socket.AF_INET, socket.AF_INET6):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except AttributeError as error:
        missing(SERVER, error)


def static_files() -> Path:
    """Return the folder of the files that Streamlit sends to browsers."""
    return Path(st.__file__).with_name("static")


def inline_page() -> str:
    """Return the HTML of Streamlit's page, for the hashes of its inline scripts, or ""."""
    file = static_files() / "index.html"
    return found(PAGE, lambda: file.read_text("utf-8")) or ""


def prepare_streamlit() -> None:
    """Do before the first draw of all what Streamlit would do then."""
    found(READY, _prepare)


def _prepare() -> None:
    generator: Any = import_module("streamlit.delta_generator")
    shown = generator._use_warning_has_been_displayed
    expect(isinstance(shown, bool), "the warning for whoever runs no server")
    # This is a server: nobody is to be warned.
    generator._use_warning_has_been_displayed = True
    expect(bool(import_module("streamlit.emojis").ALL_EMOJIS), "the list of emojis")
    # Streamlit looks with it at the icon of the page.
    import_module("PIL.Image")
