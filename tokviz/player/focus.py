"""Where the keyboard goes when a page shows something new in the place of what was pressed."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import HERE


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "tokviz_focus",
        html="<span></span>",
        js=(HERE / "focus.js").read_text("utf-8"),
        isolate_styles=False,
    )


def focus_on(part: str, moment: str) -> None:
    """Moves the focus to the part of the page that a CSS selector names, once for every new
    `moment`, but not when the page opens."""
    _component()(data={"part": part, "moment": moment}, key="focus")
