"""A browser that comes to a full server, and one that uploads more than there is room for."""

import re

from app_server import Server
from playwright.sync_api import expect
from visitors import Page

#: The server of the README, whose page for those who wait asks again sooner.
SOON = """import sys
from tokviz.server import waiting_line
waiting_line.AGAIN = 2
from streamlit.web.cli import main
sys.exit(main(prog_name="streamlit"))"""


def test_whoever_waits_comes_in_by_themselves_and_uploads_no_more_than_there_is_room_for(
    page, browser, tmp_path
):
    """Their browser asks again, without a script, for the address that they came by."""
    own = tmp_path / "own.toml"
    own.write_text("[visits]\npages = 1\n[files]\nsession_bytes = 3000\n", "utf-8")
    with Server(tmp_path / "log", ("-c", SOON), {"TOKVIZ_LIMITS": str(own)}) as served:
        with Page(served):
            page.goto(f"{served.address}/?lane=course&step=3")
            expect(page.get_by_role("heading")).to_have_text("All places are taken")
            main = page.get_by_role("main")
            expect(main).to_contain_text("it asks again every 2 seconds without losing its place")
            expect(main.get_by_role("status")).to_have_text("You are number 1 in line.")
            # Another browser comes later, and stays behind it.
            other = browser.new_page()
            other.goto(served.address)
            second = other.get_by_role("status")
            expect(second).to_have_text("You are number 2 in line.")
            with page.expect_navigation(), other.expect_navigation():
                pass
            expect(second).to_have_text("You are number 2 in line.")
            expect(main.get_by_role("status")).to_have_text("You are number 1 in line.")
            expect(page).to_have_title(re.compile("^1 · "))
        page.locator(".tv-corpus .chip").first.wait_for()
        expect(second).to_have_text("You are number 1 in line.")
        other.close()
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
