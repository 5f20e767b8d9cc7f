"""What somebody in a room hears, as server-sent events, as long as they stay."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from tokviz.server import limits
from tokviz.server.rooms.room import Room, new_voter
from tokviz.server.rooms.store import Away, Listener, Store

#: Seconds after which a line is sent in any case: browsers notice by it that they are not heard.
BEAT = 5.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # nginx would keep what is sent until there is more of it.
    (b"x-accel-buffering", b"no"),
]
#: All streams of this server, which end with it.
_OPEN: set[asyncio.Task[Any]] = set()


def end_streams() -> None:
    """End all streams: an open answer would keep the server from stopping."""
    for task in _OPEN:
        task.cancel()


async def stream(
    store: Store, room: Room, voter: str | None, _scope: Scope, receive: Receive, send: Send
) -> None:
    """Send what a room shows, now and whenever that changes: to its teacher (the voter is ""), to
    a voter who was there before, or to somebody who comes in (None)."""
    code, is_teacher = room.code, voter == ""
    comes = {"voter": new_voter(room.key) if voter is None else voter, "name": room.name}
    who = "" if is_teacher else comes["voter"]
    try:
        listener = await store.enter(code, who)
    except Away:
        await _refuse(send, "away")
        return
    if listener is None or (not is_teacher and listener.here > limits.LIMITS.rooms.people):
        if listener is not None:
            await store.leave(code, who, listener)
        await _refuse(send, "full")
        return
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    leaves = asyncio.create_task(_left(receive))
    tells = asyncio.create_task(
        _tell(store, listener, {} if is_teacher else comes, is_teacher, send)
    )
    _OPEN.add(tells)
    try:
        await asyncio.wait([leaves, tells], return_when=asyncio.FIRST_COMPLETED)
    finally:
        _OPEN.discard(tells)
        for task in (leaves, tells):
            task.cancel()
        await store.leave(code, who, listener)
    with suppress(OSError):
        await send({"type": "http.response.body", "body": b""})


async def _refuse(send: Send, why: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"why": why}).encode()})


async def _left(receive: Receive) -> None:
    """Wait until the browser has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _tell(
    store: Store, listener: Listener, comes: Mapping[str, Any], is_teacher: bool, send: Send
) -> None:
    """Tell all that changes, until the room ends, or cannot be heard."""
    before: dict[str, Any] | None = None
    placed: int | None = None
    while not listener.is_lost:
        room = listener.room
        said = _said(room, listener.here if is_teacher else None)
        is_placed = room.has_ended or room.placed == placed
        place = {} if is_placed else {"place": room.shown.place}
        if said != before or place:
            written = json.dumps({**comes, **place, **said}, separators=(",", ":"))
            await send(_line(f"id: {room.number}\ndata: {written}\n\n"))
            comes, before, placed = {}, said, room.placed
        if room.has_ended:
            return
        if not await listener.wait(BEAT):
            await send(_line(":\n\n"))
            # One that was idle for too long ends here.
            with suppress(Away):
                await store.find(room.code)


def _said(room: Room, here: int | None) -> dict[str, Any]:
    """Return what is said of a room: to its teacher (who is told how many are `here`) how many have
    voted, to all what they voted for once that is shown, to nobody who voted for what."""
    if room.has_ended:
        return {"ended": True}
    shown, asks = room.shown, room.shown.question
    said: dict[str, Any] = {"look": shown.look}
    if asks:
        said["question"] = {"name": asks.name, "options": asks.options, "shown": asks.is_shown}
    if asks and asks.is_shown:
        said["counts"] = room.counts()
    if here is not None:
        said |= {"here": here, "voted": len(room.votes)}
    return said


def _line(said: str) -> Message:
    return {"type": "http.response.body", "body": said.encode(), "more_body": True}
