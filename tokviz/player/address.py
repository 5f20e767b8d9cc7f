"""What Python wants in the page's address.

It is put on the page, unseen; whatever writes the address (the player, or the component here where
there is none) reads it there. A page that is left takes it along.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from tokviz.player.assets import component_name, script


def in_address(parts: Mapping[str, str]) -> None:
    """Puts parts of the address on the page, by name; those that are as usual are left out."""
    said = escape(json.dumps(dict(parts)))
    st.html(f'<span hidden data-address="{said}"></span>')


def write_address(links: Sequence[str] | None = None) -> None:
    """Writes the address of a page that has no player. `links` name its runs, None for those that
    the page before had."""
    data = None if links is None else {"links": [*links]}
    _component(component_name("address"))(key="address", data=data)


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name, html="<span></span>", js=script("address"), isolate_styles=False
    )
