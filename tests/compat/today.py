"""Where today's code does what the keepsake asks for.

All that the keepsake imports from tokviz is imported here, and so is all that it knows of pages and
their state. What is moved or renamed is changed in this file, and nowhere else.
"""

import contextlib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import streamlit as st
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.__main__ import COMMANDS, command_parser, main
from tokviz.formats.exports import export
from tokviz.formats.history_file import read
from tokviz.formats.readers import opened
from tokviz.formats.readers.rank_file import PatternNeededError
from tokviz.pages import compare, encode, learn, train
from tokviz.pages.lenses.stepper import restore_lens
from tokviz.pages.lesson.lesson_runs import runs_of
from tokviz.pages.visit import open_lanes, opening, unfinished
from tokviz.pages.visit.moment_file import from_file
from tokviz.pages.visit.visit import enter
from tokviz.pages.widgets.interface_language import language
from tokviz.pages.widgets.keys import OPENED
from tokviz.pages.widgets.put import value_of
from tokviz.player.web_page import web_page
from tokviz.server import limits
from tokviz.server.pool import work
from tokviz.server.runs import Run

__all__ = ["COMMANDS", "export", "language", "open_tokenizer", "tokviz", "web_page"]

#: What each page opens with: what a first visit shows, and what else an address says.
_RESTORES = {
    "train": (train.opening, restore_lens),
    "compare": (compare.lanes_to_compare, compare.restore),
    "encode": (train.opening, encode.restore),
}

_trained: dict[Any, Any] = {}


def open_tokenizer(files: Any, pattern: str | None) -> Any:
    """A tokenizer of its files. The pattern of ranks is asked for today; it was taken to be that of
    cl100k_base."""
    try:
        return opened.open_tokenizer(files, pattern)
    except PatternNeededError:
        return opened.open_tokenizer(files, "cl100k_base")


def trained(run: Run) -> Any:
    """The history of a run as the page trains it, once only. Raises as the page's own training."""
    if run.key not in _trained:
        cut, settings = run.make_pretokenizer, run.trainer_settings
        text = (*run.corpus.key, run.algorithm, run.vocab_size)
        try:
            found = work.train(*text, cut(), settings, limits.LIMITS.corpus, lambda _progress: True)
        except (ValueError, TypeError, OverflowError) as error:
            found = error.with_traceback(None)
        _trained[run.key] = found
    if isinstance(made := _trained[run.key], Exception):
        raise made
    return made


def asked(run: Run) -> tuple[Any, ...]:
    """What a run was asked for: title, text, whether that is a table, algorithm, vocabulary size,
    pre-tokenizer, and the settings of both."""
    told = (("interventions", run.interventions),) if run.interventions else ()
    # As links have it, where texts by language are told apart, too.
    read_as = {"text": False, "counts": True}.get(run.corpus.read_as, run.corpus.read_as)
    corpus = (str(run.corpus.title), run.corpus.text, read_as)
    words = (run.pretokenizer, run.pretokenizer_settings)
    return (*corpus, run.algorithm, run.vocab_size, *words, (*run.settings, *told))


class Visit(NamedTuple):
    """What a page shows that was opened at an address, or with the moment of a file."""

    lanes: tuple[Run, ...]
    place: dict[str, Any]
    look: dict[str, Any]
    said: list[str]


def visits(wanted: Sequence[tuple[str, Mapping[str, Sequence[str]], bytes]]) -> list[Visit]:
    """What a browser sees that opens pages anew, one after the other: each is a page's name, what
    its address says by name, and the file of a moment, if any."""
    found: list[Visit] = []
    open_wanted.wanted, open_wanted.found = wanted, found
    with (
        patch.object(unfinished, "history_of", trained),
        patch.object(opening, "history_of", trained),
        patch.object(open_lanes, "history_of", trained),
        patch.object(compare, "shown", lambda runs: (tuple(runs), [trained(r) for r in runs])),
    ):
        app = AppTest.from_function(_page, default_timeout=600).run()
    if app.exception:
        raise RuntimeError(app.exception[0].value)
    return found


def _page() -> None:
    """The script of a page: Streamlit runs its source alone."""
    from compat import today

    today.open_wanted()


def open_wanted() -> None:
    for page, query, file in open_wanted.wanted:
        for key in list(st.session_state):
            del st.session_state[key]
        st.query_params.from_dict(query)
        try:
            found = _visit(page, file)
        except Exception as error:
            # Nothing that anybody opens may end so; the test names what did.
            found = Visit((), {"failed": f"{type(error).__name__}: {error}"}, {}, [])
        open_wanted.found.append(found)


def _visit(page: str, file: bytes) -> Visit:
    state = st.session_state
    if page == "learn":
        return _lesson()
    if file:
        state[OPENED] = moment = from_file(file)
        page = moment.page
    visit = enter("train" if page == "encode" else page)
    opening.begin_visit(*_RESTORES[page])
    look = dict(visit.look)
    for key in ("compare_lens", "compare_view", "looked", "curves"):
        if key in state:
            look[key] = state[key]
    put = {"lens": "lens", "lens_token": "lens_token"}
    for name, said in {**put, **{f"lens_lane_{n}": "lens of lane" for n in range(5)}}.items():
        if (value := value_of(name)) is not None:
            look[said] = value
    if "encode_asked" in state:
        asked = state["encode_asked"]
        look["text"], look["pins"] = asked.text, list(asked.pins)
    place = {"page": page, "start": visit.start, "align": visit.align}
    said = [] if visit.link_refused is None else [str(visit.link_refused)]
    return Visit(tuple(visit.lanes), place, look, said)


def _lesson() -> Visit:
    state, known = st.session_state, learn.known_lessons()
    enter("learn")
    learn.restore(known)
    lesson, own = known.get(state["lesson"]), state["lesson_own"]
    lanes = tuple(runs_of(lesson, own).values()) if lesson else ()
    place = {"page": "learn", "lesson": state["lesson"], "scene": state["lesson_at"]}
    refused = ("lesson_refused", "lesson_own_refused")
    return Visit(lanes, place, {"own": own}, [str(state[key]) for key in refused if key in state])


def language_of(asked: str) -> str:
    """The language of a page whose address asks for one."""
    app = AppTest.from_function(_speaks)
    app.query_params["lang"] = asked
    return str(app.run().session_state["speaks"])


def _speaks() -> None:
    import streamlit as st
    from compat import today

    st.session_state["speaks"] = today.language()


def load(data: bytes, name: str) -> Any:
    """The history in a file."""
    return read(io.BytesIO(data), name)


class Told(NamedTuple):
    """What a command did: its exit status, and what it wrote where."""

    status: int
    out: str
    err: str


def command(arguments: Sequence[str], typed: bytes, folder: str) -> Told:
    """Runs `python -m tokviz` in a folder; `typed` is its standard input."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
    err = io.StringIO()
    place = {"COLUMNS": "80", "NO_COLOR": "1"}
    with (
        contextlib.chdir(folder),
        patch.dict(os.environ, place),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = int(error.code or 0)
    return Told(status, out.buffer.getvalue().decode("utf-8"), err.getvalue())


def options_of(name: str) -> list[Any]:
    """Every option and argument of a command: what it is called, and what it may be."""
    return list(command_parser(COMMANDS[name])._actions)
