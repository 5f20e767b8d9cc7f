"""Which strings may be pieces, and which characters must be.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/trainer_interface.cc, IsValidSentencePiece and
LoadSentences. Strings are as the library holds them, with `▁` for a space.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path

import numpy as np

from tokviz.pretokenizers.normalizer import SPACE, VERSIONS

#: Stands for every character of the corpus that is not required (U+2585). No piece holds it.
UNKNOWN = "▅"

#: Stands for a symbol of the vocabulary's own, such as `</s>`, where the corpus spells it; by
#: version.
BOUNDARIES = dict(zip(VERSIONS, ("\t", "\x1f"), strict=True))

#: Never in a piece, never required, in any version. (Surrogates are none either.)
_NEVER = frozenset({UNKNOWN, "\0", " "})

_DIGITS = frozenset("0123456789０１２３４５６７８９")


@cache
def _scripts() -> list[tuple[int, int, str]]:
    """Ranges of code points (first, last) with their scripts, sorted."""
    ranges = []
    for line in Path(__file__).with_name("scripts.txt").read_text("utf-8").splitlines():
        script, *items = line.split(" ")
        for item in items:
            first, _, last = item.partition("-")
            ranges.append((int(first, 16), int(last or first, 16), script))
    return sorted(ranges)


def unicode_script(char: str) -> str:
    """The Unicode script of a character; "Common" for one that has none.

    >>> [unicode_script(char) for char in "aяあア漢1"]
    ['Latin', 'Cyrillic', 'Hiragana', 'Katakana', 'Han', 'Common']
    """
    ranges, code = _scripts(), ord(char)
    first, last, script = ranges[max(bisect_right(ranges, code, key=itemgetter(0)) - 1, 0)]
    return script if first <= code <= last else "Common"


@cache
def script_of(char: str) -> str:
    """The Unicode script of a character, with Hiragana and Katakana as Han.

    >>> [script_of(char) for char in "aяあア漢1ー"]
    ['Latin', 'Cyrillic', 'Han', 'Han', 'Han', 'Common', 'Han']
    """
    script = unicode_script(char)
    return "Han" if char == "ー" or script in ("Hiragana", "Katakana") else script


def is_surrogate(char: str) -> bool:
    """True for a code point that UTF-8 cannot hold."""
    return "\ud800" <= char <= "\udfff"


@dataclass(frozen=True)
class PieceRules:
    """The library's settings that decide whether a string may be a piece.

    >>> rules = PieceRules()
    >>> [rules.valid(piece) for piece in ("▁the", "e▁t", "in1920", "1920", "の時", "aя")]
    [True, False, False, True, True, False]
    >>> PieceRules(split_by_whitespace=False).valid("e▁t"), PieceRules(split_digits=True).valid("1")
    (True, True)
    """

    max_sentencepiece_length: int = 16
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_by_whitespace: bool = True
    split_digits: bool = False
    library_version: str = VERSIONS[0]

    def valid(self, piece: str) -> bool:
        """True if training may make a piece of that string."""
        n = len(piece)
        if not 0 < n <= self.max_sentencepiece_length:
            return False
        before = ""  # the script that the next character must have; empty: any
        for at, char in enumerate(piece):
            if char == SPACE:
                if at > 0 and (self.split_by_whitespace or at == n - 1):
                    return False
                continue
            if self._never(char):
                return False
            script, digit = script_of(char), char in _DIGITS
            if script == "Inherited":
                script = before
            if digit and not self.split_by_number:
                script = ""
            if digit and self.split_digits and n > 1:
                return False
            if self.split_by_unicode_script and script and before and script != before:
                return False
            before = script
        return True

    def _never(self, char: str) -> bool:
        return char in _NEVER or char == BOUNDARIES[self.library_version] or is_surrogate(char)

    def valid_ones(self, pieces: Iterable[str]) -> Iterator[bool]:
        """`valid` of one after the other, much faster for many.

        >>> list(PieceRules().valid_ones(["ab", "cd", "1a", "aя"]))
        [True, True, False, False]
        """
        return map(self.remembered(), pieces)

    def remembered(self) -> Callable[[str], bool]:
        """`valid` as a function that remembers what it said of pieces that are alike."""
        alike, known = _Alike(self._never), dict[str, bool]()

        def valid(piece: str) -> bool:
            pattern = piece.translate(alike)
            if (said := known.get(pattern)) is None:
                said = known[pattern] = self.valid(piece)
            return said

        return valid


class _Alike(dict[int, int]):
    """For each character the first one that all rules treat alike. For `str.translate`."""

    def __init__(self, never: Callable[[str], bool]) -> None:
        self._never = never
        self._first: dict[tuple[str, bool, bool, bool], int] = {}

    def __missing__(self, code: int) -> int:
        char = chr(code)
        kind = (script_of(char), char in _DIGITS, char == SPACE, self._never(char))
        self[code] = self._first.setdefault(kind, code)
        return self[code]


def required_characters(
    words: Sequence[str],
    counts: Sequence[int],
    coverage: float,
    version: str = VERSIONS[0],
) -> dict[str, int]:
    """The characters that must be pieces, with their counts: the most frequent ones (the lower
    code point first among equals) until they make up `coverage` of the corpus.

    >>> required_characters(["▁ab", "▁a"], [1, 30], 0.98)
    {'a': 31, '▁': 31}
    """
    text = "".join(words).encode("utf-32-le", "surrogatepass")
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    codes, which = np.unique(np.frombuffer(text, np.uint32), return_inverse=True)
    sums = np.zeros(len(codes), np.int64)
    np.add.at(sums, which, np.repeat(np.asarray(counts, np.int64), lengths))
    found = dict(zip(map(chr, codes.tolist()), sums.tolist(), strict=True))
    for char in [char for char in found if char in "\0 " or is_surrogate(char)]:
        del found[char]
    total, covered = sum(found.values()), 0
    required = {}
    for char, count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        # The library compares in single precision.
        if np.float32(covered / total) >= np.float32(coverage):
            break
        covered += count
        if char not in _NEVER and char != BOUNDARIES[version]:
            required[char] = count
    return required


def with_unknowns(words: Sequence[str], required: Container[str]) -> list[str]:
    """The words with `▅` for every character that is not required.

    >>> with_unknowns(["▁aѣ", "▁a"], {"▁": 2, "a": 1})
    ['▁a▅', '▁a']
    """
    others = [char for char in set().union(*words) if char not in required]
    table = str.maketrans(dict.fromkeys(others, UNKNOWN))
    return [word.translate(table) for word in words]
