"""A real server and a real browser: Chromium where the system has it."""

import os
import re
import shutil
from pathlib import Path

import pytest
from helpers import PATIENCE
from playwright.sync_api import expect
from server import Server
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).parents[2]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
expect.set_options(timeout=PATIENCE * 1000)
#: The messages that tell what a page is owed (owed.js).
MESSAGES = [
    BackMsg.DESCRIPTOR.fields_by_name["rerun_script"].number,
    ForwardMsg.DESCRIPTOR.fields_by_name["new_session"].number,
    ForwardMsg.DESCRIPTOR.fields_by_name["script_finished"].number,
    ForwardMsg.FINISHED_EARLY_FOR_RERUN,
]
OWED = f"({Path(__file__).with_name('owed.js').read_text('utf-8')})({MESSAGES})"
#: Nothing is owed, drawn or on the move, for some frames: components are drawn after the page.
#: Streamlit fades new elements in; until then their colours are paler. Requests that it answers
#: together may seem unanswered: where nothing was said for long, and nothing runs, nothing comes.
QUIET = """() => {
    const moves = a => a.playState === 'running'
        && a.effect.getComputedTiming().endTime !== Infinity;
    const rests = !window.owed.beginning && !window.owed.end
        && !document.querySelector('[data-stale=true]')
        && !document.getAnimations().some(moves);
    const quiet = document.querySelector('[data-test-script-state=notRunning]')
        && (rests || performance.now() - window.owed.heard > 15000);
    window.quietFrames = quiet ? (window.quietFrames ?? 0) + 1 : 0;
    if (window.quietFrames < 4) return false;
    window.quietFrames = 0;
    return true;
}"""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    if CHROMIUM is None:
        if os.environ.get("TOKVIZ_REQUIRE_BROWSER"):
            pytest.fail("Chromium is missing, and TOKVIZ_REQUIRE_BROWSER asks for it.")
        pytest.skip("Chromium is missing; install it (Debian: apt install chromium).")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    arguments.append("--renderer-process-limit=1")
    # A page lives for seconds here: what it costs to optimize its code is never earned back.
    arguments.append("--js-flags=--no-turbofan --no-maglev")
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


class App:
    """The page as a person uses it: by the names on it."""

    def __init__(self, page, address):
        self.page = page
        page.set_default_timeout(PATIENCE * 1000)
        page.add_init_script(OWED)
        page.goto(address)
        self.opened()

    def opened(self):
        """Waits for the player."""
        self.page.locator(".tv-corpus .chip").first.wait_for()
        self.settle()

    def reload(self):
        self.page.reload()
        self.opened()

    def leave(self):
        """Goes to another page."""
        self.page.get_by_role("link", name="How it works").click()
        self.page.get_by_role("heading", name="How tokviz works").wait_for()

    def come_back(self):
        self.page.get_by_role("link", name="Train", exact=True).click()
        self.opened()

    def settle(self):
        """Waits until the script has run for all that was done, and the page rests."""
        self.page.wait_for_function(QUIET)

    def charts(self):
        """Waits for the curves of the three charts."""
        self.page.wait_for_function(
            "() => { const all = [...document.querySelectorAll('.stVegaLiteChart')];"
            " return all.length === 3 && all.every(e => e.querySelector('svg .mark-line path')); }"
        )

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function("width => innerWidth === width", arg=width)
        self.settle()

    def fits(self, part="html"):
        """Waits until nothing of a part of the page (of the first such one) is cut off sideways."""
        self.page.wait_for_function(
            "part => { const e = document.querySelector(part);"
            " return e && e.scrollWidth <= e.clientWidth; }",
            arg=part,
        )

    def click(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()
        self.settle()

    def press_train(self):
        """Trains what the form says; waits for the new player, or a sentence on what is wrong."""
        before = self.page.locator(".tv-transport").element_handle()
        self.click("Train")
        self.page.wait_for_function(
            "old => !old.isConnected || document.querySelector('[role=alert]')", arg=before
        )

    def add_lane(self, algorithm, size=None):
        """Trains another algorithm beside the runs on the page."""
        self.click("Add a lane")
        self.algorithm(algorithm)
        if size:
            self.fill("spinbutton", "Vocabulary size", str(size))
        self.press_train()

    def open_form(self):
        self.click("Change")

    def upload(self, file, until):
        """Uploads a file and waits until the page says so."""
        self.page.locator("input[type=file]").set_input_files(file)
        self.page.get_by_text(re.compile(until)).first.wait_for()
        self.settle()

    def fill(self, role, name, value):
        field = self.page.get_by_role(role, name=name, exact=True)
        field.fill(value)
        field.press("Control+Enter" if role == "textbox" else "Enter")
        self.settle()

    def pick(self, name, value):
        """Opens a select box and picks an option."""
        field = self.page.get_by_role("combobox", name=name)
        # The page closes its options when it is scrolled.
        field.scroll_into_view_if_needed()
        self.settle()
        field.click()
        self.page.get_by_role("option", name=value, exact=True).click()
        self.settle()

    def algorithm(self, label):
        self.page.get_by_role("radio", name=label, exact=True).click()
        self.settle()

    def train(self, text, algorithm, size):
        """Pastes a text, picks an algorithm and a size, trains."""
        self.open_form()
        self.fill("textbox", "Corpus", text)
        self.algorithm(algorithm)
        self.fill("spinbutton", "Vocabulary size", str(size))
        self.press_train()

    def go(self, step):
        field = self.page.get_by_role("spinbutton", name="Go to step")
        field.fill(str(step))
        field.press("Enter")

    def wait_settled(self):
        """Waits until Python has heard of the step on which the player rests; the address has it
        at the same time."""
        self.page.wait_for_function(
            "() => document.querySelector('[data-steps]').dataset.step"
            " === new URLSearchParams(location.search).get('step')"
        )
        self.settle()

    @property
    def step(self):
        return int(self.page.locator("[data-steps]").get_attribute("data-step"))

    @property
    def steps(self):
        return int(self.page.locator("[data-steps]").get_attribute("data-steps"))

    @property
    def narration(self):
        """What is said of the step; tokens are chips there, not quoted."""
        return self.page.locator(".tv-say p").first.text_content()

    def lane(self, label):
        return self.page.get_by_role("region", name=label, exact=True)

    def words(self, label=None):
        """The corpus of a lane (of the only one) on the page: words as lists of tokens."""
        where = self.lane(label) if label else self.page
        return where.locator(".tv-corpus .tv-word").evaluate_all(
            "words => words.map(w => [...w.querySelectorAll('.chip')].map(c => c.dataset.token))"
        )

    def candidates(self):
        """The candidate table on the page: the tokens of each row, and its note."""
        return self.page.locator(".tv-candidates tbody tr").evaluate_all(
            "rows => rows.map(r => [[...r.querySelectorAll('.chip')].map(c => c.dataset.token),"
            " r.querySelector('.note').textContent])"
        )


def as_said(history, t):
    """A narration with its tokens unquoted, as the page shows them."""
    said = history.narrate(t)
    step = history.steps[t - 1] if t else None
    if step is None or step.action != "merge":
        return said
    # The word that a pair was met in stays in quotes.
    said, comma, word = said.partition(", met first in ")
    met = comma + word
    rows = history.candidates(t - 1, 2)
    for token in {step.left, step.right, step.token, *rows["left"], *rows["right"]}:
        said = said.replace(f'"{token}"', token)
    return said + met


@pytest.fixture
def app(page, server):
    return App(page, server)
