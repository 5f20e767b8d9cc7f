"""What a visitor has open: on each page its lanes, where they stand, and what the form is open for.

The pages Train, Compare and Learn have a `Visit` each. Encode looks at the one entered last.
"""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from tokviz.server.histories import hold_on_to
from tokviz.server.runs import Run

#: In the session's state: every page by its name, and the name of the one entered last.
VISITS, ENTERED = "visits", "page"


@dataclass(frozen=True)
class Wanted:
    """A run that somebody asked for: in the place of a lane; or, as its branch from a step on,
    beside it."""

    lane: int
    run: Run
    step: int = 0


@dataclass
class Visit:
    """What a visitor has open on a page.

    Players tell each other apart by the `number`, whatever page they are on. A player opens at the
    position `start`, aligned as `align` says; `position`, `settled_align` and `states` (of each
    lane) are where it settled since, None and nothing before it did. `look` is how an address
    wants it to look, `cue` what a lesson asks of it. The curves were `drawn` for a player, with
    their `cursor` at a value of the axis.

    The form is open for the lane `editing`, and holds what was typed for `form_lane`. `refused`,
    `link_refused` and `draft_back` are sentences; `late` are those that wait until everything that
    is wanted is there.
    """

    page: str
    lanes: tuple[Run, ...] = ()
    number: int = -1
    start: int = 0
    align: str = "step"
    look: dict[str, Any] = field(default_factory=dict)
    position: int | None = None
    settled_align: str | None = None
    states: list[int] = field(default_factory=list)
    cue: dict[str, Any] | None = None
    drawn: tuple[int, str] | None = None
    cursor: float = 0.0
    editing: int | None = None
    form_lane: int | None = None
    wanted_lane: Wanted | None = None
    wanted_branch: Wanted | None = None
    wanted_lanes: tuple[Run, ...] = ()
    late: list[str] = field(default_factory=list)
    refused: str | None = None
    link_refused: str | None = None
    draft_back: str | None = None

    @property
    def aligned(self) -> str:
        """How the lanes are aligned now."""
        return self.settled_align or self.align

    def open(self, start: int, align: str, lanes: tuple[Run, ...] | None = None) -> None:
        """Has a new player open at a position, for the same lanes or for others."""
        self.start, self.align = start, align
        if lanes is not None:
            self.lanes = lanes
        self.number = 1 + max(visit.number for visit in _visits().values())
        self.hold()

    def hold(self) -> None:
        """Has the session keep the histories of what is shown, and of what is waited for."""
        hold_on_to((*self.lanes, *self.wanted_lanes))

    def forget(self) -> None:
        """Forgets what was of the lanes before."""
        self.states, self.settled_align, self.look = [], None, {}
        self.refused = self.link_refused = self.draft_back = None
        self.editing = self.form_lane = None


def _visits() -> dict[str, Visit]:
    visits: dict[str, Visit] = st.session_state.setdefault(VISITS, {})
    return visits


def this_visit() -> Visit:
    """What is open on the page that was entered last; at first it is that of the Train page."""
    name = st.session_state.setdefault(ENTERED, "train")
    return _visits().setdefault(name, Visit(name))


def enter(name: str) -> Visit:
    """What is open on a page, which is the one of the page from now on."""
    if this_visit().page != name:
        st.session_state[ENTERED] = name
        # The form is one for all pages, and described a lane of the other one.
        this_visit().editing = this_visit().form_lane = None
    visit = this_visit()
    visit.hold()
    return visit


def lanes_of(name: str) -> tuple[Run, ...]:
    """The lanes on a page; none if it never had any."""
    return _visits()[name].lanes if name in _visits() else ()
