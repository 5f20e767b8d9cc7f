"""The page Encode: any text, cut by the runs of the Train page as of several steps side by side."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from tokviz import SAMPLES, Cancelled
from tokviz.corpus import read_word_table
from tokviz.history import History
from tokviz.pages import markup
from tokviz.pages.asked import MOST_PINS, Asked, asked_from
from tokviz.pages.encoded import answer, encoders_of, unit_of
from tokviz.pages.lanes import facts, labels
from tokviz.pages.run import Run, history_of, place_for, sample_text
from tokviz.pages.stepper import links_of
from tokviz.pages.style import sentence
from tokviz.pages.traced import ENCODERS
from tokviz.pages.train import open_session
from tokviz.player.axis import ALIGNMENTS, make_axis
from tokviz.player.encoder import encoder
from tokviz.tokenizer import Tokenizer

#: Sentences to try; the first two are those of the course's chapters on BPE and WordPiece.
EXAMPLES = (
    "This is not a token.",
    "This is the Hugging Face course!",
    "naïve café 👩‍🚀 مرحبا 日本語",
)
#: Tokenizers that are kept for each run, and characters of a corpus's line that open the page.
MOST_TOKENIZERS, MOST_OPENED, MOST_READ = 16, 200, 10_000
#: The component's key in the session's state.
KEY = "encoder"


def page() -> None:
    """Draws the page for the lanes of the session. A visit that begins here opens what the address
    names, as the Train page does."""
    state = st.session_state
    if "lanes" not in state:
        open_session()
    if "link_refused" in state:
        sentence(state["link_refused"])
    lanes: tuple[Run, ...] = state["lanes"]
    try:
        histories = [history_of(run) for run in lanes]
    except (ValueError, Cancelled, MemoryError) as error:
        sentence(str(error) or "This run is too large for this computer.")
        return
    _stand(histories)
    _encode(lanes, histories, links_of(lanes))


def _stand(histories: Sequence[History]) -> None:
    """Finds out where the scrubber stands if no player did: in each lane, and as a position."""
    state = st.session_state
    if len(state.get("states", ())) != len(histories):
        axis = make_axis(histories, state["align"])
        state["position"] = min(state["start"], len(axis.values) - 1)
        state["states"] = [int(states[state["position"]]) for states in axis.states]


def _hear(moment: Any) -> bool:
    """Whether the browser knows a later moment of the player than the session, which then has it:
    a player that is left in the middle of a move has not reported yet."""
    state = st.session_state
    if not isinstance(moment, dict) or moment.get("align") not in ALIGNMENTS:
        return False
    states, position = moment.get("states"), moment.get("position")
    known = str(moment.get("id")).startswith(f"{state['visit']}/")
    if not known or not isinstance(states, list) or len(states) != len(state["states"]):
        return False
    if not all(type(n) is int and n >= 0 for n in (position, *states)):
        return False
    state["settled_align"], state["position"], state["states"] = moment["align"], position, states
    return True


@st.fragment
def _encode(lanes: Sequence[Run], histories: Sequence[History], links: list[str]) -> None:
    lane, way = _choices(lanes, histories)
    _answer(lanes[lane], histories[lane], lane, way, links)


@st.fragment
def _answer(run: Run, history: History, lane: int, way: str, links: list[str]) -> None:
    """The text and its tokens: what runs anew with every key, and so nothing else."""
    state = st.session_state
    # What the component said last is gone when the reader comes back to the page.
    said = (state.get(KEY) or {}).get("asked")
    asked = asked_from(said) if said else state.get("encode_asked", Asked())
    state["encode_asked"] = asked
    address = None
    if not said or _hear(said.get("moment")):
        # So that a reload comes back to it. It stays the same while somebody types.
        align = state.get("settled_align", state["align"])
        address = (links, state["position"], align)
    columns = [
        (t, tag, _tokenizer(run, history, t, way))
        for t, tag in columns_of(history, state["states"][lane], asked.pins)
    ]
    text = sentence_for(run) if asked.text is None else asked.text
    head = {
        "examples": EXAMPLES,
        "noun": unit_of(history),
        "most": MOST_PINS,
        "address": address,
    }
    drawn = place_for(run).setdefault(f"drawn {way}", {})
    encoder(answer(history, columns, asked, text, head, drawn), KEY)


def columns_of(history: History, here: int, pins: Sequence[int]) -> list[tuple[int, str]]:
    """The states that are shown, in order, each with what it is besides a pin.

    >>> import tokviz
    >>> columns_of(tokviz.train({"hugs": 10}, "bpe", 7), 1, [2, 9])
    [(1, 'here'), (2, ''), (3, 'end')]
    """
    last = len(history)
    tags = dict.fromkeys([pin for pin in pins if pin <= last][:MOST_PINS], "")
    tags[min(here, last)] = "here"
    tags[last] = "both" if here >= last else "end"
    return sorted(tags.items())


def sentence_for(run: Run) -> str:
    """What a run is first asked to encode: a sentence of its sample's published examples, or the
    beginning of its corpus.

    >>> from tokviz.pages.run import run_of_sample
    >>> sentence_for(run_of_sample(SAMPLES["course"]))
    'This is not a token.'
    >>> sentence_for(run_of_sample(SAMPLES["hug-pug"]))
    'hug pug pun bun hugs'
    """
    if run.corpus == sample_text(SAMPLES["course"]):
        return EXAMPLES[1] if run.algorithm == "wordpiece" else EXAMPLES[0]
    if run.is_table:
        return " ".join(list(read_word_table(run.corpus))[:6])[:MOST_OPENED]
    lines = (line.strip() for line in run.corpus[:MOST_READ].splitlines())
    return next((line[:MOST_OPENED] for line in lines if line), EXAMPLES[0])


def _tokenizer(run: Run, history: History, t: int, way: str) -> Tokenizer:
    """The tokenizer of a state, made once for everybody; only the last few are kept."""
    known: dict[tuple[int, str], Tokenizer] = place_for(run).setdefault("tokenizers", {})
    tokenizer = known.get((t, way)) or history.tokenizer(t, way)
    known[t, way] = tokenizer
    for key in list(known)[:-MOST_TOKENIZERS]:
        known.pop(key, None)
    return tokenizer


def _choices(lanes: Sequence[Run], histories: Sequence[History]) -> tuple[int, str]:
    """What the page encodes with: the lane, and the way its words are cut."""
    names = labels(lanes)
    with st.container(horizontal=True, vertical_alignment="center", key="encode_choices"):
        summary = st.container(width="content")
        lane = 0
        if len(lanes) > 1:
            lane = st.segmented_control(
                "Lane",
                range(len(lanes)),
                format_func=lambda i: markup.label(names[i]),
                default=0,
                key=f"encode_lane_{len(lanes)}",
                required=True,
                label_visibility="collapsed",
                persist_state="session",
            )
        ways = encoders_of(histories[lane])
        way = ways[0]
        if len(ways) > 1:
            way = st.segmented_control(
                "How words are cut",
                ways,
                format_func=ENCODERS.__getitem__,
                default=ways[0],
                key="encode_way_" + "_".join(ways),
                required=True,
                label_visibility="collapsed",
                persist_state="session",
            )
    with summary:
        rows = {"Corpus": lanes[lane].title, **facts(lanes[lane])}
        cells = "".join(
            f"<div><dt>{k}</dt><dd><bdi>{markup.text(v)}</bdi></dd></div>" for k, v in rows.items()
        )
        st.html(
            '<h1 class="tv-unseen">A text in tokens, as of several steps</h1>'
            f'<dl class="tv-setup">{cells}</dl>'
        )
    return lane, way
