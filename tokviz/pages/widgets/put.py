"""Set the value of a widget while a browser may be telling the old one.

Each message of a browser has the values of all widgets. One that was sent before the browser drew
what Python had set has the old value, and Streamlit takes that for a choice of the visitor: the
page goes back to it, while the browser marks what was set. So a widget gets another key with each
value that is put into it. What is told of an old key is a choice only if it differs from what the
widget had when it was replaced.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

_WIDGETS = "widgets"
#: How many keys a widget has in turn. Streamlit keeps something for each of them.
KEYS = 16


@dataclass
class _Widget:
    """What a widget has, and whether that was put there and not drawn yet; how often one was put,
    whether a browser may know the present key, and what its other keys had when they were replaced.
    """

    value: Any = None
    is_put: bool = False
    number: int = 0
    is_known: bool = False
    had: dict[str, Any] = field(default_factory=dict)


def key_of(name: str) -> str:
    """Return the present key of a widget; it is the name until a value is put into it."""
    number = _widget(name).number
    return f"{name}-{number}" if number else name


def value_of(name: str, otherwise: Any = None) -> Any:
    """Return what a widget has."""
    widget = _widget(name)
    value = widget.value if widget.is_put else st.session_state.get(key_of(name), widget.value)
    return otherwise if value is None else value


def put(name: str, value: Any) -> None:
    """Set what a widget has, under a new key if a browser may know the present one."""
    widget, before = _widget(name), value_of(name)
    if widget.is_known and value != before:
        widget.had[key_of(name)] = before
        widget.number, widget.is_known = (widget.number + 1) % KEYS, False
        widget.had.pop(key_of(name), None)
    widget.value, widget.is_put = value, True


def keyed(name: str, usual: Any, chosen: Callable[[Any], None] | None = None) -> dict[str, Any]:
    """Return the arguments with which a widget is drawn now; `usual` is what it has at first, and
    `chosen` is called with what the visitor chooses. What it has outlives the page. (Streamlit's
    `persist_state` would set it again where a message does not tell it, and so in place of a later
    choice; a widget that only comes and goes with the fragment around it needs that.)"""
    widget, key = _widget(name), key_of(name)
    widget.value = value_of(name, usual)
    if widget.is_put or key not in st.session_state:
        st.session_state[key] = widget.value
    widget.is_put, widget.is_known = False, True
    return {"key": key, "on_change": _take, "args": (name, key, chosen)}


def _take(name: str, key: str, chosen: Callable[[Any], None] | None) -> None:
    """Take a choice, also one that was made before the browser drew the widget that replaced this
    one."""
    had, value = _widget(name).had, st.session_state[key]
    if key != key_of(name):
        if value == had.get(key, value):
            return
        put(name, value)
        had[key] = value
    if chosen:
        chosen(value)


def _widget(name: str) -> _Widget:
    known: dict[str, _Widget] = st.session_state.setdefault(_WIDGETS, {})
    return known.setdefault(name, _Widget())
