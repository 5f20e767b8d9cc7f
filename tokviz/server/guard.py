"""Check the host and origin of every request, and send security headers with every answer.

    request ──▶ host allowed? ──▶ WebSocket: origin allowed? ──▶ Streamlit ──▶ headers ──▶ answer

Streamlit checks the host of WebSockets only. To check an origin, it asks the internet for its own
address, and all visitors wait meanwhile. So both are checked here first, by Streamlit's settings.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.server.streamlit_parts.web_server import inline_page

#: Load balancers and containers request it by an IP address, not by the public name.
_HEALTH = "/_stcore/health"
#: Names of this machine, for a browser that runs on it.
_LOCAL = {"localhost", "127.0.0.1", "0.0.0.0", "::1"}


def _health() -> str:
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{_HEALTH}" if base else _HEALTH


class Guard:
    """Outermost ASGI middleware: refuse foreign hosts and origins, and add the headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = headers(inline_page(), _listed("server.corsAllowedOrigins"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        asked = Headers(scope=scope)
        host, origin = asked.get("host"), asked.get("origin")
        if scope["type"] == "websocket":
            if not (_host_allowed(host) and origin_allowed(origin, host)):
                # Closed before it is accepted, a WebSocket is refused with status 403.
                return await send({"type": "websocket.close", "code": 1008})
            if origin is not None:
                # With a foreign origin, Streamlit would ask the internet before it reads its list.
                MutableHeaders(scope=scope)["origin"] = f"http://{host}"
            return await self._app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        if not _host_allowed(host) and scope["path"] != _health():
            refusal = PlainTextResponse("This server has another name.\n", 421)
            return await refusal(scope, receive, send_with_headers)
        return await self._app(scope, receive, send_with_headers)


def headers(page: str, framing: Iterable[str] = ()) -> dict[str, str]:
    """Return the headers of every answer. `page` is Streamlit's page, whose inline scripts are
    allowed by their hashes; `framing` lists the other origins that may show the app in a frame.

    >>> print(headers("<script>a = 1</script>")["Content-Security-Policy"].replace("; ", "\\n"))
    default-src 'none'
    script-src 'self' blob: 'wasm-unsafe-eval' 'sha256-tbwf/ZCRL7GL7259gJCRksemSSiWMgFW1n+68QTGVEo='
    worker-src blob:
    style-src 'self' 'unsafe-inline'
    img-src 'self' data: blob:
    font-src 'self' data:
    connect-src 'self'
    manifest-src 'self'
    base-uri 'none'
    form-action 'none'
    frame-ancestors 'self'
    """
    inline = (
        b64encode(sha256(code.encode()).digest()).decode()
        for code in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    )
    policy = {
        "default-src": "'none'",
        # Streamlit loads the player's code as a blob, and reads 64-bit integers from its messages
        # with WebAssembly (the package "long").
        "script-src": " ".join(
            ["'self'", "blob:", "'wasm-unsafe-eval'", *(f"'sha256-{code}'" for code in inline)]
        ),
        # What trains long texts (player/js/trainer.js).
        "worker-src": "blob:",
        # Streamlit creates its styles at run time.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(["'self'", *framing]),
    }
    return {
        "Content-Security-Policy": "; ".join(f"{what} {who}" for what, who in policy.items()),
        "X-Content-Type-Options": "nosniff",
        # An address may contain a visitor's text, so it is sent to no other site.
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def _listed(option: str) -> list[str]:
    return [entry.strip() for entry in st.get_option(option)]


def _host_allowed(host: str | None) -> bool:
    """Return whether `server.allowedHosts` lists the host, or is empty; the port is ignored."""
    allowed = [entry.lower() for entry in _listed("server.allowedHosts")]
    if not allowed or "*" in allowed:
        return True
    name = _name(host)
    return any(
        name.endswith(entry[1:]) if entry.startswith("*.") else name == entry for entry in allowed
    )


def origin_allowed(origin: str | None, host: str | None) -> bool:
    """Return whether a page of this origin may open a WebSocket, or speak to a room: one of this
    host, of this machine, or a trusted one. Programs other than browsers send no origin."""
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    if origin in _listed("server.corsAllowedOrigins"):
        return True
    _, slashes, place = origin.partition("://")
    return bool(slashes) and (place == host or _name(place) in _LOCAL)


def _name(host: str | None) -> str:
    """Return the name of a host without its port, or "" if it is not valid."""
    try:
        parts = urlsplit(f"//{host or ''}")
        # Only a name and a port, without the other parts of an address.
        plain = parts.netloc == host and "@" not in host
        return (parts.hostname or "").rstrip(".") if plain else ""
    except ValueError:
        return ""
