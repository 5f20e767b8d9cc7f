"""What fails around the page: a server that is killed, a browser offline, a clock that jumps, a
disk that is full. Nothing that was typed is lost, and the page goes on."""

import random
import resource

import pytest
from app_page import App, slow
from app_server import Server
from playwright.sync_api import expect
from psutil import Process, wait_procs

DAY = 86_400_000
LOST = "No connection to the server."
#: Notes the lines to the server, how far a clock is from the right one, and whether Streamlit has
#: opened its dialog on a connection that is lost.
WATCH = """() => {
    window.lines = [];
    window.WebSocket = class extends WebSocket {
        constructor(...all) { super(...all); window.lines.push(this); }
    };
    window.jumped = 0;
    const now = Date.now;
    Date.now = () => now() + window.jumped;
    new MutationObserver(() => {
        const titles = [...document.querySelectorAll('[role=dialog] h2')].map(e => e.textContent);
        if (titles.includes('Connection error')) window.opened = true;
    }).observe(document, { childList: true, subtree: true });
}"""


def full_disk():
    """No file can become larger than nothing."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server of these tests' own, which can write no byte to a disk, and has no home. Each leaves
    it running."""
    nowhere = {
        "HOME": "/proc/nowhere",
        "TMPDIR": "/proc/nowhere",
        "XDG_CACHE_HOME": "/proc/nowhere",
    }
    log = tmp_path_factory.mktemp("own") / "log"
    with Server(log, environment=nowhere, before=full_disk) as served:
        yield served
    assert "Traceback" not in served.said(), served.said()


def corpus(app):
    return app.page.get_by_role("textbox", name="Your text", exact=True)


def written(app, text):
    """Waits until the tab keeps a text."""
    app.page.wait_for_function(
        "text => (sessionStorage.getItem('tokviz-draft') ?? '').includes(text)", arg=text
    )


@pytest.fixture
def tab(visits, own):
    """Opens pages of one browser on that server, each in a tab of its own."""
    tabs = []

    def open_tab(path=""):
        page = visits.new_page()
        tabs.append(page)
        return App(page, f"{own.address}/{path}") if path is not None else page

    yield open_tab
    for page in tabs:
        page.close()


def test_a_server_needs_neither_disk_nor_home_and_is_found_again_without_a_reload(
    page, own, tmp_path
):
    app = App(page, own.address)
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.wait_settled()
    words = app.words()
    workers = Process(own.process.pid).children(recursive=True)
    assert workers
    own.stop()
    assert not wait_procs(workers, 5)[1], "its workers end with it"
    lost = page.get_by_text(LOST)
    expect(lost).to_be_visible()
    app.go(5)
    assert app.step == 5, "the player holds the run"
    app.go(3)
    assert app.words() == words
    own.start()
    expect(lost).to_have_count(0)
    app.settle()
    app.add_lane("BPE")
    expect(page.locator(".tv-lane")).to_have_count(2)
    app.select("Align lanes", "by step")
    app.go(3)
    app.wait_settled()
    assert app.words("WordPiece") == words
    app.reload()
    assert app.step == 3
    assert app.words("WordPiece") == words
    expect(corpus(app)).to_have_value("the cat sat on the mat")

    app.click("BPE")
    app.click("Remove")
    expect(page.locator(".tv-lane")).to_have_count(1)
    file = {"name": "mine.txt", "mimeType": "text/plain", "buffer": b"a rose is a rose " * 20_000}
    app.open_file(file, "The corpus is the file mine.txt")
    app.train_long()
    assert app.words()[0] == ["a"]
    app.click("Share")
    dialog = page.get_by_role("dialog")
    for way, name in (("Web page", "Save as web page"), ("Tables", "history.npz")):
        dialog.get_by_role("radio", name=way, exact=True).click()
        app.settle()
        with page.expect_download() as download:
            dialog.get_by_role("button", name=name, exact=True).click()
        download.value.save_as(tmp_path / way)
        assert (tmp_path / way).stat().st_size > 1000


def test_a_killed_server_takes_nothing_from_the_pages_that_are_open(tab, own):
    """One page is typed in, one read, one is at a lesson, one encodes, and one trains while the
    server dies."""
    typed = tab()
    typed.go(7)
    typed.wait_settled()
    typed.type_text("a rose is a rose")

    encode = tab()
    encode.page.get_by_role("link", name="Encode").click()
    text = encode.page.get_by_role("textbox", name="Text", exact=True)
    text.fill("a rose is a rose " * 80)
    encode.settle()

    read = tab(None)
    read.goto(f"{own.address}/how-it-works")
    # The tab notes which session it was told of.
    told = "() => JSON.parse(sessionStorage['tokviz-draft'] ?? '{}').session"
    before = read.wait_for_function(told).json_value()

    # A lesson that was opened by an address, and is read on.
    lesson = tab(None)
    lesson.goto(f"{own.address}/learn?lesson=ties&scene=1")
    scene = lesson.locator(".tv-scene h2")
    lesson.locator(".tv-transport").wait_for()
    lesson.get_by_role("button", name="Next", exact=True).click()
    expect(scene).to_contain_text("2 of")
    begun = lesson.wait_for_function(told).json_value()

    trains = tab(f"?{slow()}")
    letters = random.Random(1).choices("abcdefghijkl" * 2 + "  ", k=100_000)
    long = "".join(letters)
    corpus(trains).fill(long)
    corpus(trains).press("Control+Enter")
    trains.settle()
    trains.size(300)
    written(trains, '"unigram",300,')
    trains.page.get_by_role("button", name="Train", exact=True).click()
    trains.page.get_by_role("button", name="Cancel", exact=True).wait_for()
    own.kill()
    own.start()

    trains.reload()
    expect(corpus(trains)).to_have_value(long)
    size = trains.page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
    expect(size).to_have_value("300")

    # Nobody touches this one: it is drawn anew by itself.
    read.wait_for_function(f"before => ({told})() !== before", arg=before)

    lesson.bring_to_front()
    lesson.wait_for_function(f"before => ({told})() !== before", arg=begun)
    # The question of the second scene: the first has none.
    lesson.get_by_role("button", name="Show the answer").click()
    expect(lesson.locator(".tv-answer")).to_be_visible()
    expect(scene).to_contain_text("2 of")

    encode.page.bring_to_front()
    columns = encode.page.locator(".tv-columns")
    expect(encode.page.get_by_test_id("stConnectionStatus")).to_have_count(0)
    expect(text).to_have_value("a rose is a rose " * 80)
    expect(columns).to_have_attribute("data-characters", str(17 * 80))
    text.fill("a rose")
    # The page of before goes when the new one is there.
    expect(columns).to_have_count(1)
    expect(columns).to_have_attribute("data-characters", "6")

    typed.page.bring_to_front()
    expect(corpus(typed)).to_have_value("a rose is a rose")
    typed.settle()
    assert typed.words()[0] == ["a"]


def test_neither_a_clock_that_jumps_nor_a_lost_line_stops_player_or_page(page, server):
    page.add_init_script(f"({WATCH})()")
    app = App(page, server)
    passed = "step => Number(document.querySelector('[data-step]').dataset.step) > step"
    for days in (1, -1):
        app.go(2)
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function(passed, arg=3)
        # Everything that looks at the calendar: the time since the page began is another clock.
        page.evaluate("jump => { window.jumped = jump; }", days * DAY)
        page.wait_for_function(passed, arg=app.step + 2)
        # Four steps a second: it neither waits for a day nor makes up for one.
        assert app.step < 20
        page.get_by_role("button", name="Pause", exact=True).click()
        app.wait_settled()
        app.type_text("the cat sat on the mat" + " again" * (days < 0))
    app.type_text("a rose is a rose")
    app.go(3)
    app.wait_settled()

    corpus(app).fill("a rose is a rose")
    # A browser that is offline keeps the lines that it has: they are cut here.
    page.context.set_offline(True)
    page.evaluate("() => { for (const line of window.lines) line.close(4000); }")
    said = page.get_by_role("status").filter(has_text=LOST)
    expect(said).to_be_visible()
    # Nothing lies over the player: Streamlit's dialog comes some seconds later, and goes.
    page.wait_for_function("() => window.opened")
    expect(page.get_by_role("dialog")).to_have_count(0)
    app.go(7)
    assert app.step == 7
    page.get_by_role("combobox", name="Speed").select_option(label="15 steps/s")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("[data-steps]")).to_have_attribute("data-step", str(app.steps))
    app.go(9)
    page.context.set_offline(False)
    expect(said).to_have_count(0)
    expect(corpus(app)).to_have_value("a rose is a rose")
    app.settle()
    assert app.words()[1][-1].endswith("e")
