"""A proxy before several servers that keeps each visitor with one, as the examples of
docs/deploying.md do: a cookie names the replica that answered last; who has none, or one of a
replica that cannot be reached, goes to the next one."""

import asyncio
import itertools
import threading
from contextlib import suppress

import aiohttp
from aiohttp import web
from app_server import free_port
from helpers import PATIENCE

#: What a visitor's cookie is called, and how the examples set it.
COOKIE = "replica"
ATTRIBUTES = {"path": "/", "secure": True, "httponly": True, "samesite": "Lax"}
#: Headers of one connection, and such as are set anew.
_OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "upgrade", "content-length"}
_MOST_BYTES = 52_000_000


class StickyProxy:
    """Answers on a port of its own for as long as a `with` lasts. `strayed` are the requests that
    another replica answered than their cookie names."""

    def __init__(self, replicas):
        self._replicas = replicas
        self._next = itertools.cycle(replicas)
        self._loop = asyncio.new_event_loop()
        self._runs = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.strayed = []
        self.port = free_port()
        self.address = f"http://localhost:{self.port}"

    def __enter__(self):
        self._runs.start()
        self._wait_for(self._open())
        return self

    def __exit__(self, *_):
        self._wait_for(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._runs.join(PATIENCE)

    def _wait_for(self, does):
        asyncio.run_coroutine_threadsafe(does, self._loop).result(PATIENCE)

    async def _open(self):
        self._client = aiohttp.ClientSession(
            auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()
        )
        app = web.Application(client_max_size=_MOST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "localhost", self.port).start()

    async def _close(self):
        await self._runner.cleanup()
        await self._client.close()

    def _in_order(self, named):
        """The names of the replicas to ask, one after the other."""
        first = named if named in self._replicas else next(self._next)
        return [first, *(name for name in self._replicas if name != first)]

    async def _answer(self, request):
        named, body = request.cookies.get(COOKIE), await request.read()
        for name in self._in_order(named):
            try:
                answered = await self._pass_on(request, body, name)
            except aiohttp.ClientConnectorError:
                continue
            if named not in (None, name):
                self.strayed.append((request.path, named, name))
            return answered
        raise web.HTTPBadGateway

    async def _pass_on(self, request, body, name):
        address = f"http://localhost:{self._replicas[name].port}{request.raw_path}"
        headers = {
            key: value
            for key, value in request.headers.items()
            if key.lower() not in _OF_A_CONNECTION and not key.lower().startswith("sec-websocket")
        }
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._join(request, address, headers, name)
        asked = self._client.request(
            request.method, address, headers=headers, data=body, allow_redirects=False
        )
        async with asked as said:
            answer = web.StreamResponse(status=said.status, reason=said.reason)
            for key, value in said.headers.items():
                if key.lower() not in _OF_A_CONNECTION:
                    answer.headers.add(key, value)
            answer.set_cookie(COOKIE, name, **ATTRIBUTES)
            await answer.prepare(request)
            async for part in said.content.iter_any():
                await answer.write(part)
        return answer

    async def _join(self, request, address, headers, name):
        """Passes on what both ends of a WebSocket say, until one of them is gone."""
        asked = request.headers.get("Sec-WebSocket-Protocol", "")
        protocols = [each.strip() for each in asked.split(",")]
        try:
            there = await self._client.ws_connect(
                address, protocols=protocols, headers=headers, max_msg_size=0
            )
        except aiohttp.WSServerHandshakeError as refused:
            raise web.HTTPForbidden from refused
        here = web.WebSocketResponse(protocols=[there.protocol or protocols[0]], max_msg_size=0)
        here.set_cookie(COOKIE, name, **ATTRIBUTES)
        await here.prepare(request)
        both = [asyncio.create_task(_copy(*ends)) for ends in ((here, there), (there, here))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for each in both:
            each.cancel()
        await there.close()
        await here.close()
        return here


async def _copy(source, target):
    with suppress(ConnectionError):
        async for said in source:
            if said.type == aiohttp.WSMsgType.BINARY:
                await target.send_bytes(said.data)
            elif said.type == aiohttp.WSMsgType.TEXT:
                await target.send_str(said.data)
