"""Open the form of a page for one of its lanes or for their corpus, and close it."""

from tokviz.pages.form.setup import another_algorithm, fill_form
from tokviz.pages.visit.visit import this_visit

#: Used as a lane's number: the form is for the corpus of all lanes.
ALL_LANES = -1


def edit(lane: int, copy_of: int | None = None) -> None:
    """Open the form for a lane; untrained changes are still in it. A new lane starts as a copy of
    another, or with an algorithm that no lane has."""
    visit = this_visit()
    if copy_of is not None:
        fill_form(visit.lanes[copy_of])
    elif visit.form_lane != lane:
        if lane < len(visit.lanes):
            fill_form(visit.lanes[lane])
        else:
            another_algorithm(visit.lanes)
    visit.form_lane = visit.editing = lane


def edit_corpus() -> None:
    """Open the form for the corpus of all lanes."""
    visit = this_visit()
    fill_form(visit.lanes[0])
    visit.editing, visit.form_lane = ALL_LANES, None


def close() -> None:
    """Close the form."""
    visit = this_visit()
    visit.editing = None
    visit.refused = visit.draft_back = None
