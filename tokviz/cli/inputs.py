"""What commands read: corpora, saved runs, lines of text, and settings written as name=value."""

import argparse
import shlex
import sys
import zipfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import tokviz
from tokviz.cli.terminal import complain, progress_bar
from tokviz.counting.table_file import read_table
from tokviz.history.base import History
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.languages import by_language
from tokviz.text.word_table import read_word_table
from tokviz.trainers import settings_of
from tokviz.trainers.reached import unreached, unwarned
from tokviz.trainers.settings import Setting

#: Yes and no, as people write them.
_TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}

#: What is told beside a trainer's own settings, by name.
_BESIDE = {
    "vocab_size": Setting("vocab_size", "", "", 0),
    "pretokenizer": Setting("pretokenizer", "", "", ""),
    "pattern": Setting("pattern", "", "", ""),
}


def languages_option(parser: ArgumentParser) -> None:
    """The option that a text has several languages; `read_corpus` is told of it."""
    parser.add_argument(
        "--languages",
        action="store_true",
        help="the text has lines such as === English ===, at which a language begins: nothing is "
        "trained on these lines, and parity-bpe alone is told of the languages",
    )


def is_table(name: str) -> bool:
    """Whether a file is a table of words, by its name.

    >>> is_table("words.CSV"), is_table("text.txt")
    (True, False)
    """
    return name.lower().endswith((".parquet", ".csv", ".tsv"))


def read_corpus(name: str, languages: bool = False) -> Any:
    """The corpus in a file (- is standard input): a text, word → count from .csv and .tsv, or
    counted words from .parquet; of a text in `languages` language → text.

    Raises OSError, and ValueError for what is no UTF-8 or no word-count table, and for a table in
    languages.
    """
    if languages and is_table(name):
        raise ValueError(f"--languages needs a text, and {name} is a table of words.")
    if name.lower().endswith(".parquet"):
        return read_table(name)
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 (byte {error.start}); save it as UTF-8.") from None
    if languages:
        return by_language(text)
    return read_word_table(text) if name.lower().endswith((".csv", ".tsv")) else text


def trained(corpus: Any, quiet: bool, label: str = "", **settings: Any) -> History:
    """`tokviz.train` with a progress bar. Where the size was not reached a line on standard error
    says so."""
    with progress_bar(not quiet, label) as progress, unwarned():
        history: History = tokviz.train(corpus, progress=progress, **settings)
    if said := unreached(history, history.trainer.vocab_size):
        complain(f"{label}{said}")
    return history


def is_run(path: str) -> bool:
    """Whether a file may be a saved history: those are archives, and no tokenizer file is one.
    Raises OSError if it cannot be read."""
    with Path(path).open("rb") as file:
        return zipfile.is_zipfile(file)


def state_of(history: tokviz.History, step: int | None, option: str = "--step") -> int:
    """The state that was asked for, the last one if none was. Raises ValueError if there is none
    such."""
    t = len(history) if step is None else step
    try:
        history.check_state(t)
    except IndexError as error:
        raise ValueError(f"{option} {t} is not possible: {error}") from None
    return t


def input_lines() -> Iterator[str]:
    """The lines of standard input as they come, without their ends. Raises ValueError for what is
    no UTF-8."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"line {number} is not UTF-8 (byte {error.start} of it); save it as UTF-8."
            ) from None
        yield text.removesuffix("\n").removesuffix("\r")


def pretokenizer_options(parser: ArgumentParser) -> None:
    """The options that say how a text is cut into words; `chosen_pretokenizer` reads them."""
    parser.add_argument(
        "--pretokenizer",
        choices=list(tokviz.PRETOKENIZERS),
        help="how a text is cut into words; without it as the algorithm usually is: "
        + usual_pretokenizers(),
    )
    parser.add_argument("--pattern", help="the pattern of the regex pre-tokenizer")


def chosen_pretokenizer(name: str | None, pattern: str | None) -> Any:
    """The pre-tokenizer by its name and the pattern of the regex one; None for the usual one.

    Raises ValueError for a pattern of another pre-tokenizer, and one that cannot be used.
    """
    if pattern is None:
        return name
    if name not in (None, "regex"):
        raise ValueError("--pattern needs --pretokenizer regex.")
    return make_pretokenizer("regex", pattern=pattern)


def usual_pretokenizers() -> str:
    """The pre-tokenizer of each algorithm where none is given, for help.

    >>> usual_pretokenizers()[:27]
    'gpt2 for bpe, bert for word'
    """
    kinds = tokviz.TRAINERS.items()
    return ", ".join(f"{kind.default_pretokenizer} for {name}" for name, kind in kinds)


def setting_names() -> list[str]:
    """The names of every setting of every trainer."""
    return list(_settings())


def _settings() -> dict[str, Setting]:
    """Every setting once, with the choices of all trainers that have it."""
    found: dict[str, Setting] = {}
    for kind in tokviz.TRAINERS.values():
        for setting in settings_of(kind):
            before = found[setting.name].choices if setting.name in found else ()
            choices = tuple(dict.fromkeys([*before, *setting.choices]))
            found[setting.name] = replace(setting, choices=choices)
    return found


def setting_options(parser: ArgumentParser, names: Iterable[str]) -> None:
    """An option for each of these settings of the trainers, made from the trainers' fields, and
    grouped by the algorithms that have them."""
    settings = _settings()
    groups: dict[str, Any] = {}
    for name in names:
        setting, defaults = settings[name], _defaults(name)
        title = f"settings of {' and '.join(', '.join(defaults).rsplit(', ', 1))}"
        if title not in groups:
            groups[title] = parser.add_argument_group(title)
        option = "--" + name.replace("_", "-")
        # argparse reads % as the start of a format.
        said = f"{setting.help} {_default(defaults)}".replace("%", "%%")
        if isinstance(setting.default, bool):
            groups[title].add_argument(option, action=argparse.BooleanOptionalAction, help=said)
        elif isinstance(setting.default, tuple):
            groups[title].add_argument(option, nargs="*", help=said)
        else:
            groups[title].add_argument(
                option, type=type(setting.default), choices=setting.choices or None, help=said
            )


def _defaults(name: str) -> dict[str, str]:
    """What a setting is if it is not given, by the algorithms that have it."""
    found = {}
    for owner, kind in tokviz.TRAINERS.items():
        for setting in settings_of(kind):
            if setting.name == name:
                found[owner] = _said(setting.default)
    return found


def _said(value: Any) -> str:
    """A value for the help of an option.

    >>> _said(0.75), _said(True), _said(()), _said(("a", "b"))
    ('0.75', 'on', 'none', 'a b')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return (" ".join(value) if isinstance(value, tuple) else str(value)) or "none"


def _default(defaults: dict[str, str]) -> str:
    """The sentence about them.

    >>> _default({"bpe": "1", "wordpiece": "1"}), _default({"bpe": "1", "wordpiece": "2"})
    ('Default: 1.', 'Default: 1 for bpe, 2 for wordpiece.')
    """
    values = [*dict.fromkeys(defaults.values())]
    if len(values) == 1:
        return f"Default: {values[0]}."
    return f"Default: {', '.join(f'{value} for {owner}' for owner, value in defaults.items())}."


def given_settings(options: Namespace, algorithm: str, names: Iterable[str]) -> dict[str, Any]:
    """What those options say. Raises ValueError for what the algorithm does not have."""
    own = {setting.name for setting in settings_of(tokviz.TRAINERS[algorithm])}
    told = {name: getattr(options, name) for name in names}
    given = {name: value for name, value in told.items() if value is not None}
    for name in given:
        if name not in own:
            raise ValueError(f"{algorithm} has no --{name.replace('_', '-')}; leave it out.")
    return given


def lane_settings(spec: str) -> dict[str, Any]:
    """What `tokviz.train` is told for a lane: an algorithm or `preset=NAME`, then name=value, with
    quotes as in a shell. Lists have commas between their values.

    Raises ValueError for what is no such lane.

    >>> lane_settings("bpe vocab_size=60 suffix_glued=no special_tokens=<s>,</s>")
    {'algorithm': 'bpe', 'vocab_size': 60, 'suffix_glued': False, 'special_tokens': ('<s>', '</s>')}
    """
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise ValueError(f"the lane {spec!r} cannot be read: {error}.") from None
    settings: dict[str, Any] = {}
    if words and "=" not in words[0]:
        settings["algorithm"] = words.pop(0)
    elif words and words[0].startswith("preset="):
        settings |= _preset(words.pop(0).removeprefix("preset="))
    algorithm = settings.get("algorithm")
    if algorithm not in tokviz.TRAINERS:
        raise ValueError(
            f"the lane {spec!r} does not begin with an algorithm ({', '.join(tokviz.TRAINERS)}) or "
            "preset=NAME, and it is no file either."
        )
    known = _BESIDE | {s.name: s for s in settings_of(tokviz.TRAINERS[algorithm])}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if not equals or name not in known:
            raise ValueError(
                f"{word!r} is no setting of {algorithm}; write name=value with one of "
                f"{', '.join(known)}."
            )
        settings[name] = _value(known[name], value)
    if "pattern" in settings:
        pattern = settings.pop("pattern")
        settings["pretokenizer"] = chosen_pretokenizer(settings.get("pretokenizer"), pattern)
    if "vocab_size" not in settings:
        raise ValueError(f"the lane {spec!r} needs a size; add vocab_size=NUMBER.")
    return settings


def _preset(name: str) -> dict[str, Any]:
    if name not in tokviz.PRESETS:
        raise ValueError(f"preset={name} is not known; choose {', '.join(tokviz.PRESETS)}.")
    return dict(tokviz.PRESETS[name].settings)


def _value(setting: Setting, text: str) -> Any:
    """A setting's value from text, of the kind that its default has."""
    kind = type(setting.default)
    if kind is tuple:
        return tuple(filter(None, text.split(",")))
    if kind is bool:
        if text.lower() not in _TRUTH:
            raise ValueError(f"{setting.name}={text} is neither yes nor no.")
        return _TRUTH[text.lower()]
    try:
        return kind(text)
    except ValueError:
        what = "whole number" if kind is int else "number"
        raise ValueError(f"{setting.name}={text} is no {what}.") from None
