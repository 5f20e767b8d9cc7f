"""What all tests of pages share."""

import pytest

from tokviz.pages.form import live
from tokviz.server import waiting


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """What is changed in the set-up is trained at once, however busy the machine is."""
    monkeypatch.setattr(live, "MOMENT", 60)
    monkeypatch.setattr(waiting, "MOST_WAITED", 60)
