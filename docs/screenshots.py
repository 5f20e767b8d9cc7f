"""Takes the README's pictures: `.venv/bin/python -m docs.screenshots` (needs Chromium)."""

import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from tokviz import SAMPLES
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

DOCS = Path(__file__).parent
PORT = 8611
ADDRESS = f"http://localhost:{PORT}"


def main() -> None:
    """Serves the app; saves a picture of the opening page in both themes, of three lanes, of a
    word's lattice, beside the lanes and alone on the screen, and of a comparison."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    server = subprocess.Popen([*command, f"--server.port={PORT}"], cwd=DOCS.parent)
    try:
        while True:
            try:
                urllib.request.urlopen(f"{ADDRESS}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.2)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for scheme in ("light", "dark"):
                opening = open_page(chromium, scheme)
                opening.screenshot(path=DOCS / f"train-{scheme}.png")
                if scheme == "light":
                    add_lanes(opening)
                    opening.screenshot(path=DOCS / "lanes-light.png")
                    open_lattice(chromium).screenshot(path=DOCS / "word-light.png")
                    open_presentation(chromium).screenshot(path=DOCS / "present-light.png")
                    open_comparison(chromium).screenshot(path=DOCS / "compare-light.png")
                    open_share(chromium).screenshot(path=DOCS / "share-light.png")
                    open_lesson(chromium).screenshot(path=DOCS / "lesson-light.png")
    finally:
        server.terminate()


def open_page(chromium: Browser, scheme: str) -> Page:
    """The opening page on a projector, everything drawn."""
    page = chromium.new_page(viewport={"width": 1366, "height": 768}, color_scheme=scheme)
    page.goto(ADDRESS)
    settle(page)
    return page


def open_lattice(chromium: Browser) -> Page:
    """The lens of `pug` on its sample."""
    page = chromium.new_page(viewport={"width": 1366, "height": 768}, color_scheme="light")
    page.goto(f"{ADDRESS}/?{urlencode({'lane': to_link(run_of_sample(SAMPLES['hug-pug']))})}")
    settle(page)
    page.get_by_role("radio", name="A word", exact=True).click()
    page.locator(".tv-inside svg.arcs").wait_for()
    page.locator(".st-key-lenses").evaluate("e => e.scrollIntoView()")
    settle(page)
    return page


def open_presentation(chromium: Browser) -> Page:
    """The lattice of `hugs` alone on the screen."""
    page = chromium.new_page(viewport={"width": 1366, "height": 768}, color_scheme="light")
    lane = to_link(run_of_sample(SAMPLES["hug-pug"]))
    parts = {"lane": lane, "v": 2, "present": 1, "picture": "word", "lens": "word", "word": "hugs"}
    page.goto(f"{ADDRESS}/?{urlencode(parts)}")
    page.locator(".tv-inside svg.arcs").wait_for()
    page.wait_for_timeout(1500)
    return page


def open_comparison(chromium: Browser) -> Page:
    """Four tie-breaks, and where the first two of them part."""
    page = chromium.new_page(viewport={"width": 1366, "height": 768}, color_scheme="light")
    page.goto(f"{ADDRESS}/compare")
    settle(page)
    page.get_by_role("combobox", name="Compare").click()
    page.get_by_role("option", name="Four tie-breaks").click()
    page.locator(".tv-lanes[data-lanes='4']").wait_for()
    settle(page)
    page.locator(".stMain").evaluate("e => e.scrollTo(0, 99999)")
    settle(page)
    return page


def open_lesson(chromium: Browser) -> Page:
    """The first guess of the first lesson."""
    page = chromium.new_page(viewport={"width": 1366, "height": 768}, color_scheme="light")
    page.goto(f"{ADDRESS}/learn?lesson=why-subwords&scene=3")
    page.locator(".st-key-lesson_options").wait_for()
    page.locator(".tv-corpus .chip").first.wait_for()
    page.wait_for_timeout(1500)
    return page


def open_share(chromium: Browser) -> Page:
    """What Share offers of the opening sample: its tokenizer for other libraries."""
    page = open_page(chromium, "light")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("radio", name="Tokenizer", exact=True).click()
    page.get_by_role("button", name="Save tokenizer.json").wait_for()
    page.mouse.move(0, 0)
    settle(page)
    return page


def add_lanes(page: Page) -> None:
    """WordPiece and Unigram beside BPE, aligned by vocabulary size."""
    for _ in range(2):
        page.locator(".st-key-add button").first.click()
        page.locator(".st-key-panel_lane").wait_for()
        settle(page)
    page.get_by_role("button", name="Close").click()
    settle(page)
    page.get_by_role("combobox", name="Align lanes").select_option("by vocabulary size")
    page.get_by_role("spinbutton", name="Go to step").fill("48")
    page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(1500)
    settle(page)


def settle(page: Page) -> None:
    """Waits until the script has run and the charts are drawn."""
    page.locator(":is(.tv-curve, .stVegaLiteChart) svg").nth(2).wait_for(state="attached")
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(800)


if __name__ == "__main__":
    main()
