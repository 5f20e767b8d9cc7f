"""Invisible components: set the page's language, and move the keyboard focus."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script


@st.cache_resource(show_spinner=False)
def _component(name: str, module: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script(module), isolate_styles=False
    )


def page_language(code: str) -> None:
    """Set the language of the page, such as "zh_CN", for screen readers, hyphenation and fonts."""
    component = _component(component_name("page_language"), "page_language")
    component(data=code.replace("_", "-"), key="page_language")


def focus_on(part: str, moment: str) -> None:
    """Move the focus to the element of a CSS selector, once for each new `moment`, but not when the
    page opens."""
    component = _component(component_name("focus"), "focus")
    component(data={"part": part, "moment": moment}, key="focus")
