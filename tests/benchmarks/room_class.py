"""A class in a room: its teacher and a few phones have a browser, all others no screen; between
them and the server are networks that fail. What they do is told with how long it took."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from network import Network
from playwright_tab import PlaywrightTab
from room_phones import Phone, at_once
from served import Served
from tab import Tab

#: Notes when each step was gone to, and when it was painted.
NOTE = """() => {
    window.noted = { gone: [], drawn: [] };
    document.addEventListener("tokviz-step", ({ detail: { position } }) => {
        noted.gone.push([position, Date.now()]);
        requestAnimationFrame(() => setTimeout(() => noted.drawn.push([position, Date.now()])));
    });
}"""
FORGET = "() => { noted.gone = []; noted.drawn = []; }"
HEADING, BAR, OPTION = ".tv-scene h2", ".tv-room-teacher", ".st-key-lesson_options button"
STEP = "() => Number(document.querySelector('[data-steps]')?.dataset.step)"
#: Whether there is another scene than before.
OTHER = """before => {
    const heading = document.querySelector(".tv-scene h2")?.textContent;
    return heading !== undefined && heading !== before;
}"""
#: Whether somebody can vote in the lesson: Streamlit's fields take nothing without a connection.
CAN_VOTE = """() => tokviz.classroom.part.isInLesson && [...document.querySelectorAll(
    "[class~=st-key-lesson_options] button, [class~=st-key-lesson_guess] input"
)].some(({ disabled }) => !disabled)"""
#: How many votes stand beside the answer.
SHOWN = """() => [...document.querySelectorAll(".tv-answer li[data-votes]")]
    .reduce((sum, { dataset }) => sum + parseInt(dataset.votes), 0)"""
#: What a browser shows that does not follow: somebody who looks around, has no connection, or whose
#: engine paints nothing more.
STATE = """() => ({ says: document.querySelector(".tv-room-phone p")?.textContent,
    step: document.querySelector("[data-steps]")?.dataset.step,
    gone: noted.gone.length, drawn: noted.drawn.length,
    heard: Math.round(performance.now() - tokviz.classroom.part.ear.heard) })"""
#: Seconds until what does not come is given up.
PATIENCE = 60.0


def summary(name: str, times: list[float], unit: str = "ms") -> None:
    """Prints how long something took."""
    digits = 0 if unit == "ms" else 1
    p50, p95, most = (f"{n:.{digits}f}" for n in np.percentile(times, (50, 95, 100)))
    said = f"p50 {p50:>4} {unit}, p95 {p95:>4}, most {most:>4}"
    print(f"{name:<64}{len(times):>5}  {said}", flush=True)


def until(is_so: Callable[[], bool], what: str) -> None:
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"Not within {PATIENCE:.0f} s: {what}")
        time.sleep(0.02)


def _first(noted: Iterable[tuple[int, float]]) -> dict[int, float]:
    """When each step was noted first."""
    return dict(reversed([*noted]))


def _late(noted: Iterable[tuple[int, float]], gone: dict[int, float]) -> list[float]:
    """How long after the teacher went to them steps were noted."""
    return [at - gone[step] for step, at in _first(noted).items() if step in gone]


class SchoolClass:
    """The teacher, the phones, and the ways between them and the server: the teacher's, and that of
    all phones."""

    def __init__(
        self, served: Served, teacher: PlaywrightTab, tabs: dict[str, Tab], phones: int
    ) -> None:
        self.served, self.teacher, self.tabs = served, teacher, tabs
        self.desk, self.seats = (Network(served.port) for _each in range(2))
        self.is_fine, self._draw = True, random.Random(1)
        teacher.open(f"{self.desk.address}/?lane=course&v=2&step=13")
        teacher.click("button", "Share")
        teacher.click("radio", "Class")
        teacher.settle()
        teacher.click("button", "Start a room")
        teacher.sees(".tv-room-letters")
        self.code = "".join(teacher.texts(".tv-room-letters span"))
        teacher.click("button", "Begin")
        self.memory("before the class")
        for tab in tabs.values():
            tab.resize(390, 844)
            tab.open(f"{self.seats.address}/?room={self.code}")
        self.phones = [Phone(self.seats.port, self.code) for _each in range(phones)]
        self.everybody = f"{phones + len(tabs)} phones"
        until(lambda: all(phone.is_in for phone in self.phones), "all are in")
        for tab in (teacher, *tabs.values()):
            tab.run(NOTE)
        self.memory("with all phones and their pages")

    def memory(self, when: str) -> None:
        """Prints the memory of the server's own process."""
        told = f"memory of the server {when}"
        print(f"{told:<64}{self.served.cost().megabytes:>5.0f} MB", flush=True)

    # --- what the teacher does ------------------------------------------------------------------

    def begin(self, lesson: int) -> None:
        """Begins the lesson of a place in the list."""
        self.teacher.click("link", "Learn")
        self.teacher.sees(".tv-lessons")
        self.teacher.settle()
        self.teacher.page.get_by_role("button", name="Start", exact=True).nth(lesson).click()
        self.teacher.sees(HEADING)
        self.together()

    def next(self) -> None:
        """Goes on in the lesson, with all phones."""
        [before] = self.teacher.texts(HEADING)
        self.teacher.click("button", "Next")
        self.teacher.wait(OTHER, before)
        self.together()

    def together(self) -> None:
        """Waits until all phones are where the teacher is."""
        self.teacher.settle()
        heading = self.teacher.texts(HEADING)
        for engine, tab in self.tabs.items():
            until(lambda tab=tab: tab.texts(HEADING) == heading, f"{engine} is at {heading}")
            tab.settle()
        self.teacher.says(BAR, self.everybody)

    def walk(self, name: str, steps: int) -> None:
        """Goes from step to step, each half second; how late each is on the phones."""
        self.teacher.press("Home")
        time.sleep(2)
        for phone in self.phones:
            phone.heard.clear()
        for tab in (self.teacher, *self.tabs.values()):
            tab.run(FORGET)
        for _step in range(min(steps, self.teacher.steps)):
            self.teacher.press("ArrowRight")
            time.sleep(0.5)
        time.sleep(1)
        gone = _first(self.teacher.run("() => noted.gone"))
        late = [_late(phone.heard, gone) for phone in self.phones]
        summary(f"a step each 0.5 s{name}, heard", [each for phone in late for each in phone])
        for engine, tab in self.tabs.items():
            if not (drawn := _late(tab.run("() => noted.drawn"), gone)):
                self.is_fine = False
                print(f"  NOT drawn in {engine}: {tab.run(STATE)}", flush=True)
                continue
            summary(f"  drawn in {engine}", drawn)

    # --- what fails -----------------------------------------------------------------------------

    def cut(self) -> None:
        """Ends the connections of all phones."""
        self.seats.cut()

    def lose(self) -> None:
        """Nobody reaches the server."""
        self.desk.go_away()
        self.seats.go_away()

    def find(self) -> None:
        """All reach it again."""
        self.desk.come_back()
        self.seats.come_back()

    def load_anew(self, *tabs: Tab) -> None:
        """Has pages loaded anew."""
        for tab in tabs:
            tab.go(tab.run("() => location.href"))
            tab.sees("[data-steps]")
            tab.settle()
            tab.run(NOTE)
        self.together()

    def outage(self, name: str, begin: Callable[[], Any], end: Callable[[], Any]) -> None:
        """Has something fail, while the teacher goes to another step; how long after its end each
        phone is there."""
        before, began = self.teacher.step, time.time() * 1000
        begin()
        self.teacher.press("ArrowLeft" if before else "ArrowRight")
        self.teacher.stands_at(before - 1 if before else 1)
        end()
        over, back = time.time() * 1000, dict[object, float]()

        def are_back() -> bool:
            step = self.teacher.run(STEP)
            told = {phone: phone.heard for phone in self.phones}
            drawn = {tab: tab.run("() => noted.drawn") for tab in self.tabs.values()}
            for each, heard in [*told.items(), *drawn.items()]:
                if heard and heard[-1][0] == step and heard[-1][1] > began:
                    first = next(at for _step, at in heard if at > began)
                    back[each] = max(0, first - over) / 1000
            return len(back) == len(self.phones) + len(self.tabs)

        try:
            until(are_back, f"{name}: all phones are back")
        except SystemExit:
            for engine, tab in self.tabs.items():
                if tab not in back:
                    print(f"  NOT back in {engine}: {tab.run(STATE)}", flush=True)
            print(f"  {len(back)} are back", flush=True)
            raise
        summary(f"{name}: phones are back", [back[phone] for phone in self.phones], "s")
        print(*(f"  {engine}: {back[tab]:.1f} s" for engine, tab in self.tabs.items()), flush=True)
        self.together()

    # --- votes ----------------------------------------------------------------------------------

    def ask(self, name: str, meanwhile: Callable[[], Any] = lambda: None) -> None:
        """Has all vote in two halves, between which something happens; some say it twice, change
        their mind, or come too late. Shows the answer; what all see must be what was voted for."""
        until(lambda: all(phone.question for phone in self.phones), "all are asked")
        options = len(self.teacher.texts(OPTION)) or 60
        choices = {phone: self._draw.randrange(options) for phone in self.phones}
        votes = [partial(phone.vote, choice) for phone, choice in choices.items()]
        half, few = len(votes) // 2, self.phones[: len(votes) // 8]
        at_once([*votes[:half], *votes[: half // 2]])
        meanwhile()
        until(lambda: all(phone.question for phone in self.phones), "all are asked again")
        choices |= {phone: self._draw.randrange(options) for phone in few}
        at_once([*votes[half:], *(partial(phone.vote, choices[phone]) for phone in few)])
        seen = {tab: number % options for number, tab in enumerate(self.tabs.values())}
        for tab, choice in seen.items():
            self._vote(tab, choice, by_key=self._draw.random() < 0.5)
        expected = Counter([*choices.values(), *seen.values()])
        self.teacher.says(BAR, f"{self.everybody} · {expected.total()} votes")
        self.teacher.click("button", "Show the answer")
        until(lambda: all(phone.counts for phone in self.phones), "all see what was voted for")
        # From who does not know yet that it is too late.
        at_once([partial(phone.vote, 0) for phone in few])
        time.sleep(1)
        counts = [[choice, expected[choice]] for choice in sorted(expected)]
        others = [phone.counts for phone in self.phones if phone.counts != counts]
        sums = [tab.wait(SHOWN) for tab in (self.teacher, *self.tabs.values())]
        is_right = not others and set(sums) == {expected.total()}
        self.is_fine &= is_right
        said = "each counts once" if is_right else f"NOT SO: {counts}, but {others}, {sums}"
        print(f"{f'{name}: votes':<64}{expected.total():>5}  {said}", flush=True)

    def _vote(self, tab: Tab, choice: int, by_key: bool) -> None:
        tab.wait(CAN_VOTE)
        if tab.texts(OPTION):
            tab.click_on(OPTION, choice)
            return
        tab.fill("spinbutton", "Your guess", str(choice))
        if by_key:
            tab.press("Enter")
        else:
            tab.click("button", "Vote")
        tab.says(".tv-room-phone", f"Your vote: {choice}")

    def picture(self, folder: Path | None, name: str) -> None:
        """Saves what all see."""
        for who, tab in {"projector": self.teacher, **self.tabs}.items():
            if folder is not None:
                tab.settle()
                tab.picture(folder / f"{name}-{who}.png")
