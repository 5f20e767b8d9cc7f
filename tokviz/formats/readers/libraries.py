"""Where a file's library runs: in this process, unless somebody has a place apart for it."""

from typing import Any

from tokviz.formats.readers.library import Library


def here(name: str, *arguments: Any) -> Library:
    """The library of that name ("tokenizers", "sentencepiece" or "tiktoken") in this process, which
    has no limits, and which a fault of native code may end: for files that somebody trusts. See
    `Host`.

    >>> file = '{"model": {"type": "BPE", "vocab": {"a": 7}, "merges": []}}'
    >>> here("tokenizers", file, {}).decode([7])
    'a'
    """
    # Each is imported when a file needs it: nobody waits for the other two.
    if name == "tokenizers":
        from tokviz.formats.readers.library_tokenizers import TokenizersLibrary

        return TokenizersLibrary(*arguments)
    if name == "sentencepiece":
        from tokviz.formats.readers.library_sentencepiece import SentencePieceLibrary

        return SentencePieceLibrary(*arguments)
    from tokviz.formats.readers.library_tiktoken import TiktokenLibrary

    return TiktokenLibrary(*arguments)
