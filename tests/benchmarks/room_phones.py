"""Phones of a class without a screen. Each says to the server what a browser on a phone says: it
follows the teacher's page, step and question, comes back as whom it was, and votes again then."""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from network import beside
from room_client import InRoom, post
from streamlit_client import Failed, Session
from websockets.exceptions import WebSocketException

#: As of the page: seconds until the next try of who lost the room, and of who is to wait; those
#: within which a class asks for another page (room_ear.js, room_phone.js).
AGAIN, SLOWED, LATER = 0.8, 3.0, 1.0


class Phone:
    """One of them. `heard` are the steps that it heard of, with the milliseconds of the clock."""

    def __init__(self, port: int, code: str) -> None:
        self._port, self._code = port, code
        self.heard: list[tuple[int, float]] = []
        self.answers: Counter[int] = Counter()
        self.counts: list[list[int]] | None = None
        self.question: dict[str, Any] = {}
        self._known: dict[str, str] = {}
        self._voted: dict[str, Any] = {}
        self._place, self._page, self._drawing = "", None, asyncio.Lock()
        #: Seconds from hearing of each page until the server had drawn it.
        self.drawn: list[float] = []
        self.is_over = False
        threading.Thread(target=self._live, daemon=True).start()

    @property
    def is_in(self) -> bool:
        """Whether it was let in."""
        return bool(self._known)

    def vote(self, choice: int) -> None:
        """Votes for what is asked now, or changes its vote; so does who has not heard yet that it
        is too late."""
        self._voted = {"question": self.question["name"], "choice": choice}
        self._send_vote()

    def _live(self) -> None:
        while not self.is_over:
            status = 0
            with suppress(OSError, HTTPException):
                status = self._listen()
            wait = SLOWED if status == 429 else AGAIN * (0.5 + random.random())
            time.sleep(wait)

    def _listen(self) -> int:
        room = InRoom(self._port, self._code, **self._known)
        self.answers[room.status] += 1
        if room.status == 200:
            with suppress(OSError, HTTPException):
                while (news := room.hears()) is not None:
                    self._hear(news)
        room.close()
        return int(room.status)

    def _hear(self, news: dict[str, Any]) -> None:
        at = time.time() * 1000
        if news.get("ended"):
            self.is_over = True
            return
        if "step" in news["look"]:
            self.heard.append((news["look"]["step"], at))
        question = news.get("question", {})
        is_new = "voter" in news or question.get("name") != self.question.get("name")
        self.question, self.counts = question, news.get("counts")
        if "voter" in news:
            self._known = {"name": news["name"], "voter": news["voter"]}
        if "place" in news:
            self._place = news["place"]
            beside(self._follow(self._place))
        is_asked = question and self._voted.get("question") == question["name"]
        if is_new and is_asked and not question["shown"]:
            self._send_vote()

    def _send_vote(self) -> None:
        with suppress(OSError, HTTPException):
            post(self._port, f"room/{self._code}/vote", {**self._known, **self._voted})

    async def _follow(self, place: str) -> None:
        """Has the server draw a page, as a browser does; where that was cut, in a new session."""
        heard = time.monotonic()
        await asyncio.sleep(LATER * random.random())
        page, query = place.split("?")
        async with self._drawing:
            while place == self._place and not self.is_over:
                try:
                    if self._page is None:
                        self._page = Session(f"http://localhost:{self._port}")
                        await self._page.open()
                    await self._page.go(page, f"{query}&room={self._code}&went={random.random()}")
                    self.drawn.append(time.monotonic() - heard)
                    return
                except (Failed, OSError, WebSocketException):
                    self._page = None
                    await asyncio.sleep(AGAIN)


def at_once(does: Iterable[Callable[[], None]]) -> None:
    """Does things at the same time, and waits for them."""
    threads = [threading.Thread(target=each) for each in does]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
