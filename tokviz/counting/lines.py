r"""The whole lines of a range of bytes.

Ranges cut a file anywhere; a line belongs to the range in which it begins, so every line is in one
range, whole, however the file was cut:

    one\r|\ntwo\nth|ree      the ranges have the lines   one, two, three   (|: where they are cut)
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tokviz.counting.errors import CountingError
from tokviz.pretokenizers.blocks import next_cut

#: Where a line of a text ends, and a record of .jsonl.
TEXT_ENDS, RECORD_ENDS = re.compile(rb"\r\n|\n|\r"), re.compile(rb"\n")

#: Bytes that are read at once, and from which on a line is looked through for a place for a cut.
CHUNK = 1 << 20


class Cuts:
    """Where a line that is too long for the memory may be cut: see `blocks`."""

    def __init__(self, safe_cuts: Any, special_tokens: Sequence[str]) -> None:
        self._safe_cuts, self._special_tokens = safe_cuts, special_tokens
        self._longest = max(map(len, special_tokens), default=0)

    def in_the_middle(self, text: str) -> int | None:
        """A place for a cut that stays one whatever follows the text, or None."""
        cut = next_cut(text, len(text) // 2, self._safe_cuts, self._special_tokens)
        return None if cut is None or cut > len(text) - self._longest else cut


def chunks_from(file: Any) -> Iterator[bytes]:
    r"""The bytes of a file, a chunk at a time; no chunk ends between \r and \n."""
    carried = b""
    while data := file.read(CHUNK):
        data = carried + data
        carried = b"\r" if data.endswith(b"\r") else b""
        yield data[: len(data) - len(carried)]
    yield carried


def lines_of_range(
    chunks: Iterator[bytes], start: int, end: int | None, ends: re.Pattern[bytes]
) -> Iterator[tuple[int, bytes]]:
    r"""The lines that begin at `start` or later, and before `end`: the offset of every chunk of
    them, and the chunk. The chunks that are given begin one byte before `start`, if that is not 0.

    >>> def lines(start, end):
    ...     read = iter([b"one\r\n two\nthree"[max(start - 1, 0):]])
    ...     return list(lines_of_range(read, start, end, TEXT_ENDS))
    >>> lines(0, 4), lines(4, 7), lines(7, None)
    ([(0, b'one\r\n')], [(5, b' two\n')], [(10, b'three')])
    """
    at = max(start - 1, 0)
    begun = start == 0
    for chunk in chunks:
        first = 0
        if not begun:
            found = ends.search(chunk)
            if found:
                first, begun = found.end(), True
            if end is not None and at + (first if begun else len(chunk)) >= end:
                return
        if begun:
            if end is not None and (last := ends.search(chunk, max(first, end - 1 - at))):
                yield at + first, chunk[first : last.end()]
                return
            yield at + first, chunk[first:]
        at += len(chunk)


def texts(
    lines: Iterator[tuple[int, bytes]], name: str, ends: str, cuts: Cuts | None = None
) -> Iterator[tuple[int, str]]:
    """Chunks of lines as texts of whole lines, with their offsets; `ends` are the characters that
    end a line. Where there are `cuts`, a long line comes in many texts.

    Raises CountingError for what is no UTF-8, with the byte where it begins.
    """
    for at, text in _texts(lines, name, ends, cuts):
        if at == 0 and text.startswith("\ufeff"):
            yield len(codecs.BOM_UTF8), text[1:]
        else:
            yield at, text


def _texts(
    lines: Iterator[tuple[int, bytes]], name: str, ends: str, cuts: Cuts | None
) -> Iterator[tuple[int, str]]:
    rest, at, enough = bytearray(), 0, CHUNK
    for offset, chunk in lines:
        if not rest:
            at = offset
        if whole := max(chunk.rfind(end.encode()) for end in ends) + 1:
            rest += chunk[:whole]
            yield at, _decoded(rest, at, name)
            at += len(rest)
            rest, enough = bytearray(chunk[whole:]), CHUNK
        else:
            rest += chunk
        if cuts and len(rest) >= enough:
            text, used = _decoded_begin(rest, at, name)
            cut = cuts.in_the_middle(text)
            if cut is None:
                # Looked at again when there is twice as much: each byte is looked at a few times.
                enough = 2 * len(rest)
                continue
            yield at, text[:cut]
            gone = len(text[:cut].encode())
            assert gone < used
            del rest[:gone]
            at += gone
            enough = CHUNK
    if rest:
        yield at, _decoded(rest, at, name)


def _decoded(data: bytearray, at: int, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _no_utf8(name, at + error.start) from None


def _decoded_begin(data: bytearray, at: int, name: str) -> tuple[str, int]:
    """As much of the data as has whole characters, and how many bytes those are."""
    try:
        return codecs.utf_8_decode(bytes(data), "strict", False)
    except UnicodeDecodeError as error:
        raise _no_utf8(name, at + error.start) from None


def _no_utf8(name: str, byte: int) -> CountingError:
    return CountingError(f"{name} is not UTF-8 (byte {byte}); save it as UTF-8.")
