"""JSON that may come from anybody: no more of it than fits, and every value of the right type."""

import json
from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar

from tokviz.basics.errors import FileError
from tokviz.basics.messages import Message, message

#: The largest id: above it a vocabulary is mostly holes.
MOST_ID = 2_000_000

#: Bytes of a tokenizer.json or vocab.json; the largest that is in use has some 35 million.
MOST_BYTES = 48_000_000

#: Values in it: what keeps a file of that size from needing more than its share of memory.
MOST_VALUES = 1_500_000


_Kind = TypeVar("_Kind")
#: What a field should be, by its type.
_WANTED: dict[type, Message] = {
    str: message("a text"),
    bool: message("true or false"),
    int: message("a whole number"),
    list: message("a list"),
    dict: message("an object"),
}


class TokenizerFileError(FileError):
    """A tokenizer file that cannot be used; the message says why in one sentence.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> open_tokenizer({"tokenizer.json": b"[]"})
    Traceback (most recent call last):
    tokviz.formats.readers.bounded_json.TokenizerFileError: 'tokenizer.json' is JSON, but no \
tokenizer: it is a list.
    """


def brief(text: object, most: int = 60) -> str:
    """Any text in one short printable line.

    >>> brief("a\\nb"), brief("x" * 70)
    ("'a\\\\nb'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'")
    """
    text = str(text)
    return repr(text) if len(text) <= most else repr(text[:most] + "…")


def yes(holds: bool) -> str:
    """Whether something holds, in a word.

    >>> yes(True), yes(False)
    ('yes', 'no')
    """
    return message("yes") if holds else message("no")


def check_size(name: str, data: bytes, most: int) -> None:
    """Raises TokenizerFileError for a file of more than `most` bytes.

    >>> check_size("a.json", b"{}", 10)
    """
    if len(data) > most:
        raise TokenizerFileError.saying(
            "{name} has {n:,} bytes, and no file of this kind of more than {most:,} is opened.",
            name=brief(name),
            n=len(data),
            most=most,
        )


def text_of(name: str, data: bytes) -> str:
    """The text of a file in UTF-8. Raises TokenizerFileError for other bytes.

    >>> text_of("a.txt", b"\\xc3\\xa9")
    'é'
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise TokenizerFileError.saying(
            "{name} is not text in UTF-8, so it is damaged or no such file.", name=brief(name)
        ) from None


def parse_json(name: str, data: bytes) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises TokenizerFileError for anything else: no JSON, too much of it, nested too deeply,
    numbers that are none (NaN) or strings that no text can hold (half a surrogate pair).

    >>> parse_json("a.json", b'{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse_json("a.json", b'[NaN]')
    Traceback (most recent call last):
    ...
    tokviz.formats.readers.bounded_json.TokenizerFileError: 'a.json' is not valid JSON: NaN is no \
number.
    """
    check_size(name, data, MOST_BYTES)
    if max(data.count(b","), data.count(b"[") + data.count(b"{")) > MOST_VALUES:
        raise TokenizerFileError.saying(
            "{name} holds more than {most_values:,} values.",
            name=brief(name),
            most_values=MOST_VALUES,
        )
    text = text_of(name, data)

    def no_number(constant: str) -> NoReturn:
        raise TokenizerFileError.saying(
            "{name} is not valid JSON: {constant} is no number.",
            name=brief(name),
            constant=constant,
        )

    try:
        found = json.loads(text, parse_constant=no_number)
    except TokenizerFileError:
        raise
    except RecursionError:
        raise TokenizerFileError.saying("{name} is nested too deeply.", name=brief(name)) from None
    except json.JSONDecodeError as error:
        raise TokenizerFileError.saying(
            "{name} is not valid JSON: {msg} (line {lineno:,}).",
            name=brief(name),
            msg=error.msg,
            lineno=error.lineno,
        ) from None
    except ValueError:
        raise TokenizerFileError.saying(
            "{name} holds a number of too many digits.", name=brief(name)
        ) from None
    if not isinstance(found, dict):
        raise TokenizerFileError.saying(
            "{name} is JSON, but no tokenizer: it is {kind}.", name=brief(name), kind=_kind(found)
        )
    return found


def check_texts(what: str, texts: Iterable[str]) -> None:
    """Raises TokenizerFileError if a string holds half a surrogate pair, which JSON can spell.

    >>> check_texts("the vocabulary", ["a", "😀"])
    """
    try:
        "\n".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        raise TokenizerFileError.saying(
            "A string in {what} holds half a surrogate pair, which is no character.", what=what
        ) from None


def _kind(value: object) -> str:
    kinds: list[tuple[type, str]] = [
        (bool, message("true or false")),
        (str, message("a text")),
        (int, message("a number")),
        (float, message("a number")),
        (list, message("a list")),
        (dict, message("an object")),
    ]
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


class Fields:
    """The fields of one JSON object. Each way of asking checks the type; without a default the
    field must be there. All raise TokenizerFileError.

    >>> strip = Fields("the normalizer Strip", {"type": "Strip", "strip_left": True})
    >>> strip.flag("strip_left"), strip.flag("strip_right", False)
    (True, False)
    >>> strip.text("type"), strip.maybe_text("content")
    ('Strip', None)
    >>> strip.flag("strip_right")
    Traceback (most recent call last):
    ...
    tokviz.formats.readers.bounded_json.TokenizerFileError: The field 'strip_right' of the \
normalizer Strip is missing.
    """

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, dict):
            raise TokenizerFileError.saying(
                "A field is {kind} where {where} should be.", kind=_kind(value), where=where
            )
        self.where, self.values = where, value

    def text(self, name: str, default: str | None = None) -> str:
        found = self._typed(name, str, default)
        check_texts(self.where, [found])
        return found

    def maybe_text(self, name: str) -> str | None:
        return None if self.values.get(name) is None else self.text(name)

    def flag(self, name: str, default: bool | None = None) -> bool:
        return self._typed(name, bool, default)

    def maybe_flag(self, name: str) -> bool | None:
        return None if self.values.get(name) is None else self.flag(name)

    def number(self, name: str, most: int, default: int | None = None) -> int:
        found = self._typed(name, int, default)
        if isinstance(found, bool) or not 0 <= found <= most:
            raise TokenizerFileError.saying(
                "The field {name!r} of {where} should be a whole number from 0 to {most:,}.",
                name=name,
                where=self.where,
                most=most,
            )
        return found

    def items(self, name: str) -> list[Any]:
        return self._typed(name, list, None)

    def object(self, name: str) -> dict[str, Any]:
        return self._typed(name, dict, None)

    def maybe_object(self, name: str) -> dict[str, Any] | None:
        return None if self.values.get(name) is None else self.object(name)

    def _typed(self, name: str, kind: type[_Kind], default: _Kind | None) -> _Kind:
        if name not in self.values:
            if default is None:
                raise TokenizerFileError.saying(
                    "The field {name!r} of {where} is missing.", name=name, where=self.where
                )
            return default
        value = self.values[name]
        if not isinstance(value, kind):
            raise TokenizerFileError.saying(
                "The field {name!r} of {where} should be {called}, but it is {kind}.",
                name=name,
                where=self.where,
                called=_WANTED[kind],
                kind=_kind(value),
            )
        return value
