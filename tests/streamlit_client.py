"""A tab of a browser that does something, without the browser.

It sends what Chromium sends, as its frames were read: the states of all widgets that are on the
page, the address, the fragment that a widget stands in, and the hashes of the large messages that
the browser keeps. It draws nothing.
"""

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tokviz.server.health import Failed, Visit

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
    "slider": ("value", "double_array_value"),
}
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Session(Visit):
    """One tab. `open` it, then `act` again and again."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.session = ""
        self._states: dict[str, WidgetState] = {}
        self._fragments: dict[str, str] = {}
        self._seen: set[str] = set()
        # Large messages are kept by their hash until some runs went by without them.
        self._kept: dict[str, tuple[int, Any]] = {}
        self._age = 2
        self._begun = self._runs = 0
        self.pages: dict[str, str] = {}
        self.page = ""
        #: The head of the player's bundle and of its first run, as packed by tokviz/player/pack.py.
        self.head: dict[str, Any] = {}
        self.run: dict[str, Any] = {}
        #: Where files of this page are sent to, by their names.
        self._uploads: dict[str, Any] = {}

    async def open(self) -> float:
        """Opens the page; returns the seconds until it was all there."""
        started = time.perf_counter()
        await super().open()
        return time.perf_counter() - started

    async def act(
        self,
        widget: str,
        value: Any = None,
        others: Mapping[str, Any] | None = None,
        beside: str = "",
    ) -> float:
        """Sets a widget, by its key, and sends it with the others that were set since the last
        time; without a value it is pressed. A busy browser tells of it `beside` another one, and
        asks for the fragment of that one. Returns the seconds until the script has finished."""
        for key, other in (others or {}).items():
            self._set(key, other)
        if value is not None:
            self._set(widget, value)
        fragment = self._fragments[self._id(beside)] if beside else None
        return await self._changed(self._id(widget), value is None, fragment)

    async def _changed(self, id: str, pressed: bool = False, fragment: str | None = None) -> float:
        """Says that a widget is another, or was pressed."""
        return await self._rerun(self._message(id, pressed, fragment))

    def _message(self, id: str, pressed: bool, fragment: str | None = None) -> BackMsg:
        """That a widget is another, or was pressed, beside all that the page has."""
        message = BackMsg()
        own = self._fragments.get(id, "")
        message.rerun_script.fragment_id = own if fragment is None else fragment
        message.rerun_script.widget_states.widgets.extend(self._states.values())
        if pressed:
            message.rerun_script.widget_states.widgets.append(
                WidgetState(id=id, trigger_value=True)
            )
        message.rerun_script.page_script_hash = self.page
        message.rerun_script.query_string = self._query()
        return message

    async def act_before_hearing(self, *acts: tuple[str, Any]) -> None:
        """Sets or presses one widget after the other, each before the page has drawn what came of
        the one before: what it tells of all others is what it has now."""
        for message in self._messages(acts):
            begun = self._begun
            await self._send(message)
            while self._begun == begun:
                await self._heard()
        while not await self._heard():
            pass

    async def act_before_drawing(self, *acts: tuple[str, Any]) -> None:
        """The same, but each arrives when the server has done what the one before asked for."""
        for message in self._messages(acts):
            await self._rerun(message)

    def _messages(self, acts: Iterable[tuple[str, Any]]) -> list[BackMsg]:
        messages = []
        for widget, value in acts:
            if value is not None:
                self._set(widget, value)
            messages.append(self._message(self._id(widget), value is None))
        return messages

    async def go(self, page: str, query: str = "") -> float:
        """Goes to another page, by its path in the address."""
        message = self._departure(page)
        message.rerun_script.query_string = query
        return await self._rerun(message)

    async def go_back(self, query: str, *acts: tuple[str, Any]) -> None:
        """Goes to another entry of this page, as Back does: that message tells no fields of it. Of
        what acts tell, the page has not drawn it yet."""
        kept, messages = self._states, self._messages(acts)
        message = self._departure(next(path for path, id in self.pages.items() if id == self.page))
        message.rerun_script.query_string = query
        self._states = kept
        for each in (message, *messages):
            await self._rerun(each)

    async def go_before_telling(self, page: str, act: tuple[str, Any], heard: bool) -> None:
        """Goes to another page; before this one is gone, and before or after the browser has heard
        that the new one begins, a widget of this one tells its value."""
        [late] = self._messages([act])
        begun = self._begun
        await self._send(self._departure(page))
        while heard and self._begun == begun:
            await self._heard()
        await self._send(late)
        # On a busy machine the new page takes its time; what the old one told may come after it.
        async with asyncio.timeout(60):
            while self.page != self.pages[page]:
                await self._heard()
        await self._rest()

    async def act_at_once(self, *acts: tuple[str, Any]) -> None:
        """Sets or presses one widget after the other, and waits for nothing in between."""
        for message in self._messages(acts):
            await self._send(message)
        await self._rest()

    async def go_at_once(self, page: str, act: tuple[str, Any]) -> None:
        """Sets a widget, and goes to another page before anything came of that."""
        [message] = self._messages([act])
        await self._send(message)
        await self._send(self._departure(page))
        await self._rest()

    async def _rest(self) -> None:
        """Waits until nothing more comes: of several runs, one may be left for another."""
        while not await self._heard():
            pass
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                while True:
                    await self._heard()

    def _departure(self, page: str) -> BackMsg:
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages[page]
        switch = self.ids.get("language_switch", "")
        if switch in self._states:
            message.rerun_script.widget_states.widgets.append(self._states[switch])
        self._states = {id: state for id, state in self._states.items() if id == switch}
        return message

    def has(self, widget: str) -> bool:
        return widget in self.ids

    def _id(self, key: str) -> str:
        if key not in self.ids:
            raise Failed(f"there is no widget {key!r} on the page, only {sorted(self.ids)}")
        return self.ids[key]

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
            case [float(), *_]:
                state.double_array_value.data.extend(value)
            case list():
                state.string_array_value.data.extend(value)
        self._states[state.id] = state

    def _query(self) -> str:
        parts = [("lane", link) for link in self.head.get("links", ())]
        player = self._states.get(self.ids.get("settled", ""))
        if player is not None and "moment" in (said := json.loads(player.json_value)):
            parts.append(("step", str(said["moment"]["position"])))
        return urlencode(parts)

    async def upload(self, widget: str, name: str, content: bytes, beside: str = "") -> int:
        """Uploads a file for a widget, which hears of it if it was taken; the status of it. A busy
        browser tells of it `beside` another widget, as of an act."""
        message = BackMsg()
        message.file_urls_request.request_id = name
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        while name not in self._uploads:
            await self._heard()
        urls = self._uploads.pop(name)
        status = await asyncio.to_thread(_put, self.address, urls.upload_url, name, content)
        if status < 300:
            state = WidgetState(id=self._id(widget))
            file = state.file_uploader_state_value.uploaded_file_info.add()
            file.file_id, file.name, file.size = urls.file_id, name, len(content)
            file.file_urls.CopyFrom(urls)
            self._states[state.id] = state
            fragment = self._fragments[self._id(beside)] if beside else None
            await self._changed(state.id, fragment=fragment)
        return status

    def value(self, key: str) -> str:
        """The text in a field."""
        return self._states[self._id(key)].string_value

    def chosen(self, key: str) -> list[str]:
        """What is marked in a control."""
        return [*self._states[self._id(key)].string_array_value.data]

    def drew(self, key: str) -> bool:
        """Whether the last run drew a widget."""
        return self.ids.get(key) in self._seen

    async def _rerun(self, message: BackMsg) -> float:
        message.rerun_script.cached_message_hashes.extend(self._kept)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await self.ask(message)
        except TimeoutError:
            raise Failed(f"no reply within {PATIENCE} s") from None
        return time.perf_counter() - started

    def take(self, message: Any) -> None:
        match message.WhichOneof("type"):
            case "new_session":
                self.session = message.new_session.initialize.session_id
                self.page = message.new_session.page_script_hash
                self._age = message.new_session.config.max_cached_message_age
                self._seen.clear()
                self._begun += 1
            case "navigation":
                for page in message.navigation.app_pages:
                    self.pages[page.url_pathname] = page.page_script_hash
                self.page = message.navigation.page_script_hash
            case "file_urls_response":
                said = message.file_urls_response
                self._uploads[said.response_id] = said.file_urls[0]
            case "ref_hash":
                if message.ref_hash not in self._kept:
                    raise Failed("the server refers to a message that was never sent")
                delta = self._kept[message.ref_hash][1]
                self._kept[message.ref_hash] = self._runs, delta
                self.draw(delta)
            case "delta":
                if message.metadata.cacheable:
                    self._kept[message.hash] = self._runs, message.delta
                self.draw(message.delta)

    def draw(self, delta: Any) -> Any:
        element = super().draw(delta)
        id = getattr(element, "id", "")
        if not id:
            return element
        self._seen.add(id)
        if delta.fragment_id:
            self._fragments[id] = delta.fragment_id
        else:
            self._fragments.pop(id, None)
        kind = delta.new_element.WhichOneof("type")
        if kind == "bidi_component" and id.endswith("-player"):
            self.head, self.run = heads(element.bytes)
        if kind in _VALUES and getattr(element, "set_value", False):
            self._set_as(id, kind, getattr(element, _VALUES[kind][0]))
        return element

    def _set_as(self, id: str, kind: str, value: Any) -> None:
        state = WidgetState(id=id)
        field = _VALUES[kind][1]
        if field.endswith("_array_value"):
            getattr(state, field).data.extend(value)
        else:
            setattr(state, field, int(value) if field == "int_value" else value)
        self._states[id] = state

    def ends(self, status: int) -> bool:
        if status == ForwardMsg.FINISHED_SUCCESSFULLY:
            self._runs += 1
            old = self._runs - self._age
            self._kept = {hash: kept for hash, kept in self._kept.items() if kept[0] >= old}
            self.ids = {key: id for key, id in self.ids.items() if id in self._seen}
            self._states = {id: state for id, state in self._states.items() if id in self._seen}
        return status in _DONE


def _put(address: str, path: str, name: str, content: bytes) -> int:
    """Sends a file as a browser does; the status of the answer."""
    cookies = CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    browser.open(f"{address}/_stcore/health").close()
    [token] = [cookie.value for cookie in cookies if cookie.name == "_streamlit_xsrf"]
    head = f'--x\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n\r\n'.encode()
    kind = {"Content-Type": "multipart/form-data; boundary=x", "X-Xsrftoken": token or ""}
    request = urllib.request.Request(
        f"{address}{path}", head + content + b"\r\n--x--\r\n", kind, method="PUT"
    )
    try:
        with browser.open(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def heads(bundle: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a player's bundle says at its start, and what its first run says."""

    def head(at: int) -> tuple[dict[str, Any], int]:
        end = at + 8 + int.from_bytes(bundle[at + 4 : at + 8], "little")
        return json.loads(bundle[at + 8 : end]), end

    outer, end = head(0)
    return outer, head(end + outer["lanes"][0][0])[0]
