"""Fetches the ranks of OpenAI's encodings through `tiktoken`, which keeps them in its cache.

Source: openai/tiktoken, tiktoken/load.py (the cache) and tiktoken_ext/openai_public.py (addresses
and digests).
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from time import monotonic

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback, Reporter
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.text.corpus import Cancelled

#: Seconds after which a host that says nothing is given up.
MOST_SECONDS = 120.0
_HOST = "https://openaipublic.blob.core.windows.net/encodings/"


@dataclass(frozen=True)
class RankFile:
    """Where a file of ranks is, its SHA-256, and its size in bytes."""

    url: str
    digest: str
    size: int


_R50K = RankFile(
    _HOST + "r50k_base.tiktoken",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    835_554,
)
_P50K = RankFile(
    _HOST + "p50k_base.tiktoken",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    836_186,
)
_CL100K = RankFile(
    _HOST + "cl100k_base.tiktoken",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    1_681_126,
)
_O200K = RankFile(
    _HOST + "o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    3_613_922,
)
#: Encodings that differ only in special tokens have the same ranks.
ENCODINGS: Mapping[str, RankFile] = {
    "gpt2": _R50K,
    "r50k_base": _R50K,
    "p50k_base": _P50K,
    "p50k_edit": _P50K,
    "cl100k_base": _CL100K,
    "o200k_base": _O200K,
    "o200k_harmony": _O200K,
}


def fetch_ranks(name: str, progress: ProgressCallback | None = None) -> dict[str, bytes]:
    """Return the file of ranks of an encoding in `ENCODINGS`, as name and contents.

    tiktoken looks into its cache first: the folder TIKTOKEN_CACHE_DIR, else one among the system's
    temporary files. It downloads a file as a whole, so `progress` tells no bytes until the end; who
    cancels does not wait for the rest, which may still arrive in the cache.

    Raises TokenizerFileError if the host cannot be reached, refuses, sends another file than the
    one that is known or says nothing for two minutes, and Cancelled if `progress` returns False.
    """
    # Both cost a third of a second to import.
    import requests
    from tiktoken.load import read_file_cached

    file = ENCODINGS[name]
    reporter = Reporter("bytes", file.size, progress)
    _go_on(reporter, name)
    threads = ThreadPoolExecutor(1, "tiktoken")
    read = threads.submit(read_file_cached, file.url, file.digest)
    threads.shutdown(wait=False)
    end = monotonic() + MOST_SECONDS
    while not wait([read], timeout=0.05).done:
        _go_on(reporter, name)
        if monotonic() > end:
            break
    try:
        return {f"{name}.tiktoken": read.result(timeout=0)}
    except (requests.RequestException, TimeoutError) as error:
        raise TokenizerFileError.saying(
            "{name} could not be downloaded from {url} ({reason}); check the connection, or open "
            "a file instead.",
            name=name,
            url=file.url,
            reason=type(error).__name__,
        ) from None
    except ValueError:
        raise TokenizerFileError.saying(
            "What came from {url} is not the file that is known as {name}; try again later.",
            name=name,
            url=file.url,
        ) from None


def _go_on(reporter: Reporter, name: str) -> None:
    if reporter.cancelled(0):
        raise Cancelled(message("Cancelled while {name} was downloaded.", name=name))
