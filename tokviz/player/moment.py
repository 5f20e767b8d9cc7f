"""The position at which the player stopped, and a component that reports it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

import streamlit as st

from tokviz.analysis.axis import ALIGNMENTS
from tokviz.player.assets import component_name, script


class Moment(NamedTuple):
    """A position of the player, and the state of each lane there."""

    align: str
    position: int
    states: tuple[int, ...]


def hear_moment(key: str) -> None:
    """Rerun the fragment around this component, not the player's own, when the player stops. The
    moment is in the session state, under `moment` of `key` (see `moment_of`)."""
    _component(component_name("moment"))(
        key=key, default={"moment": None}, on_moment_change=_nothing
    )


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("moment"), isolate_styles=False
    )


def moment_of(told: Iterable[Any], name: str) -> Moment | None:
    """Return the last moment of the player `name` among the browser's messages, which may have been
    tampered with, or None.

    >>> said = {"id": "0/1c", "number": 7, "align": "step", "position": 3, "states": [3]}
    >>> later = {**said, "number": 8, "align": "size", "states": [2]}
    >>> moment_of([None, later, said], "0/1c")
    Moment(align='size', position=3, states=(2,))
    >>> moment_of([said], "1/1c") is None
    True
    >>> moment_of([{**said, "position": "3"}], "0/1c") is None
    True
    """
    # Streamlit also keeps the last messages of other players.
    own = [said for said in told if isinstance(said, dict) and said.get("id") == name]
    return _read(max(own, key=_number)) if own else None


def _number(said: Mapping[str, Any]) -> int:
    number = said.get("number")
    return number if type(number) is int else 0


def _read(said: Mapping[str, Any]) -> Moment | None:
    align, position, states = said.get("align"), said.get("position"), said.get("states")
    if align not in ALIGNMENTS or not isinstance(states, list):
        return None
    if not all(type(n) is int and n >= 0 for n in (position, *states)):
        return None
    return Moment(align, cast(int, position), tuple(states))


def _nothing() -> None:
    """Do nothing: the rerun is enough."""
