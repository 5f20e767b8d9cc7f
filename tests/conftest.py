"""Settings of all tests."""

import pytest
from helpers import Loud
from hypothesis import HealthCheck, settings

from tokviz import language

# Nothing there is a test: see fuzz/run.py and compat/README.md.
collect_ignore_glob = ["fuzz/*", "compat/*"]
# Machines that are busy with other things must not fail a test.
settings.register_profile("tokviz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tokviz")


@pytest.fixture
def loud(monkeypatch):
    """Everything that is said comes in capitals and brackets."""
    monkeypatch.setattr(language, "catalog", lambda _code: Loud())
    language.languages.cache_clear()
    yield
    language.languages.cache_clear()
