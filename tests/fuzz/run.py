"""Fuzzes one part of tokviz: python tests/fuzz/run.py TARGET --seconds N

atheris makes the inputs, guided by the lines of tokviz that they reach, out of the target's own
seeds (`targets.py`). An error that the target does not allow, more than 5 s of work or more than
1 GB of memory for an input of at most 100 kB is a finding: its input is saved, and fuzzing goes on.
"""

import argparse
import os
import random
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
#: Seconds of work and bytes of memory that one input may need, and the longest input.
MOST_SECONDS, MOST_MEMORY, MOST_BYTES = 5, 10**9, 100_000
#: Where nothing ends a hanging input but the end of the process.
HANGS = 60


class Run:
    """Calls a target with every input, and notes what falls."""

    def __init__(self, name, target, seconds, folder):
        self.name, self.target, self.folder = name, target, folder
        self.end, self.runs, self.found = time.monotonic() + seconds, 0, {}
        self.memory = self.slowest = 0

    def __call__(self, data):
        if time.monotonic() > self.end:
            self.finish()
        before, started = memory(), time.process_time()
        try:
            self.target(data)
        except Exception as error:
            self.note(place_of(error), data, traceback.format_exc())
        taken, grown = time.process_time() - started, memory() - before
        self.runs += 1
        self.slowest, self.memory = max(self.slowest, taken), max(self.memory, grown)
        if taken > MOST_SECONDS:
            self.note(f"{taken:.0f} s of work", data)
        if grown > MOST_MEMORY:
            self.note(f"{grown:,} bytes of memory", data)

    def note(self, what, data, trace=""):
        if what in self.found:
            self.found[what] += 1
            return
        self.found[what] = 1
        path = self.folder / f"{self.name}-{len(self.found)}"
        path.write_bytes(data)
        print(f"FOUND {what}: {path}\n{trace}", flush=True)

    def finish(self):
        print(
            f"{self.name}: {self.runs:,} inputs, {len(self.found)} findings; "
            f"the slowest took {self.slowest:.2f} s, the largest {self.memory / 1e6:.0f} MB"
        )
        for what, times in self.found.items():
            print(f"  {times} times {what}")
        sys.stdout.flush()
        # libFuzzer knows no other end.
        os._exit(bool(self.found))


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def place_of(error):
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def main():
    # Before anything of tokviz is imported.
    watched = [] if "--unguided" in sys.argv else ["tokviz"]
    with atheris.instrument_imports(include=watched or ["nothing"]):
        from targets import TARGETS
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unguided", action="store_true", help="random bytes, many times as fast")
    parser.add_argument("--input", type=Path, help="try this one input, without fuzzing")
    asked = parser.parse_args()
    target, seeds = TARGETS[asked.target]
    if asked.input:
        target(asked.input.read_bytes())
        return
    folder = Path(tempfile.mkdtemp(prefix="tokviz-fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for i, seed in enumerate(seeds()):
        (corpus / str(i)).write_bytes(seed[:MOST_BYTES])
    run = Run(asked.target, target, asked.seconds, folder)
    if asked.unguided:
        drawn = random.Random(asked.seed)
        while True:
            run(drawn.randbytes(drawn.randrange(2000)))
    flags = [f"-seed={asked.seed}", f"-max_len={MOST_BYTES}", f"-timeout={HANGS}"]
    flags += ["-rss_limit_mb=6000", "-len_control=20", "-verbosity=0", "-print_final_stats=0"]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
