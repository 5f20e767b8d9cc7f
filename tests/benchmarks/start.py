"""How long the server takes to start: from the command to healthy, and on to the first page that a
browser has drawn. The least of five starts, and the processor time that each healthy one had used.

    .venv/bin/python tests/benchmarks/start.py
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from app_server import Server

STARTS = 5


def main() -> None:
    rows = []
    with sync_playwright() as web, tempfile.TemporaryDirectory() as place:
        browser = web.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for i in range(STARTS):
            begin = time.perf_counter()
            with Server(Path(place, f"log{i}")) as served:
                healthy = time.perf_counter() - begin
                used = sum(psutil.Process(served.process.pid).cpu_times()[:2])
                page, begin = browser.new_page(), time.perf_counter()
                page.goto(served.address)
                page.locator(".tv-corpus .chip").first.wait_for()
                rows.append((healthy, used, time.perf_counter() - begin))
                page.close()
    names = "healthy", "of it processor", "first page, after that"
    for name, times in zip(names, zip(*rows, strict=True), strict=True):
        print(f"{name:<24}{min(times):5.2f} s   (most {max(times):.2f} s)")


if __name__ == "__main__":
    main()
