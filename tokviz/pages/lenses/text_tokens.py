"""The tokens of a text at several steps side by side, for the page Encode and the lens Encode."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import streamlit as st

from tokviz.basics.messages import _, said_by
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.history.base import History
from tokviz.pages.lenses.encoded import answer
from tokviz.pages.lenses.traced import ENCODERS
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.encode_request import MOST_PINS, EncodeRequest, request_from
from tokviz.pages.widgets.style import sentence
from tokviz.player.encoder import encoder
from tokviz.pretokenizers import PatternError
from tokviz.server.draw_queue import in_turn, others_first
from tokviz.server.histories import entry_for
from tokviz.server.runs import Run, sample_of
from tokviz.text.word_table import read_word_table

#: Sentences to try; the first two are from the course's chapters on BPE and WordPiece.
_PUBLISHED = {"bpe": "This is not a token.", "wordpiece": "This is the Hugging Face course!"}
EXAMPLES = (*_PUBLISHED.values(), "naïve café 👩‍🚀 مرحبا 日本語")
#: Most tokenizers cached for a run; characters of a corpus line that is encoded first; characters
#: of the corpus that are searched for it.
MOST_TOKENIZERS, MOST_OPENED, MOST_READ = 16, 200, 10_000
#: Characters of a text from which on other pages are drawn meanwhile.
LONG_TEXT = 4_000
#: The component's key in the session state.
KEY = "encoder"


def encode_lens(run: Run, history: History, lane: int) -> None:
    """Draw the lens: a text at the player's step, at the end, and at pinned steps."""
    text_in_tokens(run, history, lane, way_to_cut(history), _no_address)


def _no_address(_said: Any) -> None:
    """Leave the address alone: on the page Train, it describes the player."""


def way_to_cut(history: History) -> str:
    """Draw the choice of an encoder, if the run's tokenizer has several, and return it."""
    ways = history.encoders
    if len(ways) == 1:
        return ways[0]
    way: str = st.segmented_control(
        _("How words are cut"),
        ways,
        format_func=lambda way: _(ENCODERS[way]),
        default=ways[0],
        key="encode_way_" + "_".join(ways),
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    return way


@st.fragment
@in_turn
def text_in_tokens(
    run: Run,
    history: History,
    lane: int,
    way: str,
    address: Callable[[Any], Any],
    key: str = KEY,
) -> None:
    """Draw the text and its tokens; each key press reruns only this fragment. `address` gets the
    browser's last message, and returns new parameters of the address, or None. The request is in
    the session state under `request_key(key)`."""
    state = st.session_state
    # The component's message is lost when the visitor leaves the page.
    said = (state.get(key) or {}).get("asked")
    request = request_from(said) if said else state.get(request_key(key), EncodeRequest())
    state[request_key(key)] = request
    told = address(said)
    columns = [
        (t, tag, _tokenizer(run, history, t, way))
        for t, tag in columns_of(history, this_visit().states[lane], request.pins)
    ]
    text = sentence_for(run) if request.text is None else request.text
    head = {
        "examples": EXAMPLES,
        "noun": history.step_noun,
        "most": MOST_PINS,
        "address": told,
        # The lesson's text is not the visitor's own.
        "kept": key == KEY,
    }
    drawn, refused = entry_for(run).setdefault(f"drawn {way}", {}), ""
    try:
        with others_first() if len(text) > LONG_TEXT else nullcontext():
            data = answer(history, columns, request, text, head, drawn)
    except (PatternError, TokenizerFileError) as error:
        # The field keeps the typed text.
        data, refused = answer(history, columns, request, "", head, drawn), said_by(error)
    encoder(data, key)
    if refused:
        sentence(refused)


def request_key(key: str = KEY) -> str:
    """Return the session key of a component's request; the page Encode and the lens share one."""
    return "encode_asked" if key == KEY else f"{key}_asked"


def columns_of(history: History, here: int, pins: Sequence[int]) -> list[tuple[int, str]]:
    """Return the states to show, sorted, each with its tag ("" for a pin).

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
    """Return the text that is encoded first for a run: an example of its sample, or the start of
    its corpus.

    >>> from tokviz import SAMPLES
    >>> from tokviz.server.runs import run_of_sample
    >>> sentence_for(run_of_sample(SAMPLES["course"]))
    'This is not a token.'
    >>> sentence_for(run_of_sample(SAMPLES["hug-pug"]))
    'hug pug pun bun hugs'
    """
    if sample_of(run.corpus) == "course":
        return _PUBLISHED.get(run.algorithm, EXAMPLES[0])
    if run.corpus.is_table:
        return " ".join(list(read_word_table(run.corpus.text))[:6])[:MOST_OPENED]
    lines = (line.strip() for line in run.corpus.beginning(MOST_READ).splitlines())
    return next((line[:MOST_OPENED] for line in lines if line), EXAMPLES[0])


def _tokenizer(run: Run, history: History, t: int, way: str) -> Tokenizer:
    """Return the tokenizer of a state, cached for all visitors; only the last few are kept."""
    known: dict[tuple[int, str], Tokenizer] = entry_for(run).setdefault("tokenizers", {})
    tokenizer = known.get((t, way)) or history.tokenizer(t, way)
    known[t, way] = tokenizer
    for key in list(known)[:-MOST_TOKENIZERS]:
        known.pop(key, None)
    return tokenizer
