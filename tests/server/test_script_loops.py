"""The event loop that Streamlit makes for every session."""

import asyncio
import warnings

import pytest
from streamlit.runtime.app_session import _close_script_event_loop

from tokviz.server.descriptors import count_open
from tokviz.server.streamlit_parts.sessions import without_loop


class Session:
    pass


def with_a_loop(session, _name):
    session._script_event_loop = asyncio.new_event_loop()


def test_a_session_has_no_files_of_its_own():
    before = count_open()
    sessions = [Session() for _ in range(5)]
    for session in sessions:
        without_loop(with_a_loop)(session, "name")
    assert count_open() == before
    # As Streamlit does for every script, and at the end of a session.
    loop = sessions[0]._script_event_loop
    assert not loop.is_closed()
    asyncio.set_event_loop(loop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _close_script_event_loop(loop)
    finally:
        asyncio.set_event_loop(None)
    with pytest.raises(NotImplementedError):
        loop.create_future()


def test_another_streamlit_is_left_as_it_is():
    session = Session()
    without_loop(lambda _session: None)(session)
    assert not vars(session)
