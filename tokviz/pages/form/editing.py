"""Opens the form of a page for one of its lanes or for their corpus, and closes it."""

from tokviz.pages.form.setup import another_algorithm, fill_form
from tokviz.pages.visit.visit import this_visit

#: In the place of a lane's number: the form is for the corpus of all of them.
ALL_LANES = -1


def edit(lane: int, copy_of: int | None = None) -> None:
    """Opens the form for a lane; what was typed there and not trained yet is still in it. A new
    lane begins as a copy of another one, or with an algorithm that none has yet."""
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
    """Opens the form for the corpus of all lanes."""
    visit = this_visit()
    fill_form(visit.lanes[0])
    visit.editing, visit.form_lane = ALL_LANES, None


def close() -> None:
    """Closes the form."""
    visit = this_visit()
    visit.editing = None
    visit.refused = visit.draft_back = None
