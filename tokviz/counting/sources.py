"""Files, here or behind a URL: what they hold, how long they are, and how their bytes are read."""

import bz2
import glob
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from tokviz.counting.errors import CountingError

#: Told how many bytes more were read; whoever is told may raise an exception to stop it.
Tell = Callable[[int], None]

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
_KINDS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}
#: What is certainly no text, with what to do about it.
_REFUSED = {
    **dict.fromkeys((".csv", ".tsv"), "train takes it as a word-count table; text is .txt"),
    ".json": "with one record a line it is .jsonl",
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar"), "unpack it"),
    **dict.fromkeys((".npz", ".pdf", ".docx", ".html"), "save its text as .txt"),
}


@dataclass(frozen=True)
class Source:
    """A file. `kind` is text, jsonl or parquet; `size` is None where nobody tells it; one that is
    a `stream` can be read from its beginning only."""

    name: str
    kind: str
    compression: str | None = None
    size: int | None = None
    stream: bool = False

    @property
    def has_ranges(self) -> bool:
        """Whether any part of it can be read by itself."""
        return not (self.compression or self.stream or self.size is None)


def sources(names: Sequence[str], ranges_from: int) -> Iterator[Source]:
    """The files of these names. A URL, or a name of which there is no file, may have * in it and
    then means many, in the order of their names. Files of more than `ranges_from` bytes will be
    read in parts, if they can be.

    Raises CountingError for what cannot be counted, and OSError for a file that is not there.
    """
    for given in names:
        for name in _each(given):
            kind, compression = _kind(name)
            if kind == "parquet" and compression:
                raise CountingError(
                    f"{name} is Parquet that was compressed once more; unpack it, since Parquet "
                    "is compressed inside."
                )
            if "://" in name:
                yield _remote(name, kind, compression, ranges_from)
            else:
                yield Source(name, kind, compression, os.stat(name).st_size)


def _kind(name: str) -> tuple[str, str | None]:
    """What a file holds by its name, and how that is compressed.

    >>> _kind("s3://bucket/a.jsonl.gz"), _kind("https://host/a.txt?x=.gz"), _kind("notes")
    (('jsonl', 'gzip'), ('text', None), ('text', None))
    """
    path = PurePosixPath(urlsplit(name).path if "://" in name else name.replace("\\", "/"))
    compression = _COMPRESSED.get(path.suffix.lower())
    suffix = (path.with_suffix("") if compression else path).suffix.lower()
    if suffix in _REFUSED:
        raise CountingError(
            f"{name} is no text, .jsonl or .parquet by its name ({suffix}): {_REFUSED[suffix]}."
        )
    return _KINDS.get(suffix, "text"), compression


def _each(name: str) -> list[str]:
    if "*" not in name or ("://" not in name and os.path.exists(name)):
        return [name]
    if "://" in name:
        system, path = _system(name)
        found = sorted(system.unstrip_protocol(path) for path in system.glob(path))
    else:
        found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise CountingError(f"no file is named {name}.")
    return found


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise CountingError(
            f"{url} is a URL, which needs the package fsspec; install it with: pip install fsspec."
        ) from None
    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        # fsspec says which package a protocol needs.
        raise CountingError(f"{url} cannot be read: {str(error).rstrip('.')}.") from None
    return system, path


def _remote(name: str, kind: str, compression: str | None, ranges_from: int) -> Source:
    system, path = _system(name)
    try:
        info = system.info(path)
    except FileNotFoundError:
        raise CountingError(f"there is no file {name}.") from None
    if info.get("type") == "directory":
        raise CountingError(f"{name} is a folder; name its files, as in {name.rstrip('/')}/*.txt.")
    size = info.get("size")
    stream = size is None
    if name.startswith(("http://", "https://")) and size is not None:
        parts = kind == "parquet" or (size > ranges_from and not compression)
        stream = not (parts and _gives_ranges(system, path, size))
    if stream and kind == "parquet":
        raise CountingError(
            f"{name} is Parquet, and its server does not give parts of files; download it."
        )
    return Source(name, kind, compression, size, stream)


def _gives_ranges(system: Any, path: str, size: int) -> bool:
    """Whether a web server gives parts of a file; not all do."""
    try:
        with system.open(path, "rb") as file:
            file.seek(max(0, size - 1))
            return len(file.read(1)) == 1
    except ValueError:
        return False


class CountedReads(io.RawIOBase):
    """A file that tells what is read of it."""

    def __init__(self, file: Any, tell: Tell) -> None:
        self._file, self._tell = file, tell

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._tell(len(data))
        return len(data)


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """A file as it is, to be read anywhere. Raises OSError that names it."""
    try:
        with _open(source) as file:
            yield file
    except OSError as error:
        if error.errno and error.filename is None:
            # Else the file that is written meanwhile would be taken for the one that fails.
            raise OSError(error.errno, error.strerror, source.name) from None
        raise


def _open(source: Source) -> Any:
    if "://" not in source.name:
        return open(source.name, "rb")
    system, path = _system(source.name)
    more = {"block_size": 0} if source.stream and source.name.startswith("http") else {}
    return system.open(path, "rb", **more)


@contextmanager
def bytes_from(source: Source, start: int, tell: Tell) -> Iterator[Any]:
    """The unpacked bytes of a file from an offset on.

    Raises CountingError where they are not compressed as the file's name says.
    """
    with opened(source) as file:
        if start:
            file.seek(start)
        told = io.BufferedReader(CountedReads(file, tell), 1 << 18)
        try:
            yield _unpacked(source, told)
        except (EOFError, lzma.LZMAError, zlib.error, OSError) as error:
            if source.compression is None or getattr(error, "errno", None):
                raise
            raise CountingError(
                f"{source.name} cannot be unpacked as {source.compression} ({error}); it is "
                "damaged or has the wrong name."
            ) from None


def _unpacked(source: Source, file: Any) -> Any:
    if source.compression == "gzip":
        return gzip.GzipFile(fileobj=file)
    if source.compression == "bz2":
        return bz2.BZ2File(file)
    if source.compression == "xz":
        return lzma.LZMAFile(file)
    if source.compression == "zstd":
        pyarrow = needs_pyarrow(f"{source.name} is compressed with zstd, which")
        return pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd")
    return file


def needs_pyarrow(what: str) -> Any:
    """The package pyarrow. Raises CountingError, saying what needs it, if it is missing."""
    try:
        import pyarrow
    except ImportError:
        raise CountingError(
            f"{what} needs the package pyarrow; install it with: pip install pyarrow."
        ) from None
    return pyarrow
