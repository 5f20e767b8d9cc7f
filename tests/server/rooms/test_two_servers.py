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


@pytest.fixture
def redis():
    with RedisServer() as redis:
        yield redis


@pytest.fixture
def servers(redis, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(f'[rooms]\nservers = 2\nstore = "{redis.address}"\n', "utf-8")
    environment = {"TOKVIZ_LIMITS": str(own)}
    both = [Server(tmp_path / name, environment=environment) for name in "ab"]
    with both[0], both[1]:
        yield both
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


def test_a_class_at_two_servers_outlives_one(servers):
    first, second = (each.port for each in servers)
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
    servers[0].kill()
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
    servers[0].start()
    shows(first, room, look={"step": 14})
    for phone in (back, *phones[1:]):
        phone.hears_until(look={"step": 14})
    assert post(first, f"room/{room['code']}/end", {"key": room["key"]}) == (200, {})
    for phone in (back, *phones[1:]):
        assert phone.hears_until(ended=True)
        assert phone.hears() is None


def test_rooms_are_refused_while_redis_is_away_and_are_back_by_themselves(redis, servers):
    first, second = (each.port for each in servers)
    room = start(first, place=PLACE, look={"text": TEXT})
    teacher = InRoom(first, room["code"], key=room["key"])
    phone = InRoom(second, room["code"])
    came = phone.hears()
    redis.kill()
    # Streams end, so that browsers ask again, and hear why.
    assert phone.hears() is None
    teacher.hears_until(here=1)
    away = (503, {"why": "away"})
    assert post(first, "room", {"shown": {}}) == away
    for what in ("show", "end"):
        told = {"key": room["key"], "shown": {"look": {}}}
        assert post(second, f"room/{room['code']}/{what}", told) == away
    assert InRoom(second, room["code"]).status == 503
    redis.start()
    # Redis has forgotten the room; the teacher's page has not.
    me = {"name": came["name"], "voter": came["voter"]}
    end = time.monotonic() + PATIENCE
    while InRoom(second, room["code"], **me).status == 503:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert InRoom(second, room["code"], **me).status == 404
    end = time.monotonic() + PATIENCE
    told = {"key": room["key"], "shown": {"place": PLACE, "look": {"step": 8}}}
    while (again := post(first, "room", told)) == away:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert again == (200, room)
    phone = InRoom(second, room["code"], **me)
    assert phone.hears()["voter"] == came["voter"]
    for each in servers:
        assert each.said().count("The store of rooms cannot be reached") == 1
    phone.close()


def test_a_server_begins_without_its_redis(redis, servers):
    redis.kill()
    for each in servers:
        each.kill()
        each.start()
    assert post(servers[0].port, "room", {"shown": {}}) == (503, {"why": "away"})
    redis.start()
    end = time.monotonic() + PATIENCE
    while post(servers[0].port, "room", {"shown": {}})[0] == 503:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_who_names_no_redis_does_not_load_its_client():
    script = "import sys, tokviz.pages.app; print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["False"], done.stderr
