"""A real server and a real browser: Chromium where the system has it."""

import re
import shutil
from pathlib import Path

import pytest
from app_page import App
from app_server import Server
from helpers import missing
from player_page import PlayerPage

ROOT = Path(__file__).parents[2]
#: Without its window, Chromium draws the same pages by less work.
NAMES = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    if CHROMIUM is None:
        missing("Chromium is missing; install it (Debian: apt install chromium).")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    arguments.append("--renderer-process-limit=1")
    # Streamlit's scripts are compiled once for all pages; to compile them on the way costs more.
    arguments.append("--disable-features=ScriptStreaming")
    # What of them is compiled stays so, though no page has run it for a while.
    arguments.append("--js-flags=--no-flush-bytecode")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": arguments}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """A projector, without motion: a click would wait for its end. Tests of motion ask for it."""
    size = {"width": 1366, "height": 768}
    return {**browser_context_args, "viewport": size, "reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def visits(browser, browser_context_args):
    """One browser profile for all tests: Streamlit's scripts are loaded and compiled once."""
    context = browser.new_context(**browser_context_args)
    # It never closes: while a tab is open, another page is one more tab and no new window, whose
    # frame costs Chromium as much as half a page.
    context.new_page()
    yield context
    context.close()


@pytest.fixture(scope="session")
def pocket(browser):
    """Phones, of one profile for each language. Each tab is a phone of its own, for what it
    remembers is the tab's."""
    contexts = {}

    def of(language="en"):
        if language not in contexts:
            contexts[language] = browser.new_context(
                viewport={"width": 390, "height": 844},
                has_touch=True,
                is_mobile=True,
                reduced_motion="reduce",
                locale=language,
            )
            contexts[language].new_page()
        return contexts[language]

    yield of
    for each in contexts.values():
        each.close()


@pytest.fixture
def page(visits):
    """A page of its own for each test; what a page remembers is gone with it. In none of the tests
    it breaks its content-security policy or asks anybody but its server."""
    page = visits.new_page()
    refused, asked = [], []
    page.on("console", lambda said: "Content Security Policy" in said.text and refused.append(said))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    page.close()
    assert not [said.text[-300:] for said in refused]
    outside = r"(http://localhost:\d+/|file:|data:|blob:|about:)"
    assert not [url for url in asked if not re.match(outside, url)]


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of the app."""
    with Server(tmp_path_factory.mktemp("server") / "log") as served:
        yield served.address
    assert "Traceback" not in served.said(), served.said()


@pytest.fixture
def app(page, server):
    """The app in the middle of a training; a first visit opens before its first step."""
    return App(page, f"{server}/?lane=course&v=2&step=13")


@pytest.fixture(scope="session")
def folder_of_pages(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def player(page, folder_of_pages):
    """The player on a page of its own: it asks nobody for anything, and complains of nothing."""
    player = PlayerPage(page, folder_of_pages)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    yield player
    assert not [url for url in asked if url.startswith("http")]
    assert not player.complaints
