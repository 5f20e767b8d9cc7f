"""The lens "A word": how one word is segmented in every state, and why.

The word is clicked in the player or typed. It is a word of the run's pre-tokenizer, with the space
before it if the pre-tokenizer keeps that.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from tokviz.basics.messages import _, current, said_by
from tokviz.history.base import History
from tokviz.pages.lenses.word_views import removal_view, word_view
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.keys import LOOKED, WORD_REQUEST, WORD_SAID
from tokviz.pictures.files import KINDS, MOST, WIDTH, can_convert
from tokviz.pictures.words import MOST_DRAWN
from tokviz.player.address import in_address
from tokviz.player.word import word_lens
from tokviz.server.draw_queue import in_turn
from tokviz.server.histories import entry_for, kept
from tokviz.server.runs import Run

#: Limits: characters of a typed word; words searched for the first one, and its characters; forms
#: of a typed word; views cached for a run.
MOST_TYPED, MOST_SEARCHED, LONGEST_FIRST, MOST_FORMS, MOST_VIEWS = 200, 400, 14, 6, 32
#: Words with interesting trees or lattices, for samples that contain them.
TELLING = ("pug", " tokenization", "mountains", " mountains")
#: Widths of a figure: one column of a paper, two columns, and more than a page.
_WIDTHS = (WIDTH, 2 * WIDTH, MOST)
#: The component's key in the session state.
KEY = "word_lens"


class WordRequest(NamedTuple):
    """A request of the browser: `typed` is the text in the field, `word` the word itself, and
    `removed` the edges removed from the lattice of `state`. `figure` is the file format in which
    that state's figure is to be saved, if any."""

    typed: str = ""
    word: str = ""
    state: int = -1
    removed: tuple[int, ...] = ()
    figure: str = ""


class Beside(NamedTuple):
    """A lane whose picture of the word stands beside that of the chosen one."""

    lane: int
    history: History
    run: Run
    state: int
    #: What the two lanes are called, the chosen one first.
    names: tuple[str, str]


def beside_of(
    lane: int, histories: Sequence[History], runs: Sequence[Run], states: Sequence[int]
) -> Beside | None:
    """Return the first lane that has the other kind of picture: lattices beside a tree, a tree
    beside lattices. `states` are those of all lanes."""
    merges = [history.merges for history in histories]
    for other, found in enumerate(histories):
        if merges[other] != merges[lane]:
            names = labels(runs)
            return Beside(other, found, runs[other], states[other], (names[lane], names[other]))
    return None


@st.fragment
@in_turn
def word_page(
    history: History,
    run: Run,
    lane: int,
    t: int,
    lanes: Sequence[History],
    beside: Beside | None = None,
) -> None:
    """Draw the lens for a lane in state t; a request reruns only this fragment."""
    state, number = st.session_state, this_visit().number
    said = (state.get(KEY) or {}).get("asked")
    if isinstance(said, dict) and said.get("serial") != state.get(WORD_SAID):
        state[WORD_SAID] = said.get("serial")
        state[WORD_REQUEST] = number, request_from(said, history, lanes)
    if looked := state.pop(LOOKED, None):
        state[WORD_REQUEST] = number, request_from(looked, history, lanes)
    visit, request = state.get(WORD_REQUEST, (number, None))
    here = request is not None and visit == number and len(request.word) <= MOST_TYPED
    in_address({"word": request.word} if here and request.word else {})
    shown = fitting(history, request, visit == number)
    word_lens(answer(history, run, lane, t, shown, beside), KEY)


def fitting(history: History, request: WordRequest | None, here: bool) -> WordRequest:
    """Return the request with a word that this run's pre-tokenizer makes. A request for another run
    (not `here`) is kept only if the corpus has its word; otherwise the first word is shown.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", 7, "whitespace")
    >>> [fitting(history, WordRequest(typed, typed), False).word for typed in (" hug", "hat")]
    ['hug', 'pug']
    """
    if request is None:
        return first_word(history)
    if history.count_of(request.word) or (
        here and request.word in forms_of(history, request.typed)
    ):
        return request
    typed = request.typed.strip()
    word = best_form(history, typed)
    return WordRequest(typed, word) if here or history.count_of(word) else first_word(history)


def request_from(said: Any, history: History, lanes: Sequence[History]) -> WordRequest | None:
    """Return the valid part of what the browser sent, or None if it is no request.

    >>> import tokviz
    >>> history = tokviz.train({" hug": 10, "pug": 5}, "bpe", 7, "gpt2")
    >>> request_from({"lane": 0, "number": 0}, history, [history])
    WordRequest(typed=' hug', word=' hug', state=-1, removed=(), figure='')
    >>> request_from({"typed": "hug"}, history, [history])
    WordRequest(typed='hug', word=' hug', state=-1, removed=(), figure='')
    """
    lane, number, typed, form = (said.get(k) for k in ("lane", "number", "typed", "form"))
    if type(number) is int and type(lane) is int and 0 <= lane < len(lanes):
        words = lanes[lane].words.words
        typed = word = words[number] if 0 <= number < len(words) else ""
        if word and not history.count_of(word):
            # Another lane's pre-tokenizer makes other words.
            typed = word.strip()
            word = best_form(history, typed)
    elif isinstance(typed, str):
        typed = typed[:MOST_TYPED]
        word = form[:MOST_TYPED] if isinstance(form, str) else best_form(history, typed)
    else:
        return None
    removed, state = said.get("removed"), said.get("state")
    if not isinstance(removed, list) or type(state) is not int:
        return WordRequest(typed, word)
    numbers = tuple(i for i in removed if type(i) is int and i >= 0)
    figure = said.get("figure")
    return WordRequest(typed, word, state, numbers, figure if figure in _kinds() else "")


def forms_of(history: History, typed: str) -> list[str]:
    """Return the words that a typed text can be: alone, and inside a text, where the space before
    it may belong to it.

    >>> import tokviz
    >>> forms_of(tokviz.train("a hug", "bpe", 7, "gpt2"), "hug")
    ['hug', ' hug']
    >>> forms_of(tokviz.train("a hug", "bpe", 7, "bert"), "hugs!")
    ['hugs', '!']
    """
    words = [word.text for word in history.pretokenizer.words(typed)]
    inside = [word.text for word in history.pretokenizer.words(f"x {typed}")][1:]
    if len(words) == 1 and len(inside) == 1:
        words += inside
    return list(dict.fromkeys(words))[:MOST_FORMS]


def best_form(history: History, typed: str) -> str:
    """Return the first form that is in the corpus, else the first form."""
    forms = forms_of(history, typed)
    return next((form for form in forms if history.count_of(form)), forms[0] if forms else "")


def first_word(history: History) -> WordRequest:
    """Return the word that the lens opens with: one of `TELLING`, else a long one that fits.

    >>> import tokviz
    >>> first_word(tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", 7)).word
    'pug'
    >>> first_word(tokviz.train({"low": 5, "newest": 6, "widest": 3}, "bpe", 12)).word
    'newest'
    """
    words = history.words.words[:MOST_SEARCHED]
    word = next((word for word in TELLING if word in words), None)
    if word is None:
        short = [word for word in words if len(word) <= LONGEST_FIRST]
        word = max(short, key=len) if short else min(words, key=len, default="")
    return WordRequest(word, word)


def answer(
    history: History,
    run: Run,
    lane: int,
    t: int,
    request: WordRequest,
    beside: Beside | None = None,
) -> bytes:
    """Return everything the browser draws of a word, as ASCII JSON; `beside` is drawn too."""
    said: dict[str, Any] = {
        "serial": st.session_state.get(WORD_SAID) or 0,
        "typed": request.typed,
        "count": history.count_of(request.word),
        "forms": [[form, history.count_of(form)] for form in _forms(history, request)],
        "kinds": _kinds(),
        **_drawn(history, run, lane, t, request.word),
    }
    if said["kind"] == "lattice" and request.removed and request.state == t:
        removal = removal_view(history, request.word, t, list(request.removed))
        # The lattice of another word may lack those edges.
        if removal["edges"]:
            said["removal"] = removal
    if said["kind"] != "none" and beside:
        # Another pre-tokenizer makes other words.
        word = request.word
        if not beside.history.count_of(word):
            word = best_form(beside.history, word.strip())
        said["name"] = beside.names[0]
        said["beside"] = {
            **_drawn(beside.history, beside.run, beside.lane, beside.state, word),
            "name": beside.names[1],
        }
    if said["kind"] != "none" and request.figure and request.state in range(len(history) + 1):
        # It stays in the answers until the next request: of two that follow each other closely
        # the browser may get the last one only. It saves the figure of a request once.
        which = request.word, request.state, request.figure, current()
        said["figure"] = kept(run, "figures", 2, which, partial(_figure, history, request))
    return json.dumps(said, separators=(",", ":")).encode("ascii")


def _drawn(history: History, run: Run, lane: int, t: int, word: str) -> dict[str, Any]:
    """Return what is drawn of a word in a lane, or a note on why there is nothing."""
    said: dict[str, Any] = {
        "lane": lane,
        "state": t,
        "last": len(history),
        "noun": history.step_noun,
        "unit": history.spelling.unit,
        "algorithm": history.algorithm,
        "word": word,
    }
    if not word:
        note = _("Type a word, or choose one in the corpus above.")
    elif len(word) > MOST_DRAWN:
        note = _(
            "This word has {n:,} characters; words of up to {most} are drawn. Type a part of it.",
            n=len(word),
            most=MOST_DRAWN,
        )
    else:
        return said | _view(history, run, word, t)
    return said | {"kind": "none", "note": note}


def _kinds() -> list[str]:
    """Return the file formats of figures that are possible here."""
    return [*KINDS] if can_convert() else ["svg"]


def _figure(history: History, request: WordRequest) -> dict[str, Any]:
    """Return the figure of a word as a file, in the first width that has room for it, or an
    error."""
    said = {}
    for width in _WIDTHS:
        try:
            data = history.word_chart(request.word, request.state, width).file(request.figure)
        except ValueError as error:
            said = {"error": said_by(error)}
            continue
        kind = KINDS[request.figure]
        return {"kind": request.figure, "type": kind, "data": b64encode(data).decode("ascii")}
    return said


def _forms(history: History, request: WordRequest) -> list[str]:
    return (
        list(dict.fromkeys([*forms_of(history, request.typed), request.word]))
        if request.word
        else []
    )


def _view(history: History, run: Run, word: str, t: int) -> dict[str, Any]:
    """Return the view of a word, cached for all visitors; only the last few are kept."""
    known: dict[str, dict[str, Any]] = entry_for(run).setdefault("word_views", {})
    view = known.get(word)
    if view is None or (view["kind"] == "lattice" and str(t) not in view["frames"]):
        view = word_view(history, word, t)
    known[word] = view
    for key in list(known)[:-MOST_VIEWS]:
        known.pop(key, None)
    return view
