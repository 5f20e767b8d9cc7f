"""The web server: when it stops, and how it sends."""

import signal
import socket
from types import SimpleNamespace

import uvicorn
from served_parts import run

from tokviz.server.streamlit_parts.web_server import send_at_once, web_server


def test_the_server_gets_a_bound_on_its_end(monkeypatch):
    server = uvicorn.Server(uvicorn.Config(None))
    monkeypatch.setattr(signal, "getsignal", lambda _number: server.handle_exit)
    assert web_server(7) is server
    assert server.config.timeout_graceful_shutdown == 7
    assert web_server(8).config.timeout_graceful_shutdown == 7, "it has one"


def test_every_message_is_sent_at_once():
    with socket.socket() as listening, socket.socket() as browser:
        listening.bind(("localhost", 0))
        listening.listen()
        server = SimpleNamespace(started=True, servers=[SimpleNamespace(sockets=[listening])])
        run(send_at_once(server))
        browser.connect(listening.getsockname())
        accepted, _address = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_server_without_a_list_of_its_sockets_stays_as_it_is(log):
    run(send_at_once(SimpleNamespace(started=True)))
    assert "'web server'" in log()[0]
