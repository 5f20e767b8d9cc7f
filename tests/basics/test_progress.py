"""Reports come often enough to be followed, and not so often that they cost time."""

import itertools
import re
import time

import pytest
from helpers import ROOT

import tokviz
from tokviz.basics import progress
from tokviz.basics.progress import Interrupted, Progress, Reporter


def test_about_twenty_reports_a_second(monkeypatch):
    times = iter([0.0] + [i * 0.01 for i in range(1, 101)])
    monkeypatch.setattr(progress, "perf_counter", lambda: next(times))
    seen = []
    reporter = Reporter("merges", 100, seen.append)
    assert not any(reporter.cancelled(i) for i in range(100))
    assert 16 <= len(seen) <= 20
    assert [(p.stage, p.total) for p in seen[:1]] == [("merges", 100)]
    assert all(report.seconds > 0 for report in seen)


def test_the_first_report_comes_at_once():
    seen = []
    Reporter("merges", 9, seen.append, interval=1000).cancelled(3)
    assert [report.done for report in seen] == [3]


def test_a_clock_that_stands_still_swallows_no_report(monkeypatch):
    monkeypatch.setattr(progress, "perf_counter", lambda: 1.0)
    seen = []
    reporter = Reporter("merges", 9, seen.append, interval=0)
    assert not any(reporter.cancelled(i) for i in range(3))
    assert [report.done for report in seen] == [0, 1, 2]


def test_work_within_a_step_reports_the_steps_done_and_is_interrupted():
    seen = []

    def stop(report):
        seen.append(report.done)
        return False

    reporter = Reporter("merges", 9, stop, interval=0)
    with pytest.raises(Interrupted):
        reporter.pause(4)()
    assert seen == [4]


def test_only_false_cancels():
    answers = iter([None, True, 0, False])
    reporter = Reporter("merges", 9, lambda _: next(answers), interval=0)
    assert [reporter.cancelled(i) for i in range(4)] == [False, False, False, True]


def test_nobody_listens():
    assert Reporter("merges", 9, None, interval=0).cancelled(3) is False


def test_time_left():
    assert Progress("merges", 0, 10, 4.0).seconds_left == 0
    assert Progress("merges", 5, 10, 4.0).seconds_left == 4.0
    assert Progress("merges", 10, 10, 4.0).seconds_left == 0


def test_nothing_looks_at_the_calendar():
    """A clock that is set while a run or the player goes on makes neither of them wait."""
    root = ROOT / "tokviz"
    looks = re.compile(
        r"\btime\.time\b|from time import .*\btime\b|\bdatetime\b|\bDate\b|\bnew Date"
    )
    files = [*root.rglob("*.py"), *root.rglob("*.js")]
    assert len(files) > 100
    assert not [file.name for file in files if looks.search(file.read_text("utf-8"))]


def test_a_clock_that_is_set_changes_no_report(monkeypatch):
    now = time.time()
    jumps = itertools.cycle([now, now + 86_400, now - 86_400])
    monkeypatch.setattr(time, "time", lambda: next(jumps))
    seen = []
    tokviz.train("low low lower newest " * 200, "bpe", 30, progress=seen.append)
    assert seen
    assert all(0 <= report.seconds < 60 and 0 <= report.seconds_left < 3600 for report in seen)
