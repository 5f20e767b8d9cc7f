"""Says in the browser that the server cannot be reached, as a component: Python could not."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script


def offline_note() -> None:
    """Has the page say when it is without its server, and drawn anew once that is back."""
    _component(component_name("offline"))(key="offline", on_back_change=_nothing)


def _nothing() -> None:
    """That the server is back needs no more than the rerun that it brings."""


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("offline"), isolate_styles=False
    )
