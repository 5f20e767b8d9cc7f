"""Keep the line of those who came to a full server.

Each gets a ticket, a random name that its browser keeps as a cookie and shows when it asks again.

    asks ──▶ fewer wait before it than there is room for? ──yes──▶ called: comes in
                        └─no──▶ its place in line, and a ticket if it has none
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe

#: Seconds until somebody who waits asks again.
AGAIN = 10
#: A ticket that was not shown for so many times as long is let go: its page was closed.
_PATIENCE = 2.5
#: Tickets at most. Whoever comes later waits without one.
_MOST = 10_000


@dataclass
class _Ticket:
    """When a ticket was shown last, whether its browser keeps it, and whether it was called."""

    shown: float
    is_kept: bool = False
    is_called: bool = False


class Line:
    """The tickets in the order in which they were given."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tickets: dict[str, _Ticket] = {}

    def ask(self, shown: str, free: int) -> tuple[str, int]:
        """Return the ticket and the place in line of somebody who shows a ticket, or "", while
        there is room for `free` newcomers; place 0 comes in.

        >>> line = Line()
        >>> first, place = line.ask("", 0)
        >>> place, line.ask("", 0)[1]
        (1, 2)
        >>> line.ask("", 1)[1], line.ask(first, 1)[1]
        (3, 0)
        """
        now = self._clock()
        self._tickets = {
            name: ticket
            for name, ticket in self._tickets.items()
            if now - ticket.shown < _PATIENCE * AGAIN
        }
        own = self._tickets.get(shown)
        if own is not None:
            own.shown, own.is_kept = now, True
        before = 0
        for name, ticket in self._tickets.items():
            if name == shown:
                break
            before += not ticket.is_called and self._waits(ticket, now)
        coming = sum(ticket.is_called for ticket in self._tickets.values() if ticket is not own)
        if before < free - coming:
            if own is not None:
                own.is_called = True
            return shown, 0
        if own is None:
            if len(self._tickets) >= _MOST:
                return "", before + 1
            shown = token_urlsafe(12)
            self._tickets[shown] = _Ticket(now)
        return shown, before + 1

    def _waits(self, ticket: _Ticket, now: float) -> bool:
        """Return whether others wait for a ticket. A browser without cookies gets a new one each
        time, and must not wait for its own of before."""
        return ticket.is_kept or now - ticket.shown < AGAIN

    def came_in(self, shown: str) -> None:
        """Take the ticket of somebody whose page is open: it is counted with the pages now."""
        self._tickets.pop(shown, None)
