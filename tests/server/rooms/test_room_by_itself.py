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
    assert room.vote("ann", 1, "3", 1.0)
    assert room.vote("bob", 1, "3", 2.0)
    assert room.vote("ann", 3, "3", 3.0)
    assert room.counts() == [[1, 1], [3, 1]]
    # No option, another question, none at all.
    assert not room.vote("eve", 4, "3", 4.0)
    assert not room.vote("eve", -1, "3", 4.0)
    assert not room.vote("eve", 1, "2", 4.0)
    room.show(Shown(QUESTION.place, {}, Question("3", 4, True)), 5.0)
    assert not room.vote("eve", 1, "3", 6.0)
    assert room.counts() == [[1, 1], [3, 1]]
    # Who shows the votes does not take them back.
    room.show(QUESTION, 7.0)
    assert room.shown.question.is_shown
    assert not room.vote("eve", 1, "3", 8.0)
    # Another question has no votes yet; a number may be any.
    room.show(Shown("", {}, Question("4", 0)), 9.0)
    assert room.counts() == []
    assert room.vote("eve", 5000, "4", 10.0)
    room.show(Shown(""), 11.0)
    assert not room.vote("eve", 1, "4", 12.0)
    assert room.votes == {}


def test_a_room_that_ended_has_nothing_left():
    room = Room(new_key(), QUESTION)
    room.vote("ann", 1, "3", 1.0)
    room.end()
    assert (room.shown, room.votes) == (Shown(), {})
    assert not room.vote("ann", 1, "3", 2.0)


def test_a_room_ends_after_two_idle_hours():
    async def hours():
        now = [0.0]
        store = InProcess(lambda: 7200, lambda: now[0])
        room = Room(new_key(), QUESTION, used=0.0)
        await store.add(room, 10)
        listener = await store.enter(room.code, "ann")
        now[0] = 7200
        assert await store.find(room.code) is room
        # Whoever does something keeps it.
        await store.change(room.code, lambda room: room.vote("ann", 1, "3", now[0]))
        now[0] = 14_400
        assert await store.find(room.code) is room
        now[0] = 14_401
        assert await store.find(room.code) is None
        assert listener.room.has_ended
        await store.leave(room.code, "ann", listener)

    run(hours())


def test_who_comes_back_before_they_were_missed_is_counted_once():
    async def comes():
        store = InProcess(lambda: 7200)
        room = Room(new_key(), QUESTION)
        await store.add(room, 10)
        first = await store.enter(room.code, "ann")
        again = await store.enter(room.code, "ann")
        await store.enter(room.code, "")
        assert again.here == 1
        await store.enter(room.code, "bob")
        assert again.here == 2
        await store.leave(room.code, "ann", first)
        assert again.here == 2
        await store.leave(room.code, "ann", again)
        assert again.here == 2, "Who left hears nothing."
        assert (await store.enter(room.code, "")).here == 1

    run(comes())


def test_where_there_are_too_many_rooms_one_that_nobody_is_in_goes():
    async def fill():
        store = InProcess(lambda: 7200)
        used, left, ended, more = (Room(new_key(), QUESTION) for _each in range(4))
        for room in (used, left):
            assert await store.add(room, 2) is room
        await store.enter(used.code, "ann")
        assert await store.add(ended, 2) is ended
        assert await store.find(left.code) is None
        await store.enter(ended.code, "bob")
        assert await store.add(more, 2) is None
        ended.end()
        assert await store.add(more, 2) is more
        assert await store.find(used.code) is used

    run(fill())


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


def test_codes_that_come_at_once_are_counted_one_by_one():
    """All are heard in the same moment, before the first one is answered."""
    allowed = limits.LIMITS.rooms.wrong_codes
    scope = {
        **{"type": "http", "method": "POST", "path": "/room/BCDF/events", "query_string": b""},
        **{"headers": [], "client": ("192.0.2.1", 1)},
    }
    answered = []

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            answered.append(message["status"])

    async def guess():
        rooms = Rooms(None)
        tries = [asyncio.create_task(rooms(scope, receive, send)) for _ in range(3 * allowed)]
        _done, waiting = await asyncio.wait(tries, timeout=EACH / 3)
        for each in waiting:
            each.cancel()
        return len(waiting)

    assert asyncio.run(guess()) == WAITING
    # One more, whose turn is now.
    assert answered.count(404) == allowed + 2
    assert answered.count(429) == len(answered) - allowed - 2
