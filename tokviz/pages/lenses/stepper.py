"""Draw the player of one to four lanes, and the lens for the player's position."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import streamlit as st

from tokviz.analysis.axis import Axis, make_axis
from tokviz.basics.messages import _, current, here, message, sentences
from tokviz.history.base import History
from tokviz.narration.choosing import chooses
from tokviz.pages.lenses.branches import ask_for_branch, offers
from tokviz.pages.lenses.character_lens import character_lens
from tokviz.pages.lenses.text_tokens import encode_lens
from tokviz.pages.lenses.token_lens import token_lens
from tokviz.pages.lenses.word_lens import beside_of, word_page
from tokviz.pages.visit.address import MOST_READ, Query
from tokviz.pages.visit.lanes import labels, lane_choice
from tokviz.pages.visit.link import address_of
from tokviz.pages.visit.opening import WENT
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets import markup
from tokviz.pages.widgets.column_labels import explained_columns, reason
from tokviz.pages.widgets.keys import BRANCH_HEARD, LENS, LENS_TOKEN, LOOKED, PLAYER, PLAYER_DRAWN
from tokviz.pages.widgets.put import keyed, put, value_of
from tokviz.player.address import in_address
from tokviz.player.moment import Moment, hear_moment, moment_of
from tokviz.player.packed_lane import packed_lane
from tokviz.player.player import name_of, player
from tokviz.player.vocabulary import knows_all_tokens, vocabulary_lens
from tokviz.server import page_limits
from tokviz.server.draw_queue import in_turn
from tokviz.server.histories import kept, kept_packed
from tokviz.server.runs import Run

#: Most rows of a lens; the history has the whole table.
MOST_ROWS = 5000
#: How many steps before and after the present one are narrated.
AROUND = 200
#: Most narrated steps that are cached for a run.
MOST_NARRATED = 2000


#: The lenses by their names in the session and the address.
LENSES = {
    "scores": message("Score table"),
    "vocabulary": message("Vocabulary"),
    "steps": message("Steps"),
    "word": message("A word"),
    "token": message("A token"),
    "encode": message("Encode"),
    # Of lanes that choose them only.
    "characters": message("Characters"),
}
_USUAL_LENS = "vocabulary"


@st.fragment
@in_turn
def stepper(
    histories: Sequence[History], lanes: Sequence[Run], choices: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Draw the player, and the lens for the position at which the player stopped. `choices` are
    those of `player`."""
    if st.session_state.pop(BRANCH_HEARD, False):
        st.rerun()
    draw_player(
        *(histories, lanes, open_clicked, offers(lanes), ask_for_branch),
        choices=choices,
        set_up=True,
    )
    _settled(histories, lanes)


@st.fragment
@in_turn
def _settled(histories: Sequence[History], lanes: Sequence[Run]) -> None:
    """Draw only the lens again when the player stops at another position."""
    axis, position = position_of_player(histories)
    with st.container(key="lenses"):
        _lenses(histories, lanes, labels(lanes), this_visit().states, axis, position)
    in_address(_lens_parts(len(lanes)))
    hear_moment("settled")


def _lens_parts(n_lanes: int) -> dict[str, str]:
    """Return the parameters of the address for the lens."""
    lens: str = value_of(LENS)
    parts = {} if lens == _USUAL_LENS else {"lens": lens}
    if lane := value_of(f"lens_lane_{n_lanes}"):
        parts["of"] = str(lane)
    if lens == "token" and (token := value_of(LENS_TOKEN)):
        parts["find"] = token[:MOST_READ]
    return parts


def restore_lens(query: Query, histories: Sequence[History]) -> None:
    """Open the lens that an address names, with its word or token."""
    state, lanes = st.session_state, len(histories)
    if lens := query.choice("lens", message("lens"), {name: name for name in LENSES}):
        put(LENS, lens)
    of = query.choice("of", message("lane"), {str(lane): lane for lane in range(lanes)})
    if of and lanes > 1:
        put(f"lens_lane_{lanes}", of)
    if word := query.text("word"):
        state[LOOKED] = {"typed": word, "form": word}
    if token := query.text("find"):
        put(LENS_TOKEN, token)


def draw_player(
    histories: Sequence[History],
    lanes: Sequence[Run],
    on_look: Callable[[], None] | None = None,
    what_if: Sequence[str | None] = (),
    on_what_if: Callable[[], None] | None = None,
    curves: bool = True,
    choices: Sequence[Mapping[str, Any]] = (),
    presented: bool = False,
    set_up: bool = False,
) -> tuple[Axis, int]:
    """Draw the player; return its axis and the position at which it stopped. The callbacks,
    `what_if`, `curves`, `set_up` and `choices` are those of `player`; where only who presents asks
    for lenses, it is `presented`."""
    names = labels(lanes)
    blobs = [_blob(*lane, len(lanes)) for lane in zip(histories, lanes, names, strict=True)]
    visit = this_visit()
    align = visit.align if len(lanes) > 1 else "step"
    player(
        *(blobs, address_of(lanes), visit.start, align, visit.look, visit.number, "player"),
        *(on_look, visit.cue, what_if, on_what_if, st.query_params.get(WENT, ""), curves),
        typed=lanes[0].corpus.text if on_look and not presented else None,
        has_languages=lanes[0].corpus.has_languages,
        lenses=on_look is not None and not presented,
        set_up=set_up,
        most_tokens=page_limits.vocabulary(),
        choices=choices,
    )
    st.session_state[PLAYER_DRAWN] = name_of(visit.number, blobs), align, visit.start
    return position_of_player(histories)


def position_of_player(histories: Sequence[History]) -> tuple[Axis, int]:
    """Return the axis of the player that was drawn last, and the position at which it stopped."""
    visit = this_visit()
    state = st.session_state
    _name, align, position = state[PLAYER_DRAWN]
    if moment := _moment():
        align, position = moment.align, moment.position
        visit.settled_align = align
    axis = make_axis(histories, align)
    position = min(position, len(axis.values) - 1)
    # The page Encode shows the same states.
    visit.position = position
    visit.states = [int(states[position]) for states in axis.states]
    return axis, position


def _moment() -> Moment | None:
    """Return the moment at which the last drawn player stopped, or None if it has not yet."""
    state = st.session_state
    told = [(state.get(key) or {}).get("moment") for key in ("player", "settled")]
    return moment_of(told, state[PLAYER_DRAWN][0])


def open_clicked() -> None:
    """Open the lens that the visitor chose in the player, for the word or the token that was
    chosen there, if one was."""
    if lens := clicked():
        put(LENS, lens)


def clicked() -> str | None:
    """Return the lens that the visitor chose in the player, None if none; it will be about the word
    or the token that was chosen there, if one was."""
    state = st.session_state
    said = (state.get(PLAYER) or {}).get("look")
    if not isinstance(said, dict):
        return None
    what = said.get("what")
    if not isinstance(what, str) or what not in LENSES:
        return None
    # A slow page may ask for the lens of a scene that it has left by now.
    cue = this_visit().cue
    if cue is not None and said.get("cue", cue["number"]) != cue["number"]:
        return None
    if what == "word" and ("number" in said or "typed" in said):
        state[LOOKED] = said
    elif what == "token" and "token" in said:
        # A text field cannot hold a lone surrogate.
        token = str(said["token"]).encode("utf-8", "replace").decode("utf-8")
        put(LENS_TOKEN, token)
    lane, count = said.get("lane"), len(this_visit().lanes)
    if count > 1 and lane in range(count):
        put(f"lens_lane_{count}", lane)
    return what


def _blob(history: History, run: Run, label: str, n_lanes: int) -> bytes:
    """Return the packed history, cached for all visitors."""

    def made() -> bytes:
        text = None if run.corpus.is_table else run.corpus.plain
        return packed_lane(history, text, label, n_lanes)

    return kept_packed(run, label, n_lanes, made)


def _lenses(
    histories: Sequence[History],
    lanes: Sequence[Run],
    names: list[str],
    states: list[int],
    axis: Axis,
    position: int,
) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    choosing = any(map(chooses, histories))
    offered = [name for name in LENSES if choosing or name != "characters"]
    if value_of(LENS) not in (None, *offered):
        put(LENS, _USUAL_LENS)
    lens = row.segmented_control(
        _("Lens"),
        offered,
        format_func=lambda name: here(LENSES[name]),
        required=True,
        label_visibility="collapsed",
        **keyed(LENS, _USUAL_LENS),
    )
    with row:
        lane = lane_choice(names, "lens_lane")
    draw_lens(lens or _USUAL_LENS, histories, lanes, lane, states[lane], axis, position)


def draw_lens(
    lens: str,
    histories: Sequence[History],
    lanes: Sequence[Run],
    lane: int,
    t: int,
    axis: Axis,
    position: int,
) -> None:
    """Draw a lens of a lane in state t."""
    history = histories[lane]
    columns: dict[str, Any]
    if lens == "scores":
        candidates = history.candidates(t, None)
        columns = {
            str(name): column.to_numpy() for name, column in candidates.head(MOST_ROWS).items()
        }
        _table(columns, len(candidates), _("The score table at this step."))
    elif lens == "vocabulary" and knows_all_tokens(history):
        _caption(_("The vocabulary at this step. Step 0 means: there from the start."))
        vocabulary_lens(lane)
    elif lens == "vocabulary":
        size, births, tokens = history.vocab_size(t), history.births(t), history.vocab(t)
        # What merges made comes first: there may be more tokens before them than rows.
        order = np.argsort(-births, kind="stable") if history.merges else np.arange(size)
        order = order[:MOST_ROWS]
        columns = {
            "id": order,
            "token": [tokens[i] for i in order.tolist()],
            "made by step": births[order],
            "count now": history.token_counts(t)[order],
        }
        said = _("The vocabulary at this step. Step 0 means: there from the start.")
        _table(columns, size, said)
    elif lens == "steps":
        first = max(1, t - AROUND)
        numbers = range(first, min(len(history), first + 2 * AROUND) + 1)
        columns = {"step": numbers, "what happened": _narrated(lanes[lane], history, numbers)}
        said = _("The steps before and after the present one. {stopped}", stopped=history.stopped)
        _table(columns, len(numbers), said)
    elif lens == "encode":
        encode_lens(lanes[lane], history, lane)
    elif lens == "word":
        states = [int(found[position]) for found in axis.states]
        word_page(
            history, lanes[lane], lane, t, histories, beside_of(lane, histories, lanes, states)
        )
    elif lens == "token":
        own = axis._replace(states=[axis.states[lane]])
        token_lens(lanes[lane], history, t, own, float(axis.values[position]))
    elif lens == "characters":
        character_lens(history)


def _narrated(run: Run, history: History, steps: range) -> list[str]:
    """Return the narration of each step in the language of the page, cached for all visitors."""
    told: dict[int, str] = kept(run, "narrated", 2, current(), dict)
    if len(told) > MOST_NARRATED:
        told.clear()
    lines = []
    for step in steps:
        # Another session may clear the cache at the same time.
        if (line := told.get(step)) is None:
            line = told[step] = here(history.narrate(step))
        lines.append(line)
    return lines


def _caption(text: str) -> None:
    st.html(f'<p class="tv-caption">{markup.text(text)}</p>')


def _table(columns: Mapping[str, Sequence[Any]], rows: int, caption: str) -> None:
    """Draw the first rows of a table that has `rows` rows."""
    drawn: dict[str, Any] = {}
    for name, values in columns.items():
        if len(values) and isinstance(values[0], str):
            show = reason if name == "reason" else markup.visible
            drawn[name] = pa.array(map(show, values), pa.string())
        else:
            # NaN becomes null, as in a data frame.
            drawn[name] = pa.array(values, from_pandas=True)
    if rows > MOST_ROWS:
        more = _("The first {n:,} of {all:,} rows.", n=MOST_ROWS, all=rows)
        caption = here(sentences(caption, more))
    _caption(caption)
    # Arrow directly: a data frame would take half of the lens's time.
    table = pa.table(drawn)
    st.dataframe(table, hide_index=True, height=320, column_config=explained_columns(drawn))
