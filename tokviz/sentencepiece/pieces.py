"""Which strings may be pieces, and which characters must be.

Source: google/sentencepiece 0.2.1, src/trainer_interface.cc, IsValidSentencePiece and
LoadSentences. Strings are as the library holds them, with `▁` for a space.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tokviz.sentencepiece.normalizer import SPACE

#: Stands for every character of the corpus that is not required (U+2585). No piece holds it.
UNKNOWN = "▅"

#: Stands for a symbol of the vocabulary's own, such as `</s>`, where the corpus spells it.
BOUNDARY = "\t"

#: Never in a piece, never required. (Surrogates are none either.)
_NEVER = frozenset({UNKNOWN, BOUNDARY, "\0", " "})

_DIGITS = frozenset("0123456789０１２３４５６７８９")


@cache
def _scripts() -> dict[str, str]:
    table = {}
    for line in Path(__file__).with_name("scripts.txt").read_text("utf-8").splitlines():
        script, *ranges = line.split(" ")
        for item in ranges:
            first, _, last = item.partition("-")
            for code in range(int(first, 16), int(last or first, 16) + 1):
                table[chr(code)] = script
    return table


@cache
def script_of(char: str) -> str:
    """The Unicode script of a character, with Hiragana and Katakana as Han.

    >>> [script_of(char) for char in "aяあア漢1ー"]
    ['Latin', 'Cyrillic', 'Han', 'Han', 'Han', 'Common', 'Han']
    """
    script = _scripts().get(char, "Common")
    return "Han" if script in ("Hiragana", "Katakana") or char == "ー" else script


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
            if char in _NEVER or is_surrogate(char):
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


def required_characters(
    words: Sequence[str], counts: Sequence[int], coverage: float
) -> dict[str, int]:
    """The characters that must be pieces, with their counts: the most frequent ones (the lower
    code point first among equals) until they make up `coverage` of the corpus.

    >>> required_characters(["▁ab", "▁a"], [1, 30], 0.98)
    {'a': 31, '▁': 31}
    """
    found: Counter[str] = Counter()
    for word, count in zip(words, counts, strict=True):
        for char in word:
            found[char] += count
    for char in [char for char in found if char in "\0 " or is_surrogate(char)]:
        del found[char]
    total, covered = sum(found.values()), 0
    required = {}
    for char, count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        # The library compares in single precision.
        if np.float32(covered / total) >= np.float32(coverage):
            break
        covered += count
        if char not in _NEVER:
            required[char] = count
    return required


def with_unknowns(word: str, required: Iterable[str]) -> str:
    """The word with `▅` for every character that is not required.

    >>> with_unknowns("▁aѣ", {"▁": 2, "a": 1})
    '▁a▅'
    """
    return "".join(char if char in required else UNKNOWN for char in word)
