"""Read the limits of this server: `limits.toml`, and the file named by TOKVIZ_LIMITS over it.

    tokviz/server/limits.toml  ──▶  LIMITS  ◀──  the operator's own file

Only the pages check these limits; the engine has none.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

_HERE = Path(__file__).with_name("limits.toml")
#: How limits that are no numbers are called.
_SORTS: dict[type[Any], str] = {bool: "true or false", str: "a text"}


@dataclass(frozen=True)
class Training:
    """Limits of all trainings together, and of each one."""

    workers: int
    queue: int
    each: int
    begun: int
    seconds: float
    megabytes: int
    turn_seconds: float
    unwatched_seconds: float


@dataclass(frozen=True)
class OfCorpus:
    """Limits of a lane's corpus."""

    bytes: int
    distinct_words: int
    word_characters: int
    held_out_bytes: int
    lesson_characters: int
    language_characters: int


@dataclass(frozen=True)
class Settings:
    """Limits of the settings in a form."""

    vocabulary: int
    seeds: int
    lanes: int
    pattern_seconds: float
    special_tokens: int
    what_ifs: int


@dataclass(frozen=True)
class Files:
    """Limits of the files that visitors open."""

    session_bytes: int
    history_bytes: int
    moment_bytes: int


@dataclass(frozen=True)
class Kept:
    """Limits of the caches: the one for all visitors, and each session's."""

    histories: int
    megabytes: int
    session_megabytes: int


@dataclass(frozen=True)
class Visits:
    """Limits of the open pages, and of silent connections."""

    pages: int
    request_seconds: float
    first_message_seconds: float
    transfer_seconds: float


@dataclass(frozen=True)
class Rooms:
    """Limits of the rooms that teachers start, and where they are kept."""

    open: bool
    rooms: int
    people: int
    idle_seconds: float
    wrong_codes: int
    servers: int
    store: str


@dataclass(frozen=True)
class Names:
    """Whether tokenizers are opened by name, and limits of what is downloaded for one."""

    download: bool
    folder: str
    bytes: int
    seconds: float


@dataclass(frozen=True)
class Limits:
    """All limits, by the tables of `limits.toml`; its comments explain each one."""

    training: Training
    corpus: OfCorpus
    settings: Settings
    files: Files
    kept: Kept
    visits: Visits
    rooms: Rooms
    names: Names


def read_limits(text: str, base: Limits | None = None) -> Limits:
    """Read limits from a TOML text; missing ones are taken from `base`.

    Raises ValueError for a text that is not TOML, and for a limit that is unknown, missing, or not
    of its kind: a number of at least 0, true or false, or a text.

    >>> read_limits("[kept]\\nhistories = 8", LIMITS).kept.histories
    8
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the limits are no TOML: {error}") from None
    kinds: dict[str, type[Any]] = {
        "training": Training,
        "corpus": OfCorpus,
        "settings": Settings,
        "files": Files,
        "kept": Kept,
        "visits": Visits,
        "rooms": Rooms,
        "names": Names,
    }
    for name, table in given.items():
        if name not in kinds or not isinstance(table, Mapping):
            raise ValueError(f"limits have the tables {', '.join(kinds)}, but not {name!r}.")
    return Limits(
        **{
            name: _table(name, kind, given.get(name, {}), getattr(base, name, None))
            for name, kind in kinds.items()
        }
    )


def _table(name: str, kind: type[Any], given: Mapping[str, object], base: Any) -> Any:
    known = [field.name for field in fields(kind)]
    for limit, value in given.items():
        if limit not in known:
            raise ValueError(f"[{name}] has the limits {', '.join(known)}, but not {limit!r}.")
        sort = kind.__annotations__[limit]
        if sort in _SORTS:
            if not isinstance(value, sort):
                raise ValueError(f"[{name}] {limit} is {value!r}; it is {_SORTS[sort]}.")
            continue
        whole = sort is int
        number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        # 0 workers means one for each core.
        least = 0 if limit == "workers" else 1 if whole else 0.1
        if not number or not least <= value < 10**12:  # type: ignore[operator]
            said = "a whole number" if whole else "a number"
            raise ValueError(f"[{name}] {limit} is {value!r}; it is {said} of at least {least}.")
    if base is not None:
        return replace(base, **given)
    if missing := [limit for limit in known if limit not in given]:
        raise ValueError(f"[{name}] lacks {', '.join(missing)}.")
    return kind(**given)


def _server_limits() -> Limits:
    own = os.environ.get("TOKVIZ_LIMITS")
    usual = read_limits(_HERE.read_text("utf-8"))
    return read_limits(Path(own).read_text("utf-8"), usual) if own else usual


#: The limits of this server.
LIMITS = _server_limits()
