"""Where a text that was encoded and decoded again differs from what it was."""

from typing import NamedTuple

#: Characters that must agree until two texts are in step again, and how far it is looked for.
AGREE, AHEAD = 3, 12


class Difference(NamedTuple):
    """The first place where two texts differ, what stands there in each (a stretch that may be
    empty), and in how many places they do. The place is the same in both."""

    place: int
    source: str
    decoded: str
    places: int


def difference(source: str, decoded: str) -> Difference | None:
    """The difference of two texts, None if they are equal.

    >>> difference("low low", "low low") is None
    True
    >>> difference("the  cat, sat", "the cat , sat")
    Difference(place=4, source=' ', decoded='', places=2)
    """
    if source == decoded:
        return None
    first: tuple[int, str, str] | None = None
    places, i, j = 0, 0, 0
    while i < len(source) or j < len(decoded):
        if source[i : i + 1] == decoded[j : j + 1]:
            i, j = i + 1, j + 1
            continue
        places += 1
        left, right = _in_step(source, i, decoded, j)
        if first is None:
            first = i, source[i:left], decoded[j:right]
        i, j = left, right
    return None if first is None else Difference(*first, places)


def _in_step(source: str, i: int, decoded: str, j: int) -> tuple[int, int]:
    """From where both texts go on alike; their ends if that is not near."""
    for skipped in range(1, 2 * AHEAD):
        for over in range(max(0, skipped - AHEAD), min(skipped, AHEAD) + 1):
            left, right = i + over, j + skipped - over
            rest = source[left : left + AGREE]
            if rest == decoded[right : right + AGREE] and (
                rest or _both_end(source, left, decoded, right)
            ):
                return left, right
    return len(source), len(decoded)


def _both_end(source: str, left: int, decoded: str, right: int) -> bool:
    return left == len(source) and right == len(decoded)
