"""Who still comes in when everything is open: pages, and connections that say nothing.

    python tests/benchmarks/connections.py [--files 1024] [--pages 400] [--silent 1100]
        [--seconds 15]

Starts the app twice, each time with so many open files at most, soft and hard, and on this machine
only:

- `pages` are opened one after the other, each asking for the page, then by its WebSocket, and stay;
- `silent` connections are opened at once and say nothing; each that the server drops is opened
  anew.

After that a newcomer comes each second, for `seconds`. The script says how many pages opened and
how many read that the server is full; for newcomers how many were drawn a page, how many read that
sentence and how many got no answer within 5 s, with the time until the answer; and how much the log
grew. It fails (exit code 1) if a newcomer got no answer, or if the log grew by more than 10 kB/s.
"""

import argparse
import asyncio
import resource
import socket
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
from served import Served
from streamlit_client import Failed, Session

#: Seconds after which a person has given up.
_PATIENCE = 5
#: Bytes that the log may grow by in a second.
_MOST_LOGGED = 10_000


async def ask(served: Served) -> int:
    """The status of the answer to a browser that asks for the page; 0 if there is none."""
    try:
        reader, writer = await asyncio.open_connection("localhost", served.port)
        try:
            writer.write(
                b"GET / HTTP/1.1\r\nHost: localhost\r\n"
                b"Accept: text/html\r\nConnection: close\r\n\r\n"
            )
            answer = await reader.read()
        finally:
            writer.close()
        return int(answer.split()[1]) if answer else 0
    except (OSError, ValueError):
        return 0


async def come(served: Served, inside: list[Session]) -> str:
    """Has somebody open the page, and stay; says what became of it."""
    session = Session(served.address)
    try:
        async with asyncio.timeout(_PATIENCE):
            status = await ask(served)
            if status == 503:
                return "read that it is full"
            if status != 200:
                return "got no answer"
            await session.open()
    except (OSError, EOFError, TimeoutError, Failed):
        return "got no answer"
    except Exception as refused:
        # The library has a dozen kinds.
        return f"had its WebSocket refused ({type(refused).__name__})"
    inside.append(session)
    return "were drawn a page"


async def newcomers(served: Served, seconds: int) -> bool:
    """One a second, each leaving again; whether all were answered and the log stayed small."""
    became, times, before = Counter[str](), list[float](), len(served.said())
    started = time.perf_counter()
    for n in range(seconds):
        await asyncio.sleep(max(0, started + n - time.perf_counter()))
        inside: list[Session] = []
        asked = time.perf_counter()
        became[what := await come(served, inside)] += 1
        if what in ("were drawn a page", "read that it is full"):
            times.append(time.perf_counter() - asked)
        for session in inside:
            await session.close()
    rate = (len(served.said()) - before) / (time.perf_counter() - started)
    told = ", ".join(f"{count} {what}" for what, count in became.items())
    print(f"  of {seconds} newcomers {told}")
    if times:
        print(f"  answered in {1000 * np.median(times):.0f} ms, {1000 * max(times):.0f} at most")
    print(f"  the log: {len(served.said()):,} bytes in all, {rate:,.0f} a second meanwhile")
    print(f"  files that are open: {open_files(served)}", flush=True)
    return len(times) == seconds and rate <= _MOST_LOGGED


def open_files(served: Served) -> int:
    return len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))


async def many_pages(served: Served, options: argparse.Namespace) -> bool:
    inside: list[Session] = []
    became, started = Counter[str](), time.perf_counter()
    for _ in range(options.pages):
        became[await come(served, inside)] += 1
        # Each failure takes its 5 seconds.
        if became["got no answer"] >= 3:
            break
    told = ", ".join(f"{count} {what}" for what, count in became.items())
    print(f"{options.pages} pages: {told}; {time.perf_counter() - started:.0f} s")
    print(f"  the server takes {served.cost().megabytes:.0f} MB")
    good = await newcomers(served, options.seconds)
    for session in inside:
        await session.close()
    return good


async def many_silent(served: Served, options: argparse.Namespace) -> bool:
    # The first page takes longer.
    first: list[Session] = []
    await come(served, first)
    silent = [connected(served) for _ in range(options.silent)]
    dropped = 0

    async def stay() -> None:
        nonlocal dropped
        while True:
            await asyncio.sleep(0.2)
            for n, one in enumerate(silent):
                with suppress(BlockingIOError):
                    with suppress(ConnectionError):
                        one.recv(1)
                    one.close()
                    silent[n] = connected(served)
                    dropped += 1

    staying = asyncio.create_task(stay())
    try:
        print(f"{options.silent} silent connections:")
        good = await newcomers(served, options.seconds)
        print(f"  dropped, and opened anew: {dropped:,}")
        return good
    finally:
        staying.cancel()
        for one in silent:
            one.close()
        for session in first:
            await session.close()


def connected(served: Served) -> socket.socket:
    """A connection that waits for nothing."""
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("localhost", served.port))
    return one


def main() -> None:
    parser = argparse.ArgumentParser(description="Who still comes in; see the file's top.")
    parser.add_argument("--files", type=int, default=1024)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--silent", type=int, default=1100)
    parser.add_argument("--seconds", type=int, default=15)
    options = parser.parse_args()
    # This script holds the other end of everything.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    def before() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (options.files, options.files))

    good = True
    for phase in (many_pages, many_silent):
        with (
            tempfile.TemporaryDirectory() as place,
            Served(Path(place, "log"), before=before) as served,
        ):
            good &= asyncio.run(phase(served, options))
    raise SystemExit(not good)


if __name__ == "__main__":
    main()
