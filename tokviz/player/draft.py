"""Has the browser keep what is typed, as a component: only there it is known with every key."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script

#: What the browser had of a session before is in the session's state, under the key's `found`.
KEY = "draft"


def draft_in_tab(said: Mapping[str, Any], on_found: Callable[[], None]) -> None:
    """Tells the browser what the form holds, with which it keeps what is typed in this tab.
    `on_found` is called when it has something of a session before."""
    _component(component_name("draft"))(data=dict(said), key=KEY, on_found_change=on_found)


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("draft"), isolate_styles=False
    )
