"""Train what the fields of the set-up hold and show it at once, where that takes a moment.

The text and the size of the set-up are those of all lanes; the other fields hold the settings of
one lane, `Visit.form_lane`.
"""

from collections.abc import Sequence
from dataclasses import replace

from tokviz import Cancelled
from tokviz.basics.messages import _, here, message, said_by
from tokviz.pages.form.draft import take_draft_back
from tokviz.pages.form.setup import MOST_COUNTED, fill_what_can_be, run_in_form, set_size
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.open_lanes import replace_lanes
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.style import in_one_place
from tokviz.server import page_limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.jobs import draw_next, history_of
from tokviz.server.runs import Run, trainable, trained_here
from tokviz.server.waiting import TakesLong, briefly

#: Seconds of a worker that a change may take to be trained without a button.
MOMENT = 0.5
#: The same for texts of so many characters in all lanes together: any algorithm trains these in a
#: moment. What takes longer is a busy machine, or a worker that loads SentencePiece's normalizer
#: first; a browser has them on the page already, and a class waits for them.
PATIENCE, LITTLE = 10.0, 30_000


@in_one_place
def follow_fields() -> None:
    """Train what the fields hold if it is not on the page, and show it there. If that takes long or
    is not possible, the page stays as it is and says why."""
    visit = this_visit()
    lost = take_draft_back()
    if visit.form_lane is None:
        _fill()
    asked = lanes_in_fields()
    if asked != visit.long_lanes:
        visit.long_lanes, visit.strip_said = (), None
        if _keys(asked) != _keys(visit.lanes):
            _train(asked)
    if lost:
        visit.refused = lost


def _keys(lanes: Sequence[Run]) -> list[object]:
    return [trained_here(run).key for run in lanes]


def _fill() -> None:
    """Fill the fields with a lane, and with what was typed for it or for all."""
    visit = this_visit()
    lane, held = visit.held or (0, trainable(visit.lanes[0]))
    wanted = lane if visit.editing is None else visit.editing
    visit.form_lane = min(wanted, len(visit.lanes) - 1)
    if visit.form_lane != lane:
        held = replace(trainable(visit.lanes[visit.form_lane]), corpus=held.corpus)
    fill_what_can_be(held)


def lanes_in_fields() -> tuple[Run, ...]:
    """Return the lanes as the fields have them, not checked yet."""
    visit = this_visit()
    lanes, lane, typed = list(visit.lanes), visit.form_lane or 0, run_in_form()
    if not lanes[lane].of_tokenizer:
        own = replace(typed, corpus=lanes[lane].corpus)
        if own.key != trained_here(lanes[lane]).key:
            lanes[lane] = own
    if visit.size_of_all is not None:
        lanes = _of_size(lanes, visit.size_of_all)
    if typed.corpus.key != visit.lanes[0].corpus.key:
        lanes = _with_room([replace(trained_here(run), corpus=typed.corpus) for run in lanes])
        if not lanes[lane].of_tokenizer:
            set_size(lanes[lane].vocab_size)
    return tuple(lanes)


def _of_size(lanes: Sequence[Run], size: int) -> list[Run]:
    return [
        run
        if run.of_tokenizer or run.vocab_size == size
        else page_limits.with_room(replace(trained_here(run), vocab_size=size))
        for run in lanes
    ]


def _with_room(lanes: list[Run]) -> list[Run]:
    """Return lanes with a new text; if it has more characters than tokens were asked for in one of
    them, all get twice as many tokens as it has characters."""
    text = lanes[0].corpus.text
    trained = [run for run in lanes if not run.of_tokenizer]
    if not text.strip() or len(text) > MOST_COUNTED or not trained:
        return lanes
    try:
        least = max(possible_sizes(run)[1] for run in trained)
    except ValueError:
        return lanes  # Training says what is wrong.
    if min(run.vocab_size for run in trained) > least:
        return lanes
    return _of_size(lanes, min(page_limits.vocabulary(), 2 * least))


def _train(lanes: tuple[Run, ...]) -> None:
    visit = this_visit()
    if not lanes[0].corpus.text.strip():
        visit.strip_said = message("Type or paste a text: it is trained as you type.")
        return
    names = labels(lanes)
    little = sum(len(run.corpus.text) for run in lanes) <= LITTLE
    for lane, run in enumerate(lanes):
        draw_next(run, names[lane], len(lanes))
        try:
            history_of(run, briefly(PATIENCE if little else MOMENT))
        except TakesLong as error:
            visit.long_lanes, visit.strip_said = lanes, said_by(error)
            return
        except (ValueError, Cancelled) as error:
            visit.strip_said = _of_lane(lanes, lane, said_by(error))
            return
        except MemoryError:
            visit.strip_said = _(
                "The corpus is too large for this computer; train on a shorter text."
            )
            return
    replace_lanes(lanes)


def _of_lane(lanes: Sequence[Run], lane: int, said: str) -> str:
    """Return a sentence on a lane, with its name if there are others."""
    if len(lanes) == 1:
        return said
    return _("{lane}: {said}", lane=labels(lanes)[lane], said=here(said))


def train_long() -> None:
    """Request what takes long to train."""
    visit = this_visit()
    visit.wanted_live = visit.long_lanes
