"""Which session a thread draws for, which ones are kept, and what each takes of the system."""

import asyncio
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any
from uuid import uuid4

import streamlit as st

from tokviz.server.script_loops import NO_LOOP
from tokviz.server.streamlit_parts.parts import COOKIE, KEPT, LOOP, REASON, SESSION, expect, found


def session() -> str:
    """Return the id of the session whose page this thread draws, or ""."""
    context_of = context_finder()
    if context_of is None:
        return _documented_session()
    context = context_of(suppress_warning=True)
    return context.session_id if context else ""


@cache
def context_finder() -> Callable[..., Any] | None:
    def look() -> Callable[..., Any]:
        from streamlit.runtime.scriptrunner import ScriptRunContext, get_script_run_ctx

        get_script_run_ctx(suppress_warning=True)
        expect("session_id" in inspect.signature(ScriptRunContext).parameters, "session_id")
        return get_script_run_ctx

    return found(SESSION, look)


def _documented_session() -> str:
    """Return an id of the session by documented means; it is not the id in upload addresses."""
    try:
        return _name_of_session()
    except st.errors.StreamlitAPIException:
        return ""


@st.cache_resource(scope="session", show_spinner=False)
def _name_of_session() -> str:
    return uuid4().hex


def is_kept(session: str) -> bool:
    """Return whether Streamlit has this session; it keeps a disconnected one for some time."""

    def look() -> bool:
        from streamlit.runtime import Runtime

        return Runtime.instance()._session_mgr.get_session_info(session) is not None

    return found(KEPT, look) or False


@cache
def visitor_cookie() -> str:
    """Return the name of the cookie that a browser gets with its first page, or "" if unknown."""

    def look() -> str:
        from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

        return XSRF_COOKIE_NAME

    return found(COOKIE, look) or ""


def without_loop(begin: Callable[..., None]) -> Callable[..., None]:
    """Wrap the start of a session: close its event loop, which holds files (script_loops.py)."""

    def begun(session: Any, *given: Any, **named: Any) -> None:
        begin(session, *given, **named)
        own = found(LOOP, lambda: session._script_event_loop)
        if isinstance(own, asyncio.AbstractEventLoop):
            own.close()
            session._script_event_loop = NO_LOOP

    return begun


def take_no_files() -> Callable[[], None]:
    """Start sessions without an event loop of their own; return a function that undoes it."""
    from streamlit.runtime.app_session import AppSession

    begin = AppSession.__init__
    AppSession.__init__ = without_loop(begin)  # type: ignore[method-assign]
    return lambda: setattr(AppSession, "__init__", begin)


def unless_none(register: Callable[..., None]) -> Callable[..., None]:
    """Wrap what has a session watch files: where none are to be watched, it watches none."""

    def registered(session: Any) -> None:
        if st.get_option("server.fileWatcherType") != "none":
            register(session)

    return registered


def watch_no_files() -> Callable[[], None]:
    """Have a session whose browser is back watch no files where none are to be watched; return a
    function that undoes it. Streamlit would have it look where all modules are, on the event loop:
    a third of a second for each browser, and after an outage all are back at once."""
    from streamlit.runtime.app_session import AppSession

    register = AppSession.register_file_watchers
    AppSession.register_file_watchers = unless_none(register)  # type: ignore[method-assign]
    return lambda: setattr(AppSession, "register_file_watchers", register)


def draw_anew(session: str) -> bool:
    """Rerun the page of a session as it is, as Streamlit does when a source file changes; return
    False if there is no such session."""

    def look() -> bool:
        from streamlit.runtime import Runtime

        known = Runtime.instance().get_app_session(session)
        if known:
            known.request_rerun(known._client_state)
        return bool(known)

    return found(REASON, look) or False


def check_reason() -> None:
    from streamlit.runtime import Runtime
    from streamlit.runtime.app_session import AppSession

    _ = Runtime.get_app_session, AppSession.request_rerun
