"""How much a session may upload: Streamlit keeps each file until its page is closed.

PUT of a file ──▶ room for it beside what the session has, and what is on its way? ──▶ Streamlit
                        └─▶ no: status 413, and the page says why
"""

import re
from collections import Counter

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tokviz import limits
from tokviz.language import _
from tokviz.pages import allowed
from tokviz.within_limits import size_said

#: The sessions whose last file had no room, until their page says so.
_REFUSED: set[str] = set()


class Uploads:
    """A layer of the server: refuses the file that its session has no room for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = re.search(r"/_stcore/upload_file/([^/]+)/([^/]+)$", scope.get("path", ""))
        if not found or scope.get("method") != "PUT":
            return await self._app(scope, receive, send)
        session, file = found.groups()
        size = _length(Headers(scope=scope))
        known = Runtime.instance().get_app_session(session)
        if known and size + _held(session, file) + self._coming[session] > _most():
            _REFUSED.add(session)
            # As Streamlit does where a source file changed: the same page, as it is.
            known.request_rerun(known._client_state)
            return await PlainTextResponse("No room for it.\n", 413)(scope, receive, send)
        self._coming[session] += size
        try:
            return await self._app(scope, receive, send)
        finally:
            self._coming[session] -= size
            if not self._coming[session]:
                del self._coming[session]


def say_refused() -> None:
    """Says why the last file was not taken, if it was not."""
    context = get_script_run_ctx(suppress_warning=True)
    if context and context.session_id in _REFUSED:
        _REFUSED.discard(context.session_id)
        said = _(
            "The file was not taken: this page may upload {most} in all. Remove files, or load the "
            "page anew to begin with none.",
            most=size_said(_most()),
        )
        st.toast(said, duration="infinite")


def _most() -> int:
    return limits.LIMITS.files.session_bytes


def _held(session: str, but: str) -> int:
    """The bytes of the files that a session has, without the one that would be replaced."""
    kept = Runtime.instance().uploaded_file_mgr.file_storage.get(session, {})  # type: ignore[attr-defined]
    return sum(len(file.data) for name, file in [*kept.items()] if name != but)


def _length(headers: Headers) -> int:
    """What a request may bring, in bytes: what it says, or else as much as any may."""
    said = headers.get("content-length", "")
    is_number = said.isascii() and said.isdigit() and len(said) < 16
    return int(said) if is_number else allowed.upload_bytes()
