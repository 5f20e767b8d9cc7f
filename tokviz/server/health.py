"""Check that the server draws its page: request it over a WebSocket, as a browser does.

    python -P tokviz/server/health.py [http://127.0.0.1:8501]

The exit status is 0 if the first page was drawn completely or the server is full, else 1, with a
sentence. A container runs this every half minute, so it imports neither tokviz nor all of
Streamlit: that would cost more than the page. `-P` keeps the modules beside it from hiding Python's
own.
"""

import asyncio
import os
import sys
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException

#: Keys of the elements that the first page must have.
MAIN_PARTS = {"player", "lens"}


class Failed(Exception):
    """The page is incomplete or shows an error; the message says how."""


class Unreadable(Exception):
    """The messages of this Streamlit are not those that this check knows."""


def messages() -> tuple[Any, Any]:
    """Return the message classes of a browser and a server. Raises Unreadable if they have
    changed."""
    try:
        from streamlit.proto.BackMsg_pb2 import BackMsg
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        said = ForwardMsg()
        _ = BackMsg().rerun_script, said.delta.new_element, said.script_finished, said.navigation
        _ = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR
    except (ImportError, AttributeError) as error:
        raise Unreadable(str(error)) from error
    return BackMsg, ForwardMsg


class Visit:
    """One browser tab, as the server sees it; it shows nothing."""

    def __init__(self, address: str, host: str = "") -> None:
        self.address = address.rstrip("/")
        self._host = host
        self._socket: ClientConnection | None = None
        self._from_browser, self._to_browser = messages()
        #: The ids of the page's elements, by their keys.
        self.ids: dict[str, str] = {}
        self.received = 0

    async def open(self) -> None:
        """Open the first page, and return when all of it has arrived."""
        parts = urlsplit(self.address)
        named = parts._replace(netloc=self._host or parts.netloc)
        secure = parts.scheme == "https"
        self._socket = await connect(
            f"{named.geturl().replace('http', 'ws', 1)}/_stcore/stream",
            # Connect to the given address under the name of `host`.
            host=parts.hostname,
            port=parts.port or (443 if secure else 80),
            origin=f"{named.scheme}://{named.netloc}",  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
            open_timeout=60,
            proxy=None,
        )
        await self.ask(self._from_browser())

    async def close(self) -> None:
        """Close the WebSocket."""
        if self._socket is not None:
            await self._socket.close()

    async def ask(self, message: Any) -> None:
        """Send a message that runs the script, and return when the script has finished."""
        await self._send(message)
        while not await self._heard():
            pass

    async def _send(self, message: Any) -> None:
        """Send a message that runs the script."""
        assert self._socket is not None
        context = message.rerun_script.context_info
        context.timezone, context.locale, context.url = "UTC", "en-US", f"{self.address}/"
        context.color_scheme = "light"
        await self._socket.send(message.SerializeToString())

    async def _heard(self) -> bool:
        """Receive one message, and return whether it ends the script."""
        assert self._socket is not None
        frame = await self._socket.recv()
        assert isinstance(frame, bytes)
        self.received += len(frame)
        message = self._to_browser.FromString(frame)
        self.take(message)
        if message.WhichOneof("type") != "script_finished":
            return False
        status = message.script_finished
        if status == self._to_browser.FINISHED_WITH_COMPILE_ERROR:
            raise Failed("The page's script does not compile.")
        return self.ends(status)

    def ends(self, status: int) -> bool:
        """Return whether a script that finished with this status sends nothing more."""
        return bool(status == self._to_browser.FINISHED_SUCCESSFULLY)

    def take(self, message: Any) -> None:
        """Handle a message: draw the element it has, if any."""
        if message.WhichOneof("type") == "delta":
            self.draw(message.delta)

    def draw(self, delta: Any) -> Any:
        """Record the id of a new element and return the element; None for another delta. Raises
        Failed if the element is an error."""
        kind = delta.new_element.WhichOneof("type")
        if delta.WhichOneof("type") != "new_element" or kind is None:
            return None
        element = getattr(delta.new_element, kind)
        if kind == "exception":
            raise Failed(f"The page shows an error: {element.type} {element.message[:300]}")
        if id := getattr(element, "id", ""):
            # "$$ID-<32 digits>-<key>"
            self.ids[id[5 + 32 + 1 :]] = id
        return element


async def draws(address: str, host: str = "") -> None:
    """Open the first page and close it. Raises Failed if an element is missing."""
    visit = Visit(address, host)
    try:
        await visit.open()
    finally:
        await visit.close()
    if lacks := MAIN_PARTS - set(visit.ids):
        raise Failed(f"The page was drawn without its {' and its '.join(sorted(lacks))}.")


def answers(address: str) -> bool:
    """Return whether the server's health address answers "ok"; it may do so and draw nothing."""
    health = f"{address.rstrip('/')}/_stcore/health"
    try:
        with urllib.request.urlopen(health, timeout=5) as said:
            return bool(said.read() == b"ok")
    except (OSError, ValueError):
        return False


def is_full(address: str, host: str) -> bool:
    """Return whether the server answers that it has no room for another page (visits.py)."""
    names = {"Accept": "text/html", **({"Host": host} if host else {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=names), timeout=5):
            return False
    except urllib.error.HTTPError as error:
        return error.code == 503 and "Retry-After" in error.headers
    except OSError:
        return False


def look(address: str, host: str, seconds: float) -> tuple[bool, str]:
    """Return whether the server draws its page, and a sentence that says so."""
    start = time.monotonic()
    try:
        asyncio.run(asyncio.wait_for(draws(address, host), seconds))
    except Failed as failed:
        return False, str(failed)
    except Unreadable as error:
        known = f"this check does not know the messages of this Streamlit ({error})"
        if answers(address):
            return True, f"The server answers; whether it draws its page is not known: {known}."
        return False, f"Nothing answers at {address}; besides, {known}."
    except TimeoutError:
        also = ", though it says that it is well" if answers(address) else ""
        return False, f"The page at {address} was not drawn within {seconds:g} s{also}."
    except InvalidStatus as error:
        status = error.response.status_code
        if status == 403 and is_full(address, host):
            return True, "All places are taken; the server answers, and says so to newcomers."
        if status == 403:
            return False, "The server does not go by this name; give one of its names with --host."
        return False, f"No page can be opened at {address}: status {status}."
    except (OSError, ValueError, WebSocketException) as error:
        return False, f"No page can be opened at {address}: {error}."
    return True, f"The page was drawn in {time.monotonic() - start:.2f} s."


def main(words: list[str] | None = None) -> int:
    """Run the check; return 0 if the page was drawn, else 1."""
    parser = ArgumentParser(description="Whether a tokviz server draws its page.")
    parser.add_argument("address", nargs="?", default="http://127.0.0.1:8501")
    named = [
        name
        for name in os.environ.get("STREAMLIT_SERVER_ALLOWED_HOSTS", "").split()
        if "*" not in name
    ]
    parser.add_argument("--host", default=named[0] if named else "", help="a name of the server")
    parser.add_argument("--seconds", type=float, default=10, help="how long the page may take")
    options = parser.parse_args(words)
    good, said = look(options.address, options.host, options.seconds)
    sys.stdout.write(f"{said}\n")
    return 0 if good else 1


def _stub_streamlit() -> None:
    """Let Streamlit's message modules be imported without the rest of Streamlit."""
    spec = find_spec("streamlit")
    if spec is not None and spec.submodule_search_locations is not None:
        package = ModuleType("streamlit")
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules["streamlit"] = package


if __name__ == "__main__":
    _stub_streamlit()
    sys.exit(main())
