"""A pattern of your own cuts the text into words."""

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

import regex

from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers.base import Pretokenizer, Word


class PatternError(SettingError):
    """A pattern that cannot be used. The message says what to change."""


# Letter for letter as in tiktoken_ext/openai_public.py.
REGEX_PRESETS: dict[str, str] = {
    "gpt4 (cl100k)": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "gpt4o (o200k)": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}


def _shown(pattern: str) -> str:
    return f'"{pattern}"' if len(pattern) <= 60 else f'"{pattern[:60]}…"'


#: The greatest time limit, in seconds.
LONGEST = 60.0


@dataclass(frozen=True)
class RegexPretokenizer(Pretokenizer):
    """Every match of a pattern of your own is a word.

    As in tiktoken's own loop, text that no match covers is left out, and so are empty matches;
    groups change nothing, the whole match counts. The syntax is that of the `regex` package.

    >>> [word.text for word in RegexPretokenizer(r"\\p{L}+|\\d").words("in 2024, a*b")]
    ['in', '2', '0', '2', '4', 'a', 'b']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "regex"
    label: ClassVar[str] = message("Regular expression")
    help: ClassVar[str] = message(
        "Every match of the pattern is a word; what it does not match is dropped."
    )
    source: ClassVar[str] = "openai/tiktoken, tiktoken_ext/openai_public.py and _educational.py"
    space_mark: ClassVar[str] = "Ġ"

    pattern: str = field(
        default=REGEX_PRESETS["gpt4 (cl100k)"],
        metadata={
            "label": message("Pattern"),
            "help": message("A regular expression for one word, such as \\p{L}+|\\p{N}+."),
            "presets": REGEX_PRESETS,
        },
    )
    timeout: float = field(
        default=2.0,
        metadata={
            "label": message("Time limit (s)"),
            "help": message(
                "How many seconds a document may take, for each million characters begun."
            ),
        },
    )

    def __post_init__(self) -> None:
        if not self.pattern:
            raise PatternError.saying(
                "The pattern is empty; give one that matches a word, such as \\S+."
            )
        # A search cannot be cancelled, and links and files hold limits that anybody wrote.
        if not 0 < self.timeout <= LONGEST:
            raise PatternError.saying(
                "The time limit is {timeout} s; give a number of seconds above 0, and at most "
                "{longest:g}.",
                timeout=self.timeout,
                longest=LONGEST,
            )
        try:
            regex.compile(self.pattern)
        except regex.error as error:
            raise PatternError.saying(
                "The pattern {pattern} cannot be used: {error}; correct it there.",
                pattern=_shown(self.pattern),
                error=str(error),
            ) from None
        except (RecursionError, OverflowError, MemoryError):
            raise PatternError.saying(
                "The pattern {pattern} is too deeply nested to be used; give a simpler one.",
                pattern=_shown(self.pattern),
            ) from None

    def words(self, text: str) -> Iterator[Word]:
        # All at once, before the first word leaves: the package's clock runs on between matches,
        # and a slow consumer would be taken for a slow pattern.
        borders = array("q")
        with self._stopped(text) as limit:
            for match in regex.compile(self.pattern).finditer(text, timeout=limit):
                borders.extend(match.span())
        for start, end in zip(borders[::2], borders[1::2], strict=True):
            if start < end:
                yield Word(text[start:end], start, end)

    def whole(self, text: str) -> list[str] | None:
        """The texts of the words if they are all of a text, one after the other; else None. It
        takes a third of the time of `words`.

        >>> pattern = RegexPretokenizer(r"\\w+|\\s")
        >>> pattern.whole("a bc"), pattern.whole("a-bc")
        (['a', ' ', 'bc'], None)
        """
        compiled = regex.compile(self.pattern)
        # With groups, the package gives what these matched.
        if compiled.groups:
            return None
        with self._stopped(text) as limit:
            found = [*filter(None, compiled.findall(text, timeout=limit))]
        return found if "".join(found) == text else None

    @contextmanager
    def _stopped(self, text: str) -> Iterator[float]:
        """Gives the seconds that a text may take. Raises PatternError for one that takes more."""
        limit = self.timeout * (len(text) // 1_000_000 + 1)
        try:
            yield limit
        except (TimeoutError, MemoryError):
            raise PatternError.saying(
                "The pattern {pattern} was stopped after {limit:g} s on a text of {n:,} "
                "characters: parts of it probably match the same text in very many ways; simplify "
                "its nested repeats, or make them possessive (++ for +), or allow more time.",
                pattern=_shown(self.pattern),
                limit=limit,
                n=len(text),
            ) from None
