"""What a text loses when it is encoded and decoded again, place by place.

Both texts are cut into the same regions: the stretches that tokens cover, and the gaps between
them. Where the two sides of a region are equal, nothing was lost there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import NamedTuple, TypeAlias

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
    decoded, stretches = _decode(tokenizer, text, encoding)
    known = tokenizer.decode([i for i in encoding.ids if i is not None])
    if known != decoded:
        # A library decodes by rules of its own: what each token became is not known.
        only = _differences(text, known, (0, len(text)), (0, len(known)), _NORMALIZED)
        if any(unknown for *_, unknown in stretches):
            only = [one._replace(reason=_UNKNOWN) for one in only]
        return RoundTrip(text, known, tuple(only))
    if decoded == text:
        return RoundTrip(text, decoded, ())
    found: list[Difference] = []
    at = decoded_at = 0

    def compare(end: int, decoded_end: int, reason: str) -> None:
        nonlocal at, decoded_at
        spans = (at, end), (decoded_at, decoded_end)
        found.extend(_differences(text, decoded, *spans, reason))
        at, decoded_at = end, decoded_end

    for start, end, decoded_start, decoded_end, unknown in _together(stretches):
        own, back = text[start:end], decoded[decoded_start:decoded_end]
        if own == back and start == at and decoded_start == decoded_at:
            at, decoded_at = end, decoded_end
            continue
        if own != back and back.startswith(" ") and own[:1] == back[1:2]:
            # The space that a word begins with by rule stands for what is before the word.
            decoded_start += 1
        compare(start, decoded_start, _LEFT_OUT)
        compare(end, decoded_end, _UNKNOWN if unknown else _NORMALIZED)
    compare(len(text), len(decoded), _LEFT_OUT)
    return RoundTrip(text, decoded, tuple(_joined(found)))


#: What a token covers in the text, [start, end), and in what is decoded, and whether it is unknown.
#: A plain tuple: there is one for every token of every text that is typed.
_Stretch: TypeAlias = tuple[int, int, int, int, bool]


def _decode(tokenizer: Tokenizer, text: str, encoding: Encoding) -> tuple[str, list[_Stretch]]:
    """The decoded text, and what each token covers there."""
    parts = tokenizer.decoded_parts([i for i in encoding.ids if i is not None])
    data, spans = bytearray(), []
    for token_id in encoding.ids:
        before, own, after = next(parts) if token_id is not None else (b"", b"", b"")
        data += before
        spans.append((len(data), len(data) + len(own)))
        data += own + after
    joined, bounds = decoded_characters(bytes(data))
    kept = tokenizer.decoded_slice(joined)
    first_kept, last_kept = int(kept.start), int(kept.stop)
    if len(joined) < len(data):
        # Characters of which the token has a byte; none for one that has no bytes.
        spans = [
            (
                bisect_right(bounds, first) - 1 if first < last else bisect_left(bounds, first),
                bisect_left(bounds, last),
            )
            for first, last in spans
        ]
    if (first_kept, last_kept) != (0, len(joined)):
        spans = [
            (
                min(max(first, first_kept), last_kept) - first_kept,
                min(max(last, first_kept), last_kept) - first_kept,
            )
            for first, last in spans
        ]
    symbols, known_bytes, strings = tokenizer.symbols, tokenizer.bytes_of, tokenizer.strings
    stretches: list[_Stretch] = []
    for token_id, (start, end), (decoded_start, decoded_end) in zip(
        encoding.ids, encoding.offsets, spans, strict=True
    ):
        unknown = token_id is None or (
            symbols[token_id] is None
            and token_id not in known_bytes
            and strings[token_id] != text[start:end]
        )
        stretches.append((start, end, decoded_start, decoded_end, unknown))
    return joined[kept], stretches


def decoded_characters(data: bytes) -> tuple[str, list[int]]:
    r"""The text of bytes, U+FFFD for what is no UTF-8, and where each character starts and the last
    one ends.

    >>> decoded_characters(b"\xc3\xa9\xe2\x82a")
    ('é\ufffda', [0, 2, 4, 5])
    """
    try:
        text = data.decode()
        return text, [0, *accumulate(len(char.encode()) for char in text)]
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


def _together(stretches: list[_Stretch]) -> Iterator[_Stretch]:
    """The stretches, those that share a character of either text as one."""
    one: _Stretch | None = None
    for other in stretches:
        if one is None:
            one = other
        elif other[0] < one[1] or other[2] < one[3]:
            start, end, decoded_start, decoded_end, unknown = one
            one = (
                start,
                max(end, other[1]),
                decoded_start,
                max(decoded_end, other[3]),
                unknown or other[4],
            )
        else:
            yield one
            one = other
    if one is not None:
        yield one


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
