"""Opens .tiktoken files: the ranks of byte strings, one a line, in base64.

A rank file does not say how a text is cut into words.

Source: openai/tiktoken, tiktoken/load.py and tiktoken_ext/openai_public.py.
"""

import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from tokviz.basics.messages import listed, message
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import MOST_ID, TokenizerFileError, brief, check_size
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host
from tokviz.formats.readers.ranks import MOST_TOKEN_BYTES, Ranks, open_ranks
from tokviz.pretokenizers import REGEX_PRESETS

#: Bytes of a rank file; the largest that is in use has 4 million.
MOST_BYTES = 20_000_000

_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

#: Patterns in use, by the names that may be given instead of them.
PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k_base": REGEX_PRESETS["gpt4 (cl100k)"],
    "o200k_base": REGEX_PRESETS["gpt4o (o200k)"],
    "llama3": _LLAMA3,
    "qwen": _LLAMA3.replace("{1,3}", ""),
}


class Known(NamedTuple):
    """What is known of a file: what people call it, the name of its pattern, and how many ids are
    taken when its programs have added their special tokens."""

    name: str
    pattern: str
    ids: int


#: Known files, by the SHA-256 of their lines in rank order. Sources: tiktoken 0.14
#: (openai_public.py, with p50k_edit and o200k_harmony), llama-models 0.3, dashscope 2.0.
KNOWN: dict[str, Known] = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": Known(
        "r50k_base", "gpt2", 50257
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": Known(
        "p50k_base", "gpt2", 50284
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": Known(
        "cl100k_base", "cl100k_base", 100277
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": Known(
        "o200k_base", "o200k_base", 201088
    ),
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": Known(
        "Llama 3", "llama3", 128256
    ),
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed": Known(
        "Llama 4", "o200k_base", 202048
    ),
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": Known(
        "Qwen", "qwen", 151851
    ),
}


class PatternNeededError(TokenizerFileError):
    """A rank file that is none of the known ones was opened without a pattern."""


def open_rank_file(
    name: str, data: bytes, pattern: str | None = None, host: Host = here
) -> OpenedTokenizer:
    """The tokenizer of a rank file. `pattern` cuts a text into words, in tiktoken's syntax, as the
    `pat_str` of an exported encoding.py does, or is one of the names in `PATTERNS`; known files
    need none. `host` runs the library.

    Raises PatternNeededError for another file without a pattern, and TokenizerFileError if the file
    or the pattern cannot be used.

    >>> import base64
    >>> tokens = [bytes([byte]) for byte in range(256)] + [b"ab"]
    >>> lines = [base64.b64encode(token) + b" %d" % i for i, token in enumerate(tokens)]
    >>> opened = open_rank_file("small.tiktoken", b"\\n".join(lines), "cl100k_base")
    >>> opened.tokenizer.encode("abc").ids, opened.merges.pairs[0][0].text
    ([256, 99], 'a')
    """
    rank_of = read_ranks(name, data)
    found, notes, known = pattern, list[str](), KNOWN.get(digest(rank_of))
    if found is None:
        if not known:
            raise PatternNeededError.saying(
                "{name} does not say how a text is cut into words, and is none of the known files; "
                "give its pattern, or the name of one: {names}.",
                name=brief(name),
                names=listed(PATTERNS),
            )
        found = PATTERNS[known.pattern]
        said = message(
            "The file is known to be {known}, and has the pattern of it.", known=known.name
        )
        notes.append(said)
    elif found in PATTERNS:
        found = PATTERNS[found]
    notes.append(
        message("Special tokens typed in a text are read as text: the file does not contain them.")
    )
    opened = open_ranks(Ranks(name, rank_of, found), ".tiktoken", notes, host)
    return replace(opened, reserved=known.ids) if known else opened


def digest(rank_of: Mapping[bytes, int]) -> str:
    """The SHA-256 of a rank file's lines in rank order, as tiktoken's own files have them.

    >>> digest({b"b": 1, b"a": 0}) == hashlib.sha256(b"YQ== 0\\nYg== 1\\n").hexdigest()
    True
    """
    lines = (
        b"%b %d\n" % (binascii.b2a_base64(token, newline=False), rank)
        for token, rank in sorted(rank_of.items(), key=itemgetter(1))
    )
    return hashlib.sha256(b"".join(lines)).hexdigest()


def read_ranks(name: str, data: bytes) -> dict[bytes, int]:
    """The ranks of a file, by bytes. Raises TokenizerFileError if it is damaged.

    >>> read_ranks("a.tiktoken", b"YQ== 0\\nYg== 1")
    {b'a': 0, b'b': 1}
    """
    check_size(name, data, MOST_BYTES)
    rank_of: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line:
            continue
        parts = line.split()
        try:
            token = binascii.a2b_base64(parts[0], strict_mode=True)
            rank = int(parts[1]) if len(parts) == 2 and parts[1].isdigit() else -1
        except (binascii.Error, ValueError, IndexError):
            rank = -1
        if not 0 <= rank <= MOST_ID or not 0 < len(token) <= MOST_TOKEN_BYTES:
            raise TokenizerFileError.saying(
                "Line {number:,} of {name} is no token of up to {most_token_bytes} bytes in base64 "
                "with a rank from 0 to {most_id:,}.",
                number=number,
                name=brief(name),
                most_token_bytes=MOST_TOKEN_BYTES,
                most_id=MOST_ID,
            )
        if token in rank_of:
            raise TokenizerFileError.saying(
                "Line {number:,} of {name} has a token again.", number=number, name=brief(name)
            )
        rank_of[token] = rank
    return rank_of
