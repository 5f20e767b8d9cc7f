"""The player as a Streamlit component."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

import streamlit as st

from tokviz.player.assets import PLAYER_SHEETS, component_name, script_of_server, style
from tokviz.player.pack import bundle


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name,
        html='<div class="tv-player"></div><div class="tv-curves"></div>',
        css=style(*PLAYER_SHEETS),
        js=script_of_server("mount"),
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
    went: str = "",
    curves: bool = True,
    typed: str | None = None,
    has_languages: bool = False,
    lenses: bool = False,
    set_up: bool = False,
    most_tokens: int | None = None,
    choices: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Draw the player for packed runs, one lane each. The moment at which it stops is in the
    session state under `moment` of `key`; on a page with lenses, under that of `hear_moment`,
    unless the axis changed (see `moment_of`).

    It opens at position `start` of the alignment `align` ("step", "size", "share"). `look` may set
    the "view" of the corpus, the "speed", "present", "quiz", a selected "token", or "invite" to a
    guess before the first step. `links` are the runs in the page's address. A new `visit` opens a
    new player even for the same runs. `on_look` is called when the visitor chooses a word or a
    token, which is then in the session state under `look` of `key`; on a page without `lenses`,
    only who presents can. A `cue` moves a player that is on the page already (see `Player.take` in
    player.js), once for each "number". `what_if` says for every lane whether a branch can be made:
    "" if so, a sentence if not now, None if never; `on_what_if` is called when the visitor makes
    one, which is in the session state under `what_if` of `key`. `went` names the Back or Forward
    that brought these runs, if one did (see entries.js). `curves` draws the curves of the runs
    below the player. `typed` is the text of the set-up, if the page has one: what is typed there is
    trained on the page at once, to at most `most_tokens` tokens, unless it `has_languages`.
    Where the page has a `set_up`, a phone shows it in place of the runs when that is chosen.
    `choices` are the fields whose other choices are followed there too (`live_choices.py`).
    """
    at = {"start": start, "align": align, "look": dict(look)}
    asked = {"cue": cue and dict(cue), "what_if": [*what_if], "lenses": lenses}
    asked["set_up"] = set_up
    said = {"links": [*links], "went": went, "curves": curves}
    if typed is not None:
        checksum = crc32(typed.encode("utf-8", "replace"))
        said |= {"typed": checksum, "most_tokens": most_tokens, "choices": [*choices]}
        said["has_languages"] = has_languages
    head = {"id": name_of(visit, runs), **said, **at, **asked}
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
    """Return the name by which a player of these runs marks its messages."""
    return f"{visit}/" + "/".join(f"{crc32(run):08x}" for run in runs)


def _nothing() -> None:
    """Do nothing: the rerun is enough."""
