"""The language of the page: a person's choice, or what the address or the browser asks for."""

from threading import local

import streamlit as st

from tokviz.basics.messages import ENGLISH, closest, follow, languages
from tokviz.pages.widgets.keys import LANGUAGE_SWITCH
from tokviz.player.unseen import page_language
from tokviz.server.streamlit_patches import session

_KEY = "language"


class _Known(local):
    """The language of the session whose page this thread draws: a page asks a hundred times, and
    the session's state takes its time to answer."""

    session = ""
    language = ENGLISH


_known = _Known()


def language() -> str:
    """The code of the language that this session reads; English outside of any session."""
    # Work in threads of its own belongs to nobody.
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
    """Draws the choice of a language, each in its own words."""
    known = languages()
    if len(known) < 2:
        return
    state = st.session_state
    state[LANGUAGE_SWITCH] = language()
    with st.container(key="languages"):
        st.segmented_control(
            # Each names itself, for those who cannot read the others.
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
    # A second click on the chosen one takes the choice away.
    if chosen := state[LANGUAGE_SWITCH]:
        state[_KEY] = _known.language = chosen
        st.query_params["lang"] = chosen
        # The browser knows what is chosen in a list by its words, which are others now.
        for key, value in state.items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                state[key] = value


follow(language)
