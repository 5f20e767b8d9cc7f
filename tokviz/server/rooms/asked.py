"""Read what browsers say to a room. It may be anything; `Wrong` is raised for what is not as it
should be, and says no more than that."""

import json
from collections.abc import Mapping
from typing import Any

from tokviz.server.rooms.room import Question, Shown

#: Bytes of a request at most: an address of 8,000 characters, and what else is told.
MOST_BYTES = 24_000
#: Most characters of a place, and of each other text; most entries of a look.
_PLACE, _TEXT, _ENTRIES = 12_000, 1_000, 20
#: The largest number that is told, and most options of a question.
_GREATEST, _OPTIONS = 10**9, 20


class Wrong(ValueError):
    """What a browser said is not what a page of tokviz says."""


def read(body: bytes) -> dict[str, Any]:
    """Return what a request says."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        raise Wrong from None
    if not isinstance(said, dict):
        raise Wrong
    return said


def text(said: Mapping[str, Any], name: str, most: int = _TEXT) -> str:
    """Return a text of a request, "" if it has none.

    >>> text({"name": "low"}, "name"), text({}, "name")
    ('low', '')
    """
    value = said.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise Wrong
    return value


def number(said: Mapping[str, Any], name: str) -> int:
    """Return a whole number of a request."""
    value = said.get(name)
    if type(value) is not int or not 0 <= value <= _GREATEST:
        raise Wrong
    return value


def shown(said: Mapping[str, Any], before: Shown) -> Shown:
    """Return what a teacher shows; without a place, it is the one of before.

    >>> now = shown({"shown": {"look": {"step": 3}}}, Shown("train?lane=course"))
    >>> now.place, now.look
    ('train?lane=course', {'step': 3})
    """
    told = said.get("shown")
    if not isinstance(told, dict):
        raise Wrong
    place = text(told, "place", _PLACE) if "place" in told else before.place
    return Shown(place, _look(told.get("look", {})), _question(told.get("question")))


def _look(told: Any) -> dict[str, str | int]:
    if not isinstance(told, dict) or len(told) > _ENTRIES:
        raise Wrong
    return {
        name[:_TEXT]: text(told, name) if isinstance(told[name], str) else number(told, name)
        for name in told
    }


def _question(told: Any) -> Question | None:
    if told is None:
        return None
    if not isinstance(told, dict):
        raise Wrong
    options = number(told, "options")
    if options > _OPTIONS:
        raise Wrong
    return Question(text(told, "name"), options, told.get("shown") is True)
