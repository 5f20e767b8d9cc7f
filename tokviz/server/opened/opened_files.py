"""Cache tokenizers opened from files, for all visitors, by a digest of the files."""

from collections.abc import Mapping
from hashlib import sha256

from tokviz.basics.messages import message
from tokviz.formats.readers.opened import OpenedTokenizer, open_tokenizer
from tokviz.server.limits import LIMITS
from tokviz.server.pool.apart import Apart
from tokviz.server.shared_cache import CacheEntry, SharedCache

#: Approximate bytes in memory for each byte of an opened tokenizer's files, the files included.
_UNPACKED = 17
#: Runs the libraries of visitors' files in a process of its own.
APART = Apart()
OPENED = SharedCache(LIMITS.kept.histories, LIMITS.kept.megabytes / 2)


def prepare() -> None:
    """Begin what the first file would wait for."""
    APART.prepare()


def remember(files: Mapping[str, bytes]) -> str:
    """Open a tokenizer from its files, unless it is cached, and return its digest.

    Raises TokenizerFileError for files that are no tokenizer.
    """
    digest = sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)} ".encode("utf-8", "surrogatepass") + data)
    key = digest.hexdigest()[:32]
    if not OPENED.get(key):
        opened = open_tokenizer(files, host=APART.host)
        OPENED.entry(key).update({"opened": opened, "files": dict(files)})
        OPENED.weigh(key, "opened", _UNPACKED * sum(map(len, files.values())))
    return key


def find(key: str) -> OpenedTokenizer:
    """Return the tokenizer that `remember` opened.

    Raises ValueError if it is no longer cached.
    """
    opened: OpenedTokenizer = entry_of(key)["opened"]
    return opened


def files_of(key: str) -> Mapping[str, bytes]:
    """Return the files that `remember` opened. Raises as `find` does."""
    files: Mapping[str, bytes] = entry_of(key)["files"]
    return files


def entry_of(key: str) -> CacheEntry:
    """Return the cache entry of a tokenizer. Raises as `find` does."""
    # `get` makes no new entry, so asking for a missing one costs no room.
    if not (entry := OPENED.get(key)):
        raise ValueError(
            message(
                "The tokenizer whose merges this lane shows is not kept any more; open its file "
                "again."
            )
        )
    return entry
