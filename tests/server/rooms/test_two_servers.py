"""A room of two servers that have one Redis: who is at which one makes no difference, nor does the
end of one."""

import subprocess
import sys
import time

import pytest
from app_server import ROOT, Server
from helpers import PATIENCE
from redis_server import RedisServer
from room_client import InRoom, post, start

PLACE = "train?lane=course&v=2"
TEXT = "what the class reads"
ASKED = {"name": "13", "options": 4}


AWAY = (503, {"why": "away"})


class Together:
    """Two servers of one Redis, which was not there yet when they began."""

    def __init__(self, redis, servers):
        self.redis, self.servers = redis, servers
        self.ports = [each.port for each in servers]
        self.said_at_first = [post(port, "room", {"shown": {}}) for port in self.ports]
        redis.start()
        for port in self.ports:
            once_there(port, "room", {"shown": {}})


def once_there(port, path, told):
    """What is said as soon as Redis is reached."""
    end = time.monotonic() + PATIENCE
    while (said := post(port, path, told)) == AWAY:
        assert time.monotonic() < end
        time.sleep(0.1)
    return said


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    place, redis = tmp_path_factory.mktemp("servers"), RedisServer()
    own = place / "own.toml"
    own.write_text(f'[rooms]\nservers = 2\nstore = "{redis.address}"\n', "utf-8")
    environment = {"TOKVIZ_LIMITS": str(own)}
    both = [Server(place / name, environment=environment) for name in "ab"]
    with both[0], both[1]:
        try:
            yield Together(redis, both)
        finally:
            redis.kill()
    for each in both:
        assert "Traceback" not in each.said(), each.said()
        assert TEXT not in each.said()
        assert redis.address not in each.said()


def shows(port, room, **shown):
    said = {"key": room["key"], "shown": shown}
    return post(port, f"room/{room['code']}/show", said)


def votes(port, room, voter, choice):
    said = {"name": room["name"], "voter": voter, "question": "13", "choice": choice}
    return post(port, f"room/{room['code']}/vote", said)


def warnings(server):
    return server.said().count("The store of rooms cannot be reached")


def test_servers_begin_without_their_redis(together):
    assert together.said_at_first == [AWAY] * 2
    assert [post(port, "room", {"shown": {}})[0] for port in together.ports] == [200] * 2


def test_a_class_at_two_servers_outlives_one(together):
    first, second = together.ports
    room = start(first, place=PLACE, look={"step": 3})
    teacher = InRoom(first, room["code"], key=room["key"])
    phones = [InRoom(port, room["code"]) for port in (first, second, second)]
    came = [phone.hears() for phone in phones]
    assert {(each["place"], each["look"]["step"], each["name"]) for each in came} == {
        (PLACE, 3, room["name"])
    }
    teacher.hears_until(here=3)
    # A step, from either server.
    for port, step in ((first, 4), (second, 5)):
        assert shows(port, room, place=PLACE, look={"step": step}) == (200, {})
        for phone in phones:
            phone.hears_until(look={"step": step})
    # A vote, at one server and changed at the other one.
    shows(first, room, look={"step": 13}, question=ASKED)
    voters = [each["voter"] for each in came]
    for port, voter, choice in (
        *((first, voters[0], 1), (second, voters[1], 1), (second, voters[2], 3)),
        *((second, voters[0], 2), (first, voters[2], 3)),
    ):
        assert votes(port, room, voter, choice) == (200, {"counts": True})
    teacher.hears_until(voted=3)
    # The first server falls, with the teacher and a phone.
    together.servers[0].kill()
    shows(second, room, look={"step": 13}, question={**ASKED, "shown": True})
    counts = [[1, 1], [2, 1], [3, 1]]
    for phone in phones[1:]:
        phone.hears_until(counts=counts)
    teacher = InRoom(second, room["code"], key=room["key"])
    back = InRoom(second, room["code"], name=came[0]["name"], voter=voters[0])
    news = back.hears()
    assert (news["place"], news["voter"], news["counts"]) == (PLACE, voters[0], counts)
    teacher.hears_until(here=3)
    # It is there again, and knows the room.
    together.servers[0].start()
    shows(first, room, look={"step": 14})
    for phone in (back, *phones[1:]):
        phone.hears_until(look={"step": 14})
    assert post(first, f"room/{room['code']}/end", {"key": room["key"]}) == (200, {})
    for phone in (back, *phones[1:]):
        assert phone.hears_until(ended=True)
        assert phone.hears() is None


def test_rooms_are_refused_while_redis_is_away_and_are_back_by_themselves(together):
    redis, (first, second) = together.redis, together.ports
    told_before = [warnings(each) for each in together.servers]
    room = start(first, place=PLACE, look={"text": TEXT})
    teacher = InRoom(first, room["code"], key=room["key"])
    phone = InRoom(second, room["code"])
    came = phone.hears()
    redis.kill()
    # Streams end, so that browsers ask again, and hear why.
    assert phone.hears() is None
    teacher.hears_until(here=1)
    assert post(first, "room", {"shown": {}}) == AWAY
    for what in ("show", "end"):
        told = {"key": room["key"], "shown": {"look": {}}}
        assert post(second, f"room/{room['code']}/{what}", told) == AWAY
    assert InRoom(second, room["code"]).status == 503
    redis.start()
    # Redis has forgotten the room; the teacher's page has not.
    me = {"name": came["name"], "voter": came["voter"]}
    end = time.monotonic() + PATIENCE
    while InRoom(second, room["code"], **me).status == 503:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert InRoom(second, room["code"], **me).status == 404
    told = {"key": room["key"], "shown": {"place": PLACE, "look": {"step": 8}}}
    assert once_there(first, "room", told) == (200, room)
    phone = InRoom(second, room["code"], **me)
    assert phone.hears()["voter"] == came["voter"]
    assert [warnings(each) for each in together.servers] == [n + 1 for n in told_before]
    phone.close()


def test_who_names_no_redis_does_not_load_its_client():
    script = "import sys, tokviz.pages.app; print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["False"], done.stderr
