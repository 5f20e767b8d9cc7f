"""A phone of a class in Firefox and WebKit: it follows, votes, looks around, comes back, and loses
nothing when the room ends. Chromium does the same in tests/e2e/test_room.py."""

from urllib.parse import urlsplit
from zlib import crc32

import pytest
from room_client import InRoom, post, start

VIEW = {"align": "step", "view": "text", "beside": "", "quiz": 0}
#: The scene of a lesson that asks how often the tie-break decided.
LESSON = "learn?lesson=ties&scene=3&lane=course&v=2"
LETTERS = "() => [...document.querySelectorAll('.tv-lines')].map(e => e.textContent).join('')"


class Room:
    """What a teacher's page would tell."""

    def __init__(self, server, place):
        self.port = urlsplit(server).port
        self.room = start(self.port, place=place, look={**VIEW, "step": 1})
        self.code = self.room["code"]
        self.teacher = InRoom(self.port, self.code, key=self.room["key"])

    def shows(self, **shown):
        said = {"key": self.room["key"], "shown": shown}
        assert post(self.port, f"room/{self.code}/show", said)[0] == 200

    def end(self):
        post(self.port, f"room/{self.code}/end", {"key": self.room["key"]})


@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_a_phone_follows_votes_looks_around_and_comes_back(tab, server):
    room = Room(server, "train?lane=low-lower&v=2")
    tab.resize(390, 844)
    tab.open(f"{server}/?room={room.code}")
    tab.says(".tv-room-phone", "You follow your class.")
    tab.stands_at(1)
    room.shows(look={**VIEW, "step": 3})
    tab.stands_at(3)
    # Another text comes by the server.
    room.shows(place="train?lane=course&v=2", look={**VIEW, "step": 2})
    tab.until(lambda: "token" in tab.run(LETTERS).replace(" ", ""), "the other text")
    tab.stands_at(2)
    # By themselves, and back.
    tab.click("button", "Next step")
    tab.says(".tv-room-phone", "You look around by yourself.")
    room.shows(look={**VIEW, "step": 4})
    tab.stands_at(3)
    tab.click("button", "Back to the class")
    tab.stands_at(4)
    # What is asked, voted, and shown.
    room.shows(look={**VIEW, "step": 4, "quiz": 1})
    tab.sees(".tv-option")
    name = tab.run("() => tokviz.classroom.part.quizHere")
    options = len(tab.texts(".tv-option"))
    asked = {"name": name, "options": options}
    room.shows(look={**VIEW, "step": 4, "quiz": 1}, question=asked)
    tab.wait("() => tokviz.room.isVoting()")
    tab.click_on(".tv-option", 1)
    tab.says(".tv-option.voted", "Your vote")
    room.teacher.hears_until(voted=1, here=1)
    room.shows(look={**VIEW, "step": 4, "quiz": 1}, question={**asked, "shown": True})
    tab.sees(".tv-option.right")
    tab.wait("() => document.querySelectorAll('.tv-option')[1].textContent.includes('1 vote')")
    # In a lesson a number is typed, and sent by the key or by the button.
    room.shows(place=LESSON, look={**VIEW, "step": 4})
    tab.sees(".st-key-lesson_guess input")
    asked = {"name": f"lesson/{crc32(LESSON.encode())}", "options": 0}
    room.shows(look={**VIEW, "step": 20}, question=asked)
    tab.wait("() => tokviz.classroom.part.isInLesson")
    tab.settle()
    tab.fill("spinbutton", "Your guess", "12")
    tab.press("Enter")
    tab.says(".tv-room-phone", "Your vote: 12")
    tab.fill("spinbutton", "Your guess", "16")
    tab.click("button", "Vote")
    tab.says(".tv-room-phone", "Your vote: 16")
    assert not tab.texts(".tv-answer")
    room.shows(look={**VIEW, "step": 20}, question={**asked, "shown": True})
    tab.says(".tv-answer", "Right.")
    tab.sees(".tv-numbers")
    assert tab.texts(".tv-numbers li[data-votes='1 vote']") == ["✓16"]
    room.end()
    tab.says(".tv-offline[role=status]:not(:empty)", "The room is over.")
    assert "room" not in tab.run("() => location.search")
