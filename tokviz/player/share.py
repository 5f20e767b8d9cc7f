"""The link to what the page shows, as a component: only the browser knows the whole address."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import script

#: Each after those that it imports from.
MODULES = ("run", "dom", "share")
_KEY = "share"


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "tokviz_share",
        html='<div class="tv-share"></div>',
        js=script(MODULES),
        isolate_styles=False,
    )


def share(fits: bool) -> tuple[str, dict[str, str]]:
    """Draws the link with a button that copies it, unless the runs do not fit into one. Returns the
    address, and its parts besides the runs; nothing until the browser has said them."""
    data = json.dumps({"fits": fits}).encode("ascii")
    result = _component()(data=data, key=_KEY, default={"said": None}, on_said_change=_nothing)
    said = result.said if isinstance(result.said, dict) else {}
    parts = said.get("parts")
    named = parts.items() if isinstance(parts, dict) else ()
    return str(said.get("href", "")), {str(name): str(value) for name, value in named}


def _nothing() -> None:
    """What was said needs no more than the rerun that it brings."""
