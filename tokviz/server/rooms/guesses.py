"""Slow down who guesses codes.

Whoever asks for a room by its letters alone may be wrong a few times. From then on all who ask from
that address get in line: one answer every few seconds, whether it is right or wrong. Who was in a
room before knows its name, which nobody guesses, and does not wait.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_network
from typing import TypeVar
from weakref import WeakValueDictionary

from tokviz.server.rooms.room import Clock

#: Seconds between two answers to an address that was wrong too often, and how many may wait.
EACH, WAITING = 3.0, 10
#: Seconds after which one wrong code is forgotten.
FORGOTTEN = 30.0
#: Addresses at most; those that were wrong the longest time ago are forgotten first.
_MOST = 10_000

Answer = TypeVar("Answer")


class TooMany(Exception):
    """Too many wait for an answer already."""


@dataclass
class _Address:
    """How many codes were wrong, when that was counted, and when the next answer may come."""

    wrong: float
    counted: float
    free: float = 0.0


class Guesses:
    """The wrong codes of each address."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, _Address] = {}
        self._asks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def in_turn(
        self, address: str, allowed: int, ask: Callable[[], Awaitable[Answer | None]]
    ) -> Answer | None:
        """Ask when it is an address's turn, and return the answer; None was wrong. Whoever need not
        wait asks after the one before was counted: many who come at once would all be let through.
        """
        network = _network(address)
        async with self._asks.setdefault(network, asyncio.Lock()):
            seconds = self.seconds(address, allowed)
            if seconds is None:
                raise TooMany
            if not seconds:
                return await self._counted(address, ask)
        await asyncio.sleep(seconds)
        return await self._counted(address, ask)

    async def _counted(
        self, address: str, ask: Callable[[], Awaitable[Answer | None]]
    ) -> Answer | None:
        answer = await ask()
        if answer is None:
            self.was_wrong(address)
        return answer

    def seconds(self, address: str, allowed: int) -> float | None:
        """Return for how long an answer has to wait, None if too many wait already. `allowed` is
        how many codes may be wrong before that.

        >>> guesses = Guesses()
        >>> guesses.seconds("192.0.2.1", 1)
        0.0
        >>> guesses.was_wrong("192.0.2.1"), guesses.was_wrong("192.0.2.1")
        (None, None)
        >>> [round(guesses.seconds("192.0.2.1", 1)) for _asks in range(3)]
        [0, 3, 6]
        >>> guesses.seconds("192.0.2.2", 1)
        0.0
        """
        known = self._known.get(_network(address))
        now = self._clock()
        if known is None or self._left(known, now) <= allowed:
            return 0.0
        if known.free - now >= EACH * WAITING:
            return None
        start = max(now, known.free)
        known.free = start + EACH
        return start - now

    def was_wrong(self, address: str) -> None:
        """Count a wrong code."""
        now, network = self._clock(), _network(address)
        known = self._known.pop(network, None) or _Address(0.0, now)
        known.wrong, known.counted = self._left(known, now) + 1, now
        # The last one stands at the end.
        self._known[network] = known
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]

    def _left(self, known: _Address, now: float) -> float:
        return max(0.0, known.wrong - (now - known.counted) / FORGOTTEN)


def _network(address: str) -> str:
    """Return what one person has: an address, or a whole network of IPv6.

    >>> _network("2001:db8::1") == _network("2001:db8::2"), _network("192.0.2.1")
    (True, '192.0.2.1/32')
    """
    try:
        return str(ip_network(f"{address}/64" if ":" in address else address, strict=False))
    except ValueError:
        return ""
