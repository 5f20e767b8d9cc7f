"""Whether the server draws its page: asks for it as a browser would, by a WebSocket.

    python -P tokviz/server/health.py [http://127.0.0.1:8501]

Exit status 0 if the first page was drawn completely, or all places are taken, else 1, with a
sentence. A container asks every half minute: this is a program of its own, which loads neither
tokviz nor all of Streamlit, since that would cost more than the page. `-P` keeps the modules beside
it from hiding Python's own.
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

#: What the first page is not complete without, by the keys of its elements.
MAIN_PARTS = {"player", "lens"}


class Failed(Exception):
    """The page is not as it has to be; says why in a sentence."""


class Unreadable(Exception):
    """Streamlit has other messages than those that are known here."""


def messages() -> tuple[Any, Any]:
    """The kinds of messages from a browser and to it. Raises Unreadable where they are others."""
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
    """One tab of a browser, as the server sees it. It draws nothing."""

    def __init__(self, address: str, host: str = "") -> None:
        self.address = address.rstrip("/")
        self._host = host
        self._socket: ClientConnection | None = None
        self._from_browser, self._to_browser = messages()
        #: Of the elements on the page, by the keys that the code gave them.
        self.ids: dict[str, str] = {}
        self.received = 0

    async def open(self) -> None:
        """Opens the first page; returns when all of it is there."""
        parts = urlsplit(self.address)
        named = parts._replace(netloc=self._host or parts.netloc)
        secure = parts.scheme == "https"
        self._socket = await connect(
            f"{named.geturl().replace('http', 'ws', 1)}/_stcore/stream",
            # Under another name, it is the same server.
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
        """Closes the tab."""
        if self._socket is not None:
            await self._socket.close()

    async def ask(self, message: Any) -> None:
        """Has the script run; returns when it has finished."""
        assert self._socket is not None
        context = message.rerun_script.context_info
        context.timezone, context.locale, context.url = "UTC", "en-US", f"{self.address}/"
        context.color_scheme = "light"
        await self._socket.send(message.SerializeToString())
        while not await self._heard():
            pass

    async def _heard(self) -> bool:
        """Takes in one message; whether it ends the script."""
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
        """Whether nothing comes after a script that has finished like this."""
        return bool(status == self._to_browser.FINISHED_SUCCESSFULLY)

    def take(self, message: Any) -> None:
        """Takes in what was drawn."""
        if message.WhichOneof("type") == "delta":
            self.draw(message.delta)

    def draw(self, delta: Any) -> Any:
        """Draws one element, if it is one; gives what is special about it."""
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
    """Opens the first page and leaves it. Raises Failed if it is not complete."""
    visit = Visit(address, host)
    try:
        await visit.open()
    finally:
        await visit.close()
    if lacks := MAIN_PARTS - set(visit.ids):
        raise Failed(f"The page was drawn without its {' and its '.join(sorted(lacks))}.")


def answers(address: str) -> bool:
    """Whether the server says that it is well, which it does though it may draw nothing."""
    health = f"{address.rstrip('/')}/_stcore/health"
    try:
        with urllib.request.urlopen(health, timeout=5) as said:
            return bool(said.read() == b"ok")
    except (OSError, ValueError):
        return False


def is_full(address: str, host: str) -> bool:
    """Whether the server tells newcomers that it has no room for another page (visits.py)."""
    names = {"Accept": "text/html", **({"Host": host} if host else {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=names), timeout=5):
            return False
    except urllib.error.HTTPError as error:
        return error.code == 503 and "Retry-After" in error.headers
    except OSError:
        return False


def look(address: str, host: str, seconds: float) -> tuple[bool, str]:
    """Whether all is well, and that in a sentence."""
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
    """0 if the page was drawn, else 1."""
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


def _without_the_rest() -> None:
    """Lets the modules of Streamlit's messages be imported without all others."""
    spec = find_spec("streamlit")
    if spec is not None and spec.submodule_search_locations is not None:
        package = ModuleType("streamlit")
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules["streamlit"] = package


if __name__ == "__main__":
    _without_the_rest()
    sys.exit(main())
