"""Keep what the visitor typed but did not train in the browser's tab, and restore it after a
reload, a crash or a restart of the server."""

from dataclasses import replace
from secrets import token_hex
from typing import Any, NamedTuple
from zlib import crc32

import streamlit as st

from tokviz.basics.messages import message
from tokviz.pages.form.corpus_fields import OWN_TEXT, Own
from tokviz.pages.visit.link import address_of
from tokviz.pages.visit.visit import held_on, lanes_of, this_visit
from tokviz.pages.visit.written_run import LinkError, fields_of, read_as_of, run_of
from tokviz.pages.widgets.keys import (
    DESCRIBED,
    HELD_OUT_TEXT,
    LESSON_TYPED,
    OPENED_TEXT,
    OWN,
)
from tokviz.player.draft import KEY, draft_in_tab
from tokviz.server import limits, page_limits
from tokviz.server.runs import Corpus, Run, trainable, trained_here

#: Keys of text fields outside the form.
TYPED = (LESSON_TYPED, OPENED_TEXT, HELD_OUT_TEXT)

#: Session keys: the session's name; the form of the previous session, until its page is drawn; the
#: previous session's name.
_SESSION, _FOUND, _HEARD = "draft_session", "draft_found", "draft_heard"


def keep_draft() -> None:
    """Send the browser the contents of the form, at the end of every page."""
    state = st.session_state
    waits = _FOUND in state
    held = None if waits else _held()
    form = held.form if held and not held.restored else None
    said = {
        "session": state.setdefault(_SESSION, token_hex(8)),
        "heard": state.get(_HEARD),
        "form": form,
        # What is typed next belongs to this form, even if the browser has to keep it before Python
        # receives it.
        "base": held and held.form,
        "known": held and held.known,
        # A trained run in the address needs no draft.
        "drop": form is None and not waits,
    }
    draft_in_tab(said, read_draft)


class _Held(NamedTuple):
    """What the fields hold, without the text, which the browser has; whether a reload restores it
    anyway; and the checksum of the text, None if no field can hold it."""

    form: dict[str, Any]
    restored: bool
    known: int | None


def _held() -> _Held | None:
    """Return what the fields of this page hold; None on a page without them."""
    page = st.session_state.get(DESCRIBED)
    if page is None or (held := held_on(page)) is None:
        return None
    (lane, run), lanes = held, lanes_of(page)
    fields, text = fields_of(run, [run]), run.corpus.text
    own, in_state = fields[0] == 0, st.session_state.get(OWN, Own())
    file = own and bool(text) and in_state.file == text
    form = {"desk": page, "lane": lane, "fields": fields, "own": own, "file": file}
    restored = _is_among(run, lanes) and bool(address_of(lanes))
    return _Held(form, restored, None if file else crc32(text.encode("utf-8", "surrogatepass")))


def _is_among(run: Run, lanes: tuple[Run, ...]) -> bool:
    """Return whether a run is one of the lanes, whatever its title."""
    return any(trained_here(run).key == trained_here(lane).key for lane in lanes)


def read_draft() -> None:
    """Read the previous session's draft from the browser; it may have been tampered with."""
    state = st.session_state
    said = (state.get(KEY) or {}).get("found")
    if not isinstance(said, dict):
        return
    state[_HEARD] = str(said.get("session"))[:40]
    typed = said.get("typed")
    for key in TYPED:
        if isinstance(typed, dict) and (text := shown_text(typed.get(key))) is not None:
            state[key] = text
    if isinstance(form := said.get("form"), dict):
        state[_FOUND] = form


def shown_text(said: Any) -> str | None:
    if not isinstance(said, str):
        return None
    # A lone surrogate is no character and cannot be shown.
    whole = said[: limits.LIMITS.corpus.bytes].encode("utf-16-le", "surrogatepass")
    return whole.decode("utf-16-le", "replace")


def take_draft_back() -> str | None:
    """Fill the fields with the previous session's draft on the page that it belongs to, unless it
    was trained or is invalid. Return a sentence if its text is lost."""
    visit = this_visit()
    state = st.session_state
    if _FOUND not in state or state[_FOUND].get("desk") != visit.page:
        return None
    found = state.pop(_FOUND)
    lanes: tuple[Run, ...] = visit.lanes
    text, lane, own = shown_text(found.get("text")), found.get("lane"), found.get("own") is True
    if type(lane) is not int or not 0 <= lane < page_limits.lanes():
        return None
    lane = min(lane, len(lanes) - 1)
    lost = own and text is None
    corpus = lanes[0].corpus.text if lost else text or ""
    base = replace(trainable(lanes[0]), corpus=Corpus(OWN_TEXT, corpus))
    try:
        run = run_of(found.get("fields"), [base])
        if own and not lost:
            title = run.corpus.title if found["fields"][0] == 0 else OWN_TEXT
            run = replace(run, corpus=replace(run.corpus, title=title, text=corpus))
    except (LinkError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        # The draft is invalid or beyond a limit, but its text may be usable.
        if not (own and text):
            return None
        read_as = read_as_of(found.get("fields"))
        run = replace(base, corpus=replace(base.corpus, read_as=read_as))
    if not _is_among(run, lanes):
        if text:
            state[OWN] = Own(text=text)
        visit.held, visit.form_lane = (lane, run), None
    if not lost:
        return None
    return message(
        "The settings that you had here are back, but not their text, which was too long for this "
        "tab to keep: it has to be given again."
    )
