"""A class in a room: what starts one, where people join one, and the component that takes part."""

import re
from secrets import token_hex

import streamlit as st

from tokviz.basics.messages import _
from tokviz.pages.widgets.keys import ROOM, ROOM_LETTERS
from tokviz.pages.widgets.style import note, sentence
from tokviz.player.share import room
from tokviz.server import limits
from tokviz.server.rooms.room import LENGTH, LETTERS

#: The parameter of an address that names a room.
_PART = "room"
_CODE = re.compile(rf"[{LETTERS}]{{{LENGTH}}}")


def class_room() -> None:
    """Have the page take part in the room that was asked for, here or by the address, if any."""
    start, code = _asked()
    if start or code:
        room(start, code, _left)


def _asked() -> tuple[str, str]:
    """Return what starts a room, and the letters of one, "" for nothing."""
    state = st.session_state
    if ROOM not in state:
        state[ROOM] = {"start": "", "code": code_in(st.query_params.get(_PART, ""))}
    return state[ROOM]["start"], state[ROOM]["code"]


def code_in(typed: str) -> str:
    """Return the letters of a room that somebody typed, "" if they are none.

    >>> code_in(" kx-tm "), code_in("KXTMA"), code_in("room")
    ('KXTM', '', '')
    """
    letters = re.sub(r"[\s-]", "", typed[:100]).upper()
    return letters if _CODE.fullmatch(letters) else ""


def as_room() -> None:
    """Draw what starts a room, and where the letters of one are typed."""
    if not limits.LIMITS.rooms.open:
        note(_("This server has no rooms."))
        return
    note(
        _(
            "In a room, the phones of your class follow your text, your lanes and your step. "
            "Nobody gives a name; nothing is kept."
        )
    )
    if st.button(_("Start a room"), key="room_start", type="primary"):
        st.session_state[ROOM] = {"start": token_hex(8), "code": ""}
        st.rerun()
    _join_field()


def join_here() -> None:
    """Draw the field for the letters of a room for who is in none, where there are rooms."""
    if limits.LIMITS.rooms.open and not any(_asked()):
        _join_field()


def _join_field() -> None:
    """Draw the field for the letters of a room."""
    state = st.session_state
    with (
        st.form("room_join", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        typed = st.text_input(
            _("Join a room: its four letters"), max_chars=12, key=ROOM_LETTERS, width=260
        )
        pressed = st.form_submit_button(_("Join"))
    if not pressed:
        return
    if code := code_in(typed or ""):
        state[ROOM] = {"start": "", "code": code}
        st.rerun()
    sentence(_("A room has four letters, as in KXTM; no vowels are among them."))


def _left() -> None:
    st.session_state[ROOM] = {"start": "", "code": ""}
