"""Takes the README's pictures: `.venv/bin/python docs/screenshots.py` (needs Chromium)."""

import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
PORT = 8611
ADDRESS = f"http://localhost:{PORT}"


def main() -> None:
    """Serves the app, opens it in both themes, saves one picture of each."""
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
                page = chromium.new_page(
                    viewport={"width": 1366, "height": 768}, color_scheme=scheme
                )
                page.goto(ADDRESS)
                page.locator(".stVegaLiteChart svg").nth(2).wait_for()
                page.wait_for_selector("[data-test-script-state=notRunning]")
                page.wait_for_timeout(500)
                page.screenshot(path=DOCS / f"train-{scheme}.png")
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
