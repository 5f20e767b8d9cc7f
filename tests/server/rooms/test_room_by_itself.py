"""A room by itself: what follows from its key, its votes, and where it is kept."""

import asyncio
from collections import Counter

import pytest
from helpers import run

from tokviz.server import limits
from tokviz.server.rooms.guesses import EACH, FORGOTTEN, WAITING, Guesses
from tokviz.server.rooms.room import (
    LENGTH,
    LETTERS,
    Question,
    Room,
    Shown,
    code_of,
    is_voter,
    name_of,
    new_key,
    new_voter,
)
from tokviz.server.rooms.routes import Rooms
from tokviz.server.rooms.store import InProcess

QUESTION = Shown("train?lane=course", {"step": 3}, Question("3", 4))


def test_codes_spell_no_word_and_are_spread_evenly():
    codes = [code_of(new_key()) for _each in range(4000)]
    assert not set("AEIOUY0123456789") & set("".join(codes))
    assert {len(code) for code in codes} == {LENGTH}
    for place in range(LENGTH):
        letters = Counter(code[place] for code in codes)
        assert set(letters) == set(LETTERS)
        # 200 of each on average; 6 standard deviations.
        assert max(abs(n - 200) for n in letters.values()) < 6 * 14


def test_neither_the_letters_nor_the_name_tell_the_key():
    key = new_key()
    assert key not in (code_of(key), name_of(key))
    assert name_of(key) != name_of(new_key())
    assert not is_voter(key, "")
    assert not is_voter(key, "é" * 38)
    assert not is_voter(key, new_voter(key)[:-1])


def test_a_vote_counts_once_and_can_be_changed_until_they_are_shown():
    room = Room(new_key(), QUESTION)
    assert room.vote("ann", 1, "3")
    assert room.vote("bob", 1, "3")
    assert room.vote("ann", 3, "3")
    assert room.counts() == [[1, 1], [3, 1]]
    # No option, another question, none at all.
    assert not room.vote("eve", 4, "3")
    assert not room.vote("eve", -1, "3")
    assert not room.vote("eve", 1, "2")
    room.show(Shown(QUESTION.place, {}, Question("3", 4, True)))
    assert not room.vote("eve", 1, "3")
    assert room.counts() == [[1, 1], [3, 1]]
    # Who shows the votes does not take them back.
    room.show(QUESTION)
    assert room.shown.question.is_shown
    assert not room.vote("eve", 1, "3")
    # Another question has no votes yet; a number may be any.
    room.show(Shown("", {}, Question("4", 0)))
    assert room.counts() == []
    assert room.vote("eve", 5000, "4")
    room.show(Shown(""))
    assert not room.vote("eve", 1, "4")
    assert room.votes == {}


def test_a_room_that_ended_has_nothing_left():
    room = Room(new_key(), QUESTION)
    room.vote("ann", 1, "3")
    room.end()
    assert (room.shown, room.votes) == (Shown(), {})
    assert not room.vote("ann", 1, "3")


def test_a_room_ends_after_two_idle_hours():
    async def hours():
        now = [0.0]
        store = InProcess(lambda: 7200, lambda: now[0])
        room = Room(new_key(), QUESTION)
        await store.add(room, 10)
        listener = await store.enter(room.code, "ann")
        now[0] = 7200
        assert await store.find(room.code) is room
        # Whoever does something keeps it.
        await store.change(room.code, lambda room: room.vote("ann", 1, "3"))
        now[0] = 14_400
        assert await store.find(room.code) is room
        now[0] = 14_401
        assert await store.find(room.code) is None
        assert listener.room.has_ended
        assert not listener.is_lost
        await store.leave(room.code, "ann", listener)

    run(hours())


def test_who_guesses_gets_in_line_and_is_forgiven_later():
    now = [0.0]
    guesses = Guesses(lambda: now[0])
    for _each in range(3):
        assert guesses.seconds("192.0.2.1", 2) == 0
        guesses.was_wrong("192.0.2.1")
    waits = [guesses.seconds("192.0.2.1", 2) for _each in range(WAITING + 1)]
    assert waits == [*(EACH * place for place in range(WAITING)), None]
    # A network of IPv6 is one person's.
    for last in range(4):
        guesses.was_wrong(f"2001:db8::{last}")
    assert guesses.seconds("2001:db8::9", 2) == 0
    assert guesses.seconds("2001:db8::9", 2) == EACH
    assert guesses.seconds("2001:db8:0:1::9", 2) == 0
    now[0] = 2 * FORGOTTEN
    assert guesses.seconds("192.0.2.1", 2) == 0
    assert guesses.seconds("192.0.2.1", 2) == 0


@pytest.mark.parametrize("address", ["", "nobody", "fe80::1%eth0"])
def test_any_address_can_be_counted(address):
    guesses = Guesses()
    guesses.was_wrong(address)
    assert guesses.seconds(address, 0) is not None


class FarAway(InProcess):
    """A place of rooms that takes its time to answer, as one does that is reached by a network."""

    async def find(self, code):
        await asyncio.sleep(0.001)
        return await super().find(code)


def comes(rooms, answered):
    """Somebody who types letters, and stays if they are in; the status of the answer is kept."""
    scope = {
        **{"type": "http", "method": "POST", "path": "/room/MCBR/events", "query_string": b""},
        **{"headers": [], "client": ("192.0.2.1", 1)},
    }
    said = [{"type": "http.request", "body": b"{}", "more_body": False}]

    async def receive():
        return said.pop() if said else await asyncio.Event().wait()

    async def send(message):
        if message["type"] == "http.response.start":
            answered.append(message["status"])

    return asyncio.create_task(rooms(scope, receive, send))


@pytest.mark.parametrize("place", [InProcess, FarAway])
def test_codes_that_come_at_once_are_counted_one_by_one(place):
    """All are heard in the same moment, before the first one is answered."""
    allowed = limits.LIMITS.rooms.wrong_codes
    answered = []

    async def guess():
        rooms = Rooms(None, place(lambda: 7200))
        tries = [comes(rooms, answered) for _ in range(3 * allowed)]
        _done, waiting = await asyncio.wait(tries, timeout=EACH / 3)
        for each in waiting:
            each.cancel()
        return len(waiting)

    assert run(guess()) == WAITING
    # One more, whose turn is now.
    assert answered.count(404) == allowed + 2
    assert answered.count(429) == len(answered) - allowed - 2


@pytest.mark.parametrize("place", [InProcess, FarAway])
def test_a_class_that_comes_at_once_by_one_address_does_not_wait(place):
    many = 2 * limits.LIMITS.rooms.wrong_codes
    answered = []

    async def come():
        store = place(lambda: 7200)
        await store.add(Room("k" * 32, QUESTION), 9)
        rooms = Rooms(None, store)
        phones = [comes(rooms, answered) for _ in range(many)]
        await asyncio.wait(phones, timeout=EACH / 3)
        for each in phones:
            each.cancel()

    run(come())
    assert answered == [200] * many
