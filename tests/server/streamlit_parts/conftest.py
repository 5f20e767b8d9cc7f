"""A server with Streamlit as it is, which tests of several files ask; and what the log says."""

import logging

import pytest
from served_parts import served

from tokviz.server.streamlit_parts import parts


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    """A server with its packages as they are."""
    with served(tmp_path_factory.mktemp("plain"), {}) as server:
        yield server
    assert "Traceback" not in server.said(), server.said()


@pytest.fixture
def log(caplog, monkeypatch):
    """What the log says of missing parts."""
    monkeypatch.setattr(parts, "reported_parts", set())
    # That of the app, where a test has drawn it before, writes few lines a minute.
    factory = logging.getLogRecordFactory()
    logging.setLogRecordFactory(logging.LogRecord)
    yield lambda: [said.getMessage() for said in caplog.records if said.name.startswith("tokviz")]
    logging.setLogRecordFactory(factory)
