"""What a visitor has open on a page: its lanes, the player's position, and its fields.

The pages Train, Compare and Learn have a `Visit` each; Encode uses that of the page entered last.
"""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from tokviz.server.histories import hold_on_to
from tokviz.server.runs import Run

#: Session keys: all visits by page name, and the name of the page entered last.
VISITS, ENTERED = "visits", "page"


@dataclass(frozen=True)
class RunRequest:
    """A requested run: in place of a lane; or, if it is a branch from a step, beside it."""

    lane: int
    run: Run
    step: int = 0


@dataclass
class Visit:
    """What a visitor has open on a page.

    Each new player gets a `number`, unique among all pages. It opens at the position `start`,
    aligned by `align`; `position`, `settled_align` and `states` (one for each lane) say where it
    stopped since. `look` has the player's settings from the address, `cue` the instructions of a
    lesson. The curves were `drawn` for a player, with their `cursor` at a value of the axis.

    The panel has the settings of the lane `editing`; the fields hold those of `form_lane`, and
    `size_of_all` a size that was chosen for all lanes. `held` has the lane and the run that the
    fields held last, `long_lanes` the lanes that they ask for if these take long to train, and
    `strip_said` why they are not trained. `wanted_live` are those lanes once they are asked for.
    `refused` and `link_refused` are sentences to show; those in `late` wait until all requested
    lanes are trained. `unlinked` are the lanes shown last that fit in no address.
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
    wanted_lane: RunRequest | None = None
    wanted_branch: RunRequest | None = None
    wanted_lanes: tuple[Run, ...] = ()
    wanted_live: tuple[Run, ...] = ()
    late: list[str] = field(default_factory=list)
    refused: str | None = None
    link_refused: str | None = None
    size_of_all: int | None = None
    held: tuple[int, Run] | None = None
    long_lanes: tuple[Run, ...] = ()
    strip_said: str | None = None
    unlinked: tuple[Run, ...] = ()

    @property
    def aligned(self) -> str:
        """The present alignment of the lanes."""
        return self.settled_align or self.align

    def open(self, start: int, align: str, lanes: tuple[Run, ...] | None = None) -> None:
        """Open a new player at a position, with the same lanes or others."""
        self.start, self.align = start, align
        if lanes is not None:
            self.lanes = lanes
        self.number = 1 + max(visit.number for visit in _visits().values())
        self.hold()

    def hold(self) -> None:
        """Have the session keep the histories of the lanes that are shown or requested."""
        hold_on_to((*self.lanes, *self.wanted_lanes, *self.wanted_live, *self.unlinked))

    def forget(self) -> None:
        """Forget the state of the previous lanes."""
        self.states, self.settled_align, self.look = [], None, {}
        self.refused = self.link_refused = self.strip_said = None
        self.editing = self.form_lane = self.size_of_all = self.held = None
        self.long_lanes = ()


def _visits() -> dict[str, Visit]:
    visits: dict[str, Visit] = st.session_state.setdefault(VISITS, {})
    return visits


def this_visit() -> Visit:
    """Return the visit of the page entered last; at first, that of the page Train."""
    name = st.session_state.setdefault(ENTERED, "train")
    return _visits().setdefault(name, Visit(name))


def enter(name: str) -> Visit:
    """Enter a page, and return its visit."""
    if this_visit().page != name:
        st.session_state[ENTERED] = name
        # All pages share their fields, which were filled for a lane of another page.
        this_visit().editing = this_visit().form_lane = None
    visit = this_visit()
    visit.hold()
    return visit


def lanes_of(name: str) -> tuple[Run, ...]:
    """Return the lanes of a page, or () if it has none yet."""
    return _visits()[name].lanes if name in _visits() else ()


def held_on(name: str) -> tuple[int, Run] | None:
    """Return the lane and the run that the fields of a page held last."""
    return _visits()[name].held if name in _visits() else None
