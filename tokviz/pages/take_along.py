"""What a page shows, to take along: as a link, and as files."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

import segno
import streamlit as st

from tokviz.history import History
from tokviz.pages.moment_file import MOST_TEXT, to_file
from tokviz.pages.run import Run, is_replay
from tokviz.pages.stepper import links_of
from tokviz.pages.style import note
from tokviz.pages.take_files import as_picture, as_tables, as_tokenizer, as_web_page
from tokviz.player.share import share

#: Characters that a code for phones holds, and from which on it is hard to read from afar.
MOST_CODED, MANY_CODED = 2900, 600
#: What can be taken along, and what offers it.
_WAYS: dict[str, Callable[[Sequence[Run], Sequence[History]], None]] = {
    "Web page": as_web_page,
    "Tokenizer": as_tokenizer,
    "Tables": as_tables,
    "Picture": as_picture,
}
_LINK = "Link"


def take_along_button(
    lanes: Sequence[Run],
    histories: Sequence[History],
    width: Literal["stretch", "content"] = "stretch",
) -> None:
    """A button that opens the ways to take along what the page shows."""
    pressed = st.button(
        "Share",
        key="share_button",
        width=width,
        help="A link to this moment, and files: web page, tokenizer, tables.",
    )
    if pressed:
        _dialog(lanes, histories)


@st.dialog("Take it with you", width="large")
def _dialog(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    way = st.segmented_control(
        "What to take",
        [_LINK, *_WAYS],
        key="take_along",
        default=_LINK,
        required=True,
        label_visibility="collapsed",
    )
    if way == _LINK:
        _link(lanes)
    else:
        _WAYS[str(way)](lanes, histories)


def _link(lanes: Sequence[Run]) -> None:
    if any(map(is_replay, lanes)):
        note(
            "No link holds a tokenizer’s file, whose merges a lane shows. Save a web page instead: "
            "it has the whole replay in it."
        )
        return
    fits = bool(links_of(lanes))
    if not fits:
        note("The text is too long for a link. Save this moment as a file instead.")
    href, parts = share(fits)
    if fits and href:
        _code(href)
    if sum(map(len, {run.corpus for run in lanes})) > MOST_TEXT // 4:
        # A character may have four bytes.
        note("A text of this length is in no file either: keep it, and train on it again.")
        return
    st.download_button(
        "Save this moment as a file",
        data=partial(to_file, str(st.session_state["desk"]), lanes, parts),
        file_name="moment.tokviz.json",
        mime="application/json",
        on_click="ignore",
        key="save_moment",
        help="Open it again on the page “Open”.",
    )


def _code(href: str) -> None:
    """The link as a code that phones read."""
    if urlsplit(href).hostname in ("localhost", "127.0.0.1", "::1"):
        note("This address is that of your own computer: others cannot open it there.")
    if len(href) > MOST_CODED:
        note(
            f"The link has {len(href):,} characters, too many for a QR code "
            f"(at most {MOST_CODED:,}). With a sample it is short."
        )
        return
    if len(href) > MANY_CODED:
        note("With a text of your own the code is dense: show it large, or use a sample.")
    image = segno.make(href, error="l", boost_error=False, micro=False)
    uri = image.svg_data_uri(scale=4, border=4, light="#fff", dark="#000")
    st.html(f'<img class="tv-code" src="{uri}" alt="QR code of the link">')
