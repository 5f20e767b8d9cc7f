"""A word in columns, one for each of its starting symbols: how wide they are, and which of its
letters stand in which."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby
from operator import add

from tokviz.pictures.picture import Parts, parts_of
from tokviz.pictures.words import Placed
from tokviz.text.symbols import Spelling, Symbol

#: Letters that have another shape beside others of their script: Arabic and its neighbours, Hangul
#: in parts, Mongolian, Adlam.
_SHAPED = re.compile("[\u0600-\u08ff\u1100-\u11ff\u1800-\u18af\U0001e900-\U0001e95f]")
#: What is one sign with the character before: joiners, the tones of skin, tags; and with the one
#: after: joiners. Two of the last make a flag.
_AFTER = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_BEFORE = re.compile("[\u200c\u200d]")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
#: The class of signs that bind the consonant after them.
_VIRAMA = 9


def filled(least: Sequence[float], room: float, most: float) -> list[float]:
    """Columns that need so much at least, made as wide as one another as far as there is room, but
    no wider than `most` for that.

    >>> filled([10, 30, 12], 70, 25)
    [20.0, 30, 20.0]
    """
    wide, narrow = sorted(least), most
    for i in range(len(wide), 0, -1):
        # The i narrowest share what the others leave.
        share = (room - sum(wide[i:])) / i
        narrow = min(most, share)
        if share >= wide[i - 1]:
            break
    return [max(own, narrow) for own in least]


class WordColumns:
    """The starting symbols of a word, each with the characters that it is of.

    >>> from tokviz.encoding.encoders import character_spans
    >>> spelling = Spelling(unit="byte")
    >>> symbols = spelling.split("a日")
    >>> columns = WordColumns(spelling, "a日", symbols, character_spans("a日", symbols, "byte"))
    >>> columns.letters(0, 4, "aæĹ¥")
    [Placed(parts=[('', 'a')], start=0, end=1), Placed(parts=[('', '日')], start=1, end=4)]
    >>> columns.characters()
    [Placed(parts=[('', '日')], start=1, end=4)]
    """

    def __init__(
        self,
        spelling: Spelling,
        word: str,
        symbols: Sequence[Symbol],
        spans: Sequence[tuple[int, int]],
    ) -> None:
        self.spelling, self.word, self.symbols, self._spans = spelling, word, symbols, spans

    def face(self, start: int, end: int, shown: str) -> Parts:
        """The face of the token that some symbols make, displayed as `shown`."""
        return parts_of(self.spelling, self.symbols[start:end], shown)

    def letters(self, start: int, end: int, shown: str) -> list[Placed]:
        """What a token is written with, each in the columns of what it covers: its characters,
        together where they change beside each other, or single bytes. The token as a whole where
        its parts would read otherwise."""
        whole = self.face(start, end, shown)
        found = [Placed(self._own_face(a, b), a, b) for a, b in self._parted(start, end)]
        # The mark that says that a word goes on stands where the token begins, and there only.
        inner = [
            replace(placed, parts=placed.parts[1:]) if i and _goes_on(placed.parts) else placed
            for i, placed in enumerate(found)
        ]
        for apart in (found, inner):
            if "".join(_text(placed.parts) for placed in apart) == _text(whole):
                return apart
        return [Placed(whole, start, end)]

    def characters(self) -> list[Placed]:
        """The signs that have several columns, because their bytes have one each."""
        return [
            Placed(self._own_face(a, b), a, b)
            for a, b in self._joined(0, len(self.symbols), _is_one_sign)
            if len({*self._spans[a:b]}) < b - a
        ]

    def _own_face(self, start: int, end: int) -> Parts:
        shown = self.spelling.show(reduce(add, self.symbols[start:end]))
        return self.face(start, end, shown)

    def _parted(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for a, b in self._joined(start, end, _stay_together):
            if _has_bytes(self._own_face(a, b)):
                yield from ((i, i + 1) for i in range(a, b))
            else:
                yield a, b

    def _joined(
        self, start: int, end: int, together: Callable[[str, str], bool]
    ) -> list[tuple[int, int]]:
        """The stretches of symbols that are a character, a part of one, or several that stand
        `together`."""
        bounds: list[tuple[int, int]] = []
        last = ""
        for span, group in groupby(range(start, end), key=self._spans.__getitem__):
            places = [*group]
            # The end of a word has no character; of one that is cut off there is only a part.
            char = self.word[slice(*span)] if len(places) == self._spans.count(span) else ""
            if last and char and together(last[-1], char[0]):
                bounds[-1] = bounds[-1][0], places[-1] + 1
            else:
                bounds.append((places[0], places[-1] + 1))
            last = char
        return bounds


def _text(parts: Parts) -> str:
    """What is written, without the spaces between bytes."""
    return "".join(text for _, text in parts).replace(" ", "")


def _has_bytes(parts: Parts) -> bool:
    return any(kind == "b" for kind, _ in parts)


def _goes_on(parts: Parts) -> bool:
    """Whether it begins with a marker before its text."""
    return len(parts) > 1 and parts[0][0] == "m"


def _is_one_sign(before: str, after: str) -> bool:
    return (
        unicodedata.category(after).startswith("M")
        or bool(_AFTER.match(after) or _BEFORE.match(before))
        or bool(_FLAG.match(before) and _FLAG.match(after))
    )


def _stay_together(before: str, after: str) -> bool:
    return (
        _is_one_sign(before, after)
        or unicodedata.combining(before) == _VIRAMA
        or bool(_SHAPED.match(before) and _SHAPED.match(after))
    )
