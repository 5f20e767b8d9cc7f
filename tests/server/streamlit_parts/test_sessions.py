"""The session of a thread, and how it is drawn anew."""

import json
from types import SimpleNamespace

import pytest
from app_server import Server
from helpers import ROOT
from visitors import Page

from tokviz.server.streamlit_parts import sessions
from tokviz.server.streamlit_parts.parts import REASON


@pytest.mark.parametrize("change", ["_client_state", "request_rerun"])
def test_a_session_that_cannot_be_drawn_anew_is_left_as_it_is(change, log, monkeypatch):
    known = SimpleNamespace(request_rerun=lambda _state: None, _client_state="as it is")
    delattr(known, change)
    runtime = SimpleNamespace(get_app_session=lambda _name: known)
    monkeypatch.setattr("streamlit.runtime.Runtime.instance", lambda: runtime)
    assert [sessions.draw_anew("a") for _ in range(3)] == [False] * 3
    [line] = log()
    assert "'reason for a refused upload'" in line
    assert change in line
    assert line.endswith(f"{REASON.without}.")


def test_a_thread_that_draws_no_page_has_no_session(monkeypatch):
    assert sessions.session() == ""
    monkeypatch.setattr(sessions, "context_finder", lambda: None)
    assert sessions.session() == ""


#: Streamlit says when a session looks for the files of all modules.
KNOWN = r"if set\(sys.modules\) != self._cached_sys_modules:"
SAYS = r"print('LOOKS', flush=True)\n        \g<0>"
LOOKS = {"streamlit.watcher.local_sources_watcher": {KNOWN: SAYS}}


@pytest.mark.parametrize(("watcher", "looks"), [("none", False), ("poll", True)])
def test_a_page_that_is_back_looks_for_no_files_unless_they_are_watched(tmp_path, watcher, looks):
    """Each would hold the server up for a third of a second, and a class is back at once."""
    start = (str(ROOT / "tests" / "other_streamlit.py"), json.dumps(LOOKS))
    environment = {"STREAMLIT_SERVER_FILE_WATCHER_TYPE": watcher}
    with Server(tmp_path / "log", start, environment) as server:
        with Page(server) as page:
            assert page.is_drawn
        with Page(server, page.session) as back:
            assert back.is_drawn
            assert back.session == page.session
            assert back.is_open
    assert ("LOOKS" in server.said()) == looks, server.said()
    assert "Traceback" not in server.said(), server.said()
