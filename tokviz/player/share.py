"""Components for the link to what the page shows, and for its charts as files: only the browser has
the full address, and the charts as they look now. And the one that takes part in a room."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script, style

_KEY = "share"


@st.cache_resource(show_spinner=False)
def _component(name: str, module: str, *sheets: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name,
        html='<div class="tv-share"></div>',
        css=style(*sheets) or None,
        js=script(module),
        isolate_styles=False,
    )


def share(fits: bool) -> tuple[str, dict[str, str]]:
    """Draw the link with a copy button, unless the runs do not fit into a link. Returns the
    address, and its parameters besides the runs; empty until the browser has sent them."""
    # The component's last message is in the session state before it is drawn.
    told = (st.session_state.get(_KEY) or {}).get("said")
    said = told if isinstance(told, dict) else {}
    href, parts = str(said.get("href", "")), said.get("parts")
    data = json.dumps({"fits": fits, "known": href}).encode("ascii")
    component = _component(component_name("share"), "share")
    component(data=data, key=_KEY, default={"said": None}, on_said_change=_nothing)
    named = parts.items() if isinstance(parts, dict) else ()
    return href, {str(name): str(value) for name, value in named}


def chart_files() -> None:
    """Draw buttons that save each chart of the page as SVG and PNG, as it looks now."""
    _component(component_name("chart_files"), "chart_files")(key="chart_files")


def room(start: str, code: str, on_left: Callable[[], None]) -> None:
    """Start a room, once for each new `start`, or be in that of a code. `on_left` is called when
    there is no room any more."""
    component = _component(component_name("room"), "room", "room")
    component(data={"start": start, "code": code}, key="room", on_left_change=on_left)


def _nothing() -> None:
    """Do nothing: the rerun is enough."""
