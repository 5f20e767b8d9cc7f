"""A component that sends a text to Python while it is typed, and takes files that are dropped on
it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script


def live_text() -> None:
    """Have the text area of the set-up sent after each pause of its typist."""
    _component(component_name("live_text"))(key="live_text")


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("live_text"), isolate_styles=False
    )
