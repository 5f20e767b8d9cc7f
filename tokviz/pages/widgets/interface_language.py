"""The language of the page: the visitor's choice, else that of the address or the browser."""

from threading import local

import streamlit as st

from tokviz.basics.messages import ENGLISH, closest, follow, languages
from tokviz.pages.widgets.keys import LANGUAGE_SWITCH
from tokviz.player.unseen import page_language
from tokviz.server.streamlit_parts.sessions import session

_KEY = "language"


class _Known(local):
    """The language of the session whose page this thread draws, cached: it is read hundreds of
    times, and the session state is slow."""

    session = ""
    language = ENGLISH


_known = _Known()


def language() -> str:
    """Return the code of this session's language; English outside of a session."""
    # Background threads belong to no session.
    if not (own := session()):
        return ENGLISH
    if _known.session != own:
        state = st.session_state
        if _KEY not in state:
            asked = st.query_params.get("lang") or st.context.locale
            state[_KEY] = closest(asked)
        _known.session, _known.language = own, state[_KEY]
    return _known.language


def language_switch() -> None:
    """Draw the choice of a language, each under its own name."""
    known = languages()
    if len(known) < 2:
        return
    state = st.session_state
    state[LANGUAGE_SWITCH] = language()
    with st.container(key="languages"):
        st.segmented_control(
            # Each in its own language, for visitors who cannot read the others.
            " · ".join(known.values()),
            known,
            format_func=known.__getitem__,
            key=LANGUAGE_SWITCH,
            on_change=_switch,
            label_visibility="collapsed",
        )
        page_language(language())


def _switch() -> None:
    state = st.session_state
    # A second click on the chosen language clears the choice.
    if chosen := state[LANGUAGE_SWITCH]:
        state[_KEY] = _known.language = chosen
        st.query_params["lang"] = chosen
        # The browser identifies a list's value by its label, which has been translated now.
        for key, value in state.items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                state[key] = value


follow(language)
