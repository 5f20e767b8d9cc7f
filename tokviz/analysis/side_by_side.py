"""One text cut by several tokenizers: where each of them cuts it, and which of its cuts not all of
the others make.

A cut is a place between two bytes of the text. Where a tokenizer leaves text out between two
tokens, as white space, it cuts anywhere in what is left out: `a`, `b` and `a`, `␣b` are one cut.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import named_byte
from tokviz.encoding.tokenizer import Encoding, Tokenizer


class Cut(NamedTuple):
    """A cut in front of token `number`, from byte `first` to byte `last` of the text."""

    number: int
    first: int
    last: int


@dataclass(frozen=True)
class CutText:
    """A text as one of several tokenizers cuts it. `cuts` is how many cuts it makes inside the
    text, `apart` are the numbers of the tokens that begin at one which not all make."""

    __repr__ = short_repr

    tokenizer: Tokenizer
    encoding: Encoding = field(repr=False)
    characters_per_token: float
    cuts: int
    apart: frozenset[int]


def side_by_side(text: str, cut: Sequence[tuple[Tokenizer, Encoding]]) -> list[CutText]:
    """A text as several tokenizers have encoded it.

    >>> import tokviz
    >>> small, large = (tokviz.train({"hugs": 2}, "bpe", n).tokenizer() for n in (5, 6))
    >>> both = side_by_side("hugs", [(each, each.encode("hugs")) for each in (small, large)])
    >>> for each in both:
    ...     print(each.encoding.tokens, each.cuts, sorted(each.apart))
    ['hu', 'g', 's'] 2 [1]
    ['hug', 's'] 1 []
    """
    lanes = [cuts_of(text, tokenizer, encoding) for tokenizer, encoding in cut]
    known, size, found = [*map(_Known, lanes)], len(text.encode("utf-8", "surrogatepass")), []
    for (tokenizer, encoding), own in zip(cut, lanes, strict=True):
        inside = [one for one in own if one.last > 0 and one.first < size]
        inside = [one for one in inside if 0 < one.number < len(encoding)]
        apart = {one.number for one in inside if not all(lane.has(one) for lane in known)}
        share = len(text) / len(encoding) if len(encoding) else 0.0
        found.append(CutText(tokenizer, encoding, share, len(inside), frozenset(apart)))
    return found


def cuts_of(text: str, tokenizer: Tokenizer, encoding: Encoding) -> list[Cut]:
    """The cuts of an encoding from left to right, those at both ends of the text included. A cut
    that is nowhere in the text is left out: that of ½ which was made 1⁄2.

    >>> import tokviz
    >>> tokenizer = tokviz.train("é a", "bpe", 4, unit="byte").tokenizer(0)
    >>> [tuple(cut) for cut in cuts_of("é a", tokenizer, tokenizer.encode("é a"))]
    [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4)]
    >>> tokenizer = tokviz.train("é a", "bpe", 2, "whitespace").tokenizer()
    >>> [tuple(cut) for cut in cuts_of("é a", tokenizer, tokenizer.encode("é a"))]
    [(0, 0, 0), (1, 2, 3), (2, 4, 4)]
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    places = [(0, 0), *_places(text, tokenizer, encoding), (size, size)]
    found = []
    for number, ((_, end), (start, _)) in enumerate(pairwise(places)):
        if end is not None and start is not None:
            # Where offsets are a library's own, one token may begin before the end of another.
            found.append(Cut(number, min(end, start), max(end, start)))
    return sorted(found, key=itemgetter(1, 2))


class _Known:
    """The cuts of one tokenizer, in ascending order."""

    def __init__(self, cuts: Sequence[Cut]) -> None:
        self._firsts = [cut.first for cut in cuts]
        # The greatest end so far: of those that begin early enough, whether any ends late enough.
        self._lasts = [*accumulate((cut.last for cut in cuts), max)]

    def has(self, cut: Cut) -> bool:
        """Whether one of them meets this cut."""
        before = bisect_right(self._firsts, cut.last)
        return before > 0 and self._lasts[before - 1] >= cut.first


def _places(
    text: str, tokenizer: Tokenizer, encoding: Encoding
) -> Iterator[tuple[int | None, int | None]]:
    """The first and the last byte of each token; None where it cannot be said."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    widths = 1 + (codes > 0x7F).astype(np.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
    byte_at = [0, *np.cumsum(widths).tolist()]
    offsets, number = encoding.offsets, 0
    while number < len(offsets):
        first, (start, stop) = number, offsets[number]
        number += 1
        while number < len(offsets) and offsets[number][0] < stop:
            stop = max(stop, offsets[number][1])
            number += 1
        parts = range(first, number)
        yield from (
            [(byte_at[start], byte_at[stop])]
            if len(parts) == 1
            else _inside(text[start:stop], byte_at[start], tokenizer, encoding, parts)
        )


def _inside(
    covered: str, at: int, tokenizer: Tokenizer, encoding: Encoding, parts: range
) -> list[tuple[int | None, int | None]]:
    """The places of tokens that share characters, as their bytes tell."""
    data = [_token_bytes(covered, tokenizer, encoding, number) for number in parts]
    own, joined = covered.encode("utf-8", "surrogatepass"), b"".join(data)
    if joined == b" " + own:
        # The space that a text begins with by rule.
        data[0] = data[0][1:]
    elif joined != own:
        inner: list[int | None] = [None] * (len(parts) - 1)
        return [*pairwise([at, *inner, at + len(own)])]
    return [*pairwise(accumulate(map(len, data), initial=at))]


def _token_bytes(covered: str, tokenizer: Tokenizer, encoding: Encoding, number: int) -> bytes:
    token, token_id = encoding.tokens[number], encoding.ids[number]
    if (byte := named_byte(token, covered)) is not None:
        return bytes([byte])
    return b"" if token_id is None else tokenizer.text_bytes(token_id)
