"""Scripts and style sheets are sent compressed, and each is compressed once."""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_handler,
)

from tokviz.server import compressed
from tokviz.server.compressed import Compressed

STATIC = Path(streamlit.__file__).parent / "static"
SCRIPT = "/static/js/" + max((STATIC / "static/js").iterdir(), key=lambda f: f.stat().st_size).name
STYLE = "/static/css/" + next((STATIC / "static/css").glob("*.css")).name
CODE = b"const a = 1;\n" * 10_000


@pytest.fixture(scope="module")
def browser():
    """A client of Streamlit's own files."""
    return TestClient(Compressed(create_streamlit_static_handler(str(STATIC), None)))


@pytest.mark.parametrize("path", [SCRIPT, STYLE])
def test_a_browser_gets_the_same_file_in_fewer_bytes(browser, path):
    file = (STATIC / path[1:]).read_bytes()
    for _ in range(2):
        answer = browser.get(path)
        assert answer.content == file
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) < 0.4 * len(file)
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["vary"] == "Accept-Encoding"
    tag = answer.headers["etag"]
    assert browser.get(path, headers={"if-none-match": tag}).status_code == 304


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (SCRIPT, {"accept-encoding": "identity"}, 200),
        (SCRIPT, {"range": "bytes=0-9"}, 206),
        ("/static/js/none.js", {}, 200),
        ("/", {}, 200),
    ],
)
def test_all_else_is_as_streamlit_sends_it(browser, path, headers, status):
    answer = browser.get(path, headers=headers)
    assert (answer.status_code, answer.headers.get("content-encoding")) == (status, None)


def test_a_file_is_compressed_once_for_all_who_come_together(monkeypatch):
    made = []
    compress = gzip.compress
    monkeypatch.setattr(
        compressed.gzip, "compress", lambda *a, **k: made.append(1) or compress(*a, **k)
    )

    async def file(_request):
        await asyncio.sleep(0.05)
        return Response(CODE, media_type="text/javascript")

    async def page(_request):
        return HTMLResponse("no such file")

    app = Starlette(
        routes=[Route("/static/js/a.js", file), Route("/static/js/{name}", page)],
        middleware=[Middleware(Compressed)],
    )
    with TestClient(app) as browser, ThreadPoolExecutor(4) as people:
        asked = [people.submit(browser.get, "/static/js/a.js") for _ in range(8)]
        assert all(one.result().content == CODE for one in asked)
        assert browser.get("/static/js/b.js").text == "no such file"
    assert made == [1]
