"""Pages are drawn one after the other, but nobody waits for long."""

from contextlib import ExitStack
from threading import Event, Thread

import pytest
from helpers import PATIENCE

from tokviz.server import draw_queue
from tokviz.server.draw_queue import in_turn, others_first, turn


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(draw_queue, "LONG", PATIENCE)


def taken():
    """Whether somebody has the turn."""
    if own := draw_queue.TURNS.take(0):
        draw_queue.TURNS.give_back(own)
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


def test_all_come_in_the_order_in_which_they_asked(monkeypatch):
    monkeypatch.setattr(draw_queue, "PATIENCE", PATIENCE)
    seen, threads = [], []

    def wait(n):
        with turn():
            seen.append(n)

    with turn():
        for n in range(20):
            threads.append(thread := Thread(target=wait, args=(n,)))
            thread.start()
            thread.join(0.005)
    for thread in threads:
        thread.join(PATIENCE)
    assert seen == [*range(20)]


def test_where_one_takes_long_the_next_ones_are_drawn_beside_it_one_by_one(monkeypatch):
    monkeypatch.setattr(draw_queue, "PATIENCE", PATIENCE)
    monkeypatch.setattr(draw_queue, "LONG", 0.01)
    seen = []

    def quick(n):
        with turn():
            seen.append(n)

    with turn():
        beside(lambda: quick(1))
        beside(lambda: quick(2))
        assert not taken()
        monkeypatch.setattr(draw_queue, "LONG", PATIENCE)
        with ExitStack() as other:
            own = draw_queue.TURNS.take(0)
            other.callback(draw_queue.TURNS.give_back, own)
            assert own is not None
            assert taken()
        # The one that took long gives nobody else's turn back.
        own = draw_queue.TURNS.take(0)
    assert taken()
    draw_queue.TURNS.give_back(own)
    assert not taken()
    assert seen == [1, 2]


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
