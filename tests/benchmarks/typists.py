"""A class that types its own texts at once on Train: how soon the server has each one trained.

    .venv/bin/python tests/benchmarks/typists.py [--typists 20] [--seconds 20] [--pause 2] [--page]

Sessions over real WebSockets, without browsers, each with a text of 2 KB of its own to which it
adds a letter every `pause` seconds, each at a time of its own. A reply is that from sending the
text until the page with the new run was sent whole. A browser waits 150 ms after the key before it
sends, and paints afterwards (live_text.py): both come on top. With `--page`, somebody types into a
real page besides, and it says how soon each key is painted there. It also says what the server
spent.
"""

import argparse
import asyncio
import random
import time
from functools import partial

import numpy as np
from live_text import typing as typing_into_a_page
from player import chromium
from served import Served, run_served
from streamlit_client import Session

SYLLABLES = [a + b for a in "bdfklmnprst" for b in ("a", "e", "i", "o", "u", "en", "or")]


async def typist(
    session: Session, seed: int, seconds: float, pause: float
) -> tuple[list[float], int]:
    """Types until the time is over; returns the seconds of each reply, and how many texts were not
    trained without a button."""
    draw, times, waiting = random.Random(seed), list[float](), 0
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(90)]
    text = "\n".join(" ".join(draw.choices(words, k=12)) for _ in range(22))[:2000]
    end = time.perf_counter() + seconds
    await asyncio.sleep(draw.random() * pause)
    while time.perf_counter() < end:
        text += draw.choice("etaoin ")
        before, begun = session.head["id"], time.perf_counter()
        times.append(await session.act("corpus_text", text))
        waiting += session.head["id"] == before and not text.endswith(" ")
        await asyncio.sleep(max(0.0, pause - (time.perf_counter() - begun)))
    return times, waiting


def painted(address: str) -> list[float]:
    """The milliseconds from each of some keys, typed into a real page, to its new run."""
    with chromium() as browser:
        return typing_into_a_page(browser, address, 2000)


async def measure(options: argparse.Namespace, served: Served) -> bool:
    sessions = [Session(served.address) for _ in range(options.typists)]
    for session in sessions:
        await session.open()
    # The first text of each loads what is loaded once.
    await asyncio.gather(*(typist(one, i, 0.1, 0) for i, one in enumerate(sessions)))
    begun, clock = served.cost(), time.perf_counter()
    typing = (
        typist(one, 1000 + i, options.seconds, options.pause) for i, one in enumerate(sessions)
    )
    page = asyncio.to_thread(painted, served.address) if options.page else asyncio.sleep(0, [])
    *done, keys = await asyncio.gather(*typing, page)
    times = [reply for replies, _waiting in done for reply in replies]
    seconds, ended = time.perf_counter() - clock, served.cost()
    waited = sum(waiting for _replies, waiting in done)
    p50, p95 = 1000 * np.percentile(times, (50, 95))
    own, below = ended.seconds - begun.seconds, ended.children_seconds - begun.children_seconds
    print(
        f"{len(times)} texts of {options.typists} typists in {seconds:.0f} s: p50 {p50:.0f} ms, "
        f"p95 {p95:.0f} ms, most {1000 * max(times):.0f} ms; {waited} waited for a button\n"
        f"a text took {1000 * own / len(times):.0f} ms of the server's processor time and "
        f"{1000 * below / len(times):.0f} ms of its children's"
    )
    if keys:
        p50, p95 = np.percentile(keys, (50, 95))
        print(f"{len(keys)} keys in a real page: p50 {p50:.0f} ms, p95 {p95:.0f} ms until painted")
    for session in sessions:
        await session.close()
    return not served.errors()


def main() -> None:
    parser = argparse.ArgumentParser(description="A class that types; see the file's top.")
    parser.add_argument("--typists", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pause", type=float, default=2)
    parser.add_argument("--page", action="store_true", help="type into a real page, too")
    run_served(partial(measure, parser.parse_args()))


if __name__ == "__main__":
    main()
