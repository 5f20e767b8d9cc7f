"""How objects show themselves in a notebook: in one line of at most `MOST` characters, whatever
they hold."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from itertools import islice
from typing import Any

#: Characters of a line.
MOST = 200
#: Characters that each field may take: the first of these with which the line is short enough.
_ROOMS = range(120, 23, -8)


def short_repr(thing: Any) -> str:
    """The `__repr__` of dataclasses and named tuples that may hold much: `Name(field=value, …)`
    as they have it by themselves, if that is short. Else fields that have their default are left
    out, then values are shortened, and at last fields at the end are left out.

    Only for people: what is left out may tell two objects apart.

    >>> from tokviz.text.word_counts import WordCounts
    >>> WordCounts(("a", "b"), (2, 1))
    WordCounts(words=('a', 'b'), counts=(2, 1))
    >>> WordCounts(tuple(map(str, range(5000))), (1,) * 5000)
    WordCounts(words=('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', … 4988 more), \
counts=(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, … 4978 more))
    """
    name, given = type(thing).__name__, list(_fields(thing))
    told = [(key, value) for key, value, is_default in given if not is_default]
    everything = [(key, value) for key, value, _ in given]
    for chosen, rooms in ((everything, _ROOMS[:1]), (told, _ROOMS)):
        for room in rooms:
            parts = [f"{key}={short_value(value, room)}" for key, value in chosen]
            if len(line := f"{name}({', '.join(parts)})") <= MOST:
                return line
    while parts and len(f"{name}({', '.join([*parts, '…'])})") > MOST:
        parts.pop()
    return f"{name}({', '.join([*parts, '…'])})"


def _fields(thing: Any) -> Iterator[tuple[str, Any, bool]]:
    """The name and value of each field that is shown, and whether that is its default."""
    if is_dataclass(thing):
        for field in fields(thing):
            if field.repr and not field.name.startswith("_"):
                value, default = getattr(thing, field.name), field.default
                if field.default_factory is not MISSING:
                    default = field.default_factory()
                elif follows := field.metadata.get("follows"):
                    default = follows(getattr(thing, "vocab_size"))  # noqa: B009
                yield field.name, value, type(value) is type(default) and bool(value == default)
    else:
        for name, value in thing._asdict().items():
            yield name, value, False


def short_value(value: Any, room: int) -> str:
    """A value in one line of about `room` characters.

    >>> short_value("abcdefghijklmnopqrstuvwxyz", 16), short_value(["a", "b", "c", "d", "e"], 20)
    ("'abcdefghijklm…'", "['a', 'b', … 3 more]")
    >>> short_value({"a": 1}, 16), short_value(dict.fromkeys(range(99)), 16), short_value(len, 16)
    ("{'a': 1}", '{… 99 entries}', 'len')
    """
    if isinstance(value, str):
        said = repr(value[: room + 1])
        return said if len(said) <= room else f"{said[: room - 2].rstrip(chr(92))}…{said[-1]}"
    if isinstance(value, float) and room < _ROOMS[0]:
        return f"{value:.6g}"
    if hasattr(value, "shape"):  # an array or a table, which numpy and pandas write in lines
        size = " × ".join(map(str, value.shape))
        return f"<{type(value).__name__} of {size}>"
    if isinstance(value, Mapping):
        said = repr(dict(value)) if len(value) * 6 <= room else ""
        return said if 0 < len(said) <= room else f"{{… {len(value)} entries}}"
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return _short_list(value, room)
    said = value.__name__ if callable(value) and hasattr(value, "__name__") else repr(value)
    said = " ".join(said.split())
    return said if len(said) <= room else f"{said[: room - 1]}…"


def _short_list(values: list[Any] | tuple[Any, ...], room: int) -> str:
    shown: list[str] = []
    left = room - 2
    for value in islice(values, room):
        said = short_value(value, room)
        if len(said) > left:
            break
        shown.append(said)
        left -= len(said) + 2
    if more := len(values) - len(shown):
        # Room for saying so.
        while shown and sum(map(len, shown)) + 2 * len(shown) + len(f"… {more} more") > room - 2:
            shown.pop()
            more += 1
        shown.append(f"… {more} more")
    elif len(shown) == 1 and isinstance(values, tuple):
        return f"({shown[0]},)"
    return f"[{', '.join(shown)}]" if isinstance(values, list) else f"({', '.join(shown)})"
