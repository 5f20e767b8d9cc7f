r"""A pre-tokenizer's pattern in terms that every regular-expression engine reads alike.

Libraries carry different releases of Unicode and different dialects: `\p{L}` holds other letters,
`{1,3}+` is possessive in one and not in another. Here every character class is written out as the
code points that it has for tokviz, and what is left is the common core: sequences, alternatives,
quantifiers, atomic groups and look-arounds, as Oniguruma (Hugging Face tokenizers) and fancy-regex
(tiktoken) read them.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import regex

from tokviz.formats.exporters.strings import ExportError

_QUANTIFIER = regex.compile(r"(?:([*+?])|\{(\d*)(?:(,)(\d*))?\})([+?])?")
_GROUP = regex.compile(r"\((?:\?(?:(:)|(i):|([=!])))?")
_PROPERTY = regex.compile(r"\\[pP](?:\{[\w=:^ -]+\}|\w)")
_ANCHORS = {"^": r"\A", "$": r"(?=\n?\z)", r"\A": r"\A", r"\Z": r"\z"}


@dataclass(frozen=True)
class Pattern:
    """A translated pattern, and the classes of characters that it tells apart (as patterns of the
    `regex` package)."""

    text: str
    classes: tuple[str, ...]

    def alike(self, char: str, other: str) -> bool:
        """Whether the pattern cannot tell two characters apart.

        >>> words = portable(r"\\p{L}+|\\d")
        >>> words.alike("a", "é"), words.alike("a", "1")
        (True, False)
        """
        return all(
            bool(regex.fullmatch(one, char)) == bool(regex.fullmatch(one, other))
            for one in self.classes
        )


@cache
def portable(pattern: str) -> Pattern:
    r"""The pattern with its classes written out.

    Raises ExportError for what engines read differently: back-references, word borders, sets within
    sets, flags other than (?i:…), and patterns that match nothing at all.

    >>> portable("[ab]c{1,2}+").text
    '[a-b](?>c{1,2})'
    >>> portable("(?i:k)").text == r"(?:[Kk\x{212a}])"
    True
    """
    translator = _Translator(pattern)
    text, least = translator.alternatives(False)
    if translator.at < len(pattern):
        translator.refuse(pattern[translator.at])
    if not least:
        raise ExportError.saying(
            "The pattern of the pre-tokenizer may match nothing between two characters, where "
            "libraries go on differently; give one whose every alternative holds a character."
        )
    return Pattern(text, tuple(dict.fromkeys(translator.classes)))


class _Translator:
    """Reads a pattern once, from left to right. Each part is given back with the least number of
    characters that it matches."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0
        self.classes: list[str] = []

    def alternatives(self, ignore_case: bool) -> tuple[str, int]:
        parts = [self._sequence(ignore_case)]
        while self._next("|"):
            parts.append(self._sequence(ignore_case))
        return "|".join(text for text, _ in parts), min(least for _, least in parts)

    def _sequence(self, ignore_case: bool) -> tuple[str, int]:
        texts, total = [], 0
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            text, least = self._quantified(*self._atom(ignore_case))
            texts.append(text)
            total += least
        return "".join(texts), total

    def _quantified(self, atom: str, least: int) -> tuple[str, int]:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None or found[0] == "{}" or (not found[1] and not found[2] and not found[3]):
            return atom, least
        self.at = found.end()
        sign, low, comma, high, mode = found.groups()
        if not sign:
            sign = f"{{{low or 0}{comma or ''}{high or ''}}}"
        times = {"*": 0, "?": 0, "+": 1}.get(sign, int(low or 0))
        if mode == "+":
            return f"(?>{atom}{sign})", least * times
        return f"{atom}{sign}{mode or ''}", least * times

    def _atom(self, ignore_case: bool) -> tuple[str, int]:
        char = self.pattern[self.at]
        if char == "(":
            return self._group(ignore_case)
        for anchor, text in _ANCHORS.items():
            if self._next(anchor):
                return text, 0
        if char == "[":
            return self._characters(self._set(), ignore_case), 1
        if char == "\\":
            return self._characters(self._escape(), ignore_case), 1
        self.at += 1
        return self._characters("." if char == "." else regex.escape(char), ignore_case), 1

    def _group(self, ignore_case: bool) -> tuple[str, int]:
        found = _GROUP.match(self.pattern, self.at)
        assert found
        self.at = found.end()
        if self.pattern[self.at - 1] == "(" and self.pattern[self.at : self.at + 1] == "?":
            self.refuse(self.pattern[self.at - 1 : self.at + 2])
        inside, least = self.alternatives(ignore_case or bool(found[2]))
        if not self._next(")"):
            self.refuse("(")
        return (f"(?{found[3]}{inside})", 0) if found[3] else (f"(?:{inside})", least)

    def _set(self) -> str:
        """The text of a set, which must hold no other."""
        start, at = self.at, self.at + 1
        at += self.pattern[at] == "^"
        at += self.pattern[at] == "]"
        while self.pattern[at] != "]":
            two = self.pattern[at : at + 2]
            if two[0] == "[" or two in ("&&", "||", "--", "~~"):
                self.refuse(two)
            at += 2 if two[0] == "\\" else 1
        self.at = at + 1
        return self.pattern[start : self.at]

    def _escape(self) -> str:
        rest = self.pattern[self.at : self.at + 2]
        if found := _PROPERTY.match(self.pattern, self.at):
            self.at = found.end()
            return str(found[0])
        if rest[1] in "sSdDwWnrtfv" or not (rest[1].isalnum() or rest[1] == "_"):
            self.at += 2
            return rest
        return self.refuse(rest)

    def _next(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def _characters(self, one: str, ignore_case: bool) -> str:
        if ignore_case:
            one = f"(?i:{one})"
        self.classes.append(one)
        return class_of(one)

    def refuse(self, what: str) -> str:
        raise ExportError.saying(
            'The pattern of the pre-tokenizer has "{what}" in it, which libraries may read '
            "differently; use characters, sets without sets in them, groups, look-aheads and "
            "quantifiers only.",
            what=what,
        )


@cache
def class_of(one: str) -> str:
    r"""All characters that a pattern for one character matches, as a set.

    >>> class_of(r"\d")[:19], class_of("a")
    ('[0-9\\x{660}-\\x{669}', 'a')
    """
    every = _every()
    runs = [found.span() for found in regex.finditer(f"(?:{one})+", every)]
    if not runs:
        return "(?!)"
    if len(runs) == 1 and runs[0][1] - runs[0][0] == 1:
        return _shown(every[runs[0][0]])
    return set_of((every[start], every[end - 1]) for start, end in runs)


@cache
def _every() -> str:
    """Every character, in order. Lone surrogates are none in any of the libraries."""
    return "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))


def set_of(ranges: Iterable[tuple[str, str]], negated: bool = False) -> str:
    r"""Ranges of characters as a set.

    >>> set_of([("a", "c"), (" ", " ")]), set_of([("a", "a")], negated=True)
    ('[a-c\\x20]', '[^a]')
    """
    # A run may go over the gap of the surrogates, where a range must not end.
    parts = [
        _shown(first) if first == last else f"{_shown(first)}-{_shown(last)}"
        for first, last in ranges
    ]
    return f"[{'^' * negated}{''.join(parts)}]"


def chars_set(chars: Iterable[str], negated: bool = False) -> str:
    """Characters as a set.

    >>> chars_set("cabx")
    '[a-cx]'
    """
    # Half of all code points may be there.
    points = np.sort(np.frombuffer("".join(chars).encode("utf-32-le", "surrogatepass"), "<u4"))
    runs = np.split(points, np.flatnonzero(np.diff(points) > 1) + 1) if len(points) else []
    return set_of(((chr(run[0]), chr(run[-1])) for run in runs), negated)


def _shown(char: str) -> str:
    if char.isascii():
        return char if char.isalnum() else f"\\x{ord(char):02x}"
    return f"\\x{{{ord(char):x}}}"
