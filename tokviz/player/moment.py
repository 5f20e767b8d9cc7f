"""The moment on which a player's scrubber settled, and a component that hears of it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

import streamlit as st

from tokviz.analysis.axis import ALIGNMENTS
from tokviz.player.assets import component_name, script


class Moment(NamedTuple):
    """Where a scrubber stands: its position, and the state of each lane there."""

    align: str
    position: int
    states: tuple[int, ...]


def hear_moment(key: str) -> None:
    """Has the fragment around this drawn anew when the player settles, and not the player's own. On
    which moment it settled is in the session's state, under the key's `moment` (see `moment_of`).
    """
    _component(component_name("moment"))(
        key=key, default={"moment": None}, on_moment_change=_nothing
    )


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("moment"), isolate_styles=False
    )


def moment_of(told: Iterable[Any], name: str) -> Moment | None:
    """The last moment of the player of that name, among those that a browser told, which anybody
    may have written; None if there is none.

    >>> said = {"id": "0/1c", "number": 7, "align": "step", "position": 3, "states": [3]}
    >>> later = {**said, "number": 8, "align": "size", "states": [2]}
    >>> moment_of([None, later, said], "0/1c")
    Moment(align='size', position=3, states=(2,))
    >>> moment_of([said], "1/1c") is None
    True
    >>> moment_of([{**said, "position": "3"}], "0/1c") is None
    True
    """
    # Streamlit keeps what the player of another run or visit told last.
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
    """A change of the moment needs no more than the rerun that it brings."""
