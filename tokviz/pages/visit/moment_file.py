"""Save a moment of the app in a file: what a link contains, for texts too long for a link."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tokviz.basics.messages import message, told_by
from tokviz.pages.visit.written_run import VERSION, LinkError, fields_of, run_of
from tokviz.server import limits
from tokviz.server.limit_checks import LimitError
from tokviz.server.runs import Run

_FORMAT = "tokviz moment"
#: Most bytes of a file, and most commas or brackets in it.
MOST_BYTES, MOST_SIGNS = 80_000_000, 200_000
#: Most lanes that are read: more than a page can show, so that it can say that there are more.
MOST_LANES = 9


class MomentFileError(ValueError):
    """A file that is not a moment; the message says why."""


class Moment(NamedTuple):
    """The page ("train" or "compare"), its lanes, and the other parameters of its address."""

    page: str
    lanes: tuple[Run, ...]
    parts: dict[str, str]


def to_file(page: str, lanes: Sequence[Run], parts: Mapping[str, str]) -> bytes:
    """Write a moment as a file; a text that several lanes share is in it once, compressed.

    >>> from tokviz import SAMPLES
    >>> from tokviz.server.runs import run_of_sample
    >>> lanes = (run_of_sample(SAMPLES["course"]),)
    >>> from_file(to_file("train", lanes, {"step": "3"})) == Moment("train", lanes, {"step": "3"})
    True
    """
    fields = [fields_of(run, lanes[:lane]) for lane, run in enumerate(lanes)]
    for lane in fields:
        if lane[0] is None:
            lane[2] = _packed(lane[2])
    moment = {"format": _FORMAT, "version": VERSION, "page": page, "lanes": fields}
    return json.dumps({**moment, "address": dict(parts)}).encode("ascii")


def is_moment(data: bytes) -> bool:
    """Return whether a file starts as `to_file` writes it."""
    return data[:100].lstrip().startswith(b'{"format": "tokviz moment"')


def from_file(data: bytes) -> Moment:
    """Read the moment that `to_file` wrote. Raises MomentFileError for anything else."""
    if len(data) > MOST_BYTES:
        raise MomentFileError(
            message(
                "The file has {n:,} bytes; a moment has at most {most:,}.",
                n=len(data),
                most=MOST_BYTES,
            )
        )
    # Checked before parsing: small lists and numbers take many times their bytes in memory.
    if max(data.count(b","), data.count(b"[")) > MOST_SIGNS:
        raise MomentFileError(message("The file is damaged, or is not a moment of tokviz."))
    try:
        written: Any = json.loads(data)
        if not isinstance(written, dict) or written.get("format") != _FORMAT:
            raise MomentFileError(message("The file is not a moment that tokviz saved."))
        # Links and moments contain runs in the same form, so they have one version.
        version = written.get("version", 1)
        if type(version) is not int or not 1 <= version <= VERSION:
            raise MomentFileError(
                message(
                    "The file holds a moment of version {version}; this tokviz reads versions "
                    "1 to {known}. Open it with the tokviz that made it, or update this one.",
                    version=str(version)[:20],
                    known=VERSION,
                )
            )
        lanes: list[Run] = []
        left = limits.LIMITS.files.moment_bytes
        for fields in written["lanes"][:MOST_LANES]:
            if fields[0] is None:
                fields[2] = _unpacked(fields[2], left)
                left -= len(fields[2])
            lanes.append(run_of(fields, lanes, version))
        page, parts = written["page"], written["address"]
        if not lanes or page not in ("train", "compare"):
            raise TypeError
        if not all(isinstance(value, str) for value in parts.values()):
            raise TypeError
        return Moment(page, tuple(lanes), parts)
    except LinkError as error:
        raise MomentFileError(error.in_file()) from error
    except LimitError as error:
        raise MomentFileError(told_by(error)) from error
    except (
        *(ValueError, TypeError, KeyError, IndexError),
        *(AttributeError, OverflowError, RecursionError, zlib.error),
    ) as error:
        if isinstance(error, MomentFileError):
            raise
        raise MomentFileError(
            message("The file is damaged, or is not a moment of tokviz.")
        ) from error


def _packed(text: str) -> str:
    return b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"))).decode("ascii")


def _unpacked(packed: str, most: int) -> str:
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(b64decode(packed), max(1, most))
    if not unpacking.eof:
        raise MomentFileError(
            message(
                "The file is cut off, or holds more than {most:,} bytes of text.",
                most=limits.LIMITS.files.moment_bytes,
            )
        )
    return data.decode("utf-8", "surrogatepass")
