"""What a part of the page writes into the page's address, as a component that shows nothing."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokviz.player.assets import script

#: Each after those that it imports from.
MODULES = ("run", "dom", "address")


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "tokviz_address", html="<span></span>", js=script(MODULES), isolate_styles=False
    )


def write_address(source: str, parts: Mapping[str, str]) -> None:
    """Writes parts into the page's address, by name, as long as the page draws this. Each `source`
    has parts of its own; those that are as usual are left out."""
    with st.container(key=f"address_{source}"):
        data = json.dumps({"source": source, "parts": dict(parts)}).encode("ascii")
        _component()(data=data, key=f"tv_address_{source}")
