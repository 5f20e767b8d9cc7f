"""Reports come often enough to be followed, and not so often that they cost time."""

import pytest

from tokviz import progress
from tokviz.progress import Interrupted, Progress, Reporter


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


def test_work_within_a_step_reports_the_steps_done_and_is_interrupted_or_not():
    seen = []

    def stop(report):
        seen.append(report.done)
        return False

    reporter = Reporter("merges", 9, stop, interval=0)
    with pytest.raises(Interrupted):
        reporter.pause(4)()
    reporter.only_tell(5)()
    assert reporter.ahead(6)(2)
    assert seen == [4, 5, 8]


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
