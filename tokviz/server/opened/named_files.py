"""Find the files of tokenizers by name: in the folder of this server, or by downloading them.

Both are off unless the operator turns them on: see `[names]` in limits.toml.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic

from tokviz.basics.progress import Progress
from tokviz.formats.named.by_name import fetch_files
from tokviz.formats.named.hub import FILES
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.server import limits
from tokviz.text.corpus import Cancelled

#: Downloads at the same time, of all visitors; further ones wait for their turn.
_THREADS = ThreadPoolExecutor(4, "download")


class Download:
    """The files of one name on their way; it goes on until it ends or is cancelled.

    `report` is the latest progress, or None before the first. It ends with an error when it takes
    longer than this server allows.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.report: Progress | None = None
        self._cancelled, self._began = False, 0.0
        self._files: Future[dict[str, bytes]] = _THREADS.submit(self._run)

    def cancel(self) -> None:
        """End it soon."""
        self._cancelled = True

    def done(self) -> bool:
        """Return whether it has ended, in whatever way."""
        return self._files.done()

    def wait(self, seconds: float) -> bool:
        """Wait for its end for so long, and return whether it has ended."""
        try:
            self._files.exception(timeout=seconds)
        except TimeoutError:
            return False
        return True

    def files(self) -> dict[str, bytes]:
        """Return the files, as name and contents.

        Raises what `fetch_files` raises, and TokenizerFileError after too long.
        """
        return self._files.result()

    def _run(self) -> dict[str, bytes]:
        self._began = monotonic()
        try:
            return fetch_files(self.name, self._goes_on, limits.LIMITS.names.bytes)
        except Cancelled:
            if self._cancelled:
                raise
            raise TokenizerFileError.saying(
                "{name} took longer than {seconds:g} s to download, which is what this server "
                "allows; try again later, or open a file.",
                name=self.name,
                seconds=limits.LIMITS.names.seconds,
            ) from None

    def _goes_on(self, report: Progress) -> bool:
        self.report = report
        return not self._cancelled and monotonic() - self._began < limits.LIMITS.names.seconds


def folder_names() -> list[str]:
    """Return the names of the tokenizers in this server's folder, in order; none if it has no
    folder, or one that is not there."""
    folder = limits.LIMITS.names.folder
    try:
        return sorted(e.name for e in Path(folder).iterdir() if e.name[0] != ".") if folder else []
    except OSError:
        return []


def folder_files(name: str) -> dict[str, bytes]:
    """Return the files of a tokenizer in this server's folder, as name and contents.

    Raises TokenizerFileError if it is not there any more, or too large.
    """
    place = Path(limits.LIMITS.names.folder, name)
    most = limits.LIMITS.names.bytes
    files = dict[str, bytes]()
    try:
        # Only names that were listed: none leads out of the folder.
        found = _chosen(place) if name in folder_names() else []
        for path in found:
            with path.open("rb") as file:
                files[path.name] = file.read(most + 1)
    except OSError:
        files.clear()
    if not files:
        raise TokenizerFileError.saying(
            "{name} is not in this server’s folder any more; choose another.", name=name
        )
    if sum(map(len, files.values())) > most:
        raise TokenizerFileError.saying(
            "{name} has more than {most:,} bytes, and this server opens no larger one by name.",
            name=name,
            most=most,
        )
    return files


def _chosen(place: Path) -> list[Path]:
    """Return a file itself; of a folder what is taken of a model of the hub, else all its files."""
    if not place.is_dir():
        return [place]
    there = {path.name: path for path in sorted(place.iterdir()) if path.is_file()}
    for tokenizer in FILES:
        if tokenizer.name in there and (tokenizer.beside in there or not tokenizer.needed):
            taken = (tokenizer.name, tokenizer.beside)
            return [there[name] for name in taken if name in there]
    return list(there.values())
