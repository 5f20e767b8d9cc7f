"""Send the player's script as a file, like those of Streamlit; all scripts and style sheets
compressed, each compressed once for all visitors, and those of a first visit ready before somebody
comes.

Streamlit sends them as they are, since its own layer would compress them anew for every visitor.
Browsers keep them for a year, because their names change with what is in them. Its page names the
scripts that it begins with; those of the elements that tokviz draws a browser would find one after
the other, each when it meets the first such element, and the player's with the last of them.
"""

import asyncio
import gzip
import re
from functools import cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.basics.messages import ENGLISH, closest, languages, using
from tokviz.player.assets import script, script_name
from tokviz.server.streamlit_parts.web_server import static_files

#: The files that are compressed; fonts already are. Other spellings of a path are not kept.
_FILE = re.compile(r"(/[\w-]+)*/static/(js|css)/[\w.-]+\.(js|css)")
_TYPES = ("text/javascript", "application/javascript", "text/css")
#: How many are kept at most: more than there are, where a file system takes a name in capitals too.
_MOST = 500
#: The highest levels take twice the time and save a hundredth.
_LEVEL = 6
#: The elements of the page Train, as Streamlit names their scripts.
_ELEMENTS = (
    *("BidiComponent", "Button", "ButtonGroup", "Html", "NumberInput", "Popover", "Selectbox"),
    *("Slider", "TextArea"),
)
#: The font of tokens.
_FONT = "SourceCodeVF-Upright.*.woff2"
#: The player's, in each language, and how long a browser keeps it.
_PLAYER = re.compile(r"(?:/[\w-]+)*/static/js/(tokviz-mount-(\w+)\.\w+\.js)")
_A_YEAR = "public, immutable, max-age=31536000"
#: Nor is an answer compressed and kept here that no browser may keep: its name can be made up.
NOT_KEPT = "no-store"
_NAMED = re.compile(r"static/js/([\w.-]+\.js)")
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')
_HEAD = b"</head>"


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
        is_kept = headers.get("cache-control") != NOT_KEPT
        if (
            start["status"] == 200
            and is_kept
            and headers.get("content-type", "").startswith(_TYPES)
        ):
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


class PlayerScript:
    """ASGI middleware inside the one that compresses: send the player's script."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _PLAYER.fullmatch(scope.get("path", ""))
        if not asked or scope["type"] != "http" or asked[2] not in languages():
            await self._app(scope, receive, send)
            return
        with using(asked[2]):
            code, name = script("mount"), script_name("mount")
        # Another version of tokviz may have named another one, while servers are exchanged.
        kept = _A_YEAR if name == asked[1] else NOT_KEPT
        answer = Response(code, headers={"cache-control": kept}, media_type="text/javascript")
        await answer(scope, receive, send)


@cache
def first_scripts() -> tuple[list[str], list[str]]:
    """Return the names of the scripts that Streamlit's page names, and of those that its elements
    need besides. Of a Streamlit that has them elsewhere there are none."""
    static = static_files()
    scripts = static / "static/js"
    try:
        named = sorted({*_NAMED.findall((static / "index.html").read_text("utf-8"))})
        wanted = [file.name for name in _ELEMENTS for file in scripts.glob(f"{name}.*.js")]
        needed: list[str] = []
        while wanted:
            name = wanted.pop()
            if name not in named and name not in needed:
                needed.append(name)
                wanted += _IMPORTED.findall((scripts / name).read_text("utf-8"))
    except OSError:
        return [], []
    return named, needed


@cache
def _links(language: str) -> bytes:
    """Return the HTML that has a browser ask for what the elements need."""
    fonts = (static_files() / "static/media").glob(_FONT)
    with using(language):
        names = [*first_scripts()[1], script_name("mount")]
    scripts = (f'rel="modulepreload" href="./static/js/{name}"' for name in names)
    letters = (
        f'rel="preload" as="font" type="font/woff2" href="./static/media/{font.name}"'
        for font in fonts
    )
    return "".join(f"<link crossorigin {link}>" for link in (*scripts, *letters)).encode()


class FirstFiles:
    """ASGI middleware around the one that compresses: have it do so when the server starts, and
    name in Streamlit's page what its elements need."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            getting_ready = asyncio.create_task(self._get_ready())
            await self._app(scope, receive, send)
            getting_ready.cancel()
        elif scope["type"] == "http" and scope["method"] == "GET" and _is_page(scope):
            # Links are written into what is not compressed yet.
            headers = [
                (name, said) for name, said in scope["headers"] if name != b"accept-encoding"
            ]
            wanted = Headers(scope=scope).get("accept-language", "").split(",")[0].split(";")[0]
            links = _links(closest(wanted.strip()))
            await self._app({**scope, "headers": headers}, receive, _Page(send, links).send)
        else:
            await self._app(scope, receive, send)

    async def _get_ready(self) -> None:
        """Ask for each script as a browser would."""
        with using(ENGLISH):
            players = script_name("mount")
        for name in (*(name for names in first_scripts() for name in names), players):
            about = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http"}
            path = {"path": f"/static/js/{name}", "root_path": "", "query_string": b""}
            headers = [(b"accept-encoding", b"gzip"), (b"host", b"localhost")]
            await self._app({**about, **path, "headers": headers}, _nothing_more, _nobody)


class _Page:
    """What is sent of a page, with the links in its head."""

    def __init__(self, send: Send, links: bytes) -> None:
        self._send, self._links = send, links
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        """Send the start with the first part, which has the head if it is Streamlit's page."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        if start := self._start:
            self._start = None
            body = message.get("body", b"")
            headers = MutableHeaders(raw=[*start.get("headers", ())])
            if _HEAD in body and "content-length" in headers:
                headers["content-length"] = str(int(headers["content-length"]) + len(self._links))
                message = {**message, "body": body.replace(_HEAD, self._links + _HEAD, 1)}
            await self._send({**start, "headers": headers.raw})
        await self._send(message)


def _is_page(scope: Scope) -> bool:
    asked = Headers(scope=scope)
    return "text/html" in asked.get("accept", "") and "range" not in asked


async def _nothing_more() -> Message:
    """Who asks sends nothing, and waits for the whole answer."""
    return await asyncio.Future()


async def _nobody(_message: Message) -> None:
    """Nobody reads it."""
