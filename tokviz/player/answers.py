"""Streamlit components that draw an answer of the server and send the next request."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import PLAYER_SHEETS, component_name, script, style


@st.cache_resource(show_spinner=False)
def _component(name: str, module: str, kind: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name,
        html=f'<div class="tv-player {kind}"></div>',
        # It may stand below a player: the last copy of a sheet that both have counts.
        css=style(*PLAYER_SHEETS, module),
        js=script(module),
        isolate_styles=False,
    )


def draw_answer(name: str, kind: str, data: bytes, key: str) -> None:
    """Draw an answer with the script and style sheet `name`, in an element of class `kind`. The
    next request is in the session state, under `asked` of `key`."""
    component = _component(component_name(name), name, kind)
    component(data=data, key=key, default={"asked": None}, on_asked_change=_nothing)


def _nothing() -> None:
    """Do nothing: the rerun is enough."""
