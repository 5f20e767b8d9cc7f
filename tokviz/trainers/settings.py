"""How a trainer's settings are declared: dataclass fields that also tell a form what to draw."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from tokviz.basics.arguments import Shown, check_kind
from tokviz.basics.errors import SettingError as SettingError
from tokviz.basics.messages import Message, counted, message


@dataclass(frozen=True)
class Setting:
    """What a form needs to know of one field: its label, a sentence of help, what it may be.

    Where `follows` is given, `default` stands for what that says of the vocabulary size.
    """

    name: str
    label: str
    help: str
    default: Any
    choices: tuple[str, ...] = ()
    least: float | None = None
    greatest: float | None = None
    advanced: bool = False
    follows: Callable[[int], Any] | None = None

    def usual(self, vocab_size: int) -> Any:
        """The value where nobody gives one.

        >>> from tokviz.trainers import TRAINERS
        >>> seeds = settings_of(TRAINERS["unigram"])[0]
        >>> seeds.usual(60), seeds.usual(4000)
        (300, 12000)
        """
        return self.default if self.follows is None else self.follows(vocab_size)


def setting(
    default: Any,
    label: str,
    help: str,
    choices: Sequence[str] = (),
    least: float | None = None,
    greatest: float | None = None,
    advanced: bool = False,
    follows: Callable[[int], Any] | None = None,
) -> Any:
    """A dataclass field with everything that `settings_of` and `check` read back."""
    notes = {
        "label": label,
        "help": help,
        "choices": tuple(choices),
        "least": least,
        "greatest": greatest,
        "advanced": advanced,
        "follows": follows,
    }
    return field(default=default, metadata=notes)


# --- settings that several trainers have; a field belongs to one class, so these make one ---------


def vocab_size_setting() -> Any:
    return setting(
        50,
        message("Vocabulary size"),
        message("Special tokens and alphabet included."),
        least=1,
    )


def unit_setting() -> Any:
    return setting(
        "char",
        message("Unit"),
        message("What training starts from: characters, or UTF-8 bytes."),
        ("char", "byte"),
    )


def min_frequency_setting() -> Any:
    return setting(
        1,
        message("Least frequency"),
        message("Stop when the best pair occurs less often than this."),
        least=1,
        advanced=True,
    )


def special_tokens_setting() -> Any:
    return setting(
        (),
        message("Special tokens"),
        message("Take the first ids; kept whole wherever they occur."),
        advanced=True,
    )


def initial_alphabet_setting() -> Any:
    return setting(
        (),
        message("Initial alphabet"),
        message(
            'Symbols that get an id even if they do not occur; "bytes" stands for all 256 bytes.'
        ),
        advanced=True,
    )


def settings_of(trainer: Any) -> tuple[Setting, ...]:
    """The settings of a trainer (class or instance), in order, without the vocabulary size.

    >>> from tokviz.trainers import TRAINERS
    >>> [s.name for s in settings_of(TRAINERS["wordpiece"])]
    ['score', 'min_frequency', 'special_tokens', 'initial_alphabet']
    """
    return _settings_of(trainer if isinstance(trainer, type) else type(trainer))


@cache
def _settings_of(kind: Any) -> tuple[Setting, ...]:
    return tuple(
        Setting(f.name, default=f.default, **f.metadata)
        for f in fields(kind)
        if f.metadata and f.name != "vocab_size"
    )


def check(trainer: Any) -> None:
    """Gives the settings that follow the vocabulary size, and were not given, their values.

    Raises SettingError for the first setting of a trainer that is out of its range.

    >>> from tokviz.trainers import TRAINERS
    >>> TRAINERS["bpe"](vocab_size=50, min_frequency=0)
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: min_frequency=0 is too small; the least is 1.
    """
    for f in fields(trainer):
        if not f.metadata:
            continue
        value, notes = getattr(trainer, f.name), f.metadata
        if notes["choices"] and not (isinstance(value, str) and value in notes["choices"]):
            known = ", ".join(notes["choices"])
            raise SettingError.saying(
                "{name}={value!r} is not known; choose one of {known}.",
                name=f.name,
                value=Shown(value),
                known=known,
            )
        if isinstance(f.default, tuple):
            _check_strings(f.name, value)
        else:
            check_kind(f.name, value, type(f.default))
        _check_characters(f.name, value)
        if notes["least"] is not None and value < notes["least"]:
            raise SettingError.saying(
                "{name}={value} is too small; the least is {least}.",
                name=f.name,
                value=value,
                least=notes["least"],
            )
        if notes["greatest"] is not None and value > notes["greatest"]:
            raise SettingError.saying(
                "{name}={value} is too large; the greatest is {greatest}.",
                name=f.name,
                value=value,
                greatest=notes["greatest"],
            )
        if notes["follows"] is not None and value == f.default:
            object.__setattr__(trainer, f.name, notes["follows"](trainer.vocab_size))


def _check_strings(name: str, value: Any) -> None:
    if not isinstance(value, tuple) or not all(isinstance(s, str) and s for s in value):
        raise SettingError.saying(
            "{name}={value!r} must be a list of texts, none of them empty.",
            name=name,
            value=Shown(value),
        )
    if len(set(value)) < len(value):
        raise SettingError.saying(
            "{name} holds {value!r}; name each only once.", name=name, value=value
        )


def _check_characters(name: str, value: Any) -> None:
    """What marks a token stands in every table, and none can hold half a surrogate pair."""
    if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
        raise SettingError.saying(
            "{name}={value!r} holds half a surrogate pair, which is no character; leave it out.",
            name=name,
            value=value,
        )


def alphabet_of(characters: int, special: int) -> Message:
    """What the smallest vocabulary has, as `check_vocab_size` calls it.

    >>> alphabet_of(7, 0), alphabet_of(7, 2)
    ('the alphabet (7 characters)', '2 special tokens and the alphabet (7 characters)')
    """
    alphabet = counted("the alphabet ({n} character)", "the alphabet ({n} characters)", characters)
    if not special:
        return alphabet
    tokens = counted("{n} special token", "{n} special tokens", special)
    return message("{tokens} and {alphabet}", tokens=tokens, alphabet=alphabet)


def check_vocab_size(vocab_size: int, least: int, what: str) -> None:
    """Raises SettingError if the vocabulary cannot be that small.

    >>> check_vocab_size(5, 7, "the alphabet")
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: A vocabulary size of 5 is too small: it must hold the \
alphabet, so ask for at least 7.
    """
    if vocab_size < least:
        raise SettingError.saying(
            "A vocabulary size of {vocab_size} is too small: it must hold {what}, so ask for at "
            "least {least}.",
            vocab_size=vocab_size,
            what=what,
            least=least,
        )
