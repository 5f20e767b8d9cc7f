"""The player as a Streamlit component, from plain files without a build step."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import streamlit as st

HERE = Path(__file__).parent


def _script() -> str:
    """run.js and player.js as one module: a component is a single file."""
    run = (HERE / "run.js").read_text(encoding="utf-8").replace("export ", "")
    player = (HERE / "player.js").read_text(encoding="utf-8")
    return run + re.sub(r"import \{[^}]*\} from \"\./run\.js\";", "", player)


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "tokviz_player",
        html='<div class="tv-player"></div>',
        css=(HERE / "player.css").read_text(encoding="utf-8"),
        js=_script(),
        isolate_styles=False,
    )


def player(blob: bytes, start: int, visit: int, key: str) -> int:
    """Draws the player for a packed run, opened at state `start`; returns the state that it
    settled on last. Another `visit` opens even the same run anew."""
    head = (start, visit, crc32(blob), 0)
    data = b"".join(number.to_bytes(4, "little") for number in head) + blob
    result = _component()(data=data, key=key, default={"step": start}, on_step_change=lambda: None)
    return int(result.step)
