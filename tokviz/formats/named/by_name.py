"""Opens a tokenizer by its name, from a hub of models or among tiktoken's encodings.

"o200k_base", "gpt-4o" ──▶ tiktoken_names ──┐
                                            ├──▶ files ──▶ open_tokenizer
"Qwen/Qwen3-8B@main"   ──▶ hub ─────────────┘
"""

import os
import re
from dataclasses import replace
from pathlib import Path

from tokviz.basics.arguments import check_kind
from tokviz.basics.messages import listed
from tokviz.basics.progress import ProgressCallback
from tokviz.formats.named.hub import MOST_BYTES, fetch_from_hub
from tokviz.formats.named.tiktoken_names import ENCODINGS, fetch_ranks
from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.formats.readers.opened import OpenedTokenizer, open_or_same, open_tokenizer_files

#: "owner/name", with a branch, a tag or a commit after "@" if it is not main.
_MODEL = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?", re.ASCII)
#: How files end; a path with one of these is no name, even where there is no such file.
_ENDINGS = (".json", ".txt", ".gz", ".model", ".tiktoken", ".npz")


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a tokenizer, and is no path of a file that exists.

    >>> [is_name(text) for text in ("o200k_base", "gpt-4o", "Qwen/Qwen3-8B", "Qwen/Qwen3-8B@main")]
    [True, True, True, True]
    >>> [is_name(text) for text in ("tokenizer.json", "models/tokenizer.json", "low lower")]
    [False, False, False]
    """
    if text.lower().endswith(_ENDINGS) or Path(text).exists():
        return False
    return bool(_encoding(text) or _MODEL.fullmatch(text))


def fetch_files(
    name: str, progress: ProgressCallback | None = None, most_bytes: int = MOST_BYTES
) -> dict[str, bytes]:
    """Return the files of a tokenizer, as name and contents, from the cache of its library or over
    the network: an encoding or a model of OpenAI through `fetch_ranks`, "owner/name" through
    `fetch_from_hub`.

    Raises TokenizerFileError for any other text and as those two do, and Cancelled if `progress`
    returns False.
    """
    check_kind("name", name, str)
    if encoding := _encoding(name):
        return fetch_ranks(encoding, progress)
    if found := _MODEL.fullmatch(name):
        model, revision = found.groups()
        return fetch_from_hub(model, revision, progress, most_bytes)
    raise TokenizerFileError.saying(
        "{name!r} is no name of a tokenizer; give a model of the hub as owner/name, or one of "
        "{names}.",
        name=name[:100],
        names=listed(list(ENCODINGS)),
    )


def open_named(
    *paths: str | os.PathLike[str],
    pattern: str | None = None,
    progress: ProgressCallback | None = None,
) -> OpenedTokenizer:
    """`open_tokenizer_files`, which also takes a name instead of files: "o200k_base" and the other
    encodings of OpenAI, a model of theirs such as "gpt-4o", or "owner/name" of a model hub, with
    "@" and a branch, tag or commit if it is not main. Exported as `tokviz.open_tokenizer`.

    A name asks the network, unless the library's cache has the files: `huggingface_hub` with its
    own settings (HF_ENDPOINT, HF_TOKEN, HF_HOME, HF_HUB_OFFLINE), `tiktoken` with
    TIKTOKEN_CACHE_DIR. `progress` is told of the bytes that come.

    Raises as `open_tokenizer_files` and `fetch_files` do.

    >>> open_named("my model")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'my model'
    """
    if len(paths) == 1 and isinstance(paths[0], str) and is_name(paths[0]):
        opened = open_or_same(fetch_files(paths[0], progress), pattern)
        return replace(opened, name=paths[0])
    return open_tokenizer_files(*paths, pattern=pattern)


def _encoding(name: str) -> str:
    """Return the encoding that a name means, or "" for another name."""
    if name in ENCODINGS:
        return name
    from tiktoken import encoding_name_for_model

    try:
        return encoding_name_for_model(name)
    except KeyError:
        return ""
