"""What every place of rooms promises: the one in the process, and the one in Redis, where several
servers have one together."""

import asyncio
import time
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
from helpers import PATIENCE, run
from redis_server import RedisServer

from tokviz.server.rooms import redis_here, redis_store
from tokviz.server.rooms.redis_store import InRedis
from tokviz.server.rooms.room import Question, Room, Shown, new_key
from tokviz.server.rooms.store import Away, InProcess

QUESTION = Shown("train?lane=course", {"step": 3}, Question("3", 4, False))
HOURS = 7200


@pytest.fixture(scope="module")
def redis():
    with RedisServer() as redis:
        yield redis


@pytest.fixture
def in_redis(redis):
    """Makes the place of a server's rooms; all have one Redis."""
    yield lambda idle=HOURS: InRedis(redis.address, lambda: idle)
    redis.say("FLUSHALL")


@pytest.fixture(params=["process", "redis"])
def made(request):
    """Makes a place of rooms."""
    if request.param == "redis":
        return request.getfixturevalue("in_redis")
    return lambda: InProcess(lambda: HOURS)


@asynccontextmanager
async def closing(*stores):
    try:
        yield
    finally:
        for store in stores:
            await store.close()


async def hears(listener, true):
    """Waits until what somebody hears is so."""
    end = time.monotonic() + PATIENCE
    while not true(listener):
        assert time.monotonic() < end, (listener.room, listener.here)
        await listener.wait(0.5)


def there(n):
    return lambda listener: listener.here == n


def test_a_room_is_found_changed_and_heard_of(made):
    async def hear():
        store = made()
        async with closing(store):
            room = Room(new_key(), QUESTION)
            assert await store.find(room.code) is None
            assert await store.change(room.code, Room.end) is None
            assert await store.enter(room.code, "ann") is None
            assert (await store.add(room, 9)).key == room.key
            found = await store.find(room.code)
            assert (found.key, found.shown, found.votes) == (room.key, QUESTION, {})
            listeners = [await store.enter(room.code, who) for who in ("", "ann")]
            number = found.number
            assert await store.change(room.code, lambda room: room.vote("ann", 2, "3"))
            for each in listeners:
                await hears(each, lambda each: each.room.votes == {"ann": 2})
                assert each.room.number > number
            other = Shown("compare", {"step": 4, "view": "curves"})
            await store.change(room.code, lambda room: room.show(other))
            for each in listeners:
                await hears(each, lambda each: each.room.shown == other)
                assert each.room.votes == {}
            await store.change(room.code, Room.end)
            for each in listeners:
                await hears(each, lambda each: each.room.has_ended)
            assert (await store.find(room.code)).has_ended
            # Not even its teacher brings it back.
            assert (await store.add(Room(room.key, QUESTION), 9)).has_ended

    run(hear())


def test_a_room_that_is_there_stays(made):
    async def add():
        store = made()
        async with closing(store):
            first = Room(new_key(), QUESTION)
            await store.add(first, 9)
            again = await store.add(Room(first.key, Shown("compare")), 9)
            assert (again.key, again.shown) == (first.key, QUESTION)

    run(add())


def test_an_idle_room_ends(in_redis):
    """By the clock of Redis; in the process, see test_room_by_itself.py."""

    async def idle():
        store = in_redis(1.5)
        async with closing(store):
            room = Room(new_key(), QUESTION)
            await store.add(room, 9)
            listener = await store.enter(room.code, "ann")
            # Whoever does something keeps it.
            for vote in (partial(Room.vote, voter="ann", choice=n, question="3") for n in (1, 2)):
                await asyncio.sleep(0.8)
                assert await store.change(room.code, vote)
            assert not listener.room.has_ended
            await asyncio.sleep(1.6)
            assert await store.find(room.code) is None
            assert listener.room.has_ended
            assert not listener.is_lost
            await store.leave(room.code, "ann", listener)

    run(idle())


def test_who_comes_back_before_they_were_missed_is_counted_once(made):
    async def comes():
        store = made()
        async with closing(store):
            room = Room(new_key(), QUESTION)
            await store.add(room, 9)
            first = await store.enter(room.code, "ann")
            again = await store.enter(room.code, "ann")
            teacher = await store.enter(room.code, "")
            assert (again.here, teacher.here) == (1, 1)
            bob = await store.enter(room.code, "bob")
            assert bob.here == 2
            await hears(teacher, there(2))
            await store.leave(room.code, "ann", first)
            await store.leave(room.code, "bob", bob)
            await hears(teacher, there(1))
            await store.leave(room.code, "ann", again)
            await hears(teacher, there(0))
            # Who left hears nothing.
            assert (again.here, bob.here) == (1, 2)

    run(comes())


def test_where_there_are_too_many_rooms_one_that_nobody_is_in_goes(made):
    async def fill():
        store = made()
        async with closing(store):
            used, left, ended, more = (Room(new_key(), QUESTION) for _each in range(4))
            for room in (used, left):
                assert (await store.add(room, 2)).key == room.key
            await store.enter(used.code, "ann")
            assert (await store.add(ended, 2)).key == ended.key
            assert await store.find(left.code) is None
            await store.enter(ended.code, "")
            assert await store.add(more, 2) is None
            await store.change(ended.code, Room.end)
            assert (await store.add(more, 2)).key == more.key
            assert await store.find(used.code) is not None

    run(fill())


def test_all_votes_count_though_they_come_at_once(made):
    async def vote():
        store = made()
        async with closing(store):
            room = Room(new_key(), QUESTION)
            await store.add(room, 9)
            voters = [f"voter {n}" for n in range(60)]

            def votes(voter):
                return store.change(room.code, lambda room: room.vote(voter, len(voter) % 4, "3"))

            assert all(await asyncio.gather(*map(votes, voters)))
            assert set((await store.find(room.code)).votes) == set(voters)

    run(vote())


# --- several servers ------------------------------------------------------------------------------


def test_servers_of_one_redis_have_the_same_rooms(in_redis):
    async def both():
        one, other = in_redis(), in_redis()
        async with closing(one, other):
            room = Room(new_key(), QUESTION)
            await one.add(room, 9)
            assert (await other.add(Room(room.key, Shown("compare")), 9)).shown == QUESTION
            teacher = await one.enter(room.code, "")
            phones = [await other.enter(room.code, who) for who in ("ann", "bob")]
            await hears(teacher, there(2))
            # Who is at both for a moment is counted once.
            twice = await one.enter(room.code, "ann")
            assert twice.here == 2
            await other.leave(room.code, "ann", phones[0])
            await one.change(room.code, lambda room: room.show(Shown("compare")))
            await hears(phones[1], lambda each: each.room.shown.place == "compare")
            assert teacher.here == phones[1].here == 2

    run(both())


def test_votes_that_meet_at_two_servers_count_once_each(in_redis):
    async def vote():
        stores = in_redis(), in_redis()
        async with closing(*stores):
            room = Room(new_key(), QUESTION)
            await stores[0].add(room, 9)

            def votes(n):
                return stores[n % 2].change(
                    room.code, lambda room: room.vote(f"voter {n // 4}", n % 4, "3")
                )

            assert all(await asyncio.gather(*map(votes, range(80))))
            assert len((await stores[0].find(room.code)).votes) == 20

    run(vote())


def test_those_of_a_server_that_fell_are_missed_soon(in_redis, monkeypatch):
    assert 2 * redis_here.SAYS < redis_here.LEFT <= 20
    monkeypatch.setattr(redis_here, "LEFT", 2.0)
    monkeypatch.setattr(redis_here, "SAYS", 0.5)

    async def falls():
        one, other = in_redis(), in_redis()
        room = Room(new_key(), QUESTION)
        async with closing(one):
            async with closing(other):
                await one.add(room, 9)
                teacher = await one.enter(room.code, "")
                await other.enter(room.code, "ann")
                await hears(teacher, there(1))
            begun = time.monotonic()
            while teacher.here and time.monotonic() - begun < 10 * redis_here.LEFT:
                await teacher.wait(1)
            assert teacher.here == 0
            assert time.monotonic() - begun > 1, "It was told."

    run(falls())


def test_another_room_with_the_same_letters_is_not_taken_for_this_one(redis, in_redis, monkeypatch):
    monkeypatch.setattr("tokviz.server.rooms.room.code_of", lambda _key: "KXTM")

    async def replace():
        one, other = in_redis(), in_redis()
        async with closing(one, other):
            first, second = Room(new_key(), QUESTION), Room(new_key(), Shown("compare"))
            await one.add(first, 1)
            listener = await one.enter("KXTM", "ann")
            # Redis forgets it, as where its memory is full, and somebody else starts one.
            assert redis.say("DEL tokviz:room:KXTM") == ":1\r\n"
            await other.add(second, 1)
            await hears(listener, lambda each: each.room.has_ended)

    run(replace())


def test_a_redis_that_is_away_has_no_rooms_and_is_back_by_itself():
    async def away(redis):
        store, room = InRedis(redis.address, lambda: HOURS), Room(new_key(), QUESTION)
        async with closing(store):
            await store.add(room, 9)
            listener = await store.enter(room.code, "ann")
            redis.kill()
            await hears(listener, lambda each: each.is_lost)
            for asks in (
                lambda: store.find(room.code),
                lambda: store.add(room, 9),
                lambda: store.change(room.code, Room.end),
                lambda: store.enter(room.code, "bob"),
            ):
                begun = time.monotonic()
                with pytest.raises(Away):
                    await asks()
                assert time.monotonic() - begun < 1
            await store.leave(room.code, "ann", listener)
            redis.start()
            begun = time.monotonic()
            while True:
                with suppress(Away):
                    # What it knew is lost; the teacher's browser has it.
                    assert await store.find(room.code) is None
                    break
                assert time.monotonic() - begun < PATIENCE
                await asyncio.sleep(0.05)
            assert time.monotonic() - begun < 5
            assert (await store.add(room, 9)).key == room.key
            assert (await store.enter(room.code, "ann")).here == 1

    with RedisServer() as redis:
        run(away(redis))


def test_a_redis_that_says_nothing_is_away(monkeypatch):
    """As one is that the network has lost: its connections are open."""
    assert redis_store.PATIENCE <= 4
    monkeypatch.setattr(redis_store, "PATIENCE", 0.4)

    async def silent():
        connected = []

        async def says_nothing(reads, writes):
            connected.append(writes)
            await reads.read()
            writes.close()

        server = await asyncio.start_server(says_nothing, "localhost", 0)
        port = server.sockets[0].getsockname()[1]
        store = InRedis(f"redis://localhost:{port}", lambda: HOURS)
        async with closing(store):
            begun = time.monotonic()
            with pytest.raises(Away):
                await store.find("KXTM")
            assert time.monotonic() - begun < 2
            assert connected
        server.close()

    run(silent())


def test_a_room_that_redis_lost_is_asked_for_again(redis, in_redis):
    async def loses():
        store = in_redis()
        async with closing(store):
            room = Room(new_key(), QUESTION)
            await store.add(room, 9)
            listener = await store.enter(room.code, "ann")
            redis.say("FLUSHALL")
            assert await store.find(room.code) is None
            assert listener.is_lost
            assert not listener.room.has_ended

    run(loses())
