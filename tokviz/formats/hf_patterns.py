"""Oniguruma's regular expressions, which Hugging Face's library uses, in those of `regex`.

The two agree on most of what tokenizers write, but not on all of it: `{1,3}+` is a repeat of a
repeat there and possessive here, `$` knows other lines, `\\w` other characters. What is not known
to be the same is refused.

Source: kkos/oniguruma doc/RE and src/regexec.c; the loop is that of rust-onig's `find_iter`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import regex

from tokviz.formats.bounded_json import TokenizerFileError, brief
from tokviz.formats.hf_unicode import as_known, asks_properties
from tokviz.language import message
from tokviz.pretokenizers import PatternError

#: Characters of a pattern; the longest in use has some 800, those that tokviz writes 25,000.
MOST_CHARACTERS = 50_000

#: Seconds that a pattern may take for each million characters begun.
TIMEOUT = 2.0

#: The insides of \w; outside a class it takes ², ³, ¹ and ¼ to ¾ too.
_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_WORD_ALONE = _WORD + r"\xb2\xb3\xb9\xbc-\xbe"
_SAME = frozenset("sSdDrntfve")
_PROPERTY = re.compile(
    r"\\[pP]\{(\^?)(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Han|Hiragana|Katakana|"
    r"Hangul|Latin|Cyrillic|Greek|Arabic|Hebrew|Thai|Devanagari)\}"
)
_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(")
_INTERVAL = re.compile(r"\{(\d{0,4})(,?)(\d{0,4})\}")
_CODE_POINT = re.compile(r"\\x\{([0-9a-fA-F]{1,6})\}|\\x([0-7][0-9a-fA-F])|\\u([0-9a-fA-F]{4})")

#: Texts in lower case that are one character in another case: ß is "ss", ﬁ is "fi".
_FOLDED = re.compile("ss|st|ff|fi|fl")


@dataclass(frozen=True)
class OnigPattern:
    """A pattern in Oniguruma's syntax that finds what the library finds.

    Raises TokenizerFileError when it is made, for patterns that are wrong or not known to mean the
    same here; `find` raises PatternError for one that takes too long on a text.

    >>> list(OnigPattern(r"\\p{N}{1,2}+|x").find("123x"))
    [(0, 3), (3, 4)]
    """

    pattern: str

    def __post_init__(self) -> None:
        _ = self._compiled

    def find(self, text: str) -> list[tuple[int, int]]:
        """The matches, left to right. An empty one right after another does not count."""
        limit = TIMEOUT * (len(text) // 1_000_000 + 1)
        known = as_known(text) if self._by_property else text
        try:
            # All at once: the package's clock runs on between matches.
            return list(self._spans(known, limit))
        except (TimeoutError, MemoryError):
            raise PatternError(
                message(
                    "The pattern {pattern} was stopped after {limit:g} s on a text of "
                    "{n:,} characters; it probably matches the same text in very many ways.",
                    pattern=brief(self.pattern),
                    limit=limit,
                    n=len(text),
                )
            ) from None

    def _spans(self, text: str, limit: float) -> Iterator[tuple[int, int]]:
        at, last = 0, -1
        for match in self._compiled.finditer(text, timeout=limit):
            start, end = match.span()
            if start == end:
                break
            yield start, end
            at = last = end
        else:
            return
        # After an empty match the search goes on one character further, whatever is here.
        while at <= len(text):
            match = self._compiled.search(text, at, timeout=limit)
            if match is None:
                return
            start, end = match.span()
            at = end + (start == end)
            if start < end or end != last:
                yield start, end
                last = end

    @cached_property
    def _by_property(self) -> bool:
        return asks_properties(self.pattern)

    @cached_property
    def _compiled(self) -> "regex.Pattern[str]":
        if len(self.pattern) > MOST_CHARACTERS:
            raise TokenizerFileError(
                message(
                    "A pattern has {n:,} characters; {most_characters:,} are possible.",
                    n=len(self.pattern),
                    most_characters=MOST_CHARACTERS,
                )
            )
        translated = _Translation(self.pattern).all()
        try:
            return regex.compile(translated, regex.VERSION0)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            raise TokenizerFileError(
                message(
                    "The pattern {pattern} cannot be used: {error}.",
                    pattern=brief(self.pattern),
                    error=brief(error),
                )
            ) from None


class _Translation:
    """One way through a pattern, with what has been written so far."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0
        self.out: list[str] = []
        self.atom: int | None = None  # where in `out` the last thing begins that can be repeated
        self.groups: list[tuple[int, int, bool]] = []  # begins in `out` and pattern; ignores case

    def all(self) -> str:
        while self.at < len(self.pattern):
            self._next()
        if self.groups:
            raise self._refuse(message("a bracket that is never closed"))
        return "".join(self.out)

    def _refuse(self, what: str) -> TokenizerFileError:
        return TokenizerFileError(
            message(
                "The pattern {pattern} has {what}, which cannot be reproduced exactly.",
                pattern=brief(self.pattern),
                what=what,
            )
        )

    def _next(self) -> None:
        char = self.pattern[self.at]
        if char == "(":
            self._open()
        elif char == ")":
            self._close()
        elif char == "[":
            self._add(self._class())
        elif char == "\\":
            self._add(self._escape(in_class=False))
        elif char in "?*+{":
            self._repeat()
        else:
            self.at += 1
            if char == "|":
                self._assert("|")
            elif char == "^":
                self._assert(r"(?:\A|(?m:^)(?!\Z))")
            elif char == "$":
                self._assert("(?m:$)")
            else:
                self._add(r"[^\n]" if char == "." else regex.escape(char, special_only=True))

    def _add(self, part: str) -> None:
        self.atom = len(self.out)
        self.out.append(part)

    def _assert(self, part: str) -> None:
        self.out.append(part)
        self.atom = None

    def _open(self) -> None:
        opening = next(group for group in _GROUPS if self.pattern.startswith(group, self.at))
        if opening == "(" and self.pattern.startswith("(?", self.at):
            raise self._refuse(
                message("the group {found}", found=brief(self.pattern[self.at : self.at + 4]))
            )
        self.groups.append((len(self.out), self.at, opening == "(?i:"))
        self.at += len(opening)
        self._assert(opening)

    def _close(self) -> None:
        self.at += 1
        if not self.groups:
            raise self._refuse(message("a bracket that was never opened"))
        begins, begins_at, ignores_case = self.groups.pop()
        if ignores_case:
            inside = self.pattern[begins_at + len("(?i:") : self.at - 1]
            if not inside.isascii() or _FOLDED.search(inside.lower()):
                raise self._refuse(message("letters that fold to several when case is ignored"))
        self.out.append(")")
        self.atom = begins

    def _repeat(self) -> None:
        if self.atom is None:
            raise self._refuse(message("a repeat of nothing or of a repeat"))
        interval = _INTERVAL.match(self.pattern, self.at)
        if self.pattern[self.at] == "{" and (interval is None or interval[0] in ("{}", "{,}")):
            raise self._refuse(message("a brace that is no repeat"))
        repeat = interval[0] if interval else self.pattern[self.at]
        self.at += len(repeat)
        suffix = self.pattern[self.at : self.at + 1]
        if suffix not in ("?", "+"):
            suffix = ""
        self.at += len(suffix)
        if interval and suffix == "?" and not interval[2]:
            raise self._refuse(message("a lazy repeat of a fixed number"))
        if interval and suffix == "+":
            # A repeat of the repeat: only ?+, *+ and ++ are possessive there.
            self.out.insert(self.atom, "(?:")
            repeat += ")"
        self._assert(repeat + suffix)

    def _escape(self, in_class: bool) -> str:
        here = self.pattern[self.at : self.at + 2]
        if found := _PROPERTY.match(self.pattern, self.at):
            self.at = found.end()
            return rf"\{here[1]}{{{found[1]}{found[2]}}}"
        if found := _CODE_POINT.match(self.pattern, self.at):
            code = int(found[1] or found[2] or found[3], 16)
            self.at = found.end()
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise self._refuse(message("a number that is no character"))
            return rf"\U{code:08x}"
        self.at += 2
        if here == r"\w":
            return _WORD if in_class else f"[{_WORD_ALONE}]"
        if here == r"\W" and not in_class:
            return f"[^{_WORD_ALONE}]"
        if here in (r"\A", r"\z") and not in_class:
            return r"\A" if here == r"\A" else r"\Z"
        if here[1:] in _SAME:
            return r"\x1b" if here == r"\e" else here
        if here in (r"\p", r"\P"):
            raise self._refuse(
                message(
                    "the property {found}", found=brief(self.pattern[self.at - 2 : self.at + 20])
                )
            )
        if len(here) < 2 or here[1].isalnum() or not here.isascii():
            raise self._refuse(message("the escape {found}", found=brief(here)))
        return here

    def _class(self) -> str:
        begins = self.at
        self.at += 2 if self.pattern.startswith("[^", self.at) else 1
        parts = [self.pattern[begins : self.at]]
        if self.pattern.startswith("]", self.at):
            raise self._refuse(message("a class that begins with a bracket"))
        while not self.pattern.startswith("]", self.at):
            if self.at >= len(self.pattern):
                raise self._refuse(message("a class that is never closed"))
            char = self.pattern[self.at]
            if char == "[" or self.pattern.startswith("&&", self.at):
                raise self._refuse(message("a class within a class"))
            if char == "\\":
                parts.append(self._escape(in_class=True))
            else:
                parts.append(char)
                self.at += 1
        self.at += 1
        return "".join([*parts, "]"])
