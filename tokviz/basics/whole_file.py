"""Files that are there as a whole or not at all, even where the disk is full."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from typing import BinaryIO


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A new file that takes its name only once it is written and closed; until then, and if that
    fails, what had the name before is as it was.

    What is no plain file, such as a pipe, is written to as it is, and so is a file in a folder that
    takes no others. Raises OSError that names the path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.txt"
    ...     with suppress(ValueError), whole_file(path) as file:
    ...         _ = file.write(b"the first half")
    ...         raise ValueError
    ...     os.listdir(folder)
    []
    """
    # A link stays one: what it leads to is replaced.
    place = Path(os.path.realpath(path))
    part = place.with_name(f".tokviz-{token_hex(6)}.part")
    try:
        exists = place.exists()
        if exists and (not place.is_file() or not os.access(place.parent, os.W_OK)):
            with place.open("wb") as file:
                yield file
            return
        try:
            with part.open("xb") as file:
                yield file
            if exists:
                copymode(place, part)
            part.replace(place)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        # What is wrong with other files, or is said in another way, stays as it is.
        ours = error.filename is None or str(error.filename) in map(str, (place, part))
        if error.errno is None or not ours:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_whole(path: str | Path, data: bytes) -> None:
    """Writes a file as a whole or not at all; raises as `whole_file` does."""
    with whole_file(path) as file:
        file.write(data)
