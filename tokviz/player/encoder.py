"""The text field of the page Encode with what becomes of its text, as a Streamlit component."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.player.player import HERE, script

#: Shared with the player, and its own; each after those that it imports from.
MODULES = ("run", "say", "dom", "column", "trace", "sampling", "word_panel", "bytes", "encoder")


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    css = "\n".join((HERE / f"{name}.css").read_text("utf-8") for name in ("player", "encoder"))
    return st.components.v2.component(
        "tokviz_encoder",
        html='<div class="tv-player tv-encoder"></div>',
        css=css,
        js=script(MODULES),
        isolate_styles=False,
    )


def encoder(data: bytes, key: str) -> None:
    """Draws an answer (`tokviz.pages.encoded.answer`). What is asked next is in the session's
    state, under the key's `asked`."""
    _component()(data=data, key=key, default={"asked": None}, on_asked_change=_nothing)


def _nothing() -> None:
    """A question needs no more than the rerun that it brings."""
