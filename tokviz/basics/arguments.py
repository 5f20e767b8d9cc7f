"""What calls are given, looked at before anything is done with it.

Numbers of numpy are taken for the numbers that they are.
"""

import os
from typing import Any

import numpy as np

from tokviz.basics.errors import CorpusError, FileError, SettingError
from tokviz.basics.messages import message

#: Characters of a value that a sentence shows.
_MOST_SHOWN = 80


class Shown(str):
    """A value in a sentence: as Python writes it, or by its kind where that is long or of several
    lines.

    >>> Shown(" a"), Shown(list(range(99)))
    (' a', list)
    """

    __slots__ = ()

    def __new__(cls, value: object) -> "Shown":
        written = repr(value)
        long = len(written) > _MOST_SHOWN or "\n" in written
        return super().__new__(cls, kind_of(value) if long else written)

    def __reduce__(self) -> tuple[Any, ...]:
        return str.__new__, (Shown, str(self))

    def __repr__(self) -> str:
        return str(self)


def kind_of(value: object) -> str:
    """What a value is called in a sentence.

    >>> kind_of(None), kind_of(b"a"), kind_of(int)
    ('None', 'bytes', 'type')
    """
    return "None" if value is None else type(value).__name__


def plain(value: Any) -> Any:
    """A number of numpy as one of Python; anything else as it is.

    >>> plain(np.int64(5)), plain("5")
    (5, '5')
    """
    return value.item() if isinstance(value, np.generic) else value


def fits(value: Any, kind: type) -> bool:
    """Whether a value is of a kind; whole numbers are numbers too, and bool is none of both.

    >>> fits(1, float), fits(True, int), fits(float("nan"), float)
    (True, False, False)
    """
    if isinstance(value, bool):
        return kind is bool
    # What is not a number (nan) is neither too small nor too large.
    return isinstance(value, int | float if kind is float else kind) and value == value


def check_kind(name: str, value: Any, kind: type) -> None:
    """Raises SettingError for a value that is not of its kind: int, float, str or bool.

    >>> check_kind("n", "5", int)
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: n='5' must be a whole number.
    """
    if not fits(value, kind):
        kinds = {
            int: message("a whole number"),
            float: message("a number"),
            str: message("text"),
            bool: message("yes or no"),
        }
        raise SettingError.saying(
            "{name}={value!r} must be {kind}.", name=name, value=Shown(value), kind=kinds[kind]
        )


def whole(name: str, value: Any, least: int | None = None) -> int:
    """A whole number, of numpy too. Raises SettingError for what is none or is too small.

    >>> whole("n", np.int32(3), 1)
    3
    >>> whole("n", 0, 1)
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: n=0 is too small; the least is 1.
    """
    number = plain(value)
    check_kind(name, number, int)
    if least is not None and number < least:
        raise SettingError.saying(
            "{name}={value} is too small; the least is {least}.",
            name=name,
            value=number,
            least=least,
        )
    return int(number)


def check_callable(name: str, value: object) -> None:
    """Raises SettingError for what is neither None nor a function.

    >>> check_callable("progress", True)
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: progress=True cannot be called; pass a function, or leave \
it out.
    """
    if value is not None and not callable(value):
        raise SettingError.saying(
            "{name}={value!r} cannot be called; pass a function, or leave it out.",
            name=name,
            value=Shown(value),
        )


def check_text(text: object) -> None:
    """Raises CorpusError for what is no text to encode.

    >>> check_text(5)
    Traceback (most recent call last):
    tokviz.basics.errors.CorpusError: a text is to be encoded, but this is int; pass text.
    """
    if isinstance(text, str):
        return
    if isinstance(text, bytes | bytearray):
        raise CorpusError.saying(
            "a text is to be encoded, but this is {kind}; decode it first, as in "
            'data.decode("utf-8").',
            kind=kind_of(text),
        )
    if isinstance(text, list | tuple):
        raise CorpusError.saying(
            "one text is to be encoded, but this is {kind}; encode its texts one by one.",
            kind=kind_of(text),
        )
    raise CorpusError.saying(
        "a text is to be encoded, but this is {kind}; pass text.", kind=kind_of(text)
    )


def check_path(path: object) -> None:
    """Raises FileError for what no file can be called.

    >>> check_path(5)
    Traceback (most recent call last):
    tokviz.basics.errors.FileError: 5 is no path; pass the name of a file as text or pathlib.Path.
    """
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path) or not str(path):
        raise FileError.saying(
            "{path} is no path; pass the name of a file as text or pathlib.Path.", path=Shown(path)
        )
