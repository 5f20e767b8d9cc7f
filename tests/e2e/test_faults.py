"""What fails around the page: a server that is killed, a browser offline, a clock that jumps, a
disk that is full. Nothing that was typed is lost, and the page goes on."""

import random
import resource

import pytest
from app_page import App
from app_server import Server
from playwright.sync_api import expect

DAY = 86_400_000
BACK = "What you had here is back; it is not trained yet."


@pytest.fixture
def own(tmp_path):
    """A server of the test's own."""
    with Server(tmp_path / "log") as served:
        yield served
    assert "Traceback" not in served.said(), served.said()


def corpus(app):
    return app.page.get_by_role("textbox", name="Corpus", exact=True)


def written(app, text):
    """Waits until the tab keeps a text."""
    app.page.wait_for_function(
        "text => (sessionStorage.getItem('tokviz-draft') ?? '').includes(text)", arg=text
    )


def test_a_server_that_was_killed_while_scrubbing_gives_run_and_step_back(page, own):
    app = App(page, own.address)
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.wait_settled()
    words = app.words()
    own.kill()
    # The player holds the run.
    app.go(5)
    assert app.step == 5
    app.go(3)
    assert app.words() == words
    own.start()
    app.reload()
    assert app.step == 3
    assert app.words() == words
    expect(page.locator(".tv-setup")).to_contain_text("My own text")


def test_a_page_goes_on_by_itself_with_a_server_that_began_anew(page, own):
    app = App(page, own.address)
    app.go(7)
    app.wait_settled()
    app.open_form()
    corpus(app).fill("a rose is a rose")
    written(app, "rose")
    own.kill()
    own.start()
    expect(page.get_by_role("status").filter(has_text=BACK)).to_be_visible()
    expect(corpus(app)).to_have_value("a rose is a rose")
    app.settle()
    assert app.step == 7
    app.press_train()
    expect(page.locator(".tv-setup")).to_contain_text("My own text")


def test_a_page_that_nobody_touches_is_drawn_anew_once_its_server_is_back(page, own):
    page.goto(f"{own.address}/how-it-works")
    # The tab notes which session it was told of.
    told = "() => JSON.parse(sessionStorage['tokviz-draft'] ?? '{}').session"
    before = page.wait_for_function(told).json_value()
    own.kill()
    own.start()
    page.wait_for_function(f"before => ({told})() !== before", arg=before)


def test_a_server_that_was_killed_while_training_leaves_the_form(page, own):
    app = App(page, own.address)
    app.open_form()
    app.algorithm("Unigram")
    # Some seconds of training.
    letters = random.Random(1).choices("abcdefghijkl" * 2 + "  ", k=190_000)
    text = "".join(letters)
    corpus(app).fill(text)
    corpus(app).press("Control+Enter")
    app.settle()
    app.fill("spinbutton", "Vocabulary size", "300")
    written(app, '"unigram",300,')
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Cancel", exact=True).wait_for()
    own.kill()
    own.start()
    app.reload()
    expect(corpus(app)).to_have_value(text)
    size = page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
    expect(size).to_have_value("300")


def test_a_text_on_encode_outlives_the_server(page, own):
    app = App(page, own.address)
    page.get_by_role("link", name="Encode").click()
    text = page.get_by_role("textbox", name="Text", exact=True)
    text.fill("a rose is a rose " * 80)
    app.settle()
    own.kill()
    own.start()
    columns = page.locator(".tv-columns")
    expect(page.get_by_test_id("stConnectionStatus")).to_have_count(0)
    expect(text).to_have_value("a rose is a rose " * 80)
    expect(columns).to_have_attribute("data-characters", str(17 * 80))
    text.fill("a rose")
    # The page of before goes when the new one is there.
    expect(columns).to_have_count(1)
    expect(columns).to_have_attribute("data-characters", "6")


def test_offline_the_player_goes_on_and_what_was_typed_is_there_afterwards(page, server):
    # A browser that is offline keeps the lines that it has: they are cut here.
    page.add_init_script(
        "window.lines = []; window.WebSocket = class extends WebSocket {"
        " constructor(...all) { super(...all); window.lines.push(this); } };"
    )
    app = App(page, server)
    app.open_form()
    corpus(app).fill("a rose is a rose")
    page.context.set_offline(True)
    page.evaluate("() => { for (const line of window.lines) line.close(4000); }")
    said = page.get_by_role("status").filter(has_text="No connection to the server.")
    expect(said).to_be_visible()
    # Nothing lies over the player: Streamlit's dialog comes some seconds later.
    page.wait_for_timeout(4000)
    expect(page.get_by_role("dialog")).to_have_count(0)
    app.go(7)
    assert app.step == 7
    page.get_by_role("combobox", name="Speed").select_option(label="15 steps/s")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("[data-steps]")).to_have_attribute("data-step", "20")
    app.go(9)
    page.context.set_offline(False)
    expect(said).to_have_count(0)
    expect(corpus(app)).to_have_value("a rose is a rose")
    app.wait_settled()
    app.press_train()
    expect(page.locator(".tv-setup")).to_contain_text("My own text")


@pytest.mark.parametrize("days", [1, -1])
def test_a_clock_that_jumps_stops_neither_player_nor_page(page, server, days):
    # Everything that looks at the calendar: the time since the page began is another clock.
    page.add_init_script(
        "window.jumped = 0; const now = Date.now; Date.now = () => now() + window.jumped;"
    )
    app = App(page, server)
    app.go(2)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => Number(document.querySelector('[data-step]').dataset.step) > 3")
    page.evaluate("jump => { window.jumped = jump; }", days * DAY)
    before = app.step
    page.wait_for_function(
        "step => Number(document.querySelector('[data-step]').dataset.step) >= step + 3",
        arg=before,
    )
    # Four steps a second: it neither waits for a day nor makes up for one.
    assert app.step < 20
    page.get_by_role("button", name="Pause", exact=True).click()
    app.wait_settled()
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.wait_settled()


def full_disk():
    """No file can become larger than nothing."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.fixture
def bare(tmp_path):
    """A server that cannot write a single byte to a disk, and has no home."""
    nowhere = {
        "HOME": "/proc/nowhere",
        "TMPDIR": "/proc/nowhere",
        "XDG_CACHE_HOME": "/proc/nowhere",
    }
    with Server(tmp_path / "log", environment=nowhere, before=full_disk) as served:
        yield served
    assert "Traceback" not in served.said(), served.said()


def test_the_app_needs_neither_disk_nor_home(page, bare, tmp_path):
    app = App(page, bare.address)
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.wait_settled()
    app.open_form()
    file = {"name": "mine.txt", "mimeType": "text/plain", "buffer": b"a rose is a rose " * 20_000}
    app.upload(file, "The corpus is the file mine.txt")
    app.press_train()
    expect(page.locator(".tv-setup")).to_contain_text("mine.txt")
    app.click("Share")
    dialog = page.get_by_role("dialog")
    for way, name in (("Web page", "Save as web page"), ("Tables", "history.npz")):
        dialog.get_by_role("radio", name=way, exact=True).click()
        app.settle()
        with page.expect_download() as download:
            dialog.get_by_role("button", name=name, exact=True).click()
        download.value.save_as(tmp_path / way)
        assert (tmp_path / way).stat().st_size > 1000
