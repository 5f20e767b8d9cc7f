"""The compiled trainer as a program for this machine, where sanitizers see what it does."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from effort import LONG
from helpers import missing

from tokviz.core.build import SOURCE

FUZZER = Path(__file__).parents[1] / "fuzz" / "core.c"
TEXTS = 100_000 if LONG else 1500
#: As the first lines of the fuzzer have it.
FLAGS = (
    "-g -O1 -std=gnu11 -w -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover "
    f"-I{SOURCE}"
)
#: Memory is given back when the program ends; and a tracer may forbid to look for leaks.
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0"}


@pytest.fixture(scope="module")
def compiler():
    """A compiler of C; gcc always has its sanitizers."""
    found = shutil.which("gcc") or shutil.which("clang")
    if not found:
        missing("There is no C compiler; install one (Debian: apt install gcc).")
    return found


def test_random_texts_and_settings_touch_no_memory_that_is_not_theirs(tmp_path, compiler):
    program = tmp_path / "fuzz"
    sources = [FUZZER, *sorted(SOURCE.glob("*.c"))]
    subprocess.run([compiler, *FLAGS.split(), "-o", program, *sources, "-lm"], check=True)
    done = subprocess.run(
        [program, str(TEXTS), "1"], env={**os.environ, **OPTIONS}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, f"{TEXTS} texts\n"), done.stderr
