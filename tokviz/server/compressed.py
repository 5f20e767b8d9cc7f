"""Send Streamlit's scripts and style sheets compressed, each compressed once for all visitors.

Streamlit sends them as they are, since its own layer would compress them anew for every visitor.
Browsers keep them for a year, because their names change with what is in them.
"""

import asyncio
import gzip
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The files that are compressed; fonts already are. Other spellings of a path are not kept.
_FILE = re.compile(r"(/[\w-]+)*/static/(js|css)/[\w.-]+\.(js|css)")
_TYPES = ("text/javascript", "application/javascript", "text/css")
#: How many are kept at most: more than there are, where a file system takes a name in capitals too.
_MOST = 500
#: The highest levels take twice the time and save a hundredth.
_LEVEL = 6


class Compressed:
    """ASGI middleware: compress the files whose names have a hash, and keep them in memory."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[str, tuple[Message, Message]] = {}
        # One at a time: a class that comes together needs each file once.
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_wanted_compressed(scope):
            await self._app(scope, receive, send)
            return
        if not (answer := self._kept.get(scope["path"])):
            async with self._turn:
                answer = self._kept.get(scope["path"]) or await self._compressed(scope, receive)
                is_file = "content-encoding" in Headers(raw=answer[0]["headers"])
                if is_file and len(self._kept) < _MOST:
                    self._kept[scope["path"]] = answer
        for message in answer:
            # What is around this adds its headers to the message.
            await send({**message, "headers": [*message.get("headers", ())]})

    async def _compressed(self, scope: Scope, receive: Receive) -> tuple[Message, Message]:
        """Return the app's answer, compressed if it is one of the files."""
        heard: list[Message] = []

        async def hear(message: Message) -> None:
            heard.append(message)

        await self._app(scope, receive, hear)
        start, *parts = heard
        body = b"".join(part.get("body", b"") for part in parts)
        headers = MutableHeaders(raw=start["headers"])
        # Instead of a file that is not there, Streamlit sends its page.
        if start["status"] == 200 and headers.get("content-type", "").startswith(_TYPES):
            body = await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
            headers["content-encoding"] = "gzip"
            headers["content-length"] = str(len(body))
            headers.add_vary_header("Accept-Encoding")
            # The same contents, other bytes.
            if tag := headers.get("etag"):
                headers["etag"] = f"W/{tag}"
        return start, {"type": "http.response.body", "body": body}


def _is_wanted_compressed(scope: Scope) -> bool:
    """Return whether a browser asks for all of a file, and takes it compressed."""
    if scope["type"] != "http" or scope["method"] != "GET" or not _FILE.fullmatch(scope["path"]):
        return False
    asked = Headers(scope=scope)
    has_part = "range" in asked or "if-none-match" in asked or "if-modified-since" in asked
    return "gzip" in asked.get("accept-encoding", "") and not has_part
