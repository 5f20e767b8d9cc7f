"""What a text loses when it is encoded and decoded again, place by place.

Both texts are cut into the same regions: the stretches that tokens cover, and the gaps between
them. Where the two sides of a region are equal, nothing was lost there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.tokenizer import Encoding, Tokenizer

_UNKNOWN = message("unknown token")
_SURROGATE = message("lone surrogate")
_DROPPED = message("white space dropped")
_ADDED = message("white space added")
_CHANGED = message("white space changed")
_LEFT_OUT = message("left out")
_NORMALIZED = message("normalization")

#: Why two spans differ, and what that means.
REASONS = {
    _UNKNOWN: message("the vocabulary does not hold it"),
    _SURROGATE: message("half of a UTF-16 pair has no UTF-8 bytes, and becomes U+FFFD"),
    _DROPPED: message("words are joined again with less white space, or none"),
    _ADDED: message("a space is added where the text had none"),
    _CHANGED: message("it becomes a different kind of white space"),
    _LEFT_OUT: message("it belongs to no word, so no token covers it"),
    _NORMALIZED: message("the text was changed before it was cut into words"),
}


#: Bytes that are decoded together where some are broken.
_WINDOW = 64


class Difference(NamedTuple):
    """`text[start:end]` comes back as `decoded[decoded_start:decoded_end]`; either may be empty.
    `reason` is a key of `REASONS`."""

    start: int
    end: int
    decoded_start: int
    decoded_end: int
    reason: str

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True)
class RoundTrip:
    """A text, what comes back, and where they differ, from left to right. Made by `round_trip`."""

    __repr__ = short_repr

    text: str
    decoded: str
    differences: tuple[Difference, ...]

    @property
    def exact(self) -> bool:
        """Whether nothing was lost."""
        return not self.differences

    def restored(self) -> str:
        """The text, made from what came back by undoing the differences."""
        parts, at = [], 0
        for start, end, decoded_start, decoded_end, _ in self.differences:
            parts += [self.decoded[at:decoded_start], self.text[start:end]]
            at = decoded_end
        return "".join([*parts, self.decoded[at:]])


def round_trip(tokenizer: Tokenizer, text: str, encoding: Encoding | None = None) -> RoundTrip:
    """What comes back of a text, and every place where it is another.

    `encoding` is one of this text by this tokenizer, such as a sampled one; None encodes the text.
    What the vocabulary does not hold, and has no id for, is decoded as nothing.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low lower", "wordpiece", vocab_size=9).tokenizer()
    >>> trip = round_trip(tokenizer, "low,  lower")
    >>> trip.decoded, trip.restored()
    ('low lower', 'low,  lower')
    >>> [(trip.text[d.start : d.end], d.reason) for d in trip.differences]
    [(',', 'unknown token'), (' ', 'white space dropped')]
    """
    encoding = tokenizer.encode(text) if encoding is None else encoding
    known = tokenizer.decode([i for i in encoding.ids if i is not None])
    if known == text:
        return RoundTrip(text, known, ())
    decoded, stretches = _decode(tokenizer, text, encoding)
    if known != decoded:
        # A library decodes by rules of its own: what each token became is not known.
        only = _differences(text, known, (0, len(text)), (0, len(known)), _NORMALIZED)
        if stretches.unknown.any():
            only = [one._replace(reason=_UNKNOWN) for one in only]
        return RoundTrip(text, known, tuple(only))
    found = list[Difference]()
    stretches = _together(stretches)
    # Each begins at the end of the one before it, or after what no token covers.
    at, decoded_at = _after(stretches.end), _after(stretches.decoded_end)
    lost = _lost(text, decoded, stretches).nonzero()[0]
    columns = (column[lost].tolist() for column in (at, decoded_at, *stretches))
    for before, decoded_before, start, end, decoded_start, decoded_end, unknown in zip(
        *columns, strict=True
    ):
        own, back = text[start:end], decoded[decoded_start:decoded_end]
        if own != back and back.startswith(" ") and own[:1] == back[1:2]:
            # The space that a word begins with by rule stands for what is before the word.
            decoded_start += 1
        gap = (before, start), (decoded_before, decoded_start)
        found += _differences(text, decoded, *gap, _LEFT_OUT)
        spans = (start, end), (decoded_start, decoded_end)
        found += _differences(text, decoded, *spans, _UNKNOWN if unknown else _NORMALIZED)
    rest = (int(at[-1]), len(text)), (int(decoded_at[-1]), len(decoded))
    found += _differences(text, decoded, *rest, _LEFT_OUT)
    return RoundTrip(text, decoded, tuple(_joined(found)))


_Places: TypeAlias = npt.NDArray[np.int64]


class _Stretches(NamedTuple):
    """What tokens cover in the text, [start, end), and in what is decoded, and whether they are
    unknown. Columns: there is a token for every few characters of every text that is typed."""

    start: _Places
    end: _Places
    decoded_start: _Places
    decoded_end: _Places
    unknown: npt.NDArray[np.bool_]


def _decode(tokenizer: Tokenizer, text: str, encoding: Encoding) -> tuple[str, _Stretches]:
    """The decoded text, and what each token covers there."""
    size = len(encoding.ids)
    row_of = {i: row for row, i in enumerate(dict.fromkeys(encoding.ids))}
    rows = [*map(row_of.__getitem__, encoding.ids)]
    known = [i for i in row_of if i is not None]
    parts: dict[int | None, tuple[bytes, bytes, bytes]] = dict.fromkeys(row_of, (b"", b"", b""))
    # The first one of all has nothing before it.
    parts.update(zip(known, [*tokenizer.decoded_parts([*known[:1], *known])][1:], strict=True))
    of = np.array(rows, np.int64)
    sizes = np.array([[*map(len, each)] for each in parts.values()], np.int64).reshape(-1, 3)[of]
    joined_parts = [b"".join(each) for each in parts.values()]
    data = b"".join(map(joined_parts.__getitem__, rows))
    if known:
        first = encoding.ids.index(known[0])
        data = data[int(sizes[first, 0]) :]
        sizes[first, 0] = 0
    ends = sizes.sum(1).cumsum() - sizes[:, 2]
    starts = ends - sizes[:, 1]
    joined, bounds = decoded_characters(data)
    kept = tokenizer.decoded_slice(joined)
    if len(joined) < len(data):
        # Characters of which the token has a byte; none for one that has no bytes.
        edges = np.array(bounds, np.int64)
        begun = edges.searchsorted(starts, "right") - 1
        starts, ends = (
            np.where(starts < ends, begun, edges.searchsorted(starts)),
            edges.searchsorted(ends),
        )
    starts, ends = (each.clip(kept.start, kept.stop) - kept.start for each in (starts, ends))
    of_text = np.fromiter(chain.from_iterable(encoding.offsets), np.int64, 2 * size).reshape(-1, 2)
    symbols, known_bytes, strings = tokenizer.symbols, tokenizer.bytes_of, tokenizer.strings
    unknown = np.array([i is None for i in row_of], np.bool_)[of]
    special = [i is not None and symbols[i] is None and i not in known_bytes for i in row_of]
    for at in np.array(special, np.bool_)[of].nonzero()[0].tolist():
        (start, end), token_id = encoding.offsets[at], encoding.ids[at]
        unknown[at] = token_id is None or strings[token_id] != text[start:end]
    return joined[kept], _Stretches(of_text[:, 0], of_text[:, 1], starts, ends, unknown)


def decoded_characters(data: bytes) -> tuple[str, list[int]]:
    r"""The text of bytes, U+FFFD for what is no UTF-8, and where each character starts and the last
    one ends.

    >>> decoded_characters(b"\xc3\xa9\xe2\x82a")
    ('é\ufffda', [0, 2, 4, 5])
    """
    try:
        text = data.decode()
        begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
        return text, [*begins.nonzero()[0].tolist(), len(data)]
    except UnicodeDecodeError:
        pass
    chars, bounds, at = list[str](), [0], 0
    while at < len(data):
        window = data[at : at + _WINDOW]
        whole, broken = len(window), 0
        try:
            window.decode()
        except UnicodeDecodeError as error:
            whole, broken = error.start, error.end - error.start
            if whole and error.end == len(window) and at + error.end < len(data):
                broken = 0  # maybe only cut off by the window
        for char in window[:whole].decode():
            chars.append(char)
            bounds.append(bounds[-1] + len(char.encode()))
        if broken:
            chars.append("\ufffd")
            bounds.append(bounds[-1] + broken)
        at = bounds[-1]
    return "".join(chars), bounds


def _together(stretches: _Stretches) -> _Stretches:
    """The stretches, those that share a character of either text as one."""
    start, end, decoded_start, decoded_end, unknown = stretches
    if not len(start):
        return stretches
    until, decoded_until = np.maximum.accumulate(end), np.maximum.accumulate(decoded_end)
    shares = (start[1:] < until[:-1]) | (decoded_start[1:] < decoded_until[:-1])
    first = np.append(0, (~shares).nonzero()[0] + 1)
    last = np.append(first[1:], len(start)) - 1
    return _Stretches(
        start[first],
        until[last],
        decoded_start[first],
        decoded_until[last],
        np.logical_or.reduceat(unknown, first),
    )


def _lost(text: str, decoded: str, stretches: _Stretches) -> npt.NDArray[np.bool_]:
    """Which stretches are not the same in both texts, or do not begin where the last one ends."""
    start, end, decoded_start, decoded_end, _ = stretches
    same = (start == _after(end)[:-1]) & (decoded_start == _after(decoded_end)[:-1])
    same &= end - start == decoded_end - decoded_start
    asked = same.nonzero()[0]
    sizes = (end - start)[asked]
    # The places of all their characters, one after the other.
    places = np.arange(sizes.sum()) + np.repeat(start[asked] - (sizes.cumsum() - sizes), sizes)
    there = places + np.repeat((decoded_start - start)[asked], sizes)
    differ = _code_points(text)[places] != _code_points(decoded)[there]
    same[np.repeat(asked, sizes)[differ]] = False
    lost: npt.NDArray[np.bool_] = ~same
    return lost


def _after(ends: _Places) -> _Places:
    """Where each stretch could begin, and the rest: at the end of the one before."""
    return np.append(0, ends)


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _differences(
    text: str, decoded: str, of_text: tuple[int, int], of_decoded: tuple[int, int], reason: str
) -> list[Difference]:
    """The difference of two spans, without what is equal at their ends; none if all is."""
    a, b = text[slice(*of_text)], decoded[slice(*of_decoded)]
    if a == b:
        return []
    head = tail = 0
    if a and b and reason != _UNKNOWN:
        head = _alike(a, b)
        tail = _alike(a[head:][::-1], b[head:][::-1])
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    start, decoded_start = of_text[0] + head, of_decoded[0] + head
    end, decoded_end = start + len(a), decoded_start + len(b)
    return [Difference(start, end, decoded_start, decoded_end, _reason(a, b, reason))]


def _joined(differences: Iterable[Difference]) -> Iterator[Difference]:
    """The differences, those that touch and have the same reason as one."""
    one: Difference | None = None
    for other in differences:
        if one is not None and (one.end, one.decoded_end, one.reason) == (
            other.start,
            other.decoded_start,
            other.reason,
        ):
            one = one._replace(end=other.end, decoded_end=other.decoded_end)
            continue
        if one is not None:
            yield one
        one = other
    if one is not None:
        yield one


def _alike(a: str, b: str) -> int:
    """How many characters two strings have in common at their starts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _reason(a: str, b: str, otherwise: str) -> str:
    if otherwise == _UNKNOWN:
        return otherwise
    if "\ufffd" in b and any("\ud800" <= char <= "\udfff" for char in a):
        return _SURROGATE
    if all(map(str.isspace, a + b)):
        return _CHANGED if a and b else _DROPPED if a else _ADDED
    return otherwise
