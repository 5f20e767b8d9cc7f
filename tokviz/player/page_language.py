"""The page's language as its HTML says it, for screen readers, hyphens and fonts."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.assets import HERE


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "tokviz_language",
        html="<span></span>",
        js=(HERE / "page_language.js").read_text("utf-8"),
        isolate_styles=False,
    )


def page_language(code: str) -> None:
    """Says that the page is in a language, "zh_CN"."""
    _component()(data=code.replace("_", "-"), key="page_language")
