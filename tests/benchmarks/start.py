"""How long the server takes to start: from the command to healthy, and on to the first page that a
browser with an empty cache has drawn, and to its next visit.

    .venv/bin/python tests/benchmarks/start.py [--megabits 10] [--without-core]

The medians of five starts: until the server is healthy, and the processor time that it had used;
then of both visits until the first token is drawn and until "Play", pressed as soon as that is, has
moved the player, and the bytes that came from the server, besides those of the WebSocket. What
looks on is a few lines of script: Playwright's own, some 300 KB that a page has to read as soon as
something is looked for in it, no visitor loads. With `--megabits`, over a network of this
speed whose answers come 40 ms later. With `--without-core`, every other start is one without the
package that runs the compiled trainer.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import median

import psutil
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from app_server import Server

STARTS = 5
#: Resolves when a token is drawn and painted, with the place of "Play".
TOKEN = """new Promise(done => {
  const seen = () => {
    if (!document.querySelector(".tv-corpus .chip")) return;
    watch.disconnect();
    const play = document.querySelector("[aria-label=Play]").getBoundingClientRect();
    const place = [play.left + play.width / 2, play.top + play.height / 2];
    requestAnimationFrame(() => setTimeout(() => done(place)));
  };
  const watch = new MutationObserver(seen);
  watch.observe(document, { childList: true, subtree: true });
  seen();
})"""
#: Resolves when the player plays, and that is painted.
PLAYS = """new Promise(done => {
  const look = () => {
    if (document.querySelector("[aria-label=Pause]")) requestAnimationFrame(() => setTimeout(done));
    else requestAnimationFrame(look);
  };
  look();
})"""


def visited(context, address, megabits):
    """Opens the page in a new tab: the seconds until it has a token, and until it plays; the
    megabytes that came."""
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    if megabits:
        speed = megabits * 1e6 / 8
        limits = {"downloadThroughput": speed, "uploadThroughput": speed, "latency": 40}
        network.send("Network.emulateNetworkConditions", {"offline": False, **limits})

    def resolved(promise):
        asked = {"expression": promise, "awaitPromise": True, "returnByValue": True}
        return network.send("Runtime.evaluate", asked)["result"].get("value")

    came = []
    network.on("Network.loadingFinished", lambda said: came.append(said["encodedDataLength"]))
    begin = time.perf_counter()
    page.goto(address, wait_until="commit")
    place = resolved(TOKEN)
    token = time.perf_counter() - begin
    page.mouse.click(*place)
    resolved(PLAYS)
    played = time.perf_counter() - begin
    page.wait_for_timeout(2000)
    page.close()
    return token, played, sum(came) / 1e6


def processor(pid):
    """The seconds that a server and its processes have used."""
    server = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in [server, *server.children(recursive=True)])


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a start takes; see the file's top.")
    parser.add_argument("--megabits", type=float, default=0, help="a second, of the network")
    parser.add_argument("--without-core", action="store_true", help="starts without wasmtime, too")
    asked = parser.parse_args()
    rows = defaultdict(list)
    with sync_playwright() as web, tempfile.TemporaryDirectory() as place:
        browser = web.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        Path(place, "wasmtime.py").write_text("raise ImportError")
        kinds = {"": None}
        if asked.without_core:
            kinds["without core: "] = {"PYTHONPATH": place}
        for i, (kind, environment) in product(range(STARTS), kinds.items()):
            begin = time.perf_counter()
            served = Server(Path(place, f"log{i}"), environment=environment)
            with served, browser.new_context() as context:
                context.set_default_timeout(120_000)
                rows[f"{kind}healthy, s"].append(time.perf_counter() - begin)
                rows[f"{kind}of it processor, s"].append(processor(served.process.pid))
                for visit in ("first visit", "second visit"):
                    for what, figure in zip(
                        ("token, s", "Play, s", "MB"),
                        visited(context, served.address, asked.megabits),
                        strict=True,
                    ):
                        rows[f"{kind}{visit}: {what}"].append(figure)
                    used = processor(served.process.pid)
                    rows[f"{kind}{visit}: processor, s"].append(used)
    for name, figures in rows.items():
        print(f"{name:<38}{median(figures):7.3f}   ({min(figures):.3f} to {max(figures):.3f})")


if __name__ == "__main__":
    main()
