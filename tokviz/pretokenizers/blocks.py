"""Text in blocks: the bytes of many documents, whose words the compiled counter cuts.

A block is UTF-8 with the byte `END` between two documents. The byte `JOINT` stands where a document
is cut without any white space: no word reaches across it, but the text does. UTF-8 never uses these
two bytes. A block is about as long as a processor's nearest memory likes, however long the text or
one line of it is.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

END, JOINT = b"\xff", b"\xfe"

#: All characters of which `str.isspace` is true: what `str.split()` cuts at.
WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)

#: Characters; a block is longer only where the text has no place for a cut.
BLOCK_SIZE = 1 << 17

_LINE_ENDS_TO_END = bytes.maketrans(b"\r\n", 2 * END)


class Block(NamedTuple):
    """Some text. `done`: how many characters of a text it has, or of a stream how many documents
    end in it. `whole`: the same with its special tokens."""

    data: bytes
    done: int
    whole: bytes


def encoded(text: str) -> bytes:
    """UTF-8 in which a lone surrogate is three bytes, so that no text is refused."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    r"""The text that `encoded` wrote.

    >>> decoded(encoded("é\ud800")) == "é\ud800"
    True
    """
    return data.decode("utf-8", "surrogatepass")


def text_blocks(
    text: str,
    safe_cuts: Any,
    special_tokens: Sequence[str] = (),
    before: str = " ",
    after: str = " ",
) -> Iterator[Block]:
    r"""A text whose lines are documents, in blocks that hold neither line ends nor special tokens.

    `safe_cuts` matches wherever two documents instead of one would have the same words. `before`
    and `after` are the characters on both sides of a text that is a part of another.

    >>> block, = text_blocks("a b<s>c\nd", re.compile(" "), ["<s>"])
    >>> block.data, block.done
    (b'a b\xfec\xffd', 9)
    """
    for length, window in _windows(text, safe_cuts, special_tokens, before, after):
        # A \r\n makes an empty document, which has no words.
        data = window.translate(_LINE_ENDS_TO_END)
        yield Block(_without(special_tokens, data), length, data)


def document_blocks(
    documents: Iterable[str], safe_cuts: Any, special_tokens: Sequence[str] = ()
) -> Iterator[Block]:
    r"""The same for documents that come one by one; none is asked for before it is needed.

    >>> block, = document_blocks(["a\nb", "c"], re.compile(" "))
    >>> block.data, block.done
    (b'a\nb\xffc', 2)
    """
    batch: list[bytes] = []
    size = whole = 0

    def block() -> Block:
        data = END.join(batch)
        return Block(_without(special_tokens, data), whole, data)

    for document in documents:
        short = len(document) < BLOCK_SIZE
        windows = (
            [(len(document), encoded(document))]
            if short
            else _windows(document, safe_cuts, special_tokens)
        )
        for length, window in windows:
            batch.append(window)
            size += length + 1
            if size > BLOCK_SIZE:
                yield block()
                batch.clear()
                size = whole = 0
        whole += 1
    yield block()


def _windows(
    text: str, safe_cuts: Any, special_tokens: Sequence[str], before: str = " ", after: str = " "
) -> Iterator[tuple[int, bytes]]:
    """A text in parts of little more than BLOCK_SIZE characters: how many each has, and its bytes,
    with a joint on a side on which the document goes on without white space."""
    at = 0
    while at < len(text):
        end = next_cut(text, at + BLOCK_SIZE, safe_cuts, special_tokens) or len(text)
        following = text[end] if end < len(text) else after
        data = encoded(text[at:end])
        yield end - at, _joint(before, text[at]) + data + _joint(text[end - 1], following)
        before, at = text[end - 1], end


def _joint(left: str, right: str) -> bytes:
    """What stands for the place between two characters at which a document was cut."""
    return b"" if left.isspace() or right.isspace() else JOINT


def next_cut(text: str, at: int, safe_cuts: Any, special_tokens: Sequence[str]) -> int | None:
    """The first place from `at` on where a text may be cut in two; None if there is none. Special
    tokens that more text would complete are not seen.

    >>> next_cut("low <s> lower", 3, re.compile(" "), ["<s> "])
    3
    >>> next_cut("low <s> lower", 4, re.compile(" "), ["<s> "])
    """
    cuts = (match.start() for match in safe_cuts.finditer(text, at))
    return next((cut for cut in cuts if not _splits(special_tokens, text, cut)), None)


def _splits(special_tokens: Sequence[str], text: str, cut: int) -> bool:
    """Whether one of the special tokens stands on both sides of the cut."""
    return any(
        text.find(token, max(0, cut - len(token) + 1), cut + len(token) - 1) >= 0
        for token in special_tokens
    )


def _without(special_tokens: Sequence[str], data: bytes) -> bytes:
    """Special tokens become joints: no word reaches across them. White space at their ends is that
    of the text, and stays some."""
    ends = {encoded(token): _ends(token) for token in special_tokens if token}
    tokens = sorted(ends, key=len, reverse=True)
    if not any(token in data for token in tokens):
        return data
    return re.sub(b"|".join(map(re.escape, tokens)), lambda found: ends[found[0]], data)


def _ends(token: str) -> bytes:
    if token.isspace():
        return END
    return token[0].isspace() * END + JOINT + token[-1].isspace() * END
