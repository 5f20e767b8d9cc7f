"""How fast the player is in Chromium, Firefox and WebKitGTK: from an input to the painted frame.

Run by hand on a quiet machine: `.venv/bin/python tests/benchmarks/engines.py`. The probe is the
same in all three: a script in the page moves the scrub bar as a person's input does, waits for the
next animation frame and for the task after it, by which the frame is on its way to the screen.
WebKit's clock counts whole milliseconds; its screen is Xvfb, and all draw without a graphics card.
"""

import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
TESTS = HERE.parent
sys.path[:0] = [str(place) for place in (TESTS.parent, TESTS, TESTS / "e2e")]
sys.path.insert(0, str(TESTS / "e2e" / "journeys"))
# ruff: noqa: E402
from player import MOVE, lanes_on_one_text, positions, serving
from playwright_tab import PlaywrightTab, start_firefox
from webkit_tab import WebKitTab, screen

ROUNDS = 3
VIEW = {"width": 1366, "height": 768}


@contextmanager
def chromium():
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        found = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield PlaywrightTab(browser, "finger", viewport=VIEW)


@contextmanager
def firefox():
    with sync_playwright() as playwright:
        yield PlaywrightTab(start_firefox(playwright), "made-up", viewport=VIEW)


@contextmanager
def webkit():
    with screen() as display, tempfile.TemporaryDirectory() as folder:
        tab = WebKitTab(display, Path(folder))
        yield tab
        tab.close()


def main():
    """The figures of each engine, one after the other, several times."""
    with serving() as address:
        for _ in range(ROUNDS):
            for engine in (chromium, firefox, webkit):
                with engine() as tab:
                    tab.open(f"{address}/?{lanes_on_one_text()}")
                    tab.wait("() => document.querySelectorAll('.tv-curve svg').length > 2")
                    tab.settle()
                    times = tab.run(MOVE, positions(tab.steps))
                    cut = quantiles(times, n=100)
                    print(f"{engine.__name__:10} p50 {cut[49]:5.1f} ms   p95 {cut[94]:5.1f} ms")


if __name__ == "__main__":
    main()
