"""A moment of the app in a file: what a link holds, for texts that are too long for one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tokviz.pages.lanes import MOST_LANES
from tokviz.pages.link import LinkError, fields_of, run_of
from tokviz.pages.run import Run

VERSION = 1
_FORMAT = "tokviz moment"
#: Bytes; the pages train on no longer texts.
MOST_BYTES = 150_000_000


class MomentFileError(ValueError):
    """A file that holds no moment; the message says what is wrong with it."""


class Moment(NamedTuple):
    """The page ("train" or "compare"), its lanes, and the parts of its address besides them."""

    page: str
    lanes: tuple[Run, ...]
    parts: dict[str, str]


def to_file(page: str, lanes: Sequence[Run], parts: Mapping[str, str]) -> bytes:
    """The file; a text that several lanes share is in it once.

    >>> from tokviz import SAMPLES
    >>> from tokviz.pages.run import run_of_sample
    >>> lanes = (run_of_sample(SAMPLES["course"]),)
    >>> from_file(to_file("train", lanes, {"step": "3"})) == Moment("train", lanes, {"step": "3"})
    True
    """
    fields = [fields_of(run, lanes[:lane]) for lane, run in enumerate(lanes)]
    moment = {"format": _FORMAT, "version": VERSION, "page": page, "lanes": fields}
    return json.dumps({**moment, "address": dict(parts)}).encode("ascii")


def is_moment(data: bytes) -> bool:
    """Whether bytes begin as `to_file` writes them."""
    return data[:100].lstrip().startswith(b'{"format": "tokviz moment"')


def from_file(data: bytes) -> Moment:
    """The moment that `to_file` wrote. Raises MomentFileError with a sentence for anything else."""
    if len(data) > MOST_BYTES:
        raise MomentFileError(
            f"The file has {len(data):,} bytes; a moment has at most {MOST_BYTES:,}."
        )
    try:
        written: Any = json.loads(data)
        if not isinstance(written, dict) or written.get("format") != _FORMAT:
            raise MomentFileError("The file holds no moment that tokviz saved.")
        if written["version"] != VERSION:
            raise MomentFileError(
                f"The file holds a moment of version {str(written['version'])[:20]}; this tokviz "
                f"reads version {VERSION}."
            )
        lanes: list[Run] = []
        for fields in written["lanes"][:MOST_LANES]:
            lanes.append(run_of(fields, lanes))
        page, parts = written["page"], written["address"]
        if not lanes or page not in ("train", "compare"):
            raise TypeError
        if not all(isinstance(value, str) for value in parts.values()):
            raise TypeError
        return Moment(page, tuple(lanes), parts)
    except LinkError as error:
        raise MomentFileError(str(error).replace("the link", "The file", 1)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, MomentFileError):
            raise
        raise MomentFileError("The file is damaged, or holds no moment of tokviz.") from error
