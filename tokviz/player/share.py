"""The link to what the page shows, and its charts as files, as components: only the browser has the
whole address, and the charts as they look now."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script

_KEY = "share"


@st.cache_resource(show_spinner=False)
def _component(name: str, module: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name,
        html='<div class="tv-share"></div>',
        js=script(module),
        isolate_styles=False,
    )


def share(fits: bool) -> tuple[str, dict[str, str]]:
    """Draws the link with a button that copies it, unless the runs do not fit into one. Returns the
    address, and its parts besides the runs; nothing until the browser has said them."""
    # What it said last is in the session's state before it is drawn.
    told = (st.session_state.get(_KEY) or {}).get("said")
    said = told if isinstance(told, dict) else {}
    href, parts = str(said.get("href", "")), said.get("parts")
    data = json.dumps({"fits": fits, "known": href}).encode("ascii")
    component = _component(component_name("share"), "share")
    component(data=data, key=_KEY, default={"said": None}, on_said_change=_nothing)
    named = parts.items() if isinstance(parts, dict) else ()
    return href, {str(name): str(value) for name, value in named}


def chart_files() -> None:
    """Draws buttons that save each chart of the page as SVG and PNG, as it looks now."""
    _component(component_name("chart_files"), "chart_files")(key="chart_files")


def _nothing() -> None:
    """What was said needs no more than the rerun that it brings."""
