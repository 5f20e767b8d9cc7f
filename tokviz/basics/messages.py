"""What people read, in their language.

The engine says everything in English, as a `Message`: a string that remembers how it was made. A
screen says it `here`, in the language of whoever looks at it, out of gettext catalogs
(`locale/LANGUAGE/LC_MESSAGES/tokviz.mo`); what no catalog knows stays English. So a history that
was trained for one person can be read by another one in another language.

In the code `message` and `counted` (with a plural) make messages, `_` and `_n` say them here.
"""

import gettext
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

LOCALE = Path(__file__).parent / "locale"
DOMAIN, ENGLISH = "tokviz", "en"


class Message(str):
    """An English sentence that can be said in another language: what it was made of is kept.

    It is a `str` like any other; what is cut out of it or added to it is no message any more.
    """

    __slots__ = ("many", "msgid", "n", "values")
    msgid: str
    many: str
    n: int
    values: dict[str, Any]

    def __new__(cls, msgid: str, many: str, n: int, values: dict[str, Any]) -> "Message":
        chosen = msgid if n == 1 or not many else many
        made = super().__new__(cls, _formatted(chosen, values))
        made.msgid, made.many, made.n, made.values = msgid, many, n, values
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.msgid, self.many, self.n, self.values)


class Joined(Message):
    """Messages one after another, in the order that the text gives them."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> "Joined":
        kept = tuple(parts)
        made = str.__new__(cls, "".join(kept))
        made.msgid, made.many, made.n, made.values, made.parts = "", "", 0, {}, kept
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Joined, (self.parts,)


class _Format(string.Formatter):
    """`str.format`, where values that are messages are said in the language of the sentence."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return format(here(value) if isinstance(value, Message) else value, format_spec)


_FORMAT = _Format()


def _formatted(text: str, values: dict[str, Any]) -> str:
    """Without values a text stays as it is, its braces too."""
    return text.format(**values) if values else text


def message(msgid: str, /, **values: Any) -> Message:
    """A sentence with its values: the braces are those of `str.format`. Without values they are
    plain braces.

    >>> message("{n:,} tokens of {name}", n=1200, name="mine")
    '1,200 tokens of mine'
    """
    return Message(msgid, "", 0, values)


def counted(one: str, many: str, n: int, /, **values: Any) -> Message:
    """A sentence about `n` things, which stands in it as `{n}`, with thousands separators.

    >>> [counted("{n} token", "{n} tokens", n) for n in (1, 1200)]
    ['1 token', '1,200 tokens']
    """
    return Message(one, many, n, {"n": f"{n:,}", **values})


def joined(parts: Iterable[str]) -> Joined:
    """Messages, and other text between them, one after another.

    >>> joined([message("One."), " ", message("Two.")])
    'One. Two.'
    """
    return Joined(parts)


def sentences(*said: str) -> str:
    """Sentences one after another, with what a language puts between two; none for empty ones.

    >>> sentences(message("One."), "", message("Two."))
    'One. Two.'
    """
    found = [sentence for sentence in said if sentence]
    whole = found[0] if found else ""
    for sentence in found[1:]:
        # Translators: two sentences, one after the other.
        whole = message("{first} {second}", first=whole, second=sentence)
    return whole


def listed(items: Iterable[str]) -> str:
    """Things in a row, with what a language puts between two.

    >>> listed(["a", "b"])
    'a, b'
    """
    # Translators: between two things in a list.
    comma = message(", ")
    return joined([part for item in items for part in (comma, item)][1:])


_CHOSEN: ContextVar[str] = ContextVar("language")
_asked: list[Callable[[], str]] = [lambda: ENGLISH]


def current() -> str:
    """The language in which things are said: that of `using`, or else what a screen asks for."""
    return _CHOSEN.get(None) or _asked[-1]()


@contextmanager
def using(language: str) -> Iterator[None]:
    """Says things in a language, in this thread, until the end of the block.

    >>> with using("en"):
    ...     current()
    'en'
    """
    token = _CHOSEN.set(language)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def follow(asked: Callable[[], str]) -> None:
    """Says things in the language that a screen asks for at that moment."""
    _asked[:] = [asked]


@cache
def catalog(language: str) -> gettext.NullTranslations:
    """The translations into a language, from its own catalog or that of its family ("zh_CN", "zh");
    none for English and for a language that has no catalog."""
    return gettext.translation(DOMAIN, LOCALE, [language], fallback=True)


def here(said: str) -> str:
    """A message in the current language; any other text as it is.

    >>> here(message("{n} of {m}", n=1, m=message("all"))), here("text")
    ('1 of all', 'text')
    """
    if isinstance(said, Joined):
        return "".join(map(here, said.parts))
    if not isinstance(said, Message):
        return said
    # The empty id is the catalog's own description.
    if not said.msgid:
        return ""
    known = catalog(current())
    text = known.ngettext(said.msgid, said.many, said.n) if said.many else known.gettext(said.msgid)
    return _FORMAT.vformat(text, (), said.values) if said.values else text


def told_by(error: BaseException) -> str:
    """What an error says, as a message if it was given one.

    >>> told_by(ValueError(message("{n} is too many", n=3))).msgid
    '{n} is too many'
    """
    only = error.args[0] if len(error.args) == 1 else None
    return only if isinstance(only, Message) else str(error)


def said_by(error: BaseException) -> str:
    """What an error says, in the current language.

    >>> said_by(ValueError(message("{n} is too many", n=3)))
    '3 is too many'
    """
    return here(told_by(error))


def _(msgid: str, /, **values: Any) -> str:
    """`message`, said in the current language."""
    return here(message(msgid, **values))


def _n(one: str, many: str, n: int, /, **values: Any) -> str:
    """`counted`, said in the current language.

    >>> _n("{n} token", "{n} tokens", 0)
    '0 tokens'
    """
    return here(counted(one, many, n, **values))


@cache
def languages() -> dict[str, str]:
    """Every language there is a catalog for, English first: its code, and how it calls itself.

    >>> languages()["en"]
    'English'
    """
    # Translators give the name of their own language here.
    own = message("English")
    found = {ENGLISH: str(own)}
    for place in sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")):
        code = place.parent.parent.name
        with using(code):
            found[code] = here(own)
    return found


def closest(wanted: str | None) -> str:
    """The language that serves best whoever asks for one as browsers do ("zh-CN", "zh-Hans-CN").

    >>> closest("en-GB"), closest("xx"), closest(None)
    ('en', 'en', 'en')
    """
    if not wanted:
        return ENGLISH
    parts = wanted.replace("_", "-").lower().split("-")
    known = {code.lower().replace("_", "-"): code for code in languages()}
    exact = known.get("-".join(parts)) or known.get("-".join([parts[0], parts[-1]]))
    family = (code for name, code in known.items() if name.split("-")[0] == parts[0])
    return exact or next(family, ENGLISH)
