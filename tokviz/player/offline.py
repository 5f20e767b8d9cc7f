"""A component that says in the browser that the server cannot be reached."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script


def offline_note() -> None:
    """Show a note while the server cannot be reached, and rerun the page when it is back."""
    _component(component_name("offline"))(key="offline", on_back_change=_nothing)


def _nothing() -> None:
    """Do nothing: the rerun is enough."""


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("offline"), isolate_styles=False
    )
