"""What scripts and command lines are promised: names that can be imported and how they are called,
and the options of commands. What comes later is no difference."""

import importlib
import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any

from compat import meaning


def of_options(options: Iterable[Any]) -> dict[str, Any]:
    """What a command can be told, an option a name; new ones are no difference."""
    found = {}
    for option in options:
        if option.dest == "help":
            continue
        choices = None if option.choices is None else sorted(map(str, option.choices))
        said = [*option.option_strings, option.nargs, option.required, choices, option.metavar]
        name = "/".join(option.option_strings) or option.dest
        found[name] = meaning.whole([*said, option.default])
    return {"options": json.loads(json.dumps(found))}


def of_name(module: str, name: str) -> dict[str, Any]:
    """What a module calls so: how it is called, what it has, what is listed in it."""
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        return {"there": type(error).__name__}
    parts: dict[str, Any] = {"there": True}
    if isinstance(found, Mapping):
        parts["entries"] = {str(key): _described(value) for key, value in found.items()}
    elif inspect.isfunction(found) or (
        # How errors are made is not promised, and every Python tells of it in its own way.
        inspect.isclass(found) and not issubclass(found, BaseException)
    ):
        parts["call"] = _call(found)
    if inspect.isclass(found):
        members = {key: inspect.getattr_static(found, key) for key in dir(found) if key[0] != "_"}
        parts["members"] = {key: _member(value) for key, value in members.items()}
    elif not callable(found):
        parts["value"] = _described(found)
    return parts


def _member(value: Any) -> Any:
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    return _call(value) if inspect.isfunction(value) else "value"


def _call(found: Any) -> dict[str, Any]:
    """How something is called: its parameters by name, and those that must be given."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return {}
    positional = [p.name for p in parameters if p.kind <= p.POSITIONAL_OR_KEYWORD]
    called: dict[str, Any] = {}
    for p in parameters:
        place = positional.index(p.name) if p.name in positional else p.kind.name
        default = "" if p.default is p.empty else _described(p.default)
        called[p.name] = [place, default]
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    called["must be given"] = [
        p.name for p in parameters if p.default is p.empty and p.kind not in variable
    ]
    return called


def _described(value: Any) -> Any:
    """A value as far as it is plain; of anything else its kind, and its settings if it has some."""
    if value is None or isinstance(value, bool | int | float | str):
        return meaning.whole(value if not isinstance(value, str) else str(value))
    if isinstance(value, tuple | list):
        return [_described(item) for item in value]
    if hasattr(value, "settings") and isinstance(value.settings, Mapping):
        return {key: _described(item) for key, item in value.settings.items()}
    if isinstance(value, type):
        return value.__name__
    if hasattr(value, "__dataclass_fields__"):
        fields = [field for field in value.__dataclass_fields__ if not field.startswith("_")]
        return [type(value).__name__, {f: _described(getattr(value, f)) for f in fields}]
    return type(value).__name__
