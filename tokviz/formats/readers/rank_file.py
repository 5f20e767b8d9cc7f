"""Opens .tiktoken files: the ranks of byte strings, one a line, in base64.

A rank file says neither merges nor how a text is cut into words. tiktoken merges any two neighbours
whose bytes together have a rank, and takes a word at once that has one. The merges are recovered
for those who want to see them one by one.

Source: openai/tiktoken, tiktoken/load.py, src/lib.rs and tiktoken_ext/openai_public.py.
"""

import base64
import binascii
from collections.abc import Sequence

from tokviz.basics.messages import counted, message
from tokviz.encoding.given_merges import GivenMerges
from tokviz.formats.readers.bounded_json import MOST_ID, TokenizerFileError, brief, check_size
from tokviz.formats.readers.given_encoders import RankEncoder, byte_symbol, last_parts
from tokviz.formats.readers.hf_described import MOST_SHOWN
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host
from tokviz.formats.readers.opened_parts import GivenTokenizer, OpenedPretokenizer, OpenedTokenizer
from tokviz.pretokenizers import REGEX_PRESETS
from tokviz.text.symbols import Spelling, Symbol

#: Bytes of a rank file; the largest that is in use has 4 million.
MOST_BYTES = 20_000_000

#: Bytes of one token; the longest that is in use has 128.
MOST_TOKEN_BYTES = 512

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
    library = host("tiktoken", rank_of, found)
    size = max(rank_of.values()) + 1
    tokens = [b""] * size
    for token, rank in rank_of.items():
        tokens[rank] = token
    symbols: list[Symbol | None] = [byte_symbol(token) if token else None for token in tokens]
    plain = [symbol.text if symbol else "" for symbol in symbols]
    spelling = Spelling(unit="byte")
    tokenizer = GivenTokenizer(
        plain,
        symbols,
        spelling,
        OpenedPretokenizer(library),
        (),
        RankEncoder(
            spelling,
            {byte_symbol(bytes([byte])): rank_of[bytes([byte])] for byte in range(256)},
            {},
            range(size),
            plain,
            whole=_words(rank_of),
            rank_of=rank_of,
            bytes_of=tokens,
        ),
    )
    merges, lost = _merges(rank_of, plain, symbols)
    notes.append(
        message(
            "The merges are reconstructed: each token is split into the two parts that lower "
            "ranks make of it."
        )
    )
    if lost:
        notes.append(
            counted(
                "{n} token has no such parts, and so no merge.",
                "{n} tokens have no such parts, and so no merge.",
                lost,
            )
        )
    facts: dict[str, str] = {
        message("Vocabulary size"): f"{len(rank_of):,}",
        message("Merges"): message("{n:,} (recovered)", n=len(merges.pairs)),
        message("Pre-tokenizer"): f"Split ({brief(found, MOST_SHOWN)})",
        message("Special tokens"): message("none in the file"),
    }
    return OpenedTokenizer(name, ".tiktoken", "BPE", facts, tuple(notes), tokenizer, merges)


def read_ranks(name: str, data: bytes) -> dict[bytes, int]:
    """The ranks of a file, by bytes. Raises TokenizerFileError if it is damaged.

    >>> read_ranks("a.tiktoken", b"YQ== 0")
    Traceback (most recent call last):
    ...
    tokviz.formats.readers.bounded_json.TokenizerFileError: 'a.tiktoken' has no rank for the byte \
00; every byte needs one.
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
    if len(set(rank_of.values())) < len(rank_of):
        raise TokenizerFileError.saying(
            "Two tokens of {name} have the same rank.", name=brief(name)
        )
    for byte in range(256):
        if bytes([byte]) not in rank_of:
            raise TokenizerFileError.saying(
                "{name} has no rank for the byte {byte:02X}; every byte needs one.",
                name=brief(name),
                byte=byte,
            )
    return rank_of


def _words(rank_of: dict[bytes, int]) -> dict[str, int]:
    words = {}
    for token, rank in rank_of.items():
        try:
            words[token.decode("utf-8")] = rank
        except UnicodeDecodeError:
            continue
    return words


def _merges(
    rank_of: dict[bytes, int], strings: Sequence[str], symbols: Sequence[Symbol | None]
) -> tuple[GivenMerges, int]:
    """The merges in rank order, and how many tokens have none."""
    single = [bytes([byte]) for byte in range(256)]
    pairs, lost = [], 0
    for token, rank in sorted(rank_of.items(), key=lambda item: item[1]):
        if len(token) < 2:
            continue
        parts = last_parts(rank, [single[byte] for byte in token], rank_of)
        left, right = (symbols[rank_of[part]] for part in parts) if parts else (None, None)
        if left is None or right is None:
            lost += 1
        else:
            pairs.append((left, right))
    ids = {symbol: rank for rank, symbol in enumerate(symbols) if symbol is not None}
    return GivenMerges(Spelling(unit="byte"), tuple(strings), ids, tuple(pairs), True), lost
