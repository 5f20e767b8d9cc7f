"""The log: what failed and where, never what was typed, and never much of it."""

import errno
import io
import logging
import subprocess
import sys

import pytest

from tokviz.server import server_log
from tokviz.server.server_log import ALL, SAME, Bound, RecordFactory, without_message


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def written(monkeypatch):
    """A log that is bounded: its logger, its clock, and what it says."""
    # Nothing is told by a clock that the test does not turn.
    monkeypatch.setattr(server_log.threading.Timer, "start", lambda _timer: None)
    clock, usual = Clock(), logging.getLogRecordFactory()
    log, said = logging.getLogger("tests.quiet_log"), io.StringIO()
    handler = logging.StreamHandler(said)
    log.addHandler(handler)
    log.propagate = False
    logging.setLogRecordFactory(RecordFactory(Bound(clock)))
    yield log, clock, said
    logging.setLogRecordFactory(usual)
    log.removeHandler(handler)


def fail(log, error):
    try:
        raise error
    except type(error):
        log.exception("It failed.")


def test_what_repeats_is_written_a_few_times_a_minute_and_counted(written):
    log, clock, said = written
    for _ in range(3125):
        fail(log, OSError(errno.EMFILE, "a corpus"))
    assert said.getvalue().count("Traceback") == SAME
    log.warning("Something else.")
    assert "Something else." in said.getvalue()
    clock.now = 61
    fail(log, OSError(errno.EMFILE, "a corpus"))
    told = "… 3,120 more like it in the last 61 s: It failed. OSError: [EMFILE] Too many open files"
    assert told in said.getvalue()
    assert said.getvalue().count("Traceback") == SAME + 1
    assert "a corpus" not in said.getvalue()


def test_errors_of_other_kinds_and_places_are_other_records(written):
    log, _clock, said = written
    for _ in range(SAME + 3):
        fail(log, OSError(errno.EMFILE, ""))
        fail(log, OSError(errno.ENOSPC, ""))
        try:
            {}["a corpus"]
        except KeyError:
            log.exception("It failed.")
    counts = [
        said.getvalue().count(f"\n{kind}") for kind in ("OSError: [EM", "OSError: [EN", "Key")
    ]
    assert counts == [SAME] * 3


def test_records_that_all_differ_are_bounded_too(written):
    log, clock, said = written
    for i in range(ALL + 500):
        log.warning("Number %s" % i)  # noqa: UP031 (as other libraries do)
    assert len(said.getvalue().splitlines()) == ALL
    clock.now = 60
    log.warning("The next.")
    told = logging.getLogger("tokviz")
    assert not told.handlers
    assert said.getvalue().splitlines()[ALL:] == ["The next."]


def test_a_flood_is_told_of_though_nothing_follows_it(written, monkeypatch):
    log, clock, said = written
    timers = []
    monkeypatch.setattr(server_log.threading.Timer, "start", lambda timer: timers.append(timer))
    for _ in range(SAME + 2):
        log.warning("Again.")
    (timer,) = timers
    clock.now = timer.interval
    timer.function()
    assert said.getvalue().splitlines() == ["Again."] * SAME + [
        "… 2 more like it in the last 60 s: Again."
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EMFILE, "a corpus"), "OSError: [EMFILE] Too many open files"),
        (
            FileNotFoundError(errno.ENOENT, "a", "corpus"),
            "FileNotFoundError: [ENOENT] No such file",
        ),
        (OSError("a corpus"), "OSError ("),
        (OSError("a", "corpus"), "OSError ("),
        (type("Theirs", (OSError,), {})(errno.EMFILE, "a corpus"), "Theirs ("),
        (ValueError(errno.EMFILE), "ValueError ("),
    ],
)
def test_the_system_s_number_is_told_and_no_message(error, said):
    told = without_message(error)
    assert said in told
    assert "corpus" not in told


def test_an_error_of_many_places_is_told_shortly():
    def odd(n):
        return even(n - 1)

    def even(n):
        return odd(n - 1) if n else 1 / 0

    with pytest.raises(ZeroDivisionError) as error:
        even(400)
    assert 1000 < len(without_message(error.value)) < 10_000


def test_threads_that_fail_again_and_again_are_bounded():
    program = """
import threading
from tokviz.server.server_log import keep_texts_out_of_the_log
keep_texts_out_of_the_log()
def fail(): raise ValueError("a corpus")
for _ in range(50):
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.count("ValueError (its message is not logged)") == SAME
    assert "a corpus" not in done.stderr
