"""Opens tokenizers that were made elsewhere, whatever their format, and encodes as they do.

The ids are those of `tokenizers` (with add_special_tokens=False), `tiktoken` (`encode_ordinary`)
and `sentencepiece`, which run the files.
"""

import gzip
import io
import os
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from tokviz.basics.arguments import check_kind, check_path
from tokviz.basics.messages import message
from tokviz.basics.no_cycles import no_cycles
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief, parse_json, text_of
from tokviz.formats.readers.clip import is_clip, open_clip
from tokviz.formats.readers.hf_config import is_config, with_config
from tokviz.formats.readers.hf_tokenizer import open_tokenizer_json, open_vocab_and_merges
from tokviz.formats.readers.json_ranks import (
    is_js_tiktoken,
    is_tekken,
    open_js_tiktoken,
    open_tekken,
)
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host
from tokviz.formats.readers.rank_file import open_rank_file
from tokviz.formats.readers.sentencepiece_opened import open_sentencepiece

__all__ = [
    "GivenMerges",
    "OpenedTokenizer",
    "TokenizerFileError",
    "open_or_same",
    "open_tokenizer",
    "open_tokenizer_files",
]

#: What `open_or_same` opened last, by the digest of what it was asked for.
_LAST: dict[str, OpenedTokenizer] = {}
#: Bytes of any file that is read from disk; each format has a lower limit of its own.
MOST_BYTES = 50_000_000

_POSSIBLE = message(
    "open a tokenizer.json, a vocab.json together with its merges.txt, ranks (.tiktoken, "
    "tekken.json, js-tiktoken’s .json) or a SentencePiece .model"
)


@no_cycles()
def open_tokenizer(
    files: Mapping[str, bytes], pattern: str | None = None, host: Host = here
) -> OpenedTokenizer:
    """The tokenizer in a file, or in the two files vocab.json and merges.txt, given as name and
    contents; a tokenizer.json may have its tokenizer_config.json beside it. What they are is seen
    from the contents.

    `pattern` is for .tiktoken files, which do not say how a text is cut into words: see
    `open_rank_file`. It may be a file of its own, beside them. `host` runs the library: by default
    in this process, without limits of time and memory.

    Raises TokenizerFileError with one sentence if the files are none of these, are damaged or too
    large, or if their library refuses them.

    >>> opened = open_tokenizer({"vocab.json": b'{"a": 0, "b": 1, "ab": 2}',
    ...                          "merges.txt": b"a b"})
    >>> opened.format, opened.tokenizer.encode("aab").ids
    ('vocab.json + merges.txt', [0, 2])
    """
    if pattern is not None:
        check_kind("pattern", pattern, str)
    name = " + ".join(files)
    files = {file: _unpacked(file, data) for file, data in files.items()}
    for file, data in files.items():
        if len(data) > MOST_BYTES:
            raise TokenizerFileError.saying(
                "{name} has {n:,} bytes, and no file of more than {most_bytes:,} is opened.",
                name=brief(file),
                n=len(data),
                most_bytes=MOST_BYTES,
            )
    if len(files) == 2:
        ranks = {file: data for file, data in files.items() if _is_ranks(file, data)}
        if len(ranks) == 1:
            [(file, data)] = ranks.items()
            [written] = (text_of(*other) for other in files.items() if other[0] != file)
            return open_rank_file(file, data, pattern or written.strip("\r\n"), host)
        if all(map(_is_json, files.values())):
            parsed = {file: parse_json(file, data) for file, data in files.items()}
            configs = [file for file in parsed if is_config(file, parsed[file])]
            if len(configs) == 1:
                [other] = parsed.keys() - configs
                opened = _json(other, files[other], host)
                return with_config(opened, configs[0], parsed[configs[0]])
        objects = {file: data for file, data in files.items() if _is_json(data)}
        others = {file: data for file, data in files.items() if file not in objects}
        if len(objects) == 1:
            [vocab], [merges] = objects.items(), others.items()
            if is_clip(merges[1], vocab[1]):
                return open_clip(name, merges, vocab, host)
            return open_vocab_and_merges(name, vocab, merges, host)
    if len(files) != 1:
        raise TokenizerFileError.saying(
            "These {n} files are not one tokenizer; {possible}.", n=len(files), possible=_POSSIBLE
        )
    [(file, data)] = files.items()
    if not data.strip():
        raise TokenizerFileError.saying(
            "{name} is empty; {possible}.", name=brief(file), possible=_POSSIBLE
        )
    if Path(file).name == "vocab.txt":
        raise TokenizerFileError.saying(
            "{name} is a list of tokens, which does not say how a text is cut into words; open the "
            "tokenizer.json of that tokenizer.",
            name=brief(file),
        )
    if _is_json(data):
        return _json(file, data, host)
    if b"#version" in data[:100].split(b"\n")[0] or Path(file).name == "merges.txt":
        if is_clip(data):
            return open_clip(file, (file, data), None, host)
        raise TokenizerFileError.saying(
            "{name} is a list of merges; give its vocab.json too.", name=brief(file)
        )
    if _is_ranks(file, data):
        return open_rank_file(file, data, pattern, host)
    return open_sentencepiece(file, data, host)


def open_or_same(files: Mapping[str, bytes], pattern: str | None = None) -> OpenedTokenizer:
    """`open_tokenizer`, or what it gave for the same files, if they were the last ones: opening a
    large one takes a second. The last one is kept.

    >>> files = {"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"a b"}
    >>> open_or_same(files) is open_or_same({**files})
    True
    """
    told = [(name, sha256(data).hexdigest()) for name, data in files.items()]
    key = repr((told, pattern))
    if (opened := _LAST.get(key)) is None:
        opened = open_tokenizer(files, pattern)
        _LAST.clear()
        _LAST[key] = opened
    return opened


def open_tokenizer_files(
    *paths: str | os.PathLike[str], pattern: str | None = None
) -> OpenedTokenizer:
    """`open_tokenizer` for files on disk.

    The library of the file runs in this process, as if you had called it yourself: nothing limits
    its time and memory, and a fault of its native code ends the process. Open files that you trust.

    The same files, opened one time after the other, are the same object.

    Raises TokenizerFileError (a FileError) as `open_tokenizer` does, FileError for what is no path,
    and OSError if a file cannot be read.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vocab, merges = pathlib.Path(folder, "vocab.json"), pathlib.Path(folder, "merges.txt")
    ...     _ = vocab.write_text('{"a": 0, "b": 1, "ab": 2}'), merges.write_text("a b")
    ...     open_tokenizer_files(vocab, merges).name
    'vocab.json + merges.txt'
    """
    files = {}
    for path in paths:
        check_path(path)
        # One byte more than is possible tells that there are too many.
        with open(path, "rb") as file:
            files[Path(path).name] = file.read(MOST_BYTES + 1)
    if len(files) < len(paths):
        raise TokenizerFileError.saying("Two of the files have the same name.")
    return open_or_same(files, pattern)


def _unpacked(name: str, data: bytes) -> bytes:
    """The contents of a file that may be packed by gzip, one byte more than is possible at most.
    Raises TokenizerFileError if it is damaged."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise TokenizerFileError.saying(
            "{name} is packed by gzip, and damaged.", name=brief(name)
        ) from None


def _is_json(data: bytes) -> bool:
    return data[:1000].lstrip()[:1] in (b"{", b"[")


def _json(file: str, data: bytes, host: Host) -> OpenedTokenizer:
    found = parse_json(file, data)
    if "model" in found:
        return open_tokenizer_json(file, data, found, host)
    if is_tekken(found):
        return open_tekken(file, found, host)
    if is_js_tiktoken(found):
        return open_js_tiktoken(file, found, host)
    if found and all(type(value) is int for value in found.values()):
        raise TokenizerFileError.saying(
            "{name} is a vocabulary; give its merges.txt too.", name=brief(file)
        )
    if is_config(file, found):
        raise TokenizerFileError.saying(
            "{name} says how a tokenizer is used; open it together with its tokenizer.json.",
            name=brief(file),
        )
    raise TokenizerFileError.saying(
        "{name} is JSON, but no tokenizer; {possible}.", name=brief(file), possible=_POSSIBLE
    )


def _is_ranks(file: str, data: bytes) -> bool:
    if file.endswith(".tiktoken"):
        return True
    first = data[:2000].split(b"\n", 1)[0].split()
    return len(first) == 2 and first[1].isdigit() and first[0].isascii()
