"""A class on one server: how fast it replies, and what that costs in processor time and memory.

    python tests/benchmarks/load.py [--sessions 40] [--seconds 60] [--rate 2] [--browsers 2]
                                    [--seed 1] [--most-ms 300] [--most-mb 2]

Starts the app as a person would, then lets sessions over real WebSockets do, one phase after the
other:

- open the page, all of them, and rest: the memory of an idle session;
- train a small corpus of their own, each another one: the memory of a trained session;
- act, each `rate` times a second for `seconds`. In a minute at twice a second one session settles
  the scrubber about 98 times, switches the lens 12 times, opens the form and trains another text
  twice, and goes to another page and back thrice;
- leave, all of them.

Meanwhile `browsers` pages of real Chromium (0: none) scrub, switch lenses and train, too; their
times are from the click until it is drawn, by the browser's own clock.

The time of a reply is that from sending an action until Streamlit says that its script has
finished. A session waits for its reply before it acts again, as people do; so the script also says
how many actions a second were reached. It fails (exit code 1) on any error on a page or in the
server's log, if the 95th percentile of all replies is not below `most-ms`, if an idle session takes
more than `most-mb` megabytes, or if less than 95 % of the asked-for actions were reached; and it
names the kinds of reply whose own percentile is above `most-ms`. The same seed gives the same texts
and actions.

Client, browsers and server share the machine. Browsers get what the server and the clients leave,
as if they had cores of their own; their own times tell of it.
"""

import argparse
import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import numpy as np
from chromium import Pages
from served import Cost, Failed, Served, run_served
from streamlit_client import Session

LENSES = ("Score table", "Vocabulary", "Steps", "A word", "A token", "Encode")
PAGES = ("compare", "encode", "learn", "how-it-works")
#: How often of 120 actions, each with all that belongs to it.
USUAL = {"settle": 98, "lens": 12, "train": 2, "leave": 3}
Times = dict[str, list[float]]


class Pupil:
    """One session and what it does."""

    def __init__(self, address: str, seed: int, times: Times) -> None:
        self.session = Session(address)
        self.draw = random.Random(seed)
        self.times = times
        self.lens = "Vocabulary"

    async def open(self) -> None:
        self.times["open"].append(await self.session.open())

    async def act(self) -> int:
        """Does one thing, which may take several actions; returns how many."""
        kind = self.draw.choices(list(USUAL), list(USUAL.values()))[0]
        done: list[Callable[[], Coroutine[Any, Any, None]]] = {
            "settle": [self.settle],
            "lens": [self.switch],
            "train": [self.edit, self.train],
            "leave": [self.leave, self.come_back],
        }[kind]
        for action in done:
            await action()
        return len(done)

    async def settle(self) -> None:
        p = self.draw.randint(0, self.session.run["steps"])
        moment = {"id": self.session.head["id"], "align": "step", "position": p, "states": [p]}
        await self._timed(f"settle, {self.lens}", self.session.act("settled", {"moment": moment}))

    async def switch(self) -> None:
        self.lens = self.draw.choice([lens for lens in LENSES if lens != self.lens])
        await self._timed(f"lens, {self.lens}", self.session.act("lens", [self.lens]))

    async def edit(self) -> None:
        await self._timed("form", self.session.act("change"))

    async def train(self) -> None:
        typed = {"corpus_text": self._text(), "vocab_size": 100}
        before = self.session.head["id"]
        await self._timed("train", self.session.act("train", None, typed))
        if self.session.head["id"] == before:
            raise Failed("pressing Train brought no other player")

    async def leave(self) -> None:
        page = self.draw.choice(PAGES)
        await self._timed(f"page {page}", self.session.go(page))

    async def come_back(self) -> None:
        await self._timed("page train", self.session.go(""))

    def _text(self) -> str:
        """Some 2,000 characters that nobody else trains on."""
        syllables = [a + b for a in "bdfklmnprst" for b in ("a", "e", "i", "o", "u", "en", "or")]
        words = [
            "".join(self.draw.choices(syllables, k=self.draw.randint(1, 4))) for _ in range(90)
        ]
        weights = [1 / (rank + 2) for rank in range(len(words))]
        lines = (" ".join(self.draw.choices(words, weights, k=12)) for _ in range(25))
        return "\n".join(lines)

    async def _timed(self, kind: str, reply: Coroutine[Any, Any, float]) -> None:
        self.times[kind].append(await reply)


async def act_for(pupil: Pupil, seconds: float, rate: float) -> int:
    """Has a pupil act for some time; returns how often it did."""
    started, done = time.perf_counter(), 0
    offset = pupil.draw.random() / rate
    while (due := started + offset + done / rate) < started + seconds:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        if time.perf_counter() > started + seconds:
            break
        done += await pupil.act()
    return done


def report(times: Times) -> None:
    rows = defaultdict(list)
    for kind, measured in times.items():
        rows[kind] += measured
        if "," in kind:
            rows[kind.partition(",")[0]] += measured
    print(f"{'reply':<22}{'times':>7}{'p50 ms':>8}{'p95 ms':>8}{'p99 ms':>8}{'most':>8}")
    for kind in sorted(rows):
        p50, p95, p99 = 1000 * np.percentile(rows[kind], (50, 95, 99))
        most = 1000 * max(rows[kind])
        name = f"  {kind.partition(', ')[2]}" if "," in kind else kind
        print(f"{name:<22}{len(rows[kind]):>7}{p50:>8.0f}{p95:>8.0f}{p99:>8.0f}{most:>8.0f}")


def told(what: str, cost: Cost) -> None:
    print(
        f"{what:<28}{cost.megabytes:8.1f} MB"
        + (f", {cost.children} children {cost.children_megabytes:.1f} MB" if cost.children else ""),
        flush=True,
    )


async def load(options: argparse.Namespace, served: Served) -> bool:
    """All phases; whether everything is as it has to be."""
    before: Times = defaultdict(list)
    n = options.sessions
    # The first visitors wait for what is loaded once, and leave it in memory.
    first = Pupil(served.address, -1, before)
    await first.open()
    for action in (first.edit, first.train, first.leave, first.come_back):
        await action()
    for lens in LENSES:
        first.lens = lens
        await first.session.act("lens", [lens])
    await first.session.close()
    told("one has been there", start := served.cost())
    pupils = [Pupil(served.address, options.seed * 1000 + i, before) for i in range(n)]
    for pupil in pupils:
        await pupil.open()
    await asyncio.sleep(1)
    told(f"{n} have opened the page", idle := served.cost())
    for pupil in pupils:
        await pupil.edit()
        await pupil.train()
    await asyncio.sleep(1)
    told(f"{n} have trained", trained := served.cost())
    report(before)
    print()
    times: Times = defaultdict(list)
    for pupil in pupils:
        pupil.times = times
    pages = Pages(served.address, options.browsers, options.seed)
    await pages.open()
    begun, clock = served.cost(), time.perf_counter()
    client = time.process_time()
    done = await asyncio.gather(
        pages.act_for(options.seconds),
        *(act_for(pupil, options.seconds, options.rate) for pupil in pupils),
    )
    seconds, ended = time.perf_counter() - clock, served.cost()
    client = time.process_time() - client
    await pages.close()
    report(times)
    pages.report()
    actions, by_browsers = sum(done[1:]), done[0]
    own = ended.seconds - begun.seconds
    children = ended.children_seconds - begun.children_seconds
    every = [reply for replies in times.values() for reply in replies]
    p95 = 1000 * float(np.percentile(every, 95))
    asked = n * options.rate * options.seconds
    print(
        f"\n{actions} actions in {seconds:.0f} s ({actions / seconds:.0f} a second, {asked:.0f} "
        f"were asked for), and {by_browsers} by browsers; p95 of all replies {p95:.0f} ms"
    )
    print(
        f"server {own / seconds:.0%} of a core, {1000 * own / (actions + by_browsers):.1f} ms an "
        f"action; its children {children / seconds:.0%}; these clients {client / seconds:.0%}"
    )
    for pupil in pupils:
        await pupil.session.close()
    await asyncio.sleep(3)
    left = served.cost()
    told("after it", ended)
    told("all have left, 3 s later", left)
    print(
        f"memory: {(idle.megabytes - start.megabytes) / n:.2f} MB an idle session, "
        f"{(trained.megabytes - idle.megabytes) / n:.2f} MB more once it has trained"
    )
    above = [
        kind for kind, some in times.items() if 1000 * np.percentile(some, 95) > options.most_ms
    ]
    print(f"p95 above {options.most_ms:.0f} ms of a kind: {', '.join(sorted(above)) or 'none'}")
    wrong = []
    if p95 >= options.most_ms:
        wrong.append(f"the 95th percentile is {p95:.0f} ms and not below {options.most_ms}")
    if idle.megabytes - start.megabytes > options.most_mb * n:
        wrong.append(f"an idle session takes more than {options.most_mb:g} MB")
    if actions < 0.95 * asked:
        wrong.append(f"{actions} actions were reached, of {asked:.0f}")
    return verdict(wrong, served)


def verdict(wrong: list[str], served: Served) -> bool:
    """Says what is wrong, and what the server's log has."""
    wrong += [f"in the server's log: {line}" for line in served.errors()]
    print("\n".join(wrong) if wrong else "all as it has to be")
    return not wrong


def main() -> None:
    parser = argparse.ArgumentParser(description="A class on one server; see the file's top.")
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=2, help="actions a second of each session")
    parser.add_argument("--browsers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-ms", type=float, default=300)
    parser.add_argument("--most-mb", type=float, default=2, help="of an idle session")
    options = parser.parse_args()
    run_served(partial(load, options))


if __name__ == "__main__":
    main()
