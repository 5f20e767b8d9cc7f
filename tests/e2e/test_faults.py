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


@pytest.fixture
def own(tmp_path):
    """A server of a test's own, which can write no byte to a disk, and has no home. Its workers end
    with it."""
    nowhere = {
        "HOME": "/proc/nowhere",
        "TMPDIR": "/proc/nowhere",
        "XDG_CACHE_HOME": "/proc/nowhere",
    }
    log = tmp_path / "log"
    with Server(log, environment=nowhere, before=full_disk) as served:
        yield served
        workers = Process(served.process.pid).children(recursive=True)
        assert workers
    assert not wait_procs(workers, 5)[1]
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


def trains_until_the_server_dies(app):
    """The text and the size of a training that goes on."""
    text = "".join(random.Random(1).choices("abcdefghijkl" * 2 + "  ", k=40_000))
    corpus(app).fill(text)
    corpus(app).press("Control+Enter")
    app.settle()
    app.size(300)
    written(app, '"unigram",300,')
    app.page.get_by_role("button", name="Train", exact=True).click()
    app.page.get_by_role("button", name="Cancel", exact=True).wait_for()
    return text, "300"


def opens_and_saves_files(app, folder):
    file = {"name": "mine.txt", "mimeType": "text/plain", "buffer": b"a rose is a rose " * 20_000}
    app.open_file(file, "The corpus is the file mine.txt")
    app.train_long()
    assert app.words()[0] == ["a"]
    app.click("Share")
    dialog = app.page.get_by_role("dialog")
    for way, name in (("Web page", "Save as web page"), ("Tables", "history.npz")):
        dialog.get_by_role("radio", name=way, exact=True).click()
        app.settle()
        with app.page.expect_download() as download:
            dialog.get_by_role("button", name=name, exact=True).click()
        download.value.save_as(folder / way)
        assert (folder / way).stat().st_size > 1000


def test_a_killed_server_without_disk_or_home_takes_nothing_from_the_pages_that_are_open(
    tab, own, tmp_path
):
    """One page encodes, one is at a lesson, and one trains while the server dies; they find it
    again without a reload, and with one."""
    encode = tab()
    encode.page.get_by_role("link", name="Encode").click()
    text = encode.page.get_by_role("textbox", name="Text", exact=True)
    text.fill("a rose is a rose " * 80)
    encode.settle()

    # A lesson that was opened by an address, and is read on.
    lesson = tab(None)
    lesson.goto(f"{own.address}/learn?lesson=ties&scene=1")
    scene = lesson.locator(".tv-scene h2")
    lesson.locator(".tv-transport").wait_for()
    lesson.get_by_role("button", name="Next", exact=True).click()
    expect(scene).to_contain_text("2 of")
    # The tab notes which session it was told of.
    told = "() => JSON.parse(sessionStorage['tokviz-draft'] ?? '{}').session"
    begun = lesson.wait_for_function(told).json_value()

    app = tab(f"?{slow()}")
    app.go(3)
    app.wait_settled()
    words = app.words()
    long, size = trains_until_the_server_dies(app)
    own.kill()
    lost = app.page.get_by_text(LOST)
    expect(lost).to_be_visible()
    app.go(5)
    assert app.step == 5, "the player holds the run"
    app.go(3)
    assert app.words() == words
    own.start()
    expect(lost).to_have_count(0)
    app.settle()
    app.reload()
    assert app.words() == words
    expect(corpus(app)).to_have_value(long)
    field = app.page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
    expect(field).to_have_value(size)

    # Nobody touches this one: it is drawn anew by itself.
    lesson.wait_for_function(f"before => ({told})() !== before", arg=begun)
    # The question of the second scene: the first has none.
    lesson.bring_to_front()
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
    encode.come_back()
    opens_and_saves_files(encode, tmp_path)


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
