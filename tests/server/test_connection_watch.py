"""Connections that say nothing, and the room for others."""

import resource
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from app_server import Server, healthy
from helpers import PATIENCE
from uvicorn import Config
from uvicorn import Server as Uvicorn
from visitors import SMALL, Page, ask

from tokviz.server import limits
from tokviz.server.connection_watch import ConnectionWatch
from tokviz.server.descriptors import Files
from tokviz.server.streamlit_parts import parts


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 256))


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server that may have few files open, and soon loses its patience."""
    place = tmp_path_factory.mktemp("server")
    own = place / "own.toml"
    own.write_text(SMALL, "utf-8")
    environment = {"TOKVIZ_LIMITS": str(own)}
    with Server(place / "log", environment=environment, before=few_files) as server:
        yield server


def silent(served, number, says=b""):
    """Connections that begin to say something, or nothing at all."""
    made = []
    for _ in range(number):
        made.append(one := socket.create_connection(("localhost", served.port)))
        one.settimeout(PATIENCE)
        one.send(says)
    return made


def closed(connection):
    """Waits until the server has closed a connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_silent_connections_lock_nobody_out(served):
    """More than there may be files: the first give way at once, and all when their time is over."""
    said = len(served.said())
    crowd = silent(served, 150) + silent(served, 150, b"GET / HTTP/1.1\r\nHost: local")
    with Page(served) as page:
        assert page.is_drawn
    assert all(closed(one) for one in crowd)
    assert healthy(served.port)
    assert len(served.said()) == said, served.said()


def test_a_page_is_one_open_file(served):
    place = Path(f"/proc/{served.process.pid}/fd")
    before = len([*place.iterdir()])
    with ExitStack() as pages:
        for _ in range(8):
            assert pages.enter_context(Page(served)).is_drawn
        # Some of the server's own come and go.
        assert len([*place.iterdir()]) <= before + 16


def test_an_upload_may_take_its_time(served):
    """Only the request itself is waited for, not what is uploaded by it."""
    with Page(served) as page:
        cookies = ask(served, "/_stcore/health")[1]["Set-Cookie"]
        token = cookies.split("=", 1)[1].split(";")[0]
        body = (
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nlow\r\n--x--\r\n'
        )
        head = (
            f"PUT /_stcore/upload_file/{page.session}/0 HTTP/1.1\r\nHost: localhost\r\n"
            f"Cookie: _streamlit_xsrf={token}\r\nX-Xsrftoken: {token}\r\n"
            f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        (upload,) = silent(served, 1, head.encode() + body[:20])
        # Whoever came later, and owes a request, is closed before.
        assert closed(silent(served, 1)[0])
        upload.sendall(body[20:])
        assert upload.recv(12) == b"HTTP/1.1 204"


def test_where_no_file_is_left_the_log_says_so_and_stays_small(served):
    """Stalled downloads are no silent connections; each of them takes two files."""
    script = max(ask(served)[2].split('src="./')[1:], key=len).split('"')[0]
    request = f"GET /{script} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    stalled = []
    for _ in range(300):
        stalled.append(one := socket.socket())
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1000)
        one.settimeout(PATIENCE)
        one.connect(("localhost", served.port))
        one.send(request)
    end = time.monotonic() + PATIENCE
    while "[EMFILE] Too many open files" not in served.said():
        assert time.monotonic() < end
        time.sleep(0.05)
    for one in stalled:
        one.close()
    # It hears of one after the other that they are gone.
    while ask(served)[0] != 200:
        assert time.monotonic() < end
        time.sleep(0.05)
    with Page(served) as page:
        assert page.is_drawn
    assert len(served.said()) < 100_000


class Connection:
    """One of uvicorn's."""

    def __init__(self, name, answered=None):
        self.name, self.cycle, self.open = name, None, True
        self.transport = SimpleNamespace(close=self._close, is_closing=lambda: not self.open)
        if answered is not None:
            self.asks(answered)

    def _close(self):
        self.open = False

    def asks(self, answered):
        self.cycle = SimpleNamespace(response_complete=answered)


@pytest.fixture
def watch():
    """A ConnectionWatch with a clock and a number of open files that tests set."""
    known = SimpleNamespace(now=0.0, open=0, here=[])
    made = ConnectionWatch(Files(100, lambda: known.open, lambda: known.now), lambda: known.now)
    made.connections, made.reserve, made.most = known.here, 40, 10
    made.known = known
    return made


def test_whoever_is_being_answered_is_not_silent(watch):
    seconds = limits.LIMITS.visits.request_seconds
    websocket = SimpleNamespace()
    kept, asking, idle, asks_again = (
        Connection("kept", answered=True),
        Connection("asking", answered=False),
        Connection("idle"),
        Connection("asks again", answered=True),
    )
    watch.known.here += [kept, asking, idle, asks_again, websocket]
    watch.drop_silent()
    watch.known.now = seconds - 1
    asks_again.asks(answered=True)
    watch.drop_silent()
    assert all(one.open for one in (kept, asking, idle, asks_again))
    watch.known.now = seconds + 1
    watch.drop_silent()
    assert [one.open for one in (kept, asking, idle, asks_again)] == [False, True, False, True]


def test_where_files_run_short_the_longest_silent_go_but_no_more_than_half(watch):
    def connect():
        watch.known.now += 1
        watch.make_room()
        watch.known.here.append(one := Connection("new"))
        watch.silent_connections()
        return one

    first = [connect() for _ in range(6)]
    assert all(one.open for one in first)
    watch.known.open = 90
    connect()
    assert [one.open for one in first] == [False] * 3 + [True] * 3


def test_silent_connections_take_no_room_from_pages(watch):
    watch.known.open = 50
    assert watch.room() == 10
    watch.known.here += [Connection(str(i)) for i in range(40)]
    watch.known.open, watch.known.now = 90, 1
    assert watch.room() == 10
    assert watch.room_for_newcomers()
    watch.known.open, watch.known.now = 99, 2
    assert watch.room() == 1
    assert not watch.room_for_newcomers()


def test_without_uvicorn_s_server_everybody_comes_in():
    watch = ConnectionWatch()
    watch.open(None)
    assert watch.room_for_newcomers()


def test_another_server_of_uvicorn_is_left_as_it_is(caplog, monkeypatch):
    monkeypatch.setattr(parts, "reported_parts", set())
    watch, server = ConnectionWatch(), SimpleNamespace(config=Config(lambda: None))
    watch.open(server)
    assert "lacks the part 'connections'" in caplog.text
    assert watch.room_for_newcomers()


def test_a_low_limit_of_open_files_is_told(caplog, monkeypatch):
    monkeypatch.setattr("tokviz.server.connection_watch.allow", lambda _wanted: 1024)
    monkeypatch.setattr(Files, "left", lambda _files: 900)
    ConnectionWatch().open(None)
    assert "allows 1,024 open files: room for 772 pages at once, and not for 1,000." in caplog.text


def test_connections_are_accepted_in_small_numbers():
    server = Uvicorn(Config(lambda: None))
    server.config.load()
    watch = ConnectionWatch()
    watch.open(server)
    assert server.config.backlog <= 128
