"""Rooms over HTTP, as a real server has them."""

import socket
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest
from app_server import Server
from helpers import PATIENCE
from room_client import InRoom, post, start
from uvicorn import Config
from uvicorn import Server as Uvicorn

from tokviz.server import limits
from tokviz.server.rooms import guesses, stream
from tokviz.server.rooms.asked import MOST_BYTES
from tokviz.server.rooms.room import code_of, name_of, new_key
from tokviz.server.rooms.routes import Rooms

TEXT = "what the class reads"
PLACE = "train?lane=course&v=2"
ASKED = {"name": "13", "options": 4}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    place = tmp_path_factory.mktemp("rooms")
    own = place / "own.toml"
    own.write_text("[rooms]\npeople = 50\nwrong_codes = 200\n", "utf-8")
    with Server(place / "log", environment={"TOKVIZ_LIMITS": str(own)}) as server:
        yield server
    assert "Traceback" not in server.said(), server.said()
    assert TEXT not in server.said()


@contextmanager
def listening():
    """Rooms without pages, served by this process, and on which port."""
    server = Uvicorn(Config(Rooms(None), lifespan="off", log_level="critical"))
    with socket.create_server(("localhost", 0)) as own:
        serves = threading.Thread(target=server.run, args=([own],), daemon=True)
        serves.start()
        yield own.getsockname()[1]
        # Not even a phone that a failed test left there keeps it.
        server.should_exit = server.force_exit = True
        serves.join(PATIENCE)
        assert not serves.is_alive()


@pytest.fixture
def alone(monkeypatch):
    """Serves rooms without pages, with limits of their own, and returns the port."""
    with ExitStack() as served:

        def serve(**own):
            rooms = replace(limits.LIMITS.rooms, **own)
            monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, rooms=rooms))
            return served.enter_context(listening())

        yield serve


@pytest.fixture
def port(served):
    return served.port


@pytest.fixture
def room(port):
    room = start(port, place=PLACE, look={"step": 3})
    yield room
    post(port, f"room/{room['code']}/end", {"key": room["key"]})


def shows(port, room, **shown):
    return post(port, f"room/{room['code']}/show", {"key": room["key"], "shown": shown})


def votes(port, room, voter, choice, question="13"):
    said = {"name": room["name"], "voter": voter, "question": question, "choice": choice}
    return post(port, f"room/{room['code']}/vote", said)


def test_phones_follow_what_the_teacher_shows(port, room):
    phone = InRoom(port, room["code"])
    assert phone.headers["Content-Type"].startswith("text/event-stream")
    assert phone.headers["Cache-Control"] == "no-store"
    assert phone.headers["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in phone.headers
    first = phone.hears()
    assert (first["place"], first["look"], first["name"]) == (PLACE, {"step": 3}, room["name"])
    assert shows(port, room, look={"step": 4}) == (200, {})
    # What did not change is not sent again.
    assert phone.hears() == {"look": {"step": 4}}
    shows(port, room, place=f"{PLACE}&align=size", look={"step": 4})
    assert phone.hears()["place"] == f"{PLACE}&align=size"
    phone.close()


def test_the_teacher_hears_how_many_are_there_and_have_voted_and_nothing_of_who(port, room):
    teacher = InRoom(port, room["code"], key=room["key"])
    assert teacher.hears()["here"] == 0
    phones = [InRoom(port, room["code"]) for _each in range(2)]
    voters = [phone.hears()["voter"] for phone in phones]
    teacher.hears_until(here=2)
    shows(port, room, look={"step": 13}, question=ASKED)
    assert votes(port, room, voters[0], 1) == (200, {"counts": True})
    teacher.hears_until(voted=1)
    assert votes(port, room, voters[1], 1)[1] == {"counts": True}
    assert votes(port, room, voters[0], 2)[1] == {"counts": True}
    news = teacher.hears_until(voted=2)
    # Nobody sees what was voted for, before that is shown.
    assert "counts" not in news
    shows(port, room, look={"step": 13}, question={**ASKED, "shown": True})
    news = teacher.hears_until(counts=[[1, 1], [2, 1]])
    assert phones[0].hears_until(counts=[[1, 1], [2, 1]])["question"]["shown"]
    assert votes(port, room, voters[0], 3)[1] == {"counts": False}
    assert not [voter for voter in voters if voter in str(news)]
    for one in (*phones, teacher):
        one.close()


def test_a_stranger_cannot_steer_nor_end_nor_vote(port, room):
    code, phone = room["code"], InRoom(port, room["code"])
    voter = phone.hears()["voter"]
    other = start(port)
    for key in ("", room["name"], other["key"], new_key(), "é" * 32, "\ud800" * 32):
        told = {"key": key, "shown": {"place": "learn", "look": {}}}
        assert post(port, f"room/{code}/show", told) == (404, {"why": "gone"})
        assert post(port, f"room/{code}/end", {"key": key}) == (404, {"why": "gone"})
        assert InRoom(port, code, key=key).status == 404
    shows(port, room, look={}, question=ASKED)
    for wrong in (voter[:-1], "", "0" * len(voter)):
        assert votes(port, room, wrong, 1)[0] == 404
    assert votes(port, {**room, "name": other["name"]}, voter, 1)[0] == 404
    assert phone.hears()["question"] == {**ASKED, "shown": False}
    phone.close()


def test_a_page_of_another_site_can_neither_steer_nor_listen(port, room):
    told = {"key": room["key"], "shown": {"look": {}}}
    for path in ("room", f"room/{room['code']}/events", f"room/{room['code']}/show"):
        assert post(port, path, told, Origin="https://evil.example")[0] == 403
    own = {"Origin": f"http://localhost:{port}"}
    assert post(port, f"room/{room['code']}/show", told, **own)[0] == 200


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 5000,
        b'{"shown": {"look": {"step": ' + b"1" * MOST_BYTES + b"}}}",
        {"shown": {"look": {"step": -1}}},
        {"shown": {"look": {"step": 1.5}}},
        {"shown": {"look": {"step": {}}}},
        {"shown": {"look": {f"{n}": n for n in range(30)}}},
        {"shown": {"place": "x" * 13_000}},
        {"shown": {"question": {"name": "x", "options": 21}}},
        {"shown": {"question": {"name": 1, "options": 2}}},
        {"shown": {}, "key": "../../etc/passwd"},
        {"shown": {}, "key": ["x"]},
    ],
)
def test_what_no_page_says_is_refused(port, said):
    assert post(port, "room", said) == (400, {"why": ""})


@pytest.mark.parametrize(
    "path", ["room/kxtm/events", "room/KXT/events", "room/AEIO/vote", "room/x"]
)
def test_what_is_no_room_is_streamlits(port, path):
    assert post(port, path, {})[0] == 405


def test_a_room_that_is_full_says_so(alone):
    port = alone(people=3)
    room = start(port, place=PLACE)
    phones = [InRoom(port, room["code"]) for _each in range(3)]
    assert [phone.status for phone in phones] == [200] * 3
    for phone in phones:
        phone.hears()
    assert InRoom(port, room["code"]).status == 503
    phones.pop().close()
    teacher = InRoom(port, room["code"], key=room["key"])
    teacher.hears_until(here=2)
    phones.append(InRoom(port, room["code"]))
    assert phones[-1].status == 200
    for one in (*phones, teacher):
        one.close()


def test_whoever_was_in_hears_that_it_ended_and_others_see_no_room(port):
    room = start(port, place=PLACE)
    phone = InRoom(port, room["code"])
    came = phone.hears()
    assert post(port, f"room/{room['code']}/end", {"key": room["key"]}) == (200, {})
    assert phone.hears() == {"ended": True}
    assert phone.hears() is None
    back = InRoom(port, room["code"], name=came["name"], voter=came["voter"])
    assert back.hears()["ended"]
    assert InRoom(port, room["code"]).status == 404
    assert shows(port, room, look={})[0] == 404
    # Not even its teacher brings it back.
    assert post(port, "room", {"key": room["key"], "shown": {}}) == (404, {"why": "gone"})


def test_a_server_that_was_started_anew_gets_the_room_from_its_teacher_and_stops_at_once(tmp_path):
    with Server(tmp_path / "log") as served:
        port = served.port
        room = start(port, place=PLACE)
        came = InRoom(port, room["code"]).hears()
        served.kill()
        served.start()
        me = {"name": came["name"], "voter": came["voter"]}
        assert InRoom(port, room["code"], **me).status == 404
        # Whoever takes the letters meanwhile is not taken for the teacher.
        shown = {"place": PLACE, "look": {"step": 8}, "question": ASKED}
        again = post(port, "room", {"key": room["key"], "shown": shown})
        assert again == (200, room)
        phone = InRoom(port, room["code"], **me)
        news = phone.hears()
        assert (news["look"], news["voter"]) == ({"step": 8}, came["voter"])
        assert votes(port, room, came["voter"], 2)[1] == {"counts": True}
        # It waits for no phone.
        begun = time.monotonic()
        served.stop()
        assert time.monotonic() - begun < 3
        assert phone.hears() is None


def test_a_line_comes_in_any_case(alone, monkeypatch):
    assert 3 < stream.BEAT < 15
    monkeypatch.setattr(stream, "BEAT", 0.5)
    port = alone()
    phone = InRoom(port, start(port)["code"])
    phone.hears()
    assert phone.line() == "\n"
    begun = time.monotonic()
    assert phone.line() == ":\n"
    assert 0.3 < time.monotonic() - begun < 3
    phone.close()


def test_who_guesses_codes_is_slowed_down_and_sees_no_room(alone, monkeypatch):
    assert guesses.EACH * guesses.WAITING > 20
    monkeypatch.setattr(guesses, "EACH", 0.5)
    port = alone(wrong_codes=5)
    room = start(port, place=PLACE)
    came = InRoom(port, room["code"])
    me = came.hears()
    tries = [code for code in (code_of(new_key()) for _each in range(41)) if code != room["code"]]
    begun = time.monotonic()
    with ThreadPoolExecutor(40) as guessers:
        asked = [guessers.submit(post, port, f"room/{code}/events", {}) for code in tries[:40]]
        while not [one for one in asked if one.done() and one.result()[0] == 429]:
            wait([one for one in asked if not one.done()], PATIENCE, FIRST_COMPLETED)
        # Those who were in it do not wait in that line, nor does a name help to guess.
        slowed = time.monotonic()
        back = InRoom(port, room["code"], name=me["name"], voter=me["voter"])
        assert back.status == 200
        assert InRoom(port, room["code"], name=name_of(new_key())).status == 404
        assert time.monotonic() - slowed < 2
        answers = [one.result() for one in asked]
    # Some get in line, the rest is sent away; all that is told is that there is no room.
    assert {status for status, _said in answers} == {404, 429}
    assert {said["why"] for _status, said in answers} == {"gone", "slow"}
    assert time.monotonic() - begun > guesses.EACH * guesses.WAITING * 2 / 3
    for one in (came, back):
        one.close()


@pytest.mark.parametrize(
    ("own", "why"),
    [({"open": False}, "off"), ({"servers": 2}, "servers")],
)
def test_a_server_that_can_have_no_rooms_says_why(alone, own, why):
    port = alone(**own)
    assert post(port, "room", {"shown": {}}) == (503, {"why": why})
    assert post(port, "room/KXTM/events", {}) == (503, {"why": why})


def test_forty_phones_hear_a_step_at_once(port, room):
    heard = []
    phones = [InRoom(port, room["code"]) for _each in range(40)]

    def listens(phone):
        while (news := phone.hears()) is not None:
            heard.append((time.monotonic(), news.get("look", {}).get("step")))

    threads = [threading.Thread(target=listens, args=(phone,)) for phone in phones]
    for thread in threads:
        thread.start()
    for step in range(11, 16):
        begun = time.monotonic()
        shows(port, room, look={"step": step})
        while sum(at == step for _when, at in heard) < 40:
            assert time.monotonic() - begun < 5
            time.sleep(0.005)
        assert max(when for when, at in heard if at == step) - begun < 1
    post(port, f"room/{room['code']}/end", {"key": room["key"]})
    for thread in threads:
        thread.join(5)
