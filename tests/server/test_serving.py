"""The server as strangers meet it: hosts, origins, headers, its beginning and its end."""

import asyncio
import gc
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import weakref
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import streamlit as st
from app_server import Server, free_port, healthy
from helpers import PATIENCE, ROOT, run
from streamlit import net_util
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tokviz.core import host
from tokviz.server import lifecycle
from tokviz.server.guard import Guard

#: The server of the README, which waits a second for whoever stalls when it is told to stop.
SOON = """import sys
from tokviz.server import lifecycle
lifecycle.PATIENCE = 1
from streamlit.web.cli import main
sys.exit(main(prog_name="streamlit"))"""


@pytest.fixture
def port(named_server):
    """Of a server with names of its own, and one trusted origin."""
    return named_server.port


def ask(port, path="/", host="localhost", method="GET", data=None):
    """The status, the headers and the text of an answer."""
    request = urllib.request.Request(f"http://localhost:{port}{path}", data, {"Host": host})
    request.method = method
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def opens(port, host="localhost", origin=None):
    """Whether a WebSocket is accepted that says it comes from an origin."""
    # The library writes Host and Origin by itself; the connection still goes to this server.
    address = f"ws://{host}:{port}/_stcore/stream"
    with socket.create_connection(("localhost", port)) as connection:
        try:
            with connect(address, sock=connection, origin=origin, subprotocols=["streamlit"]):
                return True
        except InvalidStatus as refused:
            return refused.response.status_code != 403


@pytest.mark.parametrize("path", ["/", "/encode", "/_stcore/health", "/media/none.svg", "/x.js"])
def test_every_answer_has_the_headers(port, path):
    _, headers, _ = ask(port, path)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    scripts = re.search("script-src[^;]*", policy)[0].split()
    assert "'unsafe-eval'" not in scripts
    assert "'wasm-unsafe-eval'" in scripts, "Streamlit's messages count with WebAssembly"
    assert "'unsafe-inline'" not in scripts
    assert "worker-src blob:" in policy
    assert "frame-ancestors 'self' https://course.example" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers


def test_the_inline_scripts_of_the_page_are_the_ones_that_the_policy_knows(port):
    _, headers, page = ask(port)
    assert len(re.findall("<script>", page)) == headers["Content-Security-Policy"].count("sha256-")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("tokens.example", 200),
        ("TOKENS.example:443", 200),
        ("a.school.example", 200),
        ("school.example", 421),
        ("evil.example", 421),
        ("evil-tokens.example", 421),
        ("tokens.example.evil.example", 421),
        ("evil.example:80@tokens.example", 421),
        ("", 421),
        ("[", 421),
    ],
)
def test_only_the_names_of_the_server_are_answered(port, host, status):
    for path in ("/", "/_stcore/host-config", "/static/index.html"):
        assert ask(port, path, host)[0] in (status, 404 if status == 200 else status)
    answer = ask(port, "/", host)
    assert answer[0] == status
    if status != 200:
        assert answer[2] == "This server has another name.\n"
        assert "Content-Security-Policy" in answer[1]


def test_health_is_told_to_whoever_asks_by_an_address(port):
    assert ask(port, "/_stcore/health", "10.0.0.7:8501")[::2] == (200, "ok")


@pytest.mark.parametrize(
    ("host", "origin", "accepted"),
    [
        ("localhost", None, True),
        ("tokens.example", None, True),
        ("tokens.example", "http://tokens.example:{port}", True),
        ("tokens.example", "https://course.example", True),
        ("tokens.example", "https://evil.example", False),
        ("tokens.example", "https://course.example.evil.example", False),
        ("tokens.example", "null", False),
        ("tokens.example", "", False),
        ("tokens.example", "http://[", False),
        ("evil.example", None, False),
        ("evil.example", "http://evil.example:{port}", False),
    ],
)
def test_no_other_page_of_the_web_may_connect(port, host, origin, accepted):
    assert opens(port, host, origin and origin.format(port=port)) is accepted


@pytest.mark.parametrize("origin", ["https://evil.example", "http://[", "null", "\n"])
def test_a_foreign_origin_is_refused_before_the_internet_is_asked(origin, monkeypatch):
    monkeypatch.setattr(net_util, "_make_blocking_http_get", pytest.fail)
    sent = []

    async def send(message):
        sent.append(message)

    names = {b"host": b"tokens.example", b"origin": origin.encode()}
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [*names.items()]}
    run(Guard(pytest.fail)(scope, pytest.fail, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_an_upload_without_the_token_of_its_page_is_refused(port):
    path = "/_stcore/upload_file/0/0"
    status, _, said = ask(port, path, method="PUT", data=b"text")
    assert (status, "XSRF" in said) == (403, True)


def test_the_agent_api_is_off(port):
    status, _, _ = ask(port, "/_stcore/agent/interact", method="POST", data=b"{}")
    assert status in (403, 404, 501)


def test_the_server_asks_nobody_for_its_address(port, named_server):
    """At its start and for other origins, Streamlit asks the internet, and says what it hears."""
    assert opens(port, origin="https://course.example")
    said = named_server.said()
    assert f"http://localhost:{port}" in said
    assert "external" not in said.lower()


def test_a_visit_has_no_file_watched(port, named_server):
    """Watching all modules for changes costs each visit most of a second."""
    assert opens(port)
    files = Path(f"/proc/{named_server.process.pid}/fd")
    opened = [str(file.readlink()) for file in files.iterdir()]
    assert any(name.startswith("socket:") for name in opened)
    assert not any("inotify" in name for name in opened)


def test_told_to_stop_it_stops_though_a_browser_stalls(tmp_path):
    """With a page open, and a download that nobody reads on; nothing that it started stays."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    large = max(scripts.iterdir(), key=lambda file: file.stat().st_size).name
    with (
        Server(tmp_path / "log", ("-c", SOON)) as served,
        connect(f"ws://localhost:{served.port}/_stcore/stream", subprotocols=["streamlit"]),
        socket.socket() as stalls,
    ):
        stalls.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1000)
        stalls.connect(("localhost", served.port))
        stalls.sendall(f"GET /static/js/{large} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert stalls.recv(12) == b"HTTP/1.1 200"
        begun = psutil.Process(served.process.pid).children(recursive=True)
        assert begun, "a process waits for the first training"
        begin = time.monotonic()
        served.stop()
        took = time.monotonic() - begin
    assert 1 <= took < 11
    # Status 0 where it is the first process of a container, whom no signal ends.
    assert served.process.returncode in (-15, 0)
    assert not psutil.wait_procs(begun, timeout=0)[1]
    assert "Traceback" not in served.said(), served.said()


def test_the_command_takes_its_server_with_it():
    port = free_port()
    command = [sys.executable, "-m", "tokviz", "app", "--headless", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        while not healthy(port):
            assert process.poll() is None
            time.sleep(0.1)
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert not healthy(port)


def test_the_compiled_trainer_is_loaded_before_the_first_visit():
    host.compiled.cache_clear()
    collected = gc.get_threshold()
    try:
        lifecycle.get_ready()
    finally:
        gc.set_threshold(*collected)
        gc.unfreeze()
    assert host.compiled.cache_info().currsize == 1


def test_circles_are_freed_though_they_are_few(monkeypatch):
    class Circle:
        pass

    monkeypatch.setattr(lifecycle, "MINUTE", 0.01)
    circle = Circle()
    circle.itself = circle
    known = weakref.ref(circle)

    async def some_minutes():
        with suppress(TimeoutError):
            await asyncio.wait_for(lifecycle.free_memory(), 0.3)

    gc.disable()
    try:
        del circle
        assert known() is not None
        run(some_minutes())
        assert known() is None
    finally:
        gc.enable()
