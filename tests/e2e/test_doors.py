"""A browser that comes to a full server."""

import pytest
from app_server import Server
from playwright.sync_api import expect
from visitors import Page


@pytest.fixture
def full(tmp_path):
    """A server with room for one page."""
    own = tmp_path / "own.toml"
    own.write_text("[visits]\npages = 1\n", "utf-8")
    with Server(tmp_path / "log", environment={"TOKVIZ_LIMITS": str(own)}) as server:
        yield server


def test_whoever_waits_comes_in_by_themselves(full, page):
    """Their browser asks again, without a script, for the address that they came by."""
    with Page(full):
        page.goto(f"{full.address}/?lane=course&step=3")
        expect(page.get_by_role("heading")).to_have_text("All places are taken")
        expect(page.get_by_role("main")).to_contain_text(
            "it tries again by itself every 10 seconds"
        )
    page.locator(".tv-corpus .chip").first.wait_for()
    assert page.evaluate("location.search") == "?lane=course&v=2&step=3"
