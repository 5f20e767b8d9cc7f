"""Tokenizers that somebody opened from files, kept for everybody by what is in the files."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import streamlit as st

from tokviz.formats.opened import OpenedTokenizer, open_tokenizer
from tokviz.language import message

#: How many are kept; a large one takes some hundred megabytes.
MOST_KEPT = 6


def remember(files: Mapping[str, bytes]) -> str:
    """Opens a tokenizer from its files, unless it is known, and returns what it is known by.

    Raises TokenizerFileError for files that are none.
    """
    digest = sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)} ".encode("utf-8", "surrogatepass") + data)
    key = digest.hexdigest()[:32]
    place = _place(key)
    if "opened" not in place:
        place["opened"] = open_tokenizer(files)
        place["files"] = dict(files)
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


def _found(key: str) -> dict[str, Any]:
    place = _place(key)
    if "files" not in place:
        raise ValueError(
            message(
                "The tokenizer whose merges this lane shows is not kept any more; open its file "
                "again."
            )
        )
    return place


@st.cache_resource(max_entries=MOST_KEPT, show_spinner=False)
def _place(key: str) -> dict[str, Any]:
    return {"key": key}
