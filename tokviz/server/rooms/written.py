"""A room as text, for a store that is elsewhere."""

import json
from dataclasses import asdict

from tokviz.server.rooms.room import Question, Room, Shown


def write(room: Room) -> str:
    """Return a room as JSON."""
    return json.dumps(asdict(room))


def read(written: str) -> Room:
    """Return the room of a JSON.

    >>> room = Room("k" * 32, Shown("compare", {"step": 3}, Question("3", 4)), votes={"ann": 1})
    >>> read(write(room)) == room
    True
    """
    said = json.loads(written)
    shown, asks = said["shown"], said["shown"]["question"]
    question = None if asks is None else Question(**asks)
    return Room(**{**said, "shown": Shown(shown["place"], shown["look"], question)})
