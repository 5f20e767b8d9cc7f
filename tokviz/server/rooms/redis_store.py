"""Rooms of several servers: in a Redis that all of them reach. Only a server whose limits name one
imports this.

    tokviz:room:KXTM   what a room is, as JSON; it expires when the room was idle for too long
    tokviz:rooms       the letters of all rooms, by when they were used
    tokviz:news        all servers hear there of each change

Each server listens to the news on one connection. Where that is lost, all who are in rooms here are
sent away, so that they ask again until Redis is back. When a room was used is told by the clock of
Redis: those of the servers need not agree.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from secrets import token_hex
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, WatchError

from tokviz.server.rooms import redis_here
from tokviz.server.rooms.redis_here import NEWS, count, key_of
from tokviz.server.rooms.room import Room
from tokviz.server.rooms.store import Away, Entrances, Listener, Result
from tokviz.server.rooms.written import read, write

_ROOMS = "tokviz:rooms"
#: Seconds until an answer of Redis is given up, and until the next try to hear its news.
PATIENCE, _AGAIN = 2.0, 0.5
#: Seconds without news after which Redis is asked whether it is there, and after as many again is
#: not.
_SILENT = 1.0
#: Connections at once, and tries of a change while others change the same room.
_CONNECTIONS, _TRIES = 20, 50


class InRedis:
    """The rooms of all servers that have the same Redis."""

    def __init__(self, address: str, idle: Callable[[], float]) -> None:
        pool = BlockingConnectionPool.from_url(
            address,
            max_connections=_CONNECTIONS,
            timeout=PATIENCE,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            # A connection that Redis has closed meanwhile is made anew.
            retry=Retry(NoBackoff(), 1),
            decode_responses=True,
        )
        self._redis, self._idle = Redis(connection_pool=pool), idle
        self._entrances, self._server = Entrances(), token_hex(4)
        self._keeps: asyncio.Task[None] | None = None
        self._is_there, self._is_tried = False, asyncio.Event()
        #: Changes of this server do not meet in Redis.
        self._one = asyncio.Lock()

    async def find(self, code: str) -> Room | None:
        """Return the room of a code; one that was idle for too long is no more."""
        async with self._asked():
            room = await _read(self._redis, code)
            if room is None and code in self._entrances.listeners:
                self._tell_gone(code, await _now(self._redis))
        return room

    async def add(self, room: Room, most: int) -> Room | None:
        """Keep a room; one that ended, or that nobody is in, goes for it if it must."""
        async with self._one, self._asked(), self._redis.pipeline() as does:
            for _try in range(_TRIES):
                await does.watch(_room(room.code))
                if (there := await _read(does, room.code)) is not None:
                    return there
                now = await _now(does)
                # What was heard of a room that was here before, and is lost, is older.
                room.number = room.placed = int(now * 1000)
                before = f"({now - self._idle()}"
                codes = await does.zrangebyscore(_ROOMS, before, "+inf")
                left = await self._left(codes) if len(codes) >= most else ""
                if left is None:
                    return None
                does.multi()
                does.zremrangebyscore(_ROOMS, "-inf", before)
                if left:
                    # Its teacher's browser brings it back, should it only be away.
                    does.delete(_room(left))
                    does.zrem(_ROOMS, left)
                self._write(does, room, now)
                with suppress(WatchError):
                    await does.execute()
                    return room
        raise Away

    async def change(self, code: str, change: Callable[[Room], Result]) -> Result | None:
        """Change a room, and tell all that are in it; while another server changes it, again."""
        async with self._one, self._asked(), self._redis.pipeline() as does:
            for _try in range(_TRIES):
                await does.watch(_room(code))
                if (room := await _read(does, code)) is None:
                    return None
                number, result = room.number, change(room)
                if room.number == number:
                    return result
                now = await _now(does)
                does.multi()
                self._write(does, room, now)
                with suppress(WatchError):
                    await does.execute()
                    return result
        raise Away

    async def enter(self, code: str, voter: str) -> Listener | None:
        """Have somebody listen to a room; the others hear how many they are."""
        if (room := await self.find(code)) is None:
            return None
        listener = Listener(room)
        self._entrances.come(code, voter, listener)
        try:
            async with self._asked(), self._redis.pipeline(transaction=False) as does:
                count(does, "come", code, self._server, [voter])
                # What changed before it listened.
                does.get(_room(code))
                here, written = await does.execute()
        except BaseException:
            self._entrances.go(code, voter, listener)
            raise
        self._hear_of(read(written) if written else room)
        # Unless a later number was heard meanwhile.
        listener.hear(listener.room, listener.here or here)
        return listener

    async def leave(self, code: str, voter: str, listener: Listener) -> None:
        """Have somebody listen no more; where Redis is away, it forgets them by itself."""
        self._entrances.go(code, voter, listener)
        if voter in self._entrances.voters(code):
            return
        with suppress(Away):
            async with self._asked(), self._redis.pipeline(transaction=False) as does:
                count(does, "go", code, self._server, [voter])
                await does.execute()

    async def close(self) -> None:
        """Let go of all."""
        if self._keeps is not None:
            self._keeps.cancel()
            # A server that stops waits no longer than for an answer.
            await asyncio.wait([self._keeps], timeout=PATIENCE)
        await self._redis.aclose(close_connection_pool=True)

    @asynccontextmanager
    async def _asked(self) -> AsyncIterator[None]:
        """Ask Redis, unless it is known to be away."""
        if self._keeps is None:
            self._keeps = asyncio.create_task(self._keep())
        await self._is_tried.wait()
        if not self._is_there:
            raise Away
        try:
            yield
        except (RedisError, OSError) as error:
            raise Away from error

    async def _keep(self) -> None:
        """Hear the news, as long as this server lives."""
        was_away = False
        while True:
            try:
                async with self._redis.pubsub() as news:
                    await news.subscribe(NEWS)
                    await self._hear_all(news)
            # Whatever it is: there must be news again.
            except Exception as error:
                if self._is_there or not was_away:
                    logging.getLogger("tokviz.server").warning(
                        "The store of rooms cannot be reached (%s); meanwhile there are none.",
                        type(error).__name__,
                    )
            was_away, self._is_there = True, False
            self._is_tried.set()
            for code in [*self._entrances.listeners]:
                self._lose(code)
            await asyncio.sleep(_AGAIN)

    async def _hear_all(self, news: Any) -> None:
        says, is_asked = 0.0, False
        while True:
            said = await news.get_message(timeout=_SILENT)
            if said is None and is_asked:
                raise TimeoutError
            is_asked = said is None
            if said is None:
                await news.ping()
            elif said["type"] == "subscribe":
                self._is_there = True
                self._is_tried.set()
            elif said["type"] == "message":
                self._hear(said["data"])
            if time.monotonic() >= says:
                says = time.monotonic() + redis_here.SAYS
                await self._say_who_is_here()

    def _hear(self, news: str) -> None:
        said = json.loads(news)
        if "here" not in said:
            self._hear_of(read(news))
            return
        for listener in self._entrances.listeners.get(said["code"], ()):
            listener.hear(listener.room, said["here"])

    def _hear_of(self, room: Room) -> None:
        for listener in self._entrances.listeners.get(room.code, ()):
            if listener.room.key != room.key:
                # Another room has its letters.
                listener.hear(_ended(listener.room), 0)
            elif room.number > listener.room.number:
                listener.hear(room, listener.here)

    def _tell_gone(self, code: str, now: float) -> None:
        """Tell those in a room that it was idle for too long; or that Redis has lost it."""
        for listener in self._entrances.listeners.get(code, ()):
            if listener.room.used + self._idle() <= now:
                listener.hear(_ended(listener.room), 0)
            else:
                listener.lose()

    def _lose(self, code: str) -> None:
        for listener in self._entrances.listeners[code]:
            listener.lose()

    async def _say_who_is_here(self) -> None:
        codes = [*self._entrances.listeners]
        async with self._redis.pipeline(transaction=False) as does:
            for code in codes:
                count(does, "stay", code, self._server, self._entrances.voters(code))
            counts = await does.execute() if codes else []
        for code, here in zip(codes, counts, strict=True):
            for listener in self._entrances.listeners.get(code, ()):
                if listener.here != here:
                    listener.hear(listener.room, here)

    def _write(self, does: Any, room: Room, now: float) -> None:
        """Write a room that is used now, and tell all servers of it."""
        room.used = now
        written = write(room)
        does.set(_room(room.code), written, px=int(self._idle() * 1000))
        does.zadd(_ROOMS, {room.code: now})
        does.publish(NEWS, written)

    async def _left(self, codes: list[str]) -> str | None:
        """Return the letters of a room that ended, or that nobody is in; the longest unused one."""
        async with self._redis.pipeline(transaction=False) as does:
            for code in codes:
                does.get(_room(code))
                does.zcard(key_of(code))
            found = await does.execute()
        for code, written, here in zip(codes, found[::2], found[1::2], strict=True):
            if not written or not here or read(written).has_ended:
                return code
        return None


def _room(code: str) -> str:
    return f"tokviz:room:{code}"


async def _read(asks: Any, code: str) -> Room | None:
    written = await asks.get(_room(code))
    return read(written) if written else None


async def _now(asks: Any) -> float:
    """Return the time by the clock of Redis, in seconds."""
    seconds, millionths = await asks.time()
    return float(seconds) + float(millionths) / 1e6


def _ended(room: Room) -> Room:
    ended = replace(room)
    ended.end()
    return ended
