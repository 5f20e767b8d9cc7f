"""What the first page needs is ready before somebody comes, and asked for at once."""

import re
import time
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_handler,
)

from tokviz.basics.messages import using
from tokviz.player.assets import script, script_name
from tokviz.server import compressed
from tokviz.server.compressed import Compressed, FirstFiles, PlayerScript, first_scripts

STATIC = Path(streamlit.__file__).parent / "static"
PAGE = (STATIC / "index.html").read_text("utf-8")
HTML = {"accept": "text/html"}


def new_browser():
    """A client of Streamlit's own files, through layers that have compressed none yet."""
    files = create_streamlit_static_handler(str(STATIC), None)
    layers = [*map(Middleware, (FirstFiles, Compressed, PlayerScript))]
    return TestClient(Starlette(routes=[Mount("/", files)], middleware=layers))


@pytest.fixture(scope="module")
def browser():
    return new_browser()


def test_the_page_names_what_its_elements_need(browser):
    answer = browser.get("/", headers=HTML)
    links = re.findall(r"<link crossorigin [^>]*>", answer.text)
    assert re.sub("|".join(map(re.escape, links)), "", answer.text) == PAGE
    assert int(answer.headers["content-length"]) == len(answer.content)
    scripts = [name for link in links for name in re.findall(r"js/([\w.-]+\.js)", link)]
    assert {"BidiComponent", "TextArea", "Slider"} <= {name.split(".")[0] for name in scripts}
    named = {*re.findall(r"static/js/([\w.-]+\.js)", PAGE)}
    assert scripts[-1] == script_name("mount")
    for name in scripts[:-1]:
        code = (STATIC / "static/js" / name).read_text("utf-8")
        for other in re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', code):
            assert other in named or other in scripts
    for path in re.findall(r'href="\.(/static/[^"]+)"', " ".join(links)):
        assert (STATIC / path[1:]).is_file() or path.endswith(scripts[-1])


@pytest.mark.parametrize(("asked", "language"), [("zh-CN,zh;q=0.9", "zh_CN"), ("xx", "en")])
def test_the_player_s_script_is_a_file_in_the_language_of_the_browser(browser, asked, language):
    """A browser keeps it: its name changes with it. One of another version may be asked for."""
    with using(language):
        code, name = script("mount"), script_name("mount")
    assert name in browser.get("/", headers={**HTML, "accept-language": asked}).text
    for path in (f"/static/js/{name}", f"/encode/static/js/{name}"):
        answer = browser.get(path)
        assert answer.text == code
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
    other = browser.get(f"/static/js/tokviz-mount-{language}.0123456789abcdef.js")
    assert (other.text, other.headers["cache-control"]) == (code, "no-store")
    # Names that somebody makes up fill no memory, and are not compressed one by one.
    assert "content-encoding" not in other.headers


@pytest.mark.parametrize(
    "path", ["/static/js/none.js", "/favicon.png", "/static/js/tokviz-mount-xx.0.js"]
)
def test_all_else_stays_as_it_is(browser, path):
    assert "<link crossorigin" not in browser.get(path).text


def test_scripts_are_compressed_before_somebody_comes(monkeypatch):
    browser, made = new_browser(), []
    compress = compressed.gzip.compress
    monkeypatch.setattr(
        compressed.gzip, "compress", lambda *a, **k: made.append(1) or compress(*a, **k)
    )
    files = [name for names in first_scripts() for name in names] + [script_name("mount")]
    with browser:
        end = time.monotonic() + 60
        while len(made) < len(files) and time.monotonic() < end:
            time.sleep(0.05)
        assert len(made) == len(files) > 90
        browser.get(f"/static/js/{files[0]}")
        assert len(made) == len(files)
