"""A component that keeps typed texts in the browser, which alone knows every key press."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script

#: The component's key; what the browser kept of an earlier session is under its `found`.
KEY = "draft"


def draft_in_tab(said: Mapping[str, Any], on_found: Callable[[], None]) -> None:
    """Send the browser the contents of the form, to be kept in this tab with the typed texts.
    `on_found` is called if it has those of an earlier session."""
    _component(component_name("draft"))(data=dict(said), key=KEY, on_found_change=on_found)


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("draft"), isolate_styles=False
    )
