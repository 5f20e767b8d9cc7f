"""The memory of a server is in few heaps, however many pages are drawn at once."""

import os
import platform
import subprocess
import sys

from helpers import PATIENCE, ROOT

from tokviz.server.lifecycle import HEAPS, have_few_heaps

#: Frees 5 MB; tells whether a block of 200 kB has a place of its own after that.
LARGE = """
import ctypes
libc = ctypes.CDLL(None)
class Info(ctypes.Structure):
    _fields_ = [(f"_{n}", ctypes.c_size_t) for n in range(10)]
libc.mallinfo2.restype = Info
libc.malloc.restype = ctypes.c_void_p
libc.free(ctypes.c_void_p(libc.malloc(5_000_000)))
before = libc.mallinfo2()._3
libc.malloc(200_000)
print(libc.mallinfo2()._3 - before)
"""
#: Has twelve threads ask for memory at once; tells how many heaps the process has then.
THREADS = """
import ctypes, tempfile
from threading import Barrier, Thread
libc = ctypes.CDLL(None)
all_have = Barrier(13)
def ask():
    libc.malloc(100)
    all_have.wait()
    all_have.wait()
threads = [Thread(target=ask) for _ in range(12)]
for thread in threads: thread.start()
all_have.wait()
with tempfile.TemporaryFile("w+") as told:
    libc.fdopen.restype = ctypes.c_void_p
    file = ctypes.c_void_p(libc.fdopen(told.fileno(), b"w"))
    libc.malloc_info(0, file)
    libc.fflush(file)
    told.seek(0)
    heaps = told.read().count("<heap nr=")
all_have.wait()
print(heaps)
"""


def told(script):
    """The numbers that a program tells. It has limits of its own only: dask sets some for programs
    that are begun after its workers."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={name: os.environ[name] for name in os.environ if not name.startswith("MALLOC_")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return [int(number) for number in done.stdout.split()]


#: What is read as a module before the server begins.
SERVERS = ("import app", "import tokviz.pages.start.app")


def test_threads_share_the_heaps_of_a_server_and_large_blocks_are_in_none():
    if platform.libc_ver()[0] != "glibc":
        assert not have_few_heaps()
        return
    own, heaps = told(LARGE + THREADS)
    assert own == 0
    assert heaps > HEAPS
    for server in SERVERS:
        own, heaps = told(server + LARGE + THREADS)
        assert own == 1
        assert heaps <= HEAPS
