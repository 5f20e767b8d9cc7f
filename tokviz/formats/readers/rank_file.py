"""Opens .tiktoken files: the ranks of byte strings, one a line, in base64.

A rank file does not say how a text is cut into words.

Source: openai/tiktoken, tiktoken/load.py and tiktoken_ext/openai_public.py.
"""

import base64
import binascii

from tokviz.basics.messages import message
from tokviz.formats.readers.bounded_json import MOST_ID, TokenizerFileError, brief, check_size
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host
from tokviz.formats.readers.opened_parts import OpenedTokenizer
from tokviz.formats.readers.ranks import MOST_TOKEN_BYTES, Ranks, open_ranks
from tokviz.pretokenizers import REGEX_PRESETS

#: Bytes of a rank file; the largest that is in use has 4 million.
MOST_BYTES = 20_000_000

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CL100K = REGEX_PRESETS["gpt4 (cl100k)"]
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

#: The encodings in use, by how many ranks their files have.
_KNOWN = {
    50_256: ("GPT-2 (r50k_base)", GPT2_PATTERN),
    50_280: ("p50k_base", GPT2_PATTERN),
    100_256: ("cl100k_base", _CL100K),
    199_998: ("o200k_base", REGEX_PRESETS["gpt4o (o200k)"]),
    128_000: ("Llama 3", _LLAMA3),
    151_643: ("Qwen", _LLAMA3.replace("{1,3}", "")),
}


def open_rank_file(
    name: str, data: bytes, pattern: str | None = None, host: Host = here
) -> OpenedTokenizer:
    """The tokenizer of a rank file. `pattern` cuts a text into words, in tiktoken's syntax, as the
    `pat_str` of an exported encoding.py does; without one it is guessed from the number of ranks,
    or else that of cl100k_base. `host` runs the library.

    Raises TokenizerFileError if the file or the pattern cannot be used.

    >>> import base64
    >>> tokens = [bytes([byte]) for byte in range(256)] + [b"ab"]
    >>> lines = [base64.b64encode(token) + b" %d" % i for i, token in enumerate(tokens)]
    >>> opened = open_rank_file("small.tiktoken", b"\\n".join(lines))
    >>> opened.tokenizer.encode("abc").ids, opened.merges.pairs[0][0].text
    ([256, 99], 'a')
    """
    rank_of = read_ranks(name, data)
    found, notes = pattern, list[str]()
    if found is None:
        guess, found = _KNOWN.get(len(rank_of), ("cl100k_base", _CL100K))
        surely = message("give another")
        if len(rank_of) in _KNOWN:
            surely = message("the number of ranks is theirs")
        notes.append(
            message(
                "The pattern is assumed to be that of {name}: the file has none ({surely}).",
                name=guess,
                surely=surely,
            )
        )
    notes.append(
        message("Special tokens typed in a text are read as text: the file does not contain them.")
    )
    return open_ranks(Ranks(name, rank_of, found), ".tiktoken", notes, host)


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
            token = base64.b64decode(parts[0], validate=True)
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
