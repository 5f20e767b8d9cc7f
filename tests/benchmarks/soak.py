"""Whether a server's memory stays flat while people come and go.

    python tests/benchmarks/soak.py [--seconds 1200] [--sessions 12] [--thought 2] [--stay 60]
                                    [--every 10] [--seed 1] [--most-mb 6]

So many sessions at a time come and act as in load.py. Each stays about `stay` seconds,
trains texts that nobody else trains on, leaves, and another one comes in its place. The memory of
the server and of its child processes is told every `every` seconds. What a server keeps for
everybody (histories, sessions that may come back) fills up at first: the slope is that of the
second half, a straight line through its samples. It fails (exit code 1) if that line rises by more
than `most-mb` megabytes in ten minutes, if a session fails, or on any error in the server's log.
"""

import argparse
import asyncio
import time
from functools import partial

import numpy as np
from load import Pupil, Reply, report
from served import Cost, Served, run_served


async def seat(
    options: argparse.Namespace, served: Served, number: int, replies: list[Reply]
) -> int:
    """One session after the other until the time is over; returns how many came."""
    until, came = time.perf_counter() + options.seconds, 0
    while (left := until - time.perf_counter()) > 0:
        pupil = Pupil(served.address, options.seed * 10**6 + number * 1000 + came)
        replies.append(await pupil.arrive(time.perf_counter()))
        stay = options.stay * pupil.draw.uniform(0.3, 1.7)
        await pupil.act_for(min(left, stay), options.thought)
        replies += pupil.replies
        await pupil.session.close()
        came += 1
    return came


async def watch(options: argparse.Namespace, served: Served) -> list[tuple[float, Cost]]:
    """The costs of every few seconds, and when they were taken; tells them."""
    began, samples = time.perf_counter(), []
    while (at := time.perf_counter() - began) < options.seconds:
        samples.append((at, cost := served.cost()))
        print(
            f"{at:6.0f} s{cost.megabytes:9.1f} MB, {cost.children} children"
            f"{cost.children_megabytes:8.1f} MB, {cost.seconds + cost.children_seconds:7.1f} s CPU",
            flush=True,
        )
        await asyncio.sleep(options.every)
    return samples


def slope(samples: list[tuple[float, float]]) -> float:
    """Megabytes in ten minutes, of the line through the second half of the samples."""
    half = samples[len(samples) // 2 :]
    at, megabytes = zip(*half, strict=True)
    return 600 * float(np.polyfit(at, megabytes, 1)[0])


async def soak(options: argparse.Namespace, served: Served) -> bool:
    """Whether memory stayed flat and nothing failed."""
    replies: list[Reply] = []
    samples, *came = await asyncio.gather(
        watch(options, served),
        *(seat(options, served, number, replies) for number in range(options.sessions)),
    )
    report(replies)
    own = slope([(at, cost.megabytes) for at, cost in samples])
    children = slope([(at, cost.children_megabytes) for at, cost in samples])
    print(
        f"\n{sum(came)} sessions came; in the second half memory rose by {own:+.1f} MB in ten "
        f"minutes, that of child processes by {children:+.1f} MB"
    )
    wrong = [f"in the server's log: {line}" for line in served.errors()]
    if max(own, children) > options.most_mb:
        wrong.append(f"memory rose by more than {options.most_mb} MB in ten minutes")
    print(*(wrong or ["nothing went wrong"]), sep="\n")
    return not wrong


def main() -> None:
    parser = argparse.ArgumentParser(description="Memory over a long time; see the file's top.")
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--sessions", type=int, default=12, help="at any time")
    parser.add_argument("--thought", type=float, default=2, help="seconds between two actions")
    parser.add_argument("--stay", type=float, default=60, help="seconds that a session stays")
    parser.add_argument("--every", type=float, default=10, help="seconds between two samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-mb", type=float, default=6)
    options = parser.parse_args()
    run_served(partial(soak, options))


if __name__ == "__main__":
    main()
