"""The line before a full server: who came first comes in first; nobody waits for whoever left."""

import pytest

from tokviz.server.waiting_line import AGAIN, Line


@pytest.fixture
def line():
    """A line whose clock tests set."""
    made = Line(lambda: made.now)
    made.now = 0.0
    return made


def test_who_came_first_comes_in_first(line):
    first, second, third = (line.ask("", 0)[0] for _ in range(3))
    line.now += AGAIN - 1
    assert [line.ask(one, 0)[1] for one in (third, second, first)] == [3, 2, 1]
    assert line.ask("", 1)[1] == 4
    assert [line.ask(one, 1)[1] for one in (third, second, first)] == [3, 2, 0]


def test_a_place_is_kept_for_a_page_that_was_called_until_it_is_open(line):
    first, second = line.ask("", 0)[0], line.ask("", 0)[0]
    assert line.ask(first, 1)[1] == 0
    # It loads its page again before that has connected.
    assert line.ask(first, 1)[1] == 0
    assert line.ask(second, 1)[1] == 1
    assert line.ask("", 1)[1] == 2
    line.came_in(first)
    assert line.ask(second, 0)[1] == 1
    assert line.ask(second, 1)[1] == 0


def test_who_left_is_waited_for_no_longer(line):
    first, second = line.ask("", 0)[0], line.ask("", 0)[0]
    line.ask(first, 0)
    for _ in range(3):
        line.now += AGAIN
        place = line.ask(second, 0)[1]
    assert place == 1
    assert line.ask(first, 0)[1] == 2, "a ticket that was let go is a new one"


def test_a_called_page_that_never_opens_gives_its_place_to_the_next(line):
    first, second = line.ask("", 0)[0], line.ask("", 0)[0]
    assert line.ask(first, 1)[1] == 0
    for _ in range(3):
        line.now += AGAIN
        place = line.ask(second, 1)[1]
    assert place == 0


def test_a_browser_without_cookies_waits_for_no_ticket_of_its_own(line):
    for _ in range(5):
        assert line.ask("", 0)[1] == 1
        line.now += AGAIN
    assert line.ask("", 1)[1] == 0


def test_made_up_tickets_are_none(line):
    line.ask("", 0)
    ticket, place = line.ask("made up", 0)
    assert place == 2
    assert ticket != "made up"


def test_a_crowd_takes_no_more_memory_than_a_line_may(line, monkeypatch):
    monkeypatch.setattr("tokviz.server.waiting_line._MOST", 3)
    assert [line.ask("", 0)[1] for _ in range(4)] == [1, 2, 3, 4]
    assert line.ask("", 0) == ("", 4)
