"""What a class in a room feels: how soon a step of the teacher is on its phones, and what it costs.

    python tests/benchmarks/room.py [--phones 40] [--steps 38] [--guesses 60]

The teacher is a Chromium on the same machine, which goes from step to step. Each phone has its page
open, as a browser does, and listens to the room; one is a Chromium of the size of a phone, where a
step counts once it is drawn. In the second part steps are quick, in the third somebody else guesses
codes for so many seconds, with 20 requests at a time.
"""

import argparse
import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page as Tab
from playwright.sync_api import sync_playwright
from room_client import InRoom
from served import Served
from visitors import Page

from tokviz.server.rooms.room import LENGTH, LETTERS

NAMES = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"
#: Notes when each step was drawn.
NOTE = """() => { window.drawn = {};
    document.addEventListener('tokviz-step',
        ({ detail }) => { window.drawn[detail.position] ??= Date.now(); }); }"""


class Class:
    """Phones without a screen: when each heard of each step."""

    def __init__(self, served: Served, code: str, phones: int) -> None:
        self.heard: dict[int, list[float]] = {}
        self._lock = threading.Lock()
        self._pages = [Page(served) for _each in range(phones)]
        self._phones = [InRoom(served.port, code) for _each in range(phones)]
        for phone in self._phones:
            threading.Thread(target=self._listen, args=(phone,), daemon=True).start()

    def _listen(self, phone: InRoom) -> None:
        while (news := phone.hears()) is not None:
            at = time.time() * 1000
            if (step := news.get("look", {}).get("step")) is not None:
                with self._lock:
                    self.heard.setdefault(step, []).append(at)


def summary(name: str, times: list[float]) -> str:
    ordered = sorted(times)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return (
        f"{name:<42} {len(ordered):>5} steps heard, median {statistics.median(ordered):>4.0f} ms, "
        f"p95 {p95:>4.0f}, longest {ordered[-1]:>4.0f}"
    )


def walk(teacher: Tab, klass: Class, phone: Tab, steps: range, pause: float) -> None:
    """Has the teacher go from step to step, from the first one."""
    teacher.keyboard.press("Home")
    time.sleep(2)
    klass.heard.clear()
    for tab in (teacher, phone):
        tab.evaluate("() => { window.drawn = {}; }")
    for _step in steps:
        teacher.keyboard.press("ArrowRight")
        time.sleep(pause)
    time.sleep(1)


def report(name: str, teacher: Tab, klass: Class, phone: Tab) -> None:
    gone = {int(step): at for step, at in teacher.evaluate("window.drawn").items()}
    drawn = {int(step): at for step, at in phone.evaluate("window.drawn").items()}
    late = [at - gone[step] for step, times in klass.heard.items() if step in gone for at in times]
    print(summary(name, late))
    print(
        summary("  of these, drawn in Chromium", [drawn[s] - gone[s] for s in drawn if s in gone])
    )


@dataclass(frozen=True)
class Guesses:
    """What came of guessing codes for so many `seconds`: how often each status was the answer, and
    the seconds until a guesser was first told to wait."""

    seconds: float
    answers: Counter[int]
    slowed_after: float

    def __str__(self) -> str:
        waits, none, rooms = (f"{self.answers[status]:,}" for status in (429, 404, 200))
        others = sum(self.answers.values()) - sum(self.answers[n] for n in (429, 404, 200))
        return (
            f"{sum(self.answers.values()):,} codes guessed in {self.seconds:.0f} s: "
            f"{rooms} rooms seen, {none} times no such room, {waits} times told to wait, "
            f"first after {self.slowed_after:.1f} s; {others:,} other answers"
        )


def guess(port: int, seconds: float, code: str) -> Guesses:
    """Guesses codes for a while, 20 at a time, but not the `code` of the class."""
    begun = time.monotonic()

    def tries() -> tuple[Counter[int], float]:
        found, slowed = Counter[int](), seconds
        while (now := time.monotonic() - begun) < seconds:
            letters = "".join(random.choices(LETTERS, k=LENGTH))
            if letters == code:
                continue
            room = InRoom(port, letters)
            found[room.status] += 1
            room.close()
            if room.status == 429:
                slowed = min(slowed, now)
        return found, slowed

    with ThreadPoolExecutor(20) as guessers:
        each = [guessers.submit(tries) for _each in range(20)]
        answers, slowed = zip(*(done.result() for done in each), strict=True)
        return Guesses(seconds, sum(answers, Counter[int]()), min(slowed))


def measure(options: argparse.Namespace, served: Served) -> None:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser, other = (
            playwright.chromium.launch(executable_path=executable, args=arguments)
            for _each in range(2)
        )
        teacher = browser.new_page(viewport={"width": 1366, "height": 768})
        teacher.goto(f"{served.address}/?lane=udhr-en&v=2&step=0")
        teacher.get_by_role("button", name="Share", exact=True).click()
        teacher.get_by_role("radio", name="Class", exact=True).click()
        teacher.get_by_role("button", name="Start a room").click()
        code = teacher.locator(".tv-room-teacher b").text_content() or ""
        teacher.get_by_role("button", name="Begin").click()
        before = served.cost()
        phone = other.new_page(viewport={"width": 390, "height": 844})
        phone.goto(f"{served.address}/?room={code}")
        phone.locator("[data-steps]").wait_for()
        klass = Class(served, code, options.phones)
        teacher.locator(".tv-room-teacher", has_text=f"{options.phones + 1} phones").wait_for()
        for tab in (teacher, phone):
            tab.evaluate(NOTE)
        time.sleep(5)
        costs = served.cost()
        megabytes = costs.megabytes - before.megabytes
        print(f"{options.phones} phones with their pages: {megabytes:+.0f} MB of the server")
        teacher.locator(".tv-corpus").first.focus()
        walk(teacher, klass, phone, range(options.steps), 0.5)
        report("a step each 0.5 s", teacher, klass, phone)
        after = served.cost()
        used = (after.seconds - costs.seconds) / options.steps * 1000
        print(f"  {used:.1f} ms of the server's processor time a step, {after.megabytes:.0f} MB")
        walk(teacher, klass, phone, range(options.steps), 0.1)
        report("a step each 0.1 s", teacher, klass, phone)
        if options.guesses:
            with ThreadPoolExecutor(1) as beside:
                guesses = beside.submit(guess, served.port, options.guesses, code)
                walk(teacher, klass, phone, range(options.steps), 0.9)
                report("while somebody guesses codes", teacher, klass, phone)
                print(f"  {guesses.result()}")
        for each in (browser, other):
            each.close()


async def main(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as place, Served(Path(place) / "log") as served:
        await asyncio.to_thread(measure, options, served)
        for error in served.errors():
            print(error)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=40)
    parser.add_argument("--steps", type=int, default=38)
    parser.add_argument("--guesses", type=float, default=60)
    asyncio.run(main(parser.parse_args()))
