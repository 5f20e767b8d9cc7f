"""What one visitor who keeps the server busy costs all others.

    python tests/benchmarks/hungry.py [--people 10] [--seconds 20]

People act as in load.py. Beside them, one more does what costs most, again and again without a
thought: nothing; typing a text of 188,000 characters; typing one of 19,000 and comparing it;
encoding 19,000 characters; going from page to page.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from load import Pupil, felt_and_service, first_visit
from served import Failed, Served
from streamlit_client import Session

LONG, SHORT = (Pupil("", seed).own_text(size) for seed, size in ((1, 188_000), (2, 19_000)))


async def long_text(session: Session, n: int) -> None:
    await session.act("corpus_text", f"{LONG} {n}")


async def comparing(session: Session, n: int) -> None:
    await session.act("corpus_text", f"{SHORT} {n}")
    await session.go("compare")
    await session.go("")


async def encoding(session: Session, n: int) -> None:
    if n == 1:
        await session.go("encode")
    await session.act("encoder", {"asked": {"serial": n, "text": f"{SHORT} {n}", "pins": []}})


async def pages(session: Session, n: int) -> None:
    await session.go("compare" if n % 2 else "")


KINDS = {"nothing": None, "a long text": long_text, "comparing": comparing}
KINDS |= {"encoding": encoding, "pages": pages}


async def keep_busy(served: Served, kind: str, end: float) -> int:
    """Does it until then; returns how often."""
    if (does := KINDS[kind]) is None:
        return 0
    session, n = Session(served.address), 0
    await session.open()
    while time.perf_counter() < end:
        n += 1
        await does(session, n)
    await session.close()
    return n


async def measure(options: argparse.Namespace, served: Served, kind: str) -> str:
    """The line of the table for one kind."""
    pupils = [Pupil(served.address, 1000 + n) for n in range(options.people)]
    for pupil in pupils:
        await pupil.session.open()
    start, clock = served.cost(), time.perf_counter()
    times, *_ = await asyncio.gather(
        keep_busy(served, kind, clock + options.seconds),
        *(pupil.act_for(options.seconds, 2) for pupil in pupils),
    )
    own = (served.cost().seconds - start.seconds) / (time.perf_counter() - clock)
    (p50, p95), _service = felt_and_service(reply for pupil in pupils for reply in pupil.replies)
    for pupil in pupils:
        await pupil.session.close()
    return f"| {kind} | {times} | {p50:.0f} / {p95:.0f} ms | {own:.0%} |"


async def main() -> bool:
    parser = argparse.ArgumentParser(description="One visitor who keeps the server busy.")
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, Served(Path(place, "log")) as served:
        try:
            await first_visit(served, 1)
            # What is started once has started then.
            await measure(options, served, "nothing")
            print("| one does | times | the others felt p50 / p95 | server: of a core |")
            print("|---|---|---|---|")
            for kind in KINDS:
                print(await measure(options, served, kind), flush=True)
        except Failed as failed:
            print(f"a session failed: {failed}")
            return False
        print(*(served.errors() or ["nothing went wrong"]), sep="\n")
        return not served.errors()


if __name__ == "__main__":
    raise SystemExit(not asyncio.run(main()))
