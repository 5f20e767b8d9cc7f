"""Whoever takes an answer, or sends an upload, too slowly is dropped; whoever is slow is not."""

import asyncio
import socket
import time
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest
from app_server import Server
from helpers import PATIENCE, run
from streamlit.proto.BackMsg_pb2 import BackMsg
from uvicorn import Config
from uvicorn import Server as Uvicorn
from visitors import Page, ask

from tokviz.server import limits, slow_transfers
from tokviz.server.connection_watch import ConnectionWatch
from tokviz.server.slow_transfers import SlowReaders


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server that soon loses its patience."""
    place = tmp_path_factory.mktemp("server")
    own = place / "own.toml"
    own.write_text("[visits]\ntransfer_seconds = 1\n", "utf-8")
    with Server(place / "log", environment={"TOKVIZ_LIMITS": str(own)}) as server:
        yield server
    assert "Traceback" not in server.said(), server.said()


def connected(served):
    """A connection that can hold little of what comes."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1000)
    made.settimeout(PATIENCE)
    made.connect(("localhost", served.port))
    return made


def holds(served, one):
    """Whether the server has its end of a connection open. (It may have others by then: of whoever
    asked whether it was healthy, or of its workers.)"""
    ends = psutil.Process(served.process.pid).net_connections("tcp")
    return any(end.raddr and end.raddr.port == one.getsockname()[1] for end in ends)


def waits(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


async def much(_scope, _receive, send):
    """Answers with more than the system holds of what nobody takes."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for n in range(200):
        await send({"type": "http.response.body", "body": b"a" * 100_000, "more_body": n < 199})


async def taken(watch, seconds):
    """How many bytes come to somebody who takes 20 kB a second for a while, and the rest at once;
    and how many to somebody who takes nothing meanwhile."""
    server = Uvicorn(Config(much, lifespan="off", log_level="critical"))
    watch.open(server)
    with socket.create_server(("localhost", 0)) as listening:
        tasks = [
            asyncio.create_task(server.serve([listening])),
            asyncio.create_task(watch.watch(server)),
        ]
        ends, got = [], [0, 0]
        for _ in got:
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1000)
            one.connect(listening.getsockname())
            reader, writer = await asyncio.open_connection(sock=one, limit=100)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            ends.append((reader, writer))
        for _ in range(10 * seconds):
            got[0] += len(await ends[0][0].read(2000))
            await asyncio.sleep(0.1)
        for n, (reader, writer) in enumerate(ends):
            with suppress(ConnectionResetError):
                while some := await reader.read(1 << 20):
                    got[n] += len(some)
            writer.close()
        server.should_exit = True
        await tasks[0]
        tasks[1].cancel()
    return got


def test_whoever_takes_nothing_of_an_answer_is_dropped_and_whoever_takes_it_slowly_is_not(
    monkeypatch,
):
    visits = replace(limits.LIMITS.visits, transfer_seconds=2)
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, visits=visits))
    slow, none = run(taken(ConnectionWatch(), 6))
    assert slow > 20_000_000
    # What the system held of it is there still.
    assert none < 15_000_000


def test_a_page_that_takes_nothing_is_dropped(served):
    """It asks to be drawn again and again."""
    one = connected(served)
    one.sendall(
        b"GET /_stcore/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: streamlit\r\n\r\n"
    )
    assert one.recv(12) == b"HTTP/1.1 101"
    message = BackMsg()
    message.rerun_script.query_string = ""
    said = message.SerializeToString()
    assert holds(served, one)

    def asks_until_dropped():
        while True:
            one.sendall(bytes([0x82, 0x80 | len(said), 0, 0, 0, 0]) + said)
            time.sleep(0.1)

    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        asks_until_dropped()
    waits(lambda: not holds(served, one))


def upload(served, page, sends):
    """Begins an upload of 10,000 bytes, and sends some of it each tenth of a second; the status."""
    cookies = ask(served, "/_stcore/health")[1]["Set-Cookie"]
    token = cookies.split("=", 1)[1].split(";")[0]
    begin = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    body = begin + b"a" * (10_000 - len(begin) - 9) + b"\r\n--x--\r\n"
    one = connected(served)
    one.sendall(
        f"PUT /_stcore/upload_file/{page.session}/0 HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: _streamlit_xsrf={token}\r\nX-Xsrftoken: {token}\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
    )
    one.settimeout(0.1)
    for start in range(0, len(body), sends):
        one.sendall(body[start : start + sends])
        try:
            return one.recv(12)
        except TimeoutError:
            continue
    one.settimeout(PATIENCE)
    return one.recv(12)


def test_an_upload_that_crawls_is_ended_and_a_slow_one_is_taken(served):
    with Page(served) as page:
        assert upload(served, page, 20) == b"HTTP/1.1 408"
        assert upload(served, page, 300) == b"HTTP/1.1 204"


class Connection:
    """One of uvicorn's, that is owed as much as a test says."""

    def __init__(self, owed):
        self.owed, self.open, self.transport = owed, True, self

    def abort(self):
        self.open = False


def test_only_those_who_move_too_little_are_dropped(monkeypatch):
    monkeypatch.setattr(slow_transfers, "owed_to", lambda connection: connection.owed)
    seconds = limits.LIMITS.visits.transfer_seconds
    now = 0
    readers = SlowReaders(lambda: now)
    _stands, crawls, slow, busy, _idle = all = [
        Connection(owed) for owed in (9e4, 9e4, 9e4, 9e4, 0)
    ]
    while now < 3 * seconds:
        readers.drop([one for one in all if one.open])
        now += 1
        crawls.owed -= 500
        slow.owed -= 1000 if slow.owed > 1000 else -64_000
        busy.owed = 20_000 + now * 7919 % 64_000
    assert [one.open for one in all] == [False, False, True, True, True]
    assert now > seconds
