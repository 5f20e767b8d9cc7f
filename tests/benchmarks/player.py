"""How fast the player is in a real Chromium, against the figures that it must reach.

Run by hand: `.venv/bin/python tests/benchmarks/player.py`. Nothing here is a test, and no figure
is asserted; a figure that is not reached is marked.
"""

import http.server
import os
import random
import re
import shutil
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))
from app_server import Server

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.player.assets import PLAYER_SHEETS, script, style
from tokviz.player.pack import bundle, pack
from tokviz.server.runs import Corpus, Run, run_of_sample

MOVES = 120
COURSE = tokviz.SAMPLES["course"].corpus

#: Moves the scrub bar as a person's input does; resolves once the frame after it is painted.
MOVE = """async positions => {
  const scrub = document.querySelector("[aria-label='Training step']");
  const taken = [];
  const painted = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  for (const p of positions) {
    await new Promise(done => setTimeout(done, 5 + 20 * Math.random()));
    const start = performance.now();
    scrub.value = p;
    scrub.dispatchEvent(new Event("input", { bubbles: true }));
    await painted();
    taken.push(performance.now() - start);
  }
  return taken;
}"""

#: Clicks through a run, to its end and back, so many times; resolves with the time from each click
#: until the frame after it is painted.
CLICK = """async clicks => {
  const { dataset } = document.querySelector("[data-steps]");
  const taken = [];
  const painted = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  let way = "Next step";
  while (taken.length < clicks) {
    if (dataset.step === dataset.steps) way = "Previous step";
    else if (dataset.step === "0") way = "Next step";
    const button = document.querySelector(`[aria-label="${way}"]`);
    await new Promise(done => setTimeout(done, 5 + 20 * Math.random()));
    const start = performance.now();
    button.click();
    await painted();
    taken.push(performance.now() - start);
  }
  return taken;
}"""

#: Plays to the end at 60 steps/s; returns the time between frames.
PLAY = """async () => {
  document.querySelector("[aria-label='First step']").click();
  const speed = document.querySelector("[aria-label='Speed']");
  speed.value = "60";
  speed.dispatchEvent(new Event("change"));
  document.querySelector("[aria-label='Play']").click();
  const player = document.querySelector("[data-steps]");
  const frames = [];
  let last = 0;
  return new Promise(done => {
    const frame = now => {
      if (last) frames.push(now - last);
      last = now;
      if (player.dataset.step === player.dataset.steps) done(frames);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}"""

#: Notes when the first chips of the player stand on the page.
FIRST_CHIP = """new MutationObserver((_, watch) => {
  if (!document.querySelector(".tv-corpus .chip")) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.firstChips = performance.now(); }));
}).observe(document, { childList: true, subtree: true });"""


def report(what, value, reach, unit="ms"):
    """One line: the figure, what it must be, and whether it is."""
    mark = "" if value <= reach else "   NOT REACHED"
    print(f"  {what:<58} {value:9.1f} {unit}   (reach ≤ {reach:g}){mark}")


def report_times(what, times, p50, p95):
    """The median and the 95th percentile of some durations."""
    cut = quantiles(times, n=100)
    if p50:
        report(f"{what}, p50", cut[49], p50)
    report(f"{what}, p95", cut[94], p95)


@contextmanager
def serving():
    """The app on a free port: its address."""
    with tempfile.TemporaryDirectory() as place, Server(Path(place, "log")) as server:
        yield server.address


@contextmanager
def chromium():
    """Chromium."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )


@contextmanager
def browsing():
    """Chromium, and the app's address."""
    with serving() as address, chromium() as browser:
        print(f"Chromium {browser.version}\n")
        yield browser, address


def rest(page):
    """Waits until nothing runs on the server, and the browser has nothing to do."""
    page.locator("[data-test-script-state=notRunning]").wait_for()
    page.evaluate("() => new Promise(done => requestIdleCallback(done))")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that does not print its requests."""

    def log_message(self, *_):
        pass


@contextmanager
def files(folder):
    """A folder on a free port, for the player without the app."""
    handler = partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("localhost", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}"
    server.shutdown()


def opened(browser, address, charts=3):
    """A page with everything drawn, and the WebSocket frames that it sent and got."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    frames = []
    page.on("websocket", lambda s: s.on("framesent", lambda f: frames.append(f)))
    page.on("websocket", lambda s: s.on("framereceived", lambda f: frames.append(f)))
    page.add_init_script(FIRST_CHIP)
    page.goto(address)
    page.locator(".tv-corpus .chip").first.wait_for(timeout=60_000)
    if charts:
        page.locator(":is(.tv-curve, .stVegaLiteChart) svg").nth(charts - 1).wait_for(
            state="attached"
        )
    page.wait_for_timeout(1500)
    return page, frames


def last_step(page):
    """The last step of the player on a page."""
    return int(page.locator("[data-steps]").get_attribute("data-steps"))


def positions(last):
    """Half of them a drag from one end to the other, half jumps anywhere."""
    draw = random.Random(0)
    drag = [round(i * last / (MOVES // 2)) for i in range(MOVES // 2)]
    return drag + [draw.randint(0, last) for _ in range(MOVES // 2)]


def in_address(*runs):
    """What the address of a page says of its lanes."""
    return urlencode({"lane": [to_link(run) for run in runs]}, doseq=True)


def lanes_on_one_text():
    """Three algorithms on one text, as an address says them."""
    text = "\n".join([COURSE, COURSE.upper(), COURSE])
    kinds = [("bpe", 140, "gpt2"), ("wordpiece", 140, "bert"), ("unigram", 110, "metaspace")]
    return in_address(*(Run(Corpus("Benchmark", text), *kind) for kind in kinds))


def scrubbed(page, frames):
    """Moves the scrub bar, and tells how soon that is painted and what the server hears of it."""
    where = positions(last_step(page))
    frames.clear()
    times = page.evaluate(MOVE, where)
    report("WebSocket frames while scrubbing", len(frames), 0, "  ")
    report_times("input → paint", times, 25, 50)


def three_lanes(browser, address):
    """Three algorithms on one text, three charts below."""
    page, frames = opened(browser, f"{address}/?{lanes_on_one_text()}")
    page.evaluate("document.querySelector(\"[aria-label='First step']\").click()")
    page.wait_for_timeout(1500)
    chips = page.locator(".tv-corpus .chip").count()
    print(f"Three lanes, {chips} chips at step 0, three charts, {MOVES} moves, 1366×768")
    scrubbed(page, frames)
    page.wait_for_timeout(2000)
    frames.clear()
    times = page.evaluate(PLAY)
    report("WebSocket frames while playing", len(frames), 0, "  ")
    report_times("60 steps/s, time between frames", times, None, 34)
    page.close()


def large_unigram(browser, address):
    """Unigram on a chapter of a novel, from thousands of seeds, as its vocabulary and as text."""
    settings = (("seed_size", 10_000), ("prune_fraction", 0.05))
    chapter = run_of_sample(tokviz.SAMPLES["alice"])
    run = replace(chapter, algorithm="unigram", vocab_size=1000, settings=settings)
    for view in ("vocabulary", "text"):
        # Where there is one run, its vocabulary is what is seen of itself.
        seen = "" if view == "vocabulary" else f"&view={view}"
        page, frames = opened(browser, f"{address}/?{in_address(run)}&v=2&step=0{seen}", charts=0)
        rest(page)
        chips = page.locator(".tv-corpus .chip").count()
        last = last_step(page)
        print(f"A large Unigram as {view}: {last} rounds, {chips} chips at step 0, {MOVES} clicks")
        frames.clear()
        times = page.evaluate(CLICK, MOVES)
        report("WebSocket frames while stepping", len(frames), 0, "  ")
        report_times("click → paint", times, 25, 50)
        page.close()


def comparing(browser, address):
    """The Compare page: three tie-breaks on a novel, 10,000 steps each, three curves below."""
    if "TOKVIZ_TEXTS" not in os.environ:
        print("The Compare page needs pg16457.txt in the folder TOKVIZ_TEXTS.")
        return
    page, frames = opened(browser, f"{address}/compare")
    page.get_by_role("spinbutton", name="Vocabulary size of all").fill("10106")
    page.keyboard.press("Enter")
    rest(page)
    page.get_by_role("button", name="Open a file").click()
    novel = Path(os.environ["TOKVIZ_TEXTS"]) / "pg16457.txt"
    page.locator("input[type=file]").set_input_files(novel)
    page.get_by_text("The corpus is the file").wait_for()
    rest(page)
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator(".st-key-train").wait_for(state="detached", timeout=60_000)
    page.get_by_role("combobox", name="Compare").click()
    page.get_by_role("option", name="Four tie-breaks").click()
    page.locator(".tv-player[data-lanes='4']").wait_for(timeout=60_000)
    rest(page)
    page.locator(".stMain").evaluate("e => e.scrollTo(0, 0)")
    page.locator(".st-key-settings_3 button").first.click()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.locator(".tv-player[data-lanes='3']").wait_for(timeout=60_000)
    page.locator(":is(.tv-curve, .stVegaLiteChart) svg").nth(2).wait_for(state="attached")
    rest(page)
    print(f"The Compare page: three lanes of {last_step(page)} steps on a novel, three curves")
    scrubbed(page, frames)
    page.close()


def long_excerpt(browser, address):
    """A text of 20 KB as the page shows it: as many chips as characters at step 0."""
    text = ""
    for sample in tokviz.SAMPLES.values():
        if isinstance(sample.corpus, str) and len(text) < 20_000:
            text += sample.corpus + "\n"
    text = (text * 10)[:20_000]
    page, _ = opened(browser, address)
    page.get_by_role("button", name="Open a file").click()
    file = {"name": "long.txt", "mimeType": "text/plain", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(file)
    page.wait_for_timeout(2000)
    page.get_by_role("spinbutton", name="Vocabulary size").fill("1500")
    page.keyboard.press("Enter")
    page.wait_for_timeout(1000)
    if page.locator(".st-key-train").count():
        page.get_by_role("button", name="Train", exact=True).click()
    page.locator("[data-steps]:not([data-steps='20'])").wait_for(timeout=60_000)
    page.locator(":is(.tv-curve, .stVegaLiteChart) svg").nth(2).wait_for(state="attached")
    page.wait_for_timeout(3000)
    chips = page.locator(".tv-corpus .chip").count()
    last = last_step(page)
    print(f"A text of {len(text):,} characters, {chips:,} chips at step 0, {last} steps")
    report_times("input → paint", page.evaluate(MOVE, positions(last)), None, 50)
    page.close()


def mounting(browser, steps, distinct, reach):
    """A large run, mounted without the app around it: parsed, laid out, drawn."""
    draw = random.Random(0)
    words = {}
    while len(words) < distinct:
        words["".join(draw.choices("etaoinshrdlucmfw", k=draw.randint(4, 12)))] = draw.randint(
            1, 99
        )
    history = tokviz.train(words, "bpe", 16 + steps, "whitespace")
    data = bundle(
        {"id": "x", "links": [], "start": steps // 2, "align": "step", "look": {}},
        [pack(history, "BPE", None, distinct)],
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "player.js").write_text(script("mount"), encoding="utf-8")
        Path(folder, "player.css").write_text(style(*PLAYER_SHEETS), encoding="utf-8")
        Path(folder, "data").write_bytes(data)
        Path(folder, "index.html").write_text(
            '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="player.css">'
            '<body><div class="tv-player"></div></body>'
        )
        with files(folder) as address:
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            taken = []
            for _ in range(5):
                page.goto(address)
                taken.append(
                    page.evaluate(
                        """async () => {
                          const { default: mount } = await import("./player.js");
                          const data = new Uint8Array(await (await fetch("data")).arrayBuffer());
                          const start = performance.now();
                          mount({ data, parentElement: document.body, setStateValue() {} });
                          await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
                          return performance.now() - start;
                        }"""
                    )
                )
            size = len(data) / 1e6
            n = len(history.words)
            print(f"{len(history):,} steps × {n:,} different words, {size:.1f} MB")
            report("mounted and painted, median of 5", sorted(taken)[2], reach)
            report_times("input → paint", page.evaluate(MOVE, positions(last_step(page))), 25, 50)
            page.close()


def alone(browser, history, what):
    """A run as a page of its own, from a file: no server, its own curves."""
    with tempfile.TemporaryDirectory() as folder:
        page_of_run = history.web_page()
        Path(folder, "page.html").write_text(page_of_run, "utf-8")
        # Waiting for a condition is a script that the page's own policy forbids.
        page = browser.new_page(viewport={"width": 1366, "height": 768}, bypass_csp=True)
        page.add_init_script(FIRST_CHIP)
        taken = []
        for _ in range(5):
            page.goto(f"file://{folder}/page.html")
            page.wait_for_function("window.firstChips")
            taken.append(page.evaluate("window.firstChips"))
        data = re.search('id="tokviz-runs">([^<]*)', page_of_run)[1]
        size = (len(page_of_run.encode()) - len(data)) / 1e3
        print(
            f"A page of its own: {what}, {len(history):,} steps, {len(data) / 1e6:.2f} MB of data"
        )
        report("the page without its data", size, 300, "kB")
        report("chips painted, median of 5", sorted(taken)[2], 1000)
        report_times("input → paint", page.evaluate(MOVE, positions(last_step(page))), 25, 50)
        if len(history) < 1000:
            report_times("60 steps/s, time between frames", page.evaluate(PLAY), None, 34)
        page.close()


def pages_alone(browser):
    """The course, and as many steps as anybody teaches with."""
    sample = tokviz.SAMPLES["course"]
    alone(browser, tokviz.train(sample.corpus, **sample.settings), "the course")
    draw = random.Random(0)
    words = (
        "".join(draw.choices("etaoinshrdlucmfw", k=draw.randint(3, 12))) for _ in range(30_000)
    )
    alone(browser, tokviz.train(" ".join(words), "bpe", 16 + 10_000, "whitespace"), "random words")


def first_paint(browser, address):
    """From asking for the page to the chips of the trained sample, on a running server."""
    taken = []
    for _ in range(5):
        page, _ = opened(browser, address, charts=0)
        taken.append(page.evaluate("window.firstChips"))
        page.close()
    print("The opening page, five visits, nothing cached")
    report("chips painted, median", sorted(taken)[2], 2500)
    report("chips painted, slowest", max(taken), 2500)


def main():
    """All figures, one after the other."""
    with browsing() as (browser, address):
        first_paint(browser, address)
        three_lanes(browser, address)
        large_unigram(browser, address)
        comparing(browser, address)
        long_excerpt(browser, address)
        pages_alone(browser)
        mounting(browser, 10_000, 20_000, 300)
        mounting(browser, 65_000, 60_000, 2500)


if __name__ == "__main__":
    main()
