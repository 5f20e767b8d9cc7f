"""The session of a thread, and how it is drawn anew."""

from types import SimpleNamespace

import pytest

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
