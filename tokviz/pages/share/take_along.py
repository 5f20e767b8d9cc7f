"""The dialog Share: a link to what the page shows, and files of it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

import segno
import streamlit as st

from tokviz.basics.messages import _, here, message
from tokviz.history.base import History
from tokviz.pages.share.class_room import as_room
from tokviz.pages.share.take_files import as_picture, as_tables, as_tokenizer, as_web_page
from tokviz.pages.visit.link import links_of
from tokviz.pages.visit.moment_file import to_file
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import note
from tokviz.player.share import share
from tokviz.server import limits
from tokviz.server.runs import Run

#: Most characters in a QR code, and the number from which one is hard to read from a distance.
MOST_CODED, MANY_CODED = 2900, 600
#: The choices in the dialog: their names, and functions that draw them.
WAYS: dict[str, tuple[str, Callable[[Sequence[Run], Sequence[History]], None]]] = {
    "link": (message("Link"), lambda lanes, _histories: _link(lanes)),
    "room": (message("Class"), lambda _lanes, _histories: as_room()),
    "web_page": (message("Web page"), as_web_page),
    "tokenizer": (message("Tokenizer"), as_tokenizer),
    "tables": (message("Tables"), as_tables),
    "picture": (message("Picture"), as_picture),
}


def take_along_button(
    lanes: Sequence[Run],
    histories: Sequence[History],
    width: Literal["stretch", "content"] = "stretch",
) -> None:
    """Draw the button that opens the dialog."""
    pressed = st.button(
        _("Share"),
        key="share_button",
        width=width,
        help=_("A link to this moment, and files: web page, tokenizer, tables."),
    )
    if pressed:
        # The title is in the language of this session.
        st.dialog(_("Take it with you"), width="large")(_dialog)(lanes, histories)


def _dialog(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    way = st.segmented_control(
        _("What to take"),
        list(WAYS),
        format_func=lambda name: here(WAYS[name][0]),
        key="take_along",
        default="link",
        required=True,
        label_visibility="collapsed",
    )
    _called, offer = WAYS[str(way)]
    offer(lanes, histories)


def _link(lanes: Sequence[Run]) -> None:
    if any(run.of_tokenizer for run in lanes):
        note(
            _(
                "One lane begins with a tokenizer’s file, which does not fit into a link. Save a "
                "web page instead: it has all steps in it."
            )
        )
        return
    fits = bool(links_of(lanes))
    if not fits:
        note(_("The text is too long for a link. Save this moment as a file instead."))
    href, parts = share(fits)
    if fits and href:
        _code(href)
    if sum(map(len, {run.corpus.text for run in lanes})) > limits.LIMITS.files.moment_bytes // 4:
        # A character may take four bytes.
        note(
            _(
                "A text this long does not fit into a file either: keep it yourself, and train on "
                "it again."
            )
        )
        return
    st.download_button(
        _("Save this moment as a file"),
        data=partial(to_file, this_visit().page, lanes, parts),
        file_name="moment.tokviz.json",
        mime="application/json",
        on_click="ignore",
        key="save_moment",
        help=_("Open it again on the page “Open”."),
    )


def _code(href: str) -> None:
    """Draw the link as a QR code."""
    if urlsplit(href).hostname in ("localhost", "127.0.0.1", "::1"):
        note(_("This address points to your own computer: others cannot open it."))
    if len(href) > MOST_CODED:
        note(
            _(
                "The link has {n:,} characters, too many for a QR code (at most {most:,}). With a "
                "sample it is short.",
                n=len(href),
                most=MOST_CODED,
            )
        )
        return
    if len(href) > MANY_CODED:
        note(_("With a text of your own the code is dense: show it large, or use a sample."))
    image = segno.make(href, error="l", boost_error=False, micro=False)
    uri = image.svg_data_uri(scale=4, border=4, light="#fff", dark="#000")
    st.html(f'<img class="tv-code" src="{uri}" alt="{text(_("QR code of the link"))}">')
