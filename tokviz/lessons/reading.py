"""Tables of a lesson file: their values, and sentences that say what is wrong with them where."""

import re
from collections.abc import Sequence
from typing import Any

from tokviz.basics.errors import FileError
from tokviz.basics.messages import Message, joined, message
from tokviz.lessons.facts import FACTS, asked_in, read_fact
from tokviz.lessons.moments import is_moment

#: What one text may hold.
MOST_TEXT = 20_000
#: What a value may have to be, in words.
_KINDS = {
    str: message("text"),
    list: message("a list"),
    dict: message("a table"),
    int: message("a whole number"),
    bool: message("true or false"),
}


class LessonError(FileError):
    """A file that is no lesson; the message says what to change where."""


class Table:
    """A table of the file, with the place that a sentence about it names."""

    def __init__(self, table: Any, place: Message, known: set[str]) -> None:
        if not isinstance(table, dict):
            raise LessonError.saying("{place} is no table.", place=place)
        self._table, self.place = table, place
        if unknown := sorted(map(str, table.keys() - known)):
            raise LessonError.saying(
                "{place} has {name!r}, which is not known; it may have {known}.",
                place=place,
                name=unknown[0][:40],
                known=", ".join(sorted(known)),
            )

    def raw(self, name: str, kind: type, *default: Any) -> Any:
        """The value of a name, which has to be of that kind."""
        if name not in self._table and default:
            return default[0]
        value = self._table.get(name)
        if type(value) is not kind:
            raise LessonError.saying(
                "{place} needs {name} as {kind}.", place=self.place, name=name, kind=_KINDS[kind]
            )
        return value

    def text(self, name: str, *default: str) -> str:
        """A text, of which every fact in braces is known. Line ends are spaces, empty lines new
        paragraphs."""
        value = self.exact(name, *default)
        paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", value))
        return "\n\n".join(part for part in paragraphs if part)

    def exact(self, name: str, *default: str) -> str:
        """The same, but character by character."""
        value: str = self.raw(name, str, *default)
        if len(value) > MOST_TEXT:
            raise LessonError.saying(
                "{place} has {n:,} characters in {name}; {most:,} is the most.",
                place=self.place,
                n=len(value),
                name=name,
                most=MOST_TEXT,
            )
        self._check_facts(name, value)
        return value

    def _check_facts(self, name: str, value: str) -> None:
        for asked in asked_in(value):
            fact, of, _lane = read_fact(asked)
            inner = of.removeprefix("the ") if of.startswith("the ") else ""
            for said, has_of in [(fact, bool(of)), *([(inner, False)] if inner else [])]:
                self._check_fact(name, said, has_of)

    def _check_fact(self, name: str, fact: str, has_of: bool) -> None:
        here = {"place": self.place, "name": name, "fact": fact[:40]}
        if fact not in FACTS:
            raise LessonError.saying(
                "{place} asks in {name} for the fact {{{fact}}}, which is not known; see the list "
                "of facts in docs/lessons.md.",
                **here,
            )
        if FACTS[fact].of and not has_of:
            raise LessonError.saying(
                "{place} asks in {name} for the fact {{{fact}}}, but not of what: write {{{fact} "
                "of …}}.",
                **here,
            )
        if has_of and not FACTS[fact].of:
            raise LessonError.saying(
                "{place} asks in {name} for {{{fact}}} of something; write {{{fact}}} alone.",
                **here,
            )

    def choice(self, name: str, options: Sequence[str], default: str) -> str:
        value: str = self.raw(name, str, default)
        if value not in options:
            raise LessonError.saying(
                "{place} has {name} = {value!r}; it may be {options}.",
                place=self.place,
                name=name,
                value=value[:40],
                options=", ".join(options),
            )
        return value

    def moment(self, name: str, default: str) -> str:
        value: str = self.raw(name, str, default)
        if not is_moment(value):
            raise LessonError.saying(
                "{place} has {name} = {value!r}, which is no moment; see the list of moments in "
                "docs/lessons.md.",
                place=self.place,
                name=name,
                value=value[:40],
            )
        self._check_facts(name, value)
        return value

    def table(self, name: str, known: set[str]) -> "Table":
        return Table(self.raw(name, dict), joined([self.place, f", {name}"]), known)

    def has(self, name: str) -> bool:
        return name in self._table

    def is_(self, name: str, value: str) -> bool:
        return bool(self._table.get(name) == value)
