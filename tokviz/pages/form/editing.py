"""Open the form of a page for one of its lanes or for their corpus, and close it."""

from tokviz.pages.form.setup import another_algorithm, fill_form, run_in_form
from tokviz.pages.visit.visit import this_visit

#: Used as a lane's number: the form is for the corpus of all lanes.
ALL_LANES = -1


def edit(lane: int, copy_of: int | None = None) -> None:
    """Open the form for a lane; untrained changes are still in it. A new lane starts as a copy of
    another, or with an algorithm that no lane has."""
    visit = this_visit()
    kept_lane, kept_run = visit.kept_form or (None, None)
    if copy_of is not None:
        fill_form(visit.lanes[copy_of])
    elif visit.form_lane != lane:
        if kept_run is not None and kept_lane == lane:
            fill_form(kept_run)
        elif lane < len(visit.lanes):
            fill_form(visit.lanes[lane])
        else:
            another_algorithm(visit.lanes)
    visit.form_lane = visit.editing = lane
    visit.kept_form = None


def edit_corpus() -> None:
    """Open the form for the corpus of all lanes."""
    visit = this_visit()
    fill_form(visit.lanes[0])
    visit.editing, visit.form_lane = ALL_LANES, None


def close() -> None:
    """Close the form. What was typed for a further lane is kept: the open set-up of the only lane
    has the same fields."""
    visit = this_visit()
    if visit.editing is not None and visit.editing >= len(visit.lanes):
        visit.kept_form = visit.editing, run_in_form()
    visit.editing = None
    visit.refused = visit.draft_back = None
