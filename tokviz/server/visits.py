"""Limit how many pages are open at once. When the server is full, a new visitor gets a page that
says its place in line, asks again by itself and keeps the place; visitors with a session can always
reconnect.

    GET of a page ──▶ room, and nobody before it? ──no──▶ status 503: its place in line
    WebSocket     ──▶ its session is known, or room? ──no──▶ refused
                        └─▶ speaks in time? ──no──▶ closed
"""

import asyncio
from html import escape
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.basics.messages import _, closest, using
from tokviz.server import limits
from tokviz.server.connection_watch import CONNECTION_WATCH, ConnectionWatch
from tokviz.server.streamlit_parts.sessions import is_kept, visitor_cookie
from tokviz.server.waiting_line import AGAIN, Line

#: The cookie that keeps a place in line.
_PLACE = "tokviz_place"
#: Folders of static files, and of addresses that only programs request.
_NO_PAGES = {"_stcore", "static", "media", "component"}


class Visits:
    """ASGI middleware: count the open pages, and refuse one more when the server is full."""

    def __init__(self, app: ASGIApp, watch: ConnectionWatch = CONNECTION_WATCH) -> None:
        self._app, self._watch = app, watch
        self._line = Line()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await self._visit(scope, receive, send)
        if scope["type"] == "http" and asks_for_a_page(scope):
            cookies = cookies_of(scope)
            # A returning browser may be reloading a page whose old connection is still open.
            if not (visitor_cookie() in cookies and self._watch.room() > 0):
                free = self._watch.room_for_newcomers()
                ticket, place = self._line.ask(cookies.get(_PLACE, ""), free)
                if place:
                    return await no_room(Headers(scope=scope), ticket, place)(scope, receive, send)
        return await self._app(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A browser that reconnects names its session, and may send nothing at first.
        session = scope["subprotocols"][2] if len(scope["subprotocols"]) > 2 else ""
        if not (self._watch.room() > 0 or (session and is_kept(session))):
            # Closed before it is accepted, a WebSocket is refused with status 403.
            return await send({"type": "websocket.close", "code": 1013})
        self._line.came_in(cookies_of(scope).get(_PLACE, ""))
        self._watch.pages += 1
        try:
            await self._app(scope, receive if session else first_in_time(receive, send), send)
        finally:
            self._watch.pages -= 1


def cookies_of(scope: Scope) -> dict[str, str]:
    """Return the cookies that a request comes with."""
    return cookie_parser(Headers(scope=scope).get("cookie", ""))


def asks_for_a_page(scope: Scope) -> bool:
    """Return whether a browser requests a page. Health checks do not accept HTML, and images and
    files are no pages."""
    parts = scope["path"].split("/")
    wants = Headers(scope=scope).get("accept", "")
    return (
        scope["method"] == "GET"
        and "text/html" in wants
        and "." not in parts[-1]
        and not _NO_PAGES & {*parts}
    )


def first_in_time(receive: Receive, send: Send) -> Receive:
    """Return a `receive` that closes a WebSocket without a first message in time: a browser's page
    sends one at once."""
    heard: list[str] = []

    async def received() -> Message:
        if "websocket.receive" in heard:
            return await receive()
        seconds = limits.LIMITS.visits.first_message_seconds
        try:
            message = await asyncio.wait_for(receive(), seconds)
        except TimeoutError:
            await send({"type": "websocket.close", "code": 1013})
            return {"type": "websocket.disconnect", "code": 1013}
        heard.append(message["type"])
        return message

    return received


def no_room(headers: Headers, ticket: str, place: int) -> HTMLResponse:
    """Return a page, in the browser's language, that says that the server is full and which place
    in line this is, and reloads itself. It loads no other files."""
    asked = headers.get("accept-language", "").split(",")[0].split(";")[0].strip()
    with using(language := closest(asked)):
        said: dict[str, Any] = {
            "title": _("All places are taken"),
            "place": _("You are number {n:,} in line.", n=place),
            "why": _("This server has no room for another open page."),
            "what": _(
                "Leave this page open: it asks again every {n} seconds without losing its place, "
                "and gets in when it is your turn.",
                n=AGAIN,
            ),
        }
    title, at, why, what = (escape(sentence) for sentence in said.values())
    page = f"""<!DOCTYPE html>
<html lang="{escape(language.replace("_", "-"))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="{AGAIN}">
<title>{place:,} · tokviz: {title}</title>
<style>
:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; }}
body {{ max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; }}
h1 {{ font-size: 1.5rem; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p role="status"><strong>{at}</strong></p>
<p>{why}</p>
<p>{what}</p>
</main>
</body>
</html>
"""
    answer = HTMLResponse(page, 503, {"Retry-After": str(AGAIN), "Cache-Control": "no-store"})
    if ticket:
        answer.set_cookie(_PLACE, ticket, httponly=True, samesite="lax")
    return answer
