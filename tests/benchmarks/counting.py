"""Words a second and memory of `count`: one process, all cores, a Dask cluster of two workers.

    python tests/benchmarks/counting.py TEXT [MEGABYTES] [PRETOKENIZER]

The text is repeated to that size (200 if not given) in a temporary folder, every eighth line with a
number of its own, so that distinct words grow about as those of a real corpus do. Every row is one
fresh run; memory is the most that any one of its workers held at once, and, beyond what a worker
holds before it counts, for each GB that the worker read.
"""

import logging
import multiprocessing
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep

from tokviz.counting import count_files
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words

WORKERS = 2


def most_memory(pid: int | str = "self") -> int:
    """The most bytes that a process has held at once (Linux); `getrusage` would count what the one
    that started it held."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def watch_children(seen: list[int]) -> None:
    """Notes the most that any process of this one holds, as long as it runs."""
    while True:
        for process in multiprocessing.active_children():
            with suppress(OSError, IndexError):
                seen.append(most_memory(process.pid))
        sleep(0.02)


def write_corpus(text: Path, path: Path, megabytes: int) -> None:
    lines = text.read_bytes().splitlines()
    size, turn = 0, 0
    with path.open("wb") as file:
        while size < megabytes << 20:
            numbered = (
                line + (b"\n" if i % 8 else b" %d\n" % (turn * len(lines) + i))
                for i, line in enumerate(lines)
            )
            size += file.write(b"".join(numbered))
            turn += 1


def row(name: str, words, seconds: float, cpu: float, one: float, said: str) -> None:
    rate = words.total / seconds
    print(
        f"{name:<28} {rate / 1e6:6.2f} M words/s  × {rate / one if one else 1:4.2f}   "
        f"{seconds:6.2f} s ({cpu:6.2f} s of processor)   {said}",
        flush=True,
    )


def in_one_process(path: str, name: str, results) -> None:
    """`count_words` of the whole text: what every engine must give."""
    text = Path(path).read_bytes().decode()
    begin = perf_counter()
    words = count_words(text, make_pretokenizer(name))
    results.put((words, perf_counter() - begin, cpu_seconds(), most_memory()))


def by_files(path: str, name: str, workers: int, results) -> None:
    """The local engine, in a process of its own whose children are its workers."""
    seen: list[int] = []
    Thread(target=watch_children, args=(seen,), daemon=True).start()
    begin = perf_counter()
    words = count_files([path], make_pretokenizer(name), workers=workers)
    seconds = perf_counter() - begin
    results.put((words, seconds, cpu_seconds(), max(seen, default=most_memory())))


def idle(results) -> None:
    """A process that has loaded what a worker loads."""
    results.put(most_memory())


def cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def fresh(target, *arguments):
    """What a fresh process leaves."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=target, args=(*arguments, results))
    process.start()
    found = results.get(timeout=600)
    process.join()
    return found


def held(most: int, before: int, read: float) -> str:
    return (
        f"{most / 2**20:5.0f} MB a worker, of them {before / 2**20:.0f} before it counts: "
        f"{(most - before) / 2**20 / read:.0f} MB for each GB that it read"
    )


def main(text: str, megabytes: int = 200, name: str = "gpt2") -> None:
    # Not above: workers of the local engine would load it too.
    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "corpus.txt"))
        write_corpus(Path(text), Path(path), megabytes)
        size = Path(path).stat().st_size / 2**30
        before = fresh(idle)
        words, seconds, cpu, most = fresh(in_one_process, path, name)
        one = words.total / seconds
        print(
            f"{name}: {size:.2f} GB, {words.total:,} words, {len(words):,} of them distinct; "
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        row("the text in memory", words, seconds, cpu, one, f"{most / 2**20:5.0f} MB")
        for workers in (1, WORKERS):
            found, seconds, cpu, most = fresh(by_files, path, name, workers)
            assert found == words
            label = f"local, {workers} process{'es' * (workers > 1)}"
            row(label, found, seconds, cpu, one, held(most, before, size / workers))
        with (
            LocalCluster(
                n_workers=WORKERS,
                threads_per_worker=1,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster) as client,
        ):
            before = max(client.run(most_memory).values())
            begun = sum(client.run(cpu_seconds).values()) + cpu_seconds()
            begin = perf_counter()
            found = count_files(
                [path],
                make_pretokenizer(name),
                engine="dask",
                scheduler=cluster.scheduler_address,
                workers=WORKERS,
            )
            seconds = perf_counter() - begin
            assert found == words
            most = max(client.run(most_memory).values())
            cpu = sum(client.run(cpu_seconds).values()) + cpu_seconds() - begun
            row("dask, 2 workers", found, seconds, cpu, one, held(most, before, size / WORKERS))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(arguments[0], *map(int, arguments[1:2]), *arguments[2:])
