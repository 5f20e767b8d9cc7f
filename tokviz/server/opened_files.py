"""Tokenizers that somebody opened from files, kept for everybody by what is in the files."""

from collections.abc import Mapping
from hashlib import sha256

from tokviz.basics.messages import message
from tokviz.formats.readers.opened import OpenedTokenizer, open_tokenizer
from tokviz.server.limits import LIMITS
from tokviz.server.pool.apart import Apart
from tokviz.server.shared_cache import Place, Shelf

#: What an opened tokenizer takes in memory for each byte of its files, about, with the files.
_UNPACKED = 17
#: Runs the libraries of what strangers open.
_APART = Apart()
_OPENED = Shelf(LIMITS.kept.histories, LIMITS.kept.megabytes / 2)


def remember(files: Mapping[str, bytes]) -> str:
    """Opens a tokenizer from its files, unless it is known, and returns what it is known by.

    Raises TokenizerFileError for files that are none.
    """
    digest = sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)} ".encode("utf-8", "surrogatepass") + data)
    key = digest.hexdigest()[:32]
    if not _OPENED.get(key):
        opened = open_tokenizer(files, host=_APART.host)
        _OPENED.place(key).update({"opened": opened, "files": dict(files)})
        _OPENED.weigh(key, "opened", _UNPACKED * sum(map(len, files.values())))
    return key


def find(key: str) -> OpenedTokenizer:
    """The tokenizer that `remember` opened.

    Raises ValueError with a sentence if it is not kept any more.
    """
    opened: OpenedTokenizer = _found(key)["opened"]
    return opened


def files_of(key: str) -> Mapping[str, bytes]:
    """The files that `remember` opened. Raises as `find` does."""
    files: Mapping[str, bytes] = _found(key)["files"]
    return files


def _found(key: str) -> Place:
    # Whoever asks for one that is gone takes nobody's room.
    if not (place := _OPENED.get(key)):
        raise ValueError(
            message(
                "The tokenizer whose merges this lane shows is not kept any more; open its file "
                "again."
            )
        )
    return place
