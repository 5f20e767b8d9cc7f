"""The player as a Streamlit component."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

import streamlit as st

from tokviz.player.assets import component_name, script, style
from tokviz.player.pack import bundle


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name,
        html='<div class="tv-player"></div>',
        css=style("player", "quiz"),
        js=script("mount"),
        isolate_styles=False,
    )


def player(
    runs: Sequence[bytes],
    links: Sequence[str],
    start: int,
    align: str,
    look: Mapping[str, Any],
    visit: int,
    key: str,
    on_look: Callable[[], None] | None = None,
    cue: Mapping[str, Any] | None = None,
    what_if: Sequence[str | None] = (),
    on_what_if: Callable[[], None] | None = None,
) -> None:
    """Draws the player for packed runs, one lane each. On which moment it settled is in the
    session's state, under the key's `moment`, or, where the page has lenses, under that of
    `hear_moment`, unless it changed the axis (see `moment_of`).

    It opens at position `start` of the alignment `align` ("step", "size", "share"), and if `look`
    says so with another "view" of the corpus, another "speed", to "present", with a "quiz",
    or with a "token" selected. `links` name the runs in the page's address. Another `visit` opens
    even the same runs anew. `on_look`, which a page with lenses has, is called when somebody wants
    to look into a word or a token; which one is in the session's state, under the key's `look`;
    without it nothing offers to. A
    `cue` moves a player that is on the page already (see `Player.take` in player.js), each "number"
    once. `what_if` says for every lane whether its candidates can be chosen otherwise: "" if so, a
    sentence if not now, None if never; `on_what_if` is called when somebody does, and the session's
    state has what and where under the key's `what_if`.
    """
    at = {"start": start, "align": align, "look": dict(look)}
    asked = {"cue": cue and dict(cue), "what_if": [*what_if], "lenses": on_look is not None}
    head = {"id": name_of(visit, runs), "links": [*links], **at, **asked}
    data = bundle(head, runs)
    _component(component_name("player"))(
        data=data,
        key=key,
        default={"moment": None, "look": None, "what_if": None},
        on_moment_change=_nothing,
        on_look_change=on_look or _nothing,
        on_what_if_change=on_what_if or _nothing,
    )


def name_of(visit: int, runs: Sequence[bytes]) -> str:
    """What the player of these runs calls itself in all that it says."""
    return f"{visit}/" + "/".join(f"{crc32(run):08x}" for run in runs)


def _nothing() -> None:
    """A change of what the player tells needs no more than the rerun that it brings."""
