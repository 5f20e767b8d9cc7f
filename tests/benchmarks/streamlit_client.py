"""A browser's side of a Streamlit session, without the browser: the WebSocket and its messages.

It sends what Chromium sends, as its frames were read: the states of all widgets that are on the
page, the address, the fragment that a widget stands in, and the hashes of the large messages that
the browser keeps. It draws nothing.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

#: How long a reply may take before the session is given up.
PATIENCE = 120
#: For each kind of element with a state: where its value is when the server sets it, and where the
#: browser says it.
_VALUES = {
    "button_group": ("raw_values", "string_array_value"),
    "selectbox": ("raw_value", "string_value"),
    "text_area": ("value", "string_value"),
    "text_input": ("value", "string_value"),
    "multiselect": ("raw_values", "string_array_value"),
    "number_input": ("value", "int_value"),
    "checkbox": ("value", "bool_value"),
}
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Failed(Exception):
    """The server drew an error, closed the connection, or did not answer in time."""


class Session:
    """One tab. `open` it, then `act` again and again."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket: ClientConnection | None = None
        #: Of the widgets on the page, by the keys that the code gave them.
        self._ids: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        self._fragments: dict[str, str] = {}
        self._seen: set[str] = set()
        # Large messages are kept by their hash until some runs went by without them.
        self._kept: dict[str, tuple[int, Any]] = {}
        self._age = 2
        self._runs = 0
        self.pages: dict[str, str] = {}
        self.page = ""
        #: The head of the player's bundle and of its first run, as packed by tokviz/player/pack.py.
        self.head: dict[str, Any] = {}
        self.run: dict[str, Any] = {}
        self.received = 0

    async def open(self) -> float:
        """Opens the page; returns the seconds until it was all there."""
        started = time.perf_counter()
        url = self._address.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await connect(
            url, origin=self._address, subprotocols=["streamlit"], max_size=None, open_timeout=60
        )  # type: ignore[arg-type]
        await self._rerun(BackMsg())
        return time.perf_counter() - started

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def act(
        self, widget: str, value: Any = None, others: Mapping[str, Any] | None = None
    ) -> float:
        """Sets a widget, by its key, and sends it with the others that were set since the last
        time; without a value it is pressed. Returns the seconds until the script has finished."""
        for key, other in (others or {}).items():
            self._set(key, other)
        message = BackMsg()
        pressed = None
        if value is None:
            pressed = WidgetState(id=self._id(widget), trigger_value=True)
        else:
            self._set(widget, value)
        message.rerun_script.fragment_id = self._fragments.get(self._id(widget), "")
        message.rerun_script.widget_states.widgets.extend(self._states.values())
        if pressed is not None:
            message.rerun_script.widget_states.widgets.append(pressed)
        message.rerun_script.page_script_hash = self.page
        message.rerun_script.query_string = self._query()
        return await self._rerun(message)

    async def go(self, page: str) -> float:
        """Goes to another page, by its path in the address."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages[page]
        switch = self._ids.get("language_switch", "")
        if switch in self._states:
            message.rerun_script.widget_states.widgets.append(self._states[switch])
        self._states = {id: state for id, state in self._states.items() if id == switch}
        return await self._rerun(message)

    def has(self, widget: str) -> bool:
        return widget in self._ids

    def _id(self, key: str) -> str:
        if key not in self._ids:
            raise Failed(f"there is no widget {key!r} on the page, only {sorted(self._ids)}")
        return self._ids[key]

    def _set(self, key: str, value: Any) -> None:
        state = WidgetState(id=self._id(key))
        match value:
            case dict():
                state.json_value = json.dumps(value, separators=(",", ":"))
            case bool():
                state.bool_value = value
            case int():
                state.int_value = value
            case str():
                state.string_value = value
            case list():
                state.string_array_value.data.extend(value)
        self._states[state.id] = state

    def _query(self) -> str:
        parts = [("lane", link) for link in self.head.get("links", ())]
        player = self._states.get(self._ids.get("settled", ""))
        if player is not None and "moment" in (said := json.loads(player.json_value)):
            parts.append(("step", str(said["moment"]["position"])))
        return urlencode(parts)

    async def _rerun(self, message: BackMsg) -> float:
        assert self._socket is not None
        context = message.rerun_script.context_info
        context.timezone, context.locale, context.url = "UTC", "en-US", f"{self._address}/"
        context.color_scheme = "light"
        message.rerun_script.cached_message_hashes.extend(self._kept)
        started = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        try:
            async with asyncio.timeout(PATIENCE):
                while not await self._heard():
                    pass
        except TimeoutError:
            raise Failed(f"no reply within {PATIENCE} s") from None
        return time.perf_counter() - started

    async def _heard(self) -> bool:
        """Takes in one message; whether it ends the script."""
        assert self._socket is not None
        frame = await self._socket.recv()
        assert isinstance(frame, bytes)
        self.received += len(frame)
        message = ForwardMsg.FromString(frame)
        match message.WhichOneof("type"):
            case "new_session":
                self.page = message.new_session.page_script_hash
                self._age = message.new_session.config.max_cached_message_age
                self._seen.clear()
            case "navigation":
                for page in message.navigation.app_pages:
                    self.pages[page.url_pathname] = page.page_script_hash
                self.page = message.navigation.page_script_hash
            case "ref_hash":
                if message.ref_hash not in self._kept:
                    raise Failed("the server refers to a message that was never sent")
                delta = self._kept[message.ref_hash][1]
                self._kept[message.ref_hash] = self._runs, delta
                self._drawn(delta)
            case "delta":
                if message.metadata.cacheable:
                    self._kept[message.hash] = self._runs, message.delta
                self._drawn(message.delta)
            case "script_finished":
                return self._finished(message.script_finished)
        return False

    def _drawn(self, delta: Any) -> None:
        if delta.WhichOneof("type") != "new_element":
            return
        kind = delta.new_element.WhichOneof("type")
        element = getattr(delta.new_element, kind)
        if kind == "exception":
            raise Failed(f"the page shows an error: {element.type} {element.message[:300]}")
        id = getattr(element, "id", "")
        if not id:
            return
        # "$$ID-<32 digits>-<key>"
        key = id[5 + 32 + 1 :]
        self._ids[key] = id
        self._seen.add(id)
        if delta.fragment_id:
            self._fragments[id] = delta.fragment_id
        else:
            self._fragments.pop(id, None)
        if kind == "bidi_component" and key == "player":
            self.head, self.run = heads(element.bytes)
        if kind in _VALUES and getattr(element, "set_value", False):
            value = getattr(element, _VALUES[kind][0])
            self._set_as(id, kind, value)

    def _set_as(self, id: str, kind: str, value: Any) -> None:
        state = WidgetState(id=id)
        field = _VALUES[kind][1]
        if field == "string_array_value":
            state.string_array_value.data.extend(value)
        else:
            setattr(state, field, int(value) if field == "int_value" else value)
        self._states[id] = state

    def _finished(self, status: int) -> bool:
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            raise Failed("the script does not compile")
        if status == ForwardMsg.FINISHED_SUCCESSFULLY:
            self._runs += 1
            old = self._runs - self._age
            self._kept = {hash: kept for hash, kept in self._kept.items() if kept[0] >= old}
            self._ids = {key: id for key, id in self._ids.items() if id in self._seen}
            self._states = {id: state for id, state in self._states.items() if id in self._seen}
        return status in _DONE


def heads(bundle: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a player's bundle says at its start, and what its first run says."""

    def head(at: int) -> tuple[dict[str, Any], int]:
        end = at + 8 + int.from_bytes(bundle[at + 4 : at + 8], "little")
        return json.loads(bundle[at + 8 : end]), end

    outer, end = head(0)
    return outer, head(end + outer["lanes"][0][0])[0]
