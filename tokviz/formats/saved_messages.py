"""Messages in a file: how a text was made, so that whoever opens it reads it in their language.

A file may come from anybody. What is read must be made of plain values and make the very text that
stands beside it, and must be sayable in every language; else the text is only a text.
"""

import string
from typing import Any

from tokviz.basics.messages import Joined, Message, here, joined, languages, using

#: Messages inside messages.
_MOST_DEPTH = 5


def made_of(said: str) -> Any:
    """How a text was made, for JSON; None if that cannot be told.

    >>> from tokviz.basics.messages import message
    >>> made_of(message("{n} of {m}", n=1, m=message("all")))
    {'said': '{n} of {m}', 'values': {'n': 1, 'm': {'said': 'all', 'values': {}}}}
    >>> made_of("a text"), made_of(message("{n}", n=[1]))
    (None, None)
    """
    try:
        return _packed(said) if isinstance(said, Message) else None
    except TypeError:
        return None


def _packed(value: Any) -> Any:
    if isinstance(value, Joined):
        return {"parts": [_packed(part) for part in value.parts]}
    # Which plural it is depends on the language: those of a file could not be checked.
    if isinstance(value, Message) and not value.many:
        values = {name: _packed(inner) for name, inner in value.values.items()}
        return {"said": value.msgid, "values": values}
    if type(value) in (str, int, float):
        return value
    raise TypeError


#: What unpacking and formatting raise for what makes no sense.
_DAMAGED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def message_of(text: str, made: Any) -> str:
    """The message that a file says a text was made of, if it makes that text; else the text.

    >>> message_of("1 of all", {"said": "{n} of {m}", "values": {"n": 1, "m": "all"}}).msgid
    '{n} of {m}'
    >>> type(message_of("2 of all", {"said": "{n} of {m}", "values": {"n": 1, "m": "all"}}))
    <class 'str'>
    """
    try:
        found = _unpacked(made, _MOST_DEPTH)
        if not isinstance(found, Message) or found != text:
            return text
        for language in languages():
            with using(language):
                here(found)
    except _DAMAGED:
        return text
    return found


def _unpacked(made: Any, depth: int) -> str | int | float:
    """Raises any error for what is no such thing."""
    if type(made) in (str, int, float):
        plain: str | int | float = made
        return plain
    if not depth or not isinstance(made, dict):
        raise TypeError
    if set(made) == {"parts"}:
        return joined([_text(_unpacked(part, depth - 1)) for part in made["parts"]])
    if set(made) != {"said", "values"}:
        raise TypeError
    values = {name: _unpacked(value, depth - 1) for name, value in made["values"].items()}
    for _before, name, form, conversion in string.Formatter().parse(made["said"]) if values else ():
        # No attributes, and no width: a text of any length could be asked for.
        if name is not None and (name not in values or form not in ("", ",") or conversion):
            raise ValueError
    return Message(_text(made["said"]), "", 0, values)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
