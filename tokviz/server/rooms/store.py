"""Where rooms are: in this process, or where `Store` says what another place must offer."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from tokviz.server import limits
from tokviz.server.rooms.room import Clock, Room

Result = TypeVar("Result")


class Away(Exception):
    """The place where rooms are cannot be reached now."""


class Listener:
    """Somebody in a room, who hears of its changes, until they are `lost` to it: then they have to
    come in again."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.here = 0
        self.is_lost = False
        self._rung = asyncio.Event()

    def hear(self, room: Room, here: int) -> None:
        """Take what the room is now, and how many are in it."""
        self.room, self.here = room, here
        self._rung.set()

    def lose(self) -> None:
        """Hear no more, for the place where the room is cannot be heard, or has lost it."""
        self.is_lost = True
        self._rung.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for a change for at most so many seconds; return whether there was one."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rung.wait(), seconds)
        is_rung = self._rung.is_set()
        self._rung.clear()
        return is_rung


class Store(Protocol):
    """Rooms by their codes. All servers of one name have the same one. Each question may raise
    `Away`, but for `leave` and `close`."""

    async def find(self, code: str) -> Room | None:
        """Return the room of a code, ended or not."""

    async def add(self, room: Room, most: int) -> Room | None:
        """Keep a room; return the one that has its code, or None where there are `most`."""

    async def change(self, code: str, change: Callable[[Room], Result]) -> Result | None:
        """Change a room, and tell all that are in it; it was used now. None if there is none."""

    async def enter(self, code: str, voter: str) -> Listener | None:
        """Have somebody listen to a room; "" is its teacher, who is not counted."""

    async def leave(self, code: str, voter: str, listener: Listener) -> None:
        """Have somebody listen no more."""

    async def close(self) -> None:
        """Let go of all."""


class Entrances:
    """Those of this process who listen, by the room's code."""

    def __init__(self) -> None:
        self.listeners: dict[str, list[Listener]] = {}
        self._voters: dict[str, Counter[str]] = {}

    def come(self, code: str, voter: str, listener: Listener) -> None:
        """Count somebody; who is back before the server noticed that they left counts once."""
        self.listeners.setdefault(code, []).append(listener)
        self._voters.setdefault(code, Counter())[voter] += bool(voter)

    def go(self, code: str, voter: str, listener: Listener) -> None:
        """Count somebody no more."""
        self.listeners[code].remove(listener)
        self._voters[code][voter] -= bool(voter)
        if not self.listeners[code]:
            del self.listeners[code], self._voters[code]

    def voters(self, code: str) -> list[str]:
        """Return who is in a room, each once; "" is its teacher."""
        listeners = len(self.listeners.get(code, ()))
        counts = self._voters.get(code, Counter())
        there = [voter for voter, n in counts.items() if n > 0]
        return [*there, ""] if counts.total() < listeners else there

    def here(self, code: str) -> int:
        """Return how many are in a room besides its teacher."""
        return sum(n > 0 for n in self._voters.get(code, {}).values())

    def tell(self, room: Room, here: int) -> None:
        """Have all that are in a room hear of it."""
        for listener in self.listeners.get(room.code, ()):
            listener.hear(room, here)


def store_of_rooms() -> Store:
    """Return the place that the limits name. Who names none has no client of Redis, or need not
    wait for it."""

    def idle() -> float:
        return limits.LIMITS.rooms.idle_seconds

    if not (address := limits.LIMITS.rooms.store):
        return InProcess(idle)
    try:
        from tokviz.server.rooms.redis_store import InRedis
    except ImportError:
        raise RuntimeError(
            '[rooms] store is a Redis, whose client is missing: pip install "tokviz[rooms]"'
        ) from None
    return InRedis(address, idle)


class InProcess:
    """The rooms of a server that is the only one of its name."""

    def __init__(self, idle: Callable[[], float], clock: Clock = time.monotonic) -> None:
        self._idle, self._clock = idle, clock
        self._rooms: dict[str, Room] = {}
        self._entrances = Entrances()

    async def find(self, code: str) -> Room | None:
        """Return the room of a code; one that was idle for too long is no more."""
        self._forget_idle()
        return self._rooms.get(code)

    async def add(self, room: Room, most: int) -> Room | None:
        """Keep a room; one that ended, or that nobody is in, goes for it if it must."""
        if (there := await self.find(room.code)) is not None:
            return there
        if len(self._rooms) >= most:
            left = [each for each in self._rooms.values() if self._is_left(each)]
            if not left:
                return None
            # Its teacher's browser brings it back, should it only be away.
            del self._rooms[min(left, key=lambda each: each.used).code]
        room.used = self._clock()
        self._rooms[room.code] = room
        return room

    async def change(self, code: str, change: Callable[[Room], Result]) -> Result | None:
        """Change a room, and tell all that are in it."""
        if (room := await self.find(code)) is None:
            return None
        number, result = room.number, change(room)
        if room.number != number:
            room.used = self._clock()
            self._entrances.tell(room, self._entrances.here(code))
        return result

    async def enter(self, code: str, voter: str) -> Listener | None:
        """Have somebody listen to a room; the others hear how many they are."""
        if (room := await self.find(code)) is None:
            return None
        listener = Listener(room)
        self._entrances.come(code, voter, listener)
        self._entrances.tell(room, self._entrances.here(code))
        return listener

    async def leave(self, code: str, voter: str, listener: Listener) -> None:
        """Have somebody listen no more."""
        self._entrances.go(code, voter, listener)
        self._entrances.tell(listener.room, self._entrances.here(code))

    async def close(self) -> None:
        """Rooms go with the process."""

    def _is_left(self, room: Room) -> bool:
        return room.has_ended or room.code not in self._entrances.listeners

    def _forget_idle(self) -> None:
        before = self._clock() - self._idle()
        for code in [code for code, room in self._rooms.items() if room.used < before]:
            room = self._rooms.pop(code)
            room.end()
            self._entrances.tell(room, 0)
