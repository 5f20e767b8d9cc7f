"""Limit how much a session may upload: Streamlit keeps each file until its page is closed.

PUT of a file ──▶ room for it beside what the session has, and what is on its way? ──▶ Streamlit
                        └─▶ no: status 413, and the page says why
"""

import re
from collections import Counter

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tokviz.basics.messages import _
from tokviz.server import limits, page_limits
from tokviz.server.limit_checks import size_said
from tokviz.server.streamlit_parts.sessions import draw_anew, session
from tokviz.server.streamlit_parts.uploaded import UPLOADS, uploaded

#: Sessions whose last upload was refused, until their page says so.
REFUSED: set[str] = set()


class Uploads:
    """ASGI middleware: refuse an upload that its session has no room for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.coming = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = re.search(rf"{UPLOADS}/([^/]+)/([^/]+)$", scope.get("path", ""))
        if not found or scope.get("method") != "PUT":
            return await self._app(scope, receive, send)
        owner, file = found.groups()
        size = request_size(Headers(scope=scope))
        if size + uploaded(owner, file) + self.coming[owner] > _most():
            REFUSED.add(owner)
            if not draw_anew(owner):
                REFUSED.discard(owner)
            return await PlainTextResponse("No room for it.\n", 413)(scope, receive, send)
        self.coming[owner] += size
        try:
            return await self._app(scope, receive, send)
        finally:
            self.coming[owner] -= size
            if not self.coming[owner]:
                del self.coming[owner]


def say_refused() -> None:
    """Show why the session's last upload was refused, if it was."""
    if (own := session()) in REFUSED:
        REFUSED.discard(own)
        said = _(
            "The file was not taken: this page may upload {most} in all. Remove files, or "
            "reload the page to begin with none.",
            most=size_said(_most()),
        )
        st.toast(said, duration="infinite")


def _most() -> int:
    return limits.LIMITS.files.session_bytes


def request_size(headers: Headers) -> int:
    """Return the size of a request in bytes: as declared, else the largest allowed."""
    said = headers.get("content-length", "")
    is_number = said.isascii() and said.isdigit() and len(said) < 16
    return int(said) if is_number else page_limits.upload_bytes()
