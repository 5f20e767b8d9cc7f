"""The addresses of rooms, beside Streamlit's: browsers start and enter rooms, show and vote there.

    POST room                a key, or none      ──▶ a room: its key, its letters, its name
    POST room/KXTM/events    a name, or none     ──▶ a stream of what is shown, until one leaves
    POST room/KXTM/show      the key             ──▶ all that are in it hear of it
    POST room/KXTM/vote      a name and a voter  ──▶ the teacher hears how many have voted
    POST room/KXTM/end       the key             ──▶ it is over

Nothing of it is logged. An answer has a fact for a reason ("why"), which the browser says.
"""

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import segno
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tokviz.server import limits
from tokviz.server.connection_watch import CONNECTION_WATCH, ConnectionWatch
from tokviz.server.guard import origin_allowed
from tokviz.server.rooms import asked
from tokviz.server.rooms.guesses import Guesses, TooMany
from tokviz.server.rooms.room import LENGTH, LETTERS, Room, Shown, is_key, is_voter, new_key
from tokviz.server.rooms.store import Away, Store, store_of_rooms
from tokviz.server.rooms.stream import stream

_PATH = re.compile(
    rf"(?:/[\w-]+)*/room(?:/(?P<code>[{LETTERS}]{{{LENGTH}}})/(?P<what>events|show|vote|end))?"
)
#: Characters of the address at which a browser knows this server.
_HREF = 300
#: Tries until a new room has letters that no other one has.
_TRIES = 20
#: Why something is refused.
GONE, FULL, SLOW, OFF, SERVERS, AWAY = "gone", "full", "slow", "off", "servers", "away"
#: Answers for a code, what was said, and the address of who said it.
_Way: TypeAlias = Callable[[str, Mapping[str, Any], str], Awaitable[ASGIApp]]


class Rooms:
    """ASGI middleware: answer for rooms, and leave all else to Streamlit."""

    def __init__(
        self, app: ASGIApp, store: Store | None = None, watch: ConnectionWatch = CONNECTION_WATCH
    ) -> None:
        self._app, self._watch = app, watch
        self._store = store or store_of_rooms()
        self._guesses, self._starts = Guesses(), Guesses()
        self._ways: dict[str | None, _Way] = {
            **{None: self._start, "events": self._events, "show": self._show},
            **{"vote": self._vote, "end": self._end},
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._live(scope, receive, send)
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        found = _PATH.fullmatch(scope["path"]) if is_post else None
        if found is None:
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if not origin_allowed(headers.get("origin"), headers.get("host")):
            return await _refused(403)(scope, receive, send)
        if (why := _closed()) is not None:
            return await _refused(503, why)(scope, receive, send)
        try:
            said = asked.read(await _body(Request(scope, receive)))
            code, address = found["code"] or "", (scope.get("client") or ("",))[0]
            answer = await self._ways[found["what"]](code, said, address)
        except asked.Wrong:
            answer = _refused(400)
        except TooMany:
            answer = _refused(429, SLOW)
        except Away:
            answer = _refused(503, AWAY)
        return await answer(scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            await self._store.close()

    async def _start(self, _code: str, said: Mapping[str, Any], address: str) -> ASGIApp:
        """Start a room, or bring back the one of a key."""
        shown, key = asked.shown(said, Shown()), said.get("key")
        href = asked.text(said, "href", _HREF)
        if key is not None and not is_key(key):
            raise asked.Wrong
        if key is None:
            # Each counts as a wrong code does.
            await self._starts.in_turn(address, limits.LIMITS.rooms.wrong_codes, _nothing)
        for _try in range(_TRIES if key is None else 1):
            room = Room(key or new_key(), shown)
            kept = await self._store.add(room, limits.LIMITS.rooms.rooms)
            if kept is None:
                return _refused(503, FULL)
            if kept.key == room.key and not kept.has_ended:
                said = {"key": room.key, "code": room.code, "name": room.name}
                return _told({**said, "qr": _picture(f"{href}?room={room.code}")})
        return _refused(404, GONE)

    async def _events(self, code: str, said: Mapping[str, Any], address: str) -> ASGIApp:
        """Let somebody in: a teacher by the key, others by the letters, or by the room's name."""
        name, voter = asked.text(said, "name"), asked.text(said, "voter")
        if "key" in said or name:
            # Who knows a name was there, or guesses what nobody can.
            room = await self._store.find(code)
        else:
            find = partial(self._open, code)
            room = await self._guesses.in_turn(address, limits.LIMITS.rooms.wrong_codes, find)
        is_teacher = room is not None and _is_teacher(room, said)
        if room is None or not (is_teacher or ("key" not in said and name in ("", room.name))):
            return _refused(404, GONE)
        if self._watch.files_free() <= 0:
            return _refused(503, FULL)
        if is_teacher:
            return partial(stream, self._store, room, "")
        return partial(stream, self._store, room, voter if is_voter(room.key, voter) else None)

    async def _open(self, code: str) -> Room | None:
        """Return the room of guessed letters."""
        room = await self._store.find(code)
        return None if room is None or room.has_ended else room

    async def _show(self, code: str, said: Mapping[str, Any], _address: str) -> ASGIApp:
        """Show what the teacher shows."""
        room = await self._store.find(code)
        if room is None or not _is_teacher(room, said) or room.has_ended:
            return _refused(404, GONE)
        shown = asked.shown(said, room.shown)
        await self._store.change(code, lambda room: room.show(shown))
        return _told({})

    async def _vote(self, code: str, said: Mapping[str, Any], _address: str) -> ASGIApp:
        """Take a vote of somebody who was let in."""
        name, voter = asked.text(said, "name"), asked.text(said, "voter")
        question, choice = asked.text(said, "question"), asked.number(said, "choice")
        room = await self._store.find(code)
        if room is None or name != room.name or not is_voter(room.key, voter):
            return _refused(404, GONE)
        take = partial(Room.vote, voter=voter, choice=choice, question=question)
        counts = await self._store.change(code, take)
        return _told({"counts": bool(counts)})

    async def _end(self, code: str, said: Mapping[str, Any], _address: str) -> ASGIApp:
        """End a room on its teacher's word."""
        room = await self._store.find(code)
        if room is None or not _is_teacher(room, said):
            return _refused(404, GONE)
        await self._store.change(code, Room.end)
        return _told({})


def _picture(href: str) -> str:
    """Return an address as a QR code, as the address of a picture."""
    code = segno.make(href, error="m", micro=False)
    return code.svg_data_uri(scale=8, border=2, light="#fff", dark="#000")


def _closed() -> str | None:
    """Return why this server has no rooms at all, None if it has."""
    rooms = limits.LIMITS.rooms
    if not rooms.open:
        return OFF
    return SERVERS if rooms.servers > 1 and not rooms.store else None


def _is_teacher(room: Room, said: Mapping[str, Any]) -> bool:
    key = asked.text(said, "key")
    return is_key(key) and hmac.compare_digest(key, room.key)


async def _nothing() -> None:
    """Have no answer."""


async def _body(request: Request) -> bytes:
    """Return what a browser sent, which is short."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > asked.MOST_BYTES:
            raise asked.Wrong
    return body


def _told(said: Mapping[str, Any], status: int = 200) -> ASGIApp:
    return JSONResponse(said, status, {"cache-control": "no-store"})


def _refused(status: int, why: str = "") -> ASGIApp:
    return _told({"why": why}, status)
