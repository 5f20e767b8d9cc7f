"""A class on one server: how long people wait for it, and what that costs in processor time and
memory.

    python tests/benchmarks/load.py [--people 10 20 40] [--runs 1] [--seconds 60] [--thought 2]
                                    [--arrive 5] [--browsers 0] [--seed 1]

For each number of people, and each run, starts the app as a person would. One visits it first, and
leaves. Then

- all arrive within `arrive` seconds: each loads the page and the files that a browser loads with an
  empty cache, compressed as browsers ask for them, over six connections, and opens its WebSocket;
- each acts for `seconds`, once in `thought` seconds: in a round, in an order of its own, it moves
  the scrubber twelve times, types into a text of its own of 2,000 to 20,000 characters six times,
  opens a lens three times, goes to every page and back to Train, and types on Encode, five letters
  a second, ten of them.

All of this reaches the server. What the browser does by itself (playing, scrubbing until it rests,
the runs of a short text at each key) is not in it, and would only flatter. Nor is what the browser
adds: its pauses before it tells of a move (600 ms) or of a text (150 or 600 ms), and painting.

Everything is planned in advance, however late the server is. *Felt* is the time from the planned
moment until the server has said all of its reply; *service* that from the moment when it was sent.
Nobody acts before the reply to the action before: where the server is slower than people, felt
times grow. Letters on Encode that are typed while an answer is on its way go together, as a browser
sends them.

The machine is measured in the same minute: the seconds in which Python adds up ten million numbers,
while nobody acts, before and after; and how late the clients woke that had nothing to do until a
planned moment, which is felt. Clients, browsers and server share it. With `browsers`, so many
pages of real Chromium act, too, once in `thought` seconds: what is felt there ends when it is
painted (chromium.py).

Ends with code 1 on an error on a page or in the server's log. The same seed gives the same texts
and actions.
"""

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import aiohttp
import numpy as np
from chromium import Pages
from numpy.typing import NDArray
from served import Failed, Served
from streamlit_client import Session

from tokviz.server.streamlit_parts.web_server import static_files

LENSES = ("Score table", "Vocabulary", "Steps", "A word", "A token", "Encode")
#: What a round holds: what is done one after the other.
ROUND = (
    *(("scrub", "scrub", "type", "scrub", "lens", "scrub", "type"),) * 3,
    ("encode", "write", "write", "train"),
    ("compare", "learn", "train"),
    ("open", "how-it-works", "train"),
)
SYLLABLES = [a + b for a in "bdfklmnprst" for b in ("a", "e", "i", "o", "u", "en", "or")]
#: Letters that are typed on Encode in a row, and the seconds between two.
LETTERS, BETWEEN = 5, 0.2
#: What a browser also asks for, besides the files that the page names: of these, the font of icons.
BESIDES = [
    *("_stcore/health", "_stcore/host-config"),
    *(
        f"static/media/{font.name}"
        for font in (static_files() / "static/media").glob("MaterialSymbols-Rounded.*.woff2")
    ),
]


class Reply(NamedTuple):
    """What was done, and the seconds until the reply: from the planned moment, and from sending."""

    kind: str
    felt: float
    service: float


class Pupil:
    """One person with a browser, and what comes of it. A text that takes longer to train waits for
    a button, as on the page; how often is counted."""

    def __init__(self, address: str, seed: int) -> None:
        self.address, self.session = address, Session(address)
        self.draw = random.Random(seed)
        self.replies: list[Reply] = []
        self.waited = 0
        self._serial, self._text, self._line = 0, "", ""

    async def arrive(self, planned: float) -> Reply:
        """Loads the page; returns when all of it can be used."""
        await until(planned)
        sent = time.perf_counter()
        await load_files(self.address)
        await self.session.open()
        now = time.perf_counter()
        return Reply("arrive", now - planned, now - sent)

    async def act_for(self, seconds: float, thought: float) -> None:
        """Acts as planned; what is planned later than `seconds` from now is left out."""
        start = time.perf_counter() + thought * self.draw.random()
        end, planned = start + seconds, start
        while planned < end:
            for kind in [kind for part in self.draw.sample(ROUND, len(ROUND)) for kind in part]:
                if planned >= end:
                    return
                await until(planned)
                await self.act(kind, planned)
                planned += thought + LETTERS * BETWEEN * (kind == "write")

    async def act(self, kind: str, planned: float) -> None:
        """Does one thing of a round, which was planned for that moment."""
        if kind == "write":
            await self._write(planned)
            return
        service = await getattr(self, f"_{kind}", self._go)(kind)
        self.replies.append(Reply(kind, time.perf_counter() - planned, service))

    async def _scrub(self, _kind: str) -> float:
        p = self.draw.randint(0, self.session.run["steps"])
        moment = {"id": self.session.head["id"], "align": "step", "position": p, "states": [p]}
        return await self.session.act("settled", {"moment": moment})

    async def _lens(self, _kind: str) -> float:
        return await self.session.act("lens", [self.draw.choice(LENSES)])

    async def _type(self, _kind: str) -> float:
        """A word more; in the beginning, and where no more fits, a text of its own."""
        self._text += f" {self._word()}"
        if not 2000 <= len(self._text) <= 20_000:
            self._text = self.own_text(int(np.exp(self.draw.uniform(np.log(2000), np.log(19_900)))))
        before = self.session.head["id"]
        service = await self.session.act("corpus_text", self._text)
        self.waited += self.session.head["id"] == before
        return service

    async def _go(self, kind: str) -> float:
        return await self.session.go("" if kind == "train" else kind)

    async def _write(self, planned: float) -> None:
        """Letters on Encode: those that are typed by then go to the server together."""
        typed = [planned + BETWEEN * n for n in range(LETTERS)]
        while typed:
            await until(typed[0])
            sent = time.perf_counter()
            now = [at for at in typed if at <= sent]
            self._line += "".join(self.draw.choices("etaoin shrdlu", k=len(now)))
            self._serial += 1
            asked = {"serial": self._serial, "text": self._line, "pins": []}
            service = await self.session.act("encoder", {"asked": asked})
            self.replies += [Reply("write", time.perf_counter() - at, service) for at in now]
            typed = typed[len(now) :]

    def _word(self) -> str:
        return "".join(self.draw.choices(SYLLABLES, k=self.draw.randint(1, 4)))

    def own_text(self, size: int) -> str:
        """A text of about this size that nobody else trains on."""
        words = [self._word() for _ in range(size // 20)]
        weights = [*accumulate(1 / (rank + 2) for rank in range(len(words)))]
        drawn = (self.draw.choices(words, cum_weights=weights, k=12) for _ in range(size // 60))
        lines = map(" ".join, drawn)
        return "\n".join(lines)[:size]


#: The seconds that somebody who slept until a moment woke up after it.
LATE: list[float] = []


async def until(moment: float) -> None:
    if (left := moment - time.perf_counter()) > 0:
        await asyncio.sleep(left)
        LATE.append(time.perf_counter() - moment)


async def load_files(address: str) -> int:
    """Loads what a browser with an empty cache loads; returns how many bytes that were."""
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit_per_host=6),
        headers={"Accept-Encoding": "gzip, deflate, br, zstd"},
        auto_decompress=False,
    ) as browser:

        async def load(path: str, kind: str = "*/*") -> bytes:
            async with browser.get(f"{address}/{path}", headers={"Accept": kind}) as answer:
                if answer.status != 200:
                    raise Failed(f"status {answer.status} of /{path}")
                return await answer.read()

        page = await load("", "text/html")
        named = re.findall(r'(?:src|href)="\.?/?(static/[^"]+)"', page.decode())
        files = await asyncio.gather(*map(load, [*dict.fromkeys(named), *BESIDES]))
        return len(page) + sum(map(len, files))


def adding_up() -> float:
    """The seconds in which Python adds up ten million numbers."""
    started, total = time.perf_counter(), 0
    for n in range(10_000_000):
        total += n
    return time.perf_counter() - started


def felt_and_service(replies: Iterable[Reply]) -> NDArray[np.float64]:
    """p50 and p95 of both, in milliseconds."""
    seconds = [(reply.felt, reply.service) for reply in replies]
    return 1000 * np.percentile(seconds, (50, 95), axis=0).T


def report(replies: Iterable[Reply]) -> None:
    """A line for each kind of reply, and one for all that people did once they had arrived."""
    rows: dict[str, list[Reply]] = defaultdict(list)
    for reply in sorted(replies):
        rows[reply.kind].append(reply)
        if reply.kind != "arrive":
            rows["~ all acts"].append(reply)
    print(
        f"{'':<12}{'times':>7}{'felt: p50':>11}{'p95':>7}{'most':>7}{'service: p50':>14}{'p95':>7}"
    )
    for kind in sorted(rows):
        (p50, p95), (s50, s95) = felt_and_service(rows[kind])
        most = 1000 * max(reply.felt for reply in rows[kind])
        print(f"{kind:<12}{len(rows[kind]):>7}{p50:>11.0f}{p95:>7.0f}{most:>7.0f}", end="")
        print(f"{s50:>14.0f}{s95:>7.0f}")


async def first_visit(served: Served, seed: int) -> int:
    """Somebody does everything once, and leaves: what is loaded once is loaded then. Returns the
    bytes of the files."""
    first = Pupil(served.address, seed)
    loaded = await load_files(served.address)
    await first.session.open()
    for lens in LENSES:
        await first.session.act("lens", [lens])
    for kind in ("type", "compare", "learn", "open", "how-it-works", "encode", "write"):
        await first.act(kind, time.perf_counter())
    await first.session.close()
    return loaded


async def load(options: argparse.Namespace, served: Served, people: int, seed: int) -> str:
    """One run; returns its line of the table."""
    loaded = await first_visit(served, seed)
    before, start = adding_up(), served.cost()
    pupils = [Pupil(served.address, seed * 1000 + n) for n in range(1, people + 1)]
    now = time.perf_counter()
    came = await asyncio.gather(
        *(each.arrive(now + n * options.arrive / people) for n, each in enumerate(pupils))
    )
    arrived = [reply.felt for reply in came]
    await asyncio.sleep(1)
    idle = served.cost()
    pages = Pages(served.address, options.browsers, seed)
    await pages.open()
    begun, clock, client = served.cost(), time.perf_counter(), time.process_time()
    by_browsers, *_ = await asyncio.gather(
        pages.act_for(options.seconds, options.thought),
        *(pupil.act_for(options.seconds, options.thought) for pupil in pupils),
    )
    seconds, ended = time.perf_counter() - clock, served.cost()
    client = time.process_time() - client
    replies = [reply for pupil in pupils for reply in pupil.replies]
    report([*came, *replies])
    pages.report()
    await pages.close()
    for pupil in pupils:
        await pupil.session.close()
    await asyncio.sleep(2)
    after = adding_up()
    own, below = ended.seconds - begun.seconds, ended.children_seconds - begun.children_seconds
    print(
        f"each arrival loaded {loaded / 1e6:.2f} MB; {sum(pupil.waited for pupil in pupils)} texts "
        f"waited for a button; the server took {1000 * own / (len(replies) + by_browsers):.1f} ms "
        f"of a core a reply; these clients {client / seconds:.0%} of a core",
        flush=True,
    )
    late = 1000 * np.percentile(LATE, 95)
    LATE.clear()
    felt, service = felt_and_service(replies)
    return (
        f"| {people} | {min(arrived):.1f}, {np.median(arrived):.1f}, {max(arrived):.1f} s "
        f"| {felt[0]:.0f} / {felt[1]:.0f} ms | {service[0]:.0f} / {service[1]:.0f} ms "
        f"| {pages.felt()} "
        f"| {len(replies) / seconds:.0f} | {own / seconds:.0%}, {below / seconds:.0%} "
        f"| {(idle.megabytes - start.megabytes) / people:.1f}, {ended.megabytes:.0f}, "
        f"{ended.children_megabytes:.0f} MB | {before:.2f}, {after:.2f} s; {late:.0f} ms |"
    )


TABLE = """\
| people | arrivals: first, median, last | felt p50 / p95 | service p50 / p95 \
| felt in Chromium p50 / p95 | replies a second | server, its children: of a core \
| memory: a person who came, server and children after it \
| adding up, before and after; the clients woke late (p95) |
|---|---|---|---|---|---|---|---|---|"""


async def all_runs(options: argparse.Namespace) -> AsyncIterator[str]:
    """The lines of the table, and what is wrong."""
    for run in range(options.runs):
        for people in options.people:
            print(f"\n{people} people, run {run + 1}", flush=True)
            with tempfile.TemporaryDirectory() as place, Served(Path(place, "log")) as served:
                try:
                    yield await load(options, served, people, options.seed + run)
                except Failed as failed:
                    yield f"{people} people: a session failed: {failed}"
                for line in served.errors():
                    yield f"in the server's log: {line}"


async def main() -> bool:
    parser = argparse.ArgumentParser(description="A class on one server; see the file's top.")
    parser.add_argument("--people", type=int, nargs="+", default=[10, 20, 40])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--thought", type=float, default=2, help="seconds between two actions")
    parser.add_argument("--arrive", type=float, default=5, help="seconds in which all arrive")
    parser.add_argument("--browsers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    lines = [line async for line in all_runs(parser.parse_args())]
    rows = [line for line in lines if line.startswith("|")]
    print("", TABLE, *sorted(rows, key=lambda row: int(row.split()[1])), sep="\n")
    wrong = [line for line in lines if line not in rows]
    print(*(wrong or ["nothing went wrong"]), sep="\n")
    return not wrong


if __name__ == "__main__":
    raise SystemExit(not asyncio.run(main()))
