"""The lens "A word": how one word is cut, in every state, and why.

A word comes from a chip that was clicked in the player, or is typed. It is the word as the run's
pre-tokenizer gives it: with the space before it, where that belongs to words.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from tokviz.basics.messages import _, said_by
from tokviz.history.base import History
from tokviz.pages.lenses.word_views import removal_view, word_view
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.keys import LOOKED, WORD_ASKED, WORD_SAID
from tokviz.pictures.files import KINDS, MOST, WIDTH, can_convert
from tokviz.pictures.words import MOST_DRAWN
from tokviz.player.address import in_address
from tokviz.player.word import word_lens
from tokviz.server.draw_queue import in_turn
from tokviz.server.histories import place_for
from tokviz.server.runs import Run

#: Characters of what may be typed; words among which the first one is looked for, how long it may
#: be; forms of a typed word; views that are kept of a run.
MOST_TYPED, MOST_SEARCHED, LONGEST_FIRST, MOST_FORMS, MOST_VIEWS = 200, 400, 14, 6, 32
#: Words on which there is something to see, by how their corpus begins.
TELLING = ("pug", " tokenization", "mountains", " mountains")
#: The widths of a figure: a column of a paper, two of them, and what is larger than a page.
_WIDTHS = (WIDTH, 2 * WIDTH, MOST)
#: The component's key in the session's state.
KEY = "word_lens"


class Asked(NamedTuple):
    """What the reader wants to see: `typed` is what the field says, `word` the word itself, and
    `removed` the numbers of the edges taken out of the lattice of `state`. `figure` is the kind of
    file that the figure of that state is to be saved as, if any."""

    typed: str = ""
    word: str = ""
    state: int = -1
    removed: tuple[int, ...] = ()
    figure: str = ""


@st.fragment
@in_turn
def word_page(history: History, run: Run, lane: int, t: int, lanes: Sequence[History]) -> None:
    """Draws the lens for a lane that stands in state t; a question runs only this anew."""
    state, number = st.session_state, this_visit().number
    said = (state.get(KEY) or {}).get("asked")
    if isinstance(said, dict) and said.get("serial") != state.get(WORD_SAID):
        state[WORD_SAID] = said.get("serial")
        state[WORD_ASKED] = number, asked_from(said, history, lanes)
    if looked := state.pop(LOOKED, None):
        state[WORD_ASKED] = number, asked_from(looked, history, lanes)
    visit, asked = state.get(WORD_ASKED, (number, None))
    here = asked is not None and visit == number and len(asked.word) <= MOST_TYPED
    in_address({"word": asked.word} if here and asked.word else {})
    word_lens(answer(history, run, lane, t, fitting(history, asked, visit == number)), KEY)
    if asked is not None and asked.figure:
        # It is saved once.
        state[WORD_ASKED] = visit, asked._replace(figure="")


def fitting(history: History, asked: Asked | None, here: bool) -> Asked:
    """What was asked for, as it is in this run, which has other words with another pre-tokenizer.
    A word that was not asked for `here`, but of another run, has to be in the corpus; else the lens
    opens with a word that is.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", 7, "whitespace")
    >>> [fitting(history, Asked(typed, typed), False).word for typed in (" hug", "hat")]
    ['hug', 'pug']
    """
    if asked is None:
        return first_word(history)
    if history.count_of(asked.word) or (here and asked.word in forms_of(history, asked.typed)):
        return asked
    typed = asked.typed.strip()
    word = best_form(history, typed)
    return Asked(typed, word) if here or history.count_of(word) else first_word(history)


def asked_from(said: Any, history: History, lanes: Sequence[History]) -> Asked | None:
    """What the browser said, as far as it makes sense; None if it asks for nothing.

    >>> import tokviz
    >>> history = tokviz.train({" hug": 10, "pug": 5}, "bpe", 7, "gpt2")
    >>> asked_from({"lane": 0, "number": 0}, history, [history])
    Asked(typed=' hug', word=' hug', state=-1, removed=(), figure='')
    >>> asked_from({"typed": "hug"}, history, [history])
    Asked(typed='hug', word=' hug', state=-1, removed=(), figure='')
    """
    lane, number, typed, form = (said.get(k) for k in ("lane", "number", "typed", "form"))
    if type(number) is int and type(lane) is int and 0 <= lane < len(lanes):
        words = lanes[lane].words.words
        typed = word = words[number] if 0 <= number < len(words) else ""
        if word and not history.count_of(word):
            # A word of another lane, whose pre-tokenizer gives other words.
            typed = word.strip()
            word = best_form(history, typed)
    elif isinstance(typed, str):
        typed = typed[:MOST_TYPED]
        word = form[:MOST_TYPED] if isinstance(form, str) else best_form(history, typed)
    else:
        return None
    removed, state = said.get("removed"), said.get("state")
    if not isinstance(removed, list) or type(state) is not int:
        return Asked(typed, word)
    numbers = tuple(i for i in removed if type(i) is int and i >= 0)
    figure = said.get("figure")
    return Asked(typed, word, state, numbers, figure if figure in _kinds() else "")


def forms_of(history: History, typed: str) -> list[str]:
    """The words that a typed text is, first as it stands, then as it is inside a text: there the
    space before it may belong to it.

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
    """The form that the corpus holds, or else the first one."""
    forms = forms_of(history, typed)
    return next((form for form in forms if history.count_of(form)), forms[0] if forms else "")


def first_word(history: History) -> Asked:
    """The word that the lens opens with: one that tells something, else a long one that can be
    drawn.

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
    return Asked(word, word)


def answer(history: History, run: Run, lane: int, t: int, asked: Asked) -> bytes:
    """Everything about a word that the browser draws. JSON in ASCII."""
    said: dict[str, Any] = {
        "serial": st.session_state.get(WORD_SAID) or 0,
        "lane": lane,
        "state": t,
        "last": len(history),
        "noun": history.step_noun,
        "unit": history.spelling.unit,
        "algorithm": history.algorithm,
        "typed": asked.typed,
        "word": asked.word,
        "count": history.count_of(asked.word),
        "forms": [[form, history.count_of(form)] for form in _forms(history, asked)],
        "kinds": _kinds(),
    }
    if not asked.word:
        said |= {"kind": "none", "note": _("Type a word, or choose one in the corpus above.")}
    elif len(asked.word) > MOST_DRAWN:
        n = len(asked.word)
        note = _(
            "This word has {n:,} characters; words of up to {most} are drawn. Type a part of it.",
            n=n,
            most=MOST_DRAWN,
        )
        said |= {"kind": "none", "note": note}
    else:
        said |= _view(history, run, asked.word, t)
        if asked.removed and asked.state == t and said["kind"] == "lattice":
            removal = removal_view(history, asked.word, t, list(asked.removed))
            # Of another word's lattice there may be nothing to take out.
            if removal["edges"]:
                said["removal"] = removal
        if asked.figure and asked.state in range(len(history) + 1):
            said["figure"] = _figure(history, asked)
    return json.dumps(said, separators=(",", ":")).encode("ascii")


def _kinds() -> list[str]:
    """The kinds of files that figures can be saved as here."""
    return [*KINDS] if can_convert() else ["svg"]


def _figure(history: History, asked: Asked) -> dict[str, Any]:
    """The figure of a word as a file, as `History.word_chart` gives it, in the first width that has
    room for it; or why there is none."""
    said = {}
    for width in _WIDTHS:
        try:
            data = history.word_chart(asked.word, asked.state, width).file(asked.figure)
        except ValueError as error:
            said = {"error": said_by(error)}
            continue
        kind = KINDS[asked.figure]
        return {"kind": asked.figure, "type": kind, "data": b64encode(data).decode("ascii")}
    return said


def _forms(history: History, asked: Asked) -> list[str]:
    return list(dict.fromkeys([*forms_of(history, asked.typed), asked.word])) if asked.word else []


def _view(history: History, run: Run, word: str, t: int) -> dict[str, Any]:
    """The view of a word, made once for everybody; only the last few are kept."""
    known: dict[str, dict[str, Any]] = place_for(run).setdefault("word_views", {})
    view = known.get(word)
    if view is None or (view["kind"] == "lattice" and str(t) not in view["frames"]):
        view = word_view(history, word, t)
    known[word] = view
    for key in list(known)[:-MOST_VIEWS]:
        known.pop(key, None)
    return view
