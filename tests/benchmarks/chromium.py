"""Real pages in Chromium that scrub, switch lenses, train and go to other pages, timed by the
browser's own clock: from the planned moment of a click, and from the click, until what comes of it
is painted."""

import asyncio
import os
import random
import shutil
import time
from collections import defaultdict
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import psutil
from playwright.async_api import Error, Page, async_playwright
from served import Failed

#: Does something, and resolves with the milliseconds until a condition holds and was painted: since
#: the moment for which it was planned, in milliseconds of the calendar, and since it was done.
TIMED = """async ([does, holds, most, planned]) => {
    const done = new Function(`return ${holds}`), began = performance.now();
    new Function(does)();
    while (!done()) {
        if (performance.now() - began > most) throw new Error(`not within ${most} ms: ${holds}`);
        await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    return [performance.timeOrigin + now - planned, now - began];
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
LINK = "[...document.links].find(link => link.pathname === '/%s').click()"
#: Other pages, and what they show.
SHOWN = {
    "compare": "document.querySelector('.stVegaLiteChart svg')",
    "encode": "document.querySelector('.tv-columns')",
    "how-it-works": "document.querySelector('h1')?.innerText === 'How tokviz works'",
}
#: What Train shows, and Compare does not.
CURVE = "document.querySelector('.tv-curve')"
MOST = 30_000


class Pages:
    """Some pages of one browser."""

    def __init__(self, address: str, number: int, seed: int) -> None:
        self._address, self._number = address, number
        self._draw = random.Random(seed)
        self._pages: list[Page] = []
        #: Milliseconds since the planned moment, and since the click.
        self._times: dict[str, list[tuple[float, float]]] = defaultdict(list)

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
            took = 1000 * (time.perf_counter() - began)
            self._times["open"].append((took, took))
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

    async def act_for(self, seconds: float, thought: float) -> int:
        """Has all of them act as planned; returns how often the server had to reply."""
        return sum(
            await asyncio.gather(*(self._act(page, seconds, thought) for page in self._pages))
        )

    async def _act(self, page: Page, seconds: float, thought: float) -> int:
        done, planned = 0, time.time() + thought * self._draw.random()
        end = planned + seconds
        lenses = self._draw.sample(list(SAID), 2)
        other = self._draw.choice(list(SHOWN))
        round_ = [self._scrub] * 3 + [partial(self._switch, lens=lens) for lens in lenses]
        round_ += [self._train, partial(self._go, to=other), self._back]
        while True:
            for act in round_:
                if planned >= end:
                    return done
                if time.time() > planned + MOST / 1000:
                    raise Failed(f"Chromium acts {MOST / 1000:.0f} s later than planned")
                await asyncio.sleep(max(0, planned - time.time()))
                await act(page, planned)
                planned += thought
                done += 1

    async def _scrub(self, page: Page, planned: float) -> None:
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
            planned,
        )

    async def _switch(self, page: Page, planned: float, lens: str) -> None:
        said = f".some(p => p.innerText.startsWith({SAID[lens]!r}))"
        await self._time(
            page,
            "lens",
            f"{LENS % lens}.click()",
            f"[...document.querySelectorAll('.tv-caption')]{said}",
            planned,
        )

    async def _go(self, page: Page, planned: float, to: str) -> None:
        await self._time(page, "go", LINK % to, SHOWN[to], planned)

    async def _back(self, page: Page, planned: float) -> None:
        shown = f"{CURVE} && {PLAYER} && document.querySelector('.tv-corpus .chip')"
        await self._time(page, "go back", LINK % "", shown, planned)

    async def _train(self, page: Page, planned: float) -> None:
        """Types a text of its own, which the page trains, until its words are chips there."""
        word = "".join(self._draw.choices("abcdefghijklmnop", k=9))
        text = f"the cat sat on the mat {word} " * 5
        await self._time(
            page,
            "type",
            f"const field = document.querySelector('{FIELD}'); {SET}.call(field, '{text}');"
            "field.dispatchEvent(new Event('input', { bubbles: true }))",
            f"{CORPUS}.includes('{word}')",
            planned,
        )

    async def _time(self, page: Page, kind: str, does: str, holds: str, planned: float) -> None:
        try:
            felt, took = await page.evaluate(TIMED, [does, holds, MOST, 1000 * planned])
            self._times[kind].append((felt, took))
        except Error as error:
            raise Failed(f"Chromium, {kind}: {error.message}") from None

    def report(self) -> None:
        """A line for each kind, with the columns of load.py."""
        for kind, measured in sorted(self._times.items()):
            (p50, s50), (p95, s95) = np.percentile(measured, (50, 95), axis=0)
            print(f"{f'Chromium, {kind}':<20}{len(measured):>5}{p50:>5.0f}{p95:>7.0f}", end="")
            print(f"{max(felt for felt, _took in measured):>7.0f}{s50:>14.0f}{s95:>7.0f}")

    def felt(self) -> str:
        """p50 and p95 of all that was felt once the pages were open."""
        acts = [each for kind, all in self._times.items() if kind != "open" for each in all]
        if not acts:
            return "–"
        p50, p95 = np.percentile([felt for felt, _took in acts], (50, 95))
        return f"{p50:.0f} / {p95:.0f} ms"
