"""How many pages are open at once, and what is said to those who come later."""

import re
import time

import pytest
from helpers import PATIENCE
from visitors import Page, ask
from websockets.exceptions import InvalidStatus

from tokviz.server.visits import AGAIN, asks_for_a_page

HTML = "text/html,application/xhtml+xml"


@pytest.fixture
def served(small_server):
    return small_server


def waits(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_whoever_comes_to_a_full_server_reads_so_and_comes_in_later(served):
    inside = []
    while (answer := ask(served, Accept=HTML))[0] == 200:
        inside.append(Page(served))
    # A tenth is kept for those who have got the page, and have still to connect.
    assert len(inside) == 9
    status, headers, page = ask(served, "/encode?lang=zh", Accept=HTML)
    assert "You are number 1 in line." in answer[2]
    assert "You are number 2 in line." in page
    kept = answer[1]["Set-Cookie"]
    ticket = {"Cookie": kept.split(";")[0]}
    assert (status, headers["Retry-After"]) == (503, str(AGAIN))
    assert f'<meta http-equiv="refresh" content="{AGAIN}">' in page
    assert "This server has no room for another open page." in page
    assert "style-src 'self' 'unsafe-inline'" in headers["Content-Security-Policy"]
    assert not re.search("<script|src=|href=", page)
    chinese = ask(served, Accept=HTML, Accept_Language='zh-CN,zh;q=0.9,"><script>')[2]
    assert '<html lang="zh-CN">' in chinese
    assert "已经达到上限" in chinese
    assert "<script" not in ask(served, Accept=HTML, Accept_Language='"><script>')[2]
    # Whoever asks whether the server is well, or loads a page anew.
    assert ask(served, "/_stcore/health", Accept=HTML)[0] == 200
    assert ask(served, Accept="*/*")[0] == 200
    assert ask(served, Accept=HTML, Cookie="_streamlit_xsrf=2")[0] == 200
    inside.append(Page(served))
    with pytest.raises(InvalidStatus):
        Page(served)
    assert ask(served, Accept=HTML, Cookie="_streamlit_xsrf=2")[0] == 503
    # Whose connection was lost comes back, though another one has come meanwhile.
    inside[0].close()
    waits(lambda: ask(served, Accept=HTML, Cookie="_streamlit_xsrf=2")[0] == 200)
    inside.append(Page(served))
    with pytest.raises(InvalidStatus):
        Page(served, "another")
    with Page(served, inside[0].session) as again:
        assert again.session == inside[0].session
        assert all(page.is_open for page in inside[1:])
    # It asks again, and keeps its place before those who came meanwhile.
    status, headers, page = ask(served, "/encode?lang=zh", Accept=HTML, **ticket)
    assert (status, headers["Set-Cookie"]) == (503, kept)
    assert kept.endswith("; HttpOnly; Path=/; SameSite=lax")
    assert "You are number 1 in line." in page
    for page in inside[:3]:
        page.close()
    waits(lambda: ask(served, Accept=HTML, **ticket)[0] == 200)
    # Its page is on its way, and its place is nobody else's.
    assert ask(served, Accept=HTML)[0] == 503
    for page in inside[3:]:
        page.close()


def test_a_page_that_never_asks_to_be_drawn_is_closed(served):
    """One that comes back has nothing to say at once: its browser shows what it showed."""
    with Page(served, "lost", speaks=False) as comes_back, Page(served) as usual:
        with Page(served, speaks=False) as silent:
            assert silent.closed() == 1013
        assert comes_back.is_open
        assert usual.is_drawn


@pytest.mark.parametrize(
    ("method", "path", "accept", "page"),
    [
        ("GET", "/", HTML, True),
        ("GET", "/compare", HTML, True),
        ("GET", "/base/compare", HTML, True),
        ("HEAD", "/", HTML, False),
        ("GET", "/", "*/*", False),
        ("GET", "/_stcore/health", HTML, False),
        ("GET", "/base/_stcore/health", HTML, False),
        ("GET", "/media/0123", HTML, False),
        ("GET", "/favicon.ico", HTML, False),
    ],
)
def test_what_is_asked_for_as_a_page(method, path, accept, page):
    headers = [(b"accept", accept.encode())]
    assert asks_for_a_page({"method": method, "path": path, "headers": headers}) is page
