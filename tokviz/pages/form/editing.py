"""Open and close the panel of a lane's settings, and add lanes."""

from contextlib import suppress
from dataclasses import replace

from tokviz.pages.form.live import lanes_in_fields
from tokviz.pages.form.setup import fill_training
from tokviz.pages.visit.comparisons import fitted
from tokviz.pages.visit.visit import RunRequest, this_visit
from tokviz.server.runs import Run, run_from, trainable
from tokviz.trainers import TRAINERS


def edit(lane: int) -> None:
    """Open the panel for a lane, or close it if it is open for that one."""
    visit = this_visit()
    if visit.editing == lane:
        visit.editing = None
        return
    visit.editing = lane
    if visit.form_lane != lane:
        fill_training(trainable(visit.lanes[lane]))
        visit.form_lane = lane


def close() -> None:
    """Close the panel."""
    this_visit().editing = None


def add() -> None:
    """Request a lane with the first algorithm that no lane has, and open its panel."""
    lanes = lanes_in_fields()
    last, used = trainable(lanes[-1]), {run.algorithm for run in lanes}
    unused = [name for name in TRAINERS if name not in used]
    if unused:
        last = run_from(last.corpus, last.vocab_size, {"algorithm": unused[0]})
    _request(last)


def duplicate(lane: int) -> None:
    """Request a copy of a lane, and open its panel to change one thing in it."""
    _request(lanes_in_fields()[lane])


def _request(run: Run) -> None:
    visit = this_visit()
    with suppress(ValueError):  # Training says what is wrong.
        [run] = fitted([run])
    lane = len(visit.lanes)
    visit.wanted_lane, visit.editing = RunRequest(lane, run), lane


def train_on_text(lane: int) -> None:
    """Request a training on the text of a lane of a tokenizer's file."""
    visit = this_visit()
    visit.wanted_lane = RunRequest(lane, trainable(visit.lanes[lane]))


def train_further(lane: int, vocab_size: int) -> None:
    """Request a training of another size of a lane that goes on from a tokenizer's file."""
    visit = this_visit()
    visit.wanted_lane = RunRequest(lane, replace(visit.lanes[lane], vocab_size=vocab_size))
