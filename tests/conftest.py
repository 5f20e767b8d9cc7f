"""Settings of all tests."""

import sys

import pytest
from helpers import Loud
from hypothesis import HealthCheck, settings

from tokviz import language

# Nothing there is a test: see fuzz/run.py and compat/README.md.
collect_ignore_glob = ["fuzz/*", "compat/*"]
# Machines that are busy with other things must not fail a test.
settings.register_profile("tokviz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tokviz")
MAIN = sys.modules["__main__"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Streamlit's AppTest leaves its script as the main module, often from a folder that is gone:
    processes that a later test starts would read that script again, and end."""
    sys.modules["__main__"] = MAIN


@pytest.fixture
def loud(monkeypatch):
    """Everything that is said comes in capitals and brackets."""
    monkeypatch.setattr(language, "catalog", lambda _code: Loud())
    language.languages.cache_clear()
    yield
    language.languages.cache_clear()
