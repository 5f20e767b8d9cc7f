"""Pages are drawn one after the other, but nobody waits for long."""

from threading import Event, Thread

import pytest
from helpers import PATIENCE

from tokviz.server import draw_queue
from tokviz.server.draw_queue import in_turn, others_first, turn


def taken():
    """Whether somebody has the turn."""
    if draw_queue.TURN.acquire(blocking=False):
        draw_queue.TURN.release()
        return False
    return True


def beside(function):
    thread = Thread(target=function)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_page_and_its_parts_have_one_turn():
    seen = []

    @in_turn
    def part():
        seen.append(taken())

    with turn():
        part()
        seen.append(taken())
    assert seen == [True, True]
    assert not taken()


def test_a_page_that_is_left_in_the_middle_gives_its_turn_back():
    with pytest.raises(KeyError), turn():
        raise KeyError
    assert not taken()


def test_whoever_waits_lets_others_go_first():
    seen = []
    with turn():
        with others_first():
            beside(lambda: seen.append(taken()))
            with pytest.raises(KeyError), others_first():
                raise KeyError
        seen.append(taken())
    assert seen == [False, True]
    with others_first():
        assert not taken()
    assert not taken()


def test_one_comes_after_the_other(monkeypatch):
    monkeypatch.setattr(draw_queue, "PATIENCE", PATIENCE)
    seen, begun = [], Event()

    def second():
        begun.set()
        with turn():
            seen.append("second")

    thread = Thread(target=second)
    with turn():
        thread.start()
        begun.wait(PATIENCE)
        thread.join(0.1)
        seen.append("first")
    thread.join(PATIENCE)
    assert seen == ["first", "second"]


def test_nobody_waits_for_what_takes_long(monkeypatch):
    monkeypatch.setattr(draw_queue, "PATIENCE", 0.01)
    seen = []

    def second():
        with turn():
            seen.append("second")

    with turn():
        beside(second)
        assert seen == ["second"]
        # It did not give back what it never had.
        assert taken()
    assert not taken()
