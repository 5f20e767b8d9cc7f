"""Set parameters of the page's address.

They are put in a hidden element of the page. The player, or on other pages the component here,
reads them there and writes the address.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script


def in_address(parts: Mapping[str, str]) -> None:
    """Set parameters of the address, by name; omit those with default values."""
    said = escape(json.dumps(dict(parts)))
    st.html(f'<span hidden data-address="{said}"></span>')


def write_address(links: Sequence[str] | None = None, key: str = "address") -> None:
    """Write the address of a page without a player. `links` has its runs, None keeps those of the
    previous page. A page that writes it more than once gives each its own `key`."""
    data = None if links is None else {"links": [*links]}
    _component(component_name("address"))(key=key, data=data)


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("address"), isolate_styles=False
    )
