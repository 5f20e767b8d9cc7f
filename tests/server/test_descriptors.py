"""How many files may be open, and how many are."""

import resource
import subprocess
import sys

import pytest

from tokviz.server.descriptors import Files, count_open


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "allowed"),
    [(64, 512, 256, 256), (64, 100, 256, 100), (90, 100, 80, 90)],
)
def test_as_many_as_are_wanted_or_may_be(soft, hard, wanted, allowed):
    program = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from tokviz.server.descriptors import allow
print(allow({wanted}), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == [str(allowed), str(allowed), str(hard)], done.stderr


def test_open_files_are_counted():
    before = count_open()
    with open("/dev/null"), open("/dev/null"):
        assert count_open() == before + 2
    assert before < resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_they_are_counted_now_and_then_and_what_changed_is_known_between():
    counts, clock = iter([10, 50, 200]), [0.0]
    files = Files(100, lambda: next(counts), lambda: clock[0])
    assert files.left() == 90
    files.changed(3)
    assert files.left() == 87
    clock[0] = 1
    assert files.left() == 50
    clock[0] = 2
    assert files.left() == 0


def test_without_a_limit_or_a_count_there_is_room():
    assert Files(None, lambda: 10).left() > 10**6
    assert Files(100, lambda: None).left() > 10**6
