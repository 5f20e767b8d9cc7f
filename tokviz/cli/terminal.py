"""What commands write: text that a terminal takes no orders from, columns, files, progress."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tokviz.basics.progress import Progress, ProgressCallback
from tokviz.basics.whole_file import write_whole

_CLEAR = "\r\x1b[K"
_BAR = 20  # characters of a bar


def printable(text: str) -> str:
    r"""A text with what cannot be printed escaped, so that a terminal takes no orders from it.

    >>> printable("a\x1b[2Jé\u202e")
    'a\\x1b[2Jé\\u202e'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines whose cells stand below each other.

    >>> columns([["step", "token"], ["1", "low"]])
    ['step  token', '1     low']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def complain(message: str) -> None:
    """One sentence on standard error: what is wrong, and what to change."""
    print(f"tokviz: {printable(message)}", file=sys.stderr)


def use_utf8() -> None:
    """Standard output speaks UTF-8 everywhere, and escapes what that cannot hold."""
    # Whoever replaced it by something else knows what it takes.
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(encoding="utf-8", errors="backslashreplace")


def drop_output() -> None:
    """After a broken pipe: nothing more is written, and nothing is said about it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(path: str, data: bytes) -> None:
    """Writes a whole file, or to standard output if the path is -."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    write_whole(path, data)


@contextmanager
def progress_bar(wanted: bool = True, label: str = "") -> Iterator[ProgressCallback | None]:
    """Draws how far a long run is on standard error, and takes it away at the end; None where
    nobody would see it, because that is no terminal."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    width = shutil.get_terminal_size().columns - 1

    def draw(progress: Progress) -> None:
        # A line that wraps could not be taken away again.
        print(_CLEAR + bar_line(progress, label)[:width], end="", file=sys.stderr, flush=True)

    try:
        yield draw
    finally:
        print(_CLEAR, end="", file=sys.stderr, flush=True)


def bar_line(progress: Progress, label: str = "") -> str:
    """A report in a line: the stage, its share, and the time left.

    >>> bar_line(Progress("merges", done=2500, total=10_000, seconds=20), "lane 1 of 2: ")
    'lane 1 of 2: merges [#####...............]  25 %, 2,500 of 10,000, 1 min left'
    >>> bar_line(Progress("words", done=0, total=0, seconds=0))
    'words [....................]   0 %, 0 of 0'
    """
    share = min(1.0, progress.done / progress.total) if progress.total else 0.0
    filled = int(share * _BAR)
    line = f"{label}{progress.stage} [{'#' * filled}{'.' * (_BAR - filled)}] {share:4.0%}"
    line = re.sub(r"%$", " %", line) + f", {progress.done:,} of {progress.total:,}"
    if not progress.done:
        return line
    left = progress.seconds_left
    return f"{line}, {f'{left:.0f} s' if left < 60 else f'{left / 60:.0f} min'} left"
