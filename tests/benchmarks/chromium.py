"""Real pages in Chromium that scrub, switch lenses and train, timed by the browser's own clock."""

import asyncio
import os
import random
import shutil
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
from playwright.async_api import Error, Page, async_playwright
from served import Failed

#: Does something, and resolves with the milliseconds until a condition holds and was painted.
TIMED = """async ([does, holds, most]) => {
    const done = new Function(`return ${holds}`), began = performance.now();
    new Function(does)();
    while (!done()) {
        if (performance.now() - began > most) throw new Error(`not within ${most} ms: ${holds}`);
        await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    return performance.now() - began;
}"""
PLAYER = "document.querySelector('[aria-label=\"Training player\"]')"
CORPUS = "(document.querySelector('.tv-corpus')?.innerText ?? '').replace(/\\W/g, '')"
FIELD = '[class~="st-key-strip"] textarea'
SET = "Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set"
LENS = "[...document.querySelectorAll('.st-key-lenses button')].find(b => b.innerText === %r)"
#: What the lenses say of themselves.
SAID = {
    "Score table": "The score table at this step.",
    "Vocabulary": "The vocabulary at this step.",
    "Steps": "The steps before and after the present one.",
}
MOST = 30_000


class Pages:
    """Some pages of one browser."""

    def __init__(self, address: str, number: int, seed: int) -> None:
        self._address, self._number = address, number
        self._draw = random.Random(seed)
        self._pages: list[Page] = []
        self._times: dict[str, list[float]] = defaultdict(list)

    async def open(self) -> None:
        if not self._number:
            return
        others = set(psutil.Process().children(recursive=True))
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for _ in range(self._number):
            page = await self._browser.new_page(viewport={"width": 1366, "height": 768})
            began = time.perf_counter()
            await page.goto(self._address)
            await page.locator(".tv-corpus .chip").first.wait_for()
            self._times["open"].append(1000 * (time.perf_counter() - began))
            self._pages.append(page)
        # Elsewhere they have cores of their own: here they get what the server leaves.
        for process in set(psutil.Process().children(recursive=True)) - others:
            process.nice(19)
            # Where Linux shares the processor among sessions first, a process is nice to those of
            # its own session only.
            if os.getsid(process.pid) != os.getsid(0):
                with suppress(OSError):
                    Path(f"/proc/{process.pid}/autogroup").write_text("19")

    async def close(self) -> None:
        if self._number:
            await self._browser.close()
            await self._playwright.stop()

    async def act_for(self, seconds: float) -> int:
        """Has all of them act for some time; returns how often the server had to reply."""
        until = time.perf_counter() + seconds
        return sum(await asyncio.gather(*(self._act(page, until) for page in self._pages)))

    async def _act(self, page: Page, until: float) -> int:
        done = 0
        while time.perf_counter() < until:
            for _ in range(3):
                await self._scrub(page)
                # The player tells the server 600 ms after the last move.
                await asyncio.sleep(1)
                done += 1
            for lens in self._draw.sample(list(SAID), 2):
                await self._switch(page, lens)
                await asyncio.sleep(0.5)
                done += 1
            await self._train(page)
            # Python hears of a text that the page trained after 600 ms.
            await asyncio.sleep(1)
            done += 1
        return done

    async def _scrub(self, page: Page) -> None:
        """One step, which the browser makes alone."""
        at, last = [
            int(await page.evaluate(f"{PLAYER}.dataset.{name}")) for name in ("step", "steps")
        ]
        name, to = ("Next step", at + 1) if at < last else ("First step", 0)
        await self._time(
            page,
            "scrub",
            f"document.querySelector('button[aria-label=\"{name}\"]').click()",
            f"{PLAYER}.dataset.step === '{to}'",
        )

    async def _switch(self, page: Page, lens: str) -> None:
        said = f".some(p => p.innerText.startsWith({SAID[lens]!r}))"
        await self._time(
            page,
            "lens",
            f"{LENS % lens}.click()",
            f"[...document.querySelectorAll('.tv-caption')]{said}",
        )

    async def _train(self, page: Page) -> None:
        """Types a text of its own, which the page trains, until its words are chips there."""
        word = "".join(self._draw.choices("abcdefghijklmnop", k=9))
        text = f"the cat sat on the mat {word} " * 5
        await self._time(
            page,
            "type",
            f"const field = document.querySelector('{FIELD}'); {SET}.call(field, '{text}');"
            "field.dispatchEvent(new Event('input', { bubbles: true }))",
            f"{CORPUS}.includes('{word}')",
        )

    async def _time(self, page: Page, kind: str, does: str, holds: str) -> None:
        try:
            self._times[kind].append(await page.evaluate(TIMED, [does, holds, MOST]))
        except Error as error:
            raise Failed(f"Chromium, {kind}: {error.message}") from None

    def report(self) -> None:
        for kind, measured in sorted(self._times.items()):
            p50, p95 = np.percentile(measured, (50, 95))
            name = f"Chromium, {kind}"
            print(f"{name:<22}{len(measured):>7}{p50:>8.0f}{p95:>8.0f}{'':>8}{max(measured):>8.0f}")
