"""A tokenizer opened from a file: its facts, the tokens of a text, its vocabulary, and its merges
on the text of the page Train."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

from tokviz import Cancelled, SettingError
from tokviz.basics.messages import _, _n, message, said_by, sentences
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.formats.readers.opened import OpenedTokenizer
from tokviz.formats.readers.sentencepiece_model import SentencePieceModel, read_model
from tokviz.formats.readers.sentencepiece_opened import SENTENCEPIECE
from tokviz.pages.opened_autopsy import autopsy_view
from tokviz.pages.opened_costs import costs_view
from tokviz.pages.opened_learned import learned_view
from tokviz.pages.opened_text import text_view
from tokviz.pages.train import opening
from tokviz.pages.visit.moment_file import Moment
from tokviz.pages.visit.open_lanes import PURPOSE
from tokviz.pages.visit.unfinished import forget, run_with_history
from tokviz.pages.visit.visit import lanes_of
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.markup import label, visible
from tokviz.pages.widgets.style import fact_line, note, sentence
from tokviz.server import page_limits
from tokviz.server.opened.opened_files import files_of, find
from tokviz.server.runs import Corpus, Run, TokenizerFile, title_of
from tokviz.trainers.continued import Continued, check_continuable
from tokviz.trainers.replay import Replay

#: Most rows of the vocabulary.
MOST_ROWS = 50_000
#: New tokens that are offered to train.
FIRST_NEW = 200
#: The key of the tabs: in the session state, the title of the one that is open.
TAB = "opened_tab"
#: Session key: the file's digest, and the moment to show once its lanes are trained.
_WANTED = "watch_wanted"


def tokenizer_views(named: Mapping[str, str], show: Callable[[Moment], None]) -> None:
    """Draw the tokenizers of some digests, each with the name by which it was opened ("" for that
    of its file): one text as all of them cut it, and what is known of one that is chosen. `show`
    switches to a page that shows its merges."""
    names = names_of(named)
    key = _chosen(names)
    opened = find(key)
    watch_only(key)
    rows = {
        message("File"): opened.name,
        message("Format"): _(opened.format),
        message("Model"): opened.model,
        **opened.facts,
    }
    fact_line(rows, names[key])
    if opened.notes:
        note(sentences(*opened.notes))
    lanes = _lanes()
    _watch(opened, key, lanes, show)
    views = {
        _("Encode"): partial(text_view, names, key, lanes),
        _("Languages"): partial(costs_view, names),
        _("In my text"): partial(learned_view, key, _own(lanes)[0]),
        _("Vocabulary"): partial(_vocabulary, opened.tokenizer),
        _("Autopsy"): partial(autopsy_view, key),
    }
    model = _specified(opened, key)
    if model is not None:
        views[_("Trainer specification")] = partial(_specification, model.trainer_spec)
        views[_("Normalizer specification")] = partial(_specification, model.normalizer_spec)
    if opened.chat_template:
        views[_("Chat template")] = partial(_template, opened.chat_template)
    tabs = st.tabs([*views], key=TAB, on_change="rerun")
    for tab, view in zip(tabs, views.values(), strict=True):
        # Each is drawn when it is looked at, but for the first: its text would be forgotten.
        if tab.open or tab is tabs[0]:
            with tab:
                view()


def names_of(named: Mapping[str, str]) -> dict[str, str]:
    """Return what the tokenizers of some digests are called on the page: the name that each was
    opened by, or that of its file; those that are alike are numbered."""
    names = {key: name or find(key).name for key, name in named.items()}
    times, alike = Counter(names.values()), Counter[str]()
    for key, name in names.items():
        alike[name] += 1
        if times[name] > 1:
            names[key] = f"{name} ({alike[name]})"
    return names


def _chosen(names: Mapping[str, str]) -> str:
    """Draw the choice of a tokenizer, if there are several, and return its digest: at first that of
    the last one."""
    keys = [*names]
    if len(keys) == 1:
        return keys[0]
    chosen: str = st.segmented_control(
        _("Tokenizer"),
        keys,
        format_func=lambda key: label(names[key]),
        default=keys[-1],
        # Others begin with the last one again.
        key=f"opened_which_{'_'.join(key[:8] for key in keys)}",
        required=True,
    )
    return chosen


def _lanes() -> tuple[Run, ...]:
    """Return the lanes of the page Train."""
    return lanes_of("train") or opening()[0]


def _own(lanes: tuple[Run, ...]) -> list[Run]:
    """Return those lanes that are trained on a text alone; if there are none, those of a visit that
    begins."""
    return [run for run in lanes if not run.of_tokenizer] or list(opening()[0])


def _watch(
    opened: OpenedTokenizer, key: str, lanes: tuple[Run, ...], show: Callable[[Moment], None]
) -> None:
    """Draw the buttons that replay the merges, alone or beside other lanes, or train on."""
    if opened.merges is None:
        said = _(
            "A {model} tokenizer has no merges to watch. Below, it encodes any text, beside "
            "the lanes trained here.",
            model=opened.model,
        )
        note(said)
        note(_why_not_further(opened))
        return
    own = _own(lanes)
    with st.container(horizontal=True, vertical_alignment="center", key="watch"):
        alone = st.button(_("Watch its merges"), type="primary", key="watch_alone")
        beside = st.button(_("Compare with the lanes trained here"), key="watch_beside")
        note(_("On the text of the Train page: {title}.", title=title_of(own[0])))
    refused = _why_not_further(opened)
    if refused:
        note(refused)
    further = None if refused else _new_tokens()
    state = st.session_state
    if alone or beside:
        run = replay_run(own[0].corpus, key)
        shown = (run,) if alone else (run, *own[: page_limits.lanes() - 1])
        state[_WANTED] = key, Moment("train" if alone else "compare", shown, {})
        forget(PURPOSE)
    if further is not None:
        state[_WANTED] = key, Moment("train", (continued_run(own[0].corpus, key, further),), {})
        forget(PURPOSE)
    # The request stays until it is trained: a click anywhere reruns the page meanwhile.
    if _WANTED not in state:
        return
    moment = state[_WANTED][1]
    try:
        for lane in moment.lanes:
            run_with_history(lane, PURPOSE)
    except (ValueError, Cancelled, MemoryError) as error:
        sentence(said_by(error) or _("This text is too large for this computer."))
        watch_only("")
        return
    del state[_WANTED]
    # That page knows which lanes were stopped, and shows the size they reached.
    show(moment)


def replay_run(corpus: Corpus, digest: str) -> Run:
    """Return the run that replays an opened tokenizer's merges on a corpus. `digest` is what
    `opened_files.remember` returned."""
    opened = find(digest)
    source = TokenizerFile(digest, opened.name)
    # The file's own pre-tokenizer splits the text.
    return Run(corpus, Replay.name, len(opened.tokenizer.strings), "", source=source)


def continued_run(corpus: Corpus, digest: str, more: int) -> Run:
    """Return the run that trains on from an opened tokenizer, to so many more tokens."""
    opened = find(digest)
    source = TokenizerFile(digest, opened.name)
    return Run(corpus, Continued.name, opened.next_id + more, "", source=source)


def _why_not_further(opened: OpenedTokenizer) -> str:
    """Return why no training can go on from a tokenizer, in a sentence; "" if one can."""
    try:
        check_continuable(opened)
    except SettingError as error:
        return said_by(error)
    return ""


def _new_tokens() -> int | None:
    """Draw the button that trains on, and how many tokens are to be learned; return them once it
    is clicked."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="go_on_fields"):
        more = st.number_input(
            _("New tokens"),
            min_value=1,
            max_value=page_limits.vocabulary(),
            value=min(FIRST_NEW, page_limits.vocabulary()),
            width=140,
            key="go_on_tokens",
        )
        clicked = st.button(_("Go on training from here"), key="go_on")
        note(
            _(
                "On the same text: the file’s ids and merges stay, and new ones follow. “Share” "
                "then saves the file with both."
            )
        )
    return int(more) if clicked else None


def watch_only(key: str) -> None:
    """Cancel a request to watch the merges of any file but this one."""
    state = st.session_state
    if _WANTED in state and state[_WANTED][0] != key:
        del state[_WANTED]
        forget(PURPOSE)


def _vocabulary(tokenizer: Tokenizer) -> None:
    strings = tokenizer.strings
    if len(strings) > MOST_ROWS:
        note(_("The first {n:,} of {all:,} tokens.", n=MOST_ROWS, all=len(strings)))
    shown = list(map(visible, strings[:MOST_ROWS]))
    _frame(pd.DataFrame({"id": range(len(shown)), "token": shown}))


def _specified(opened: OpenedTokenizer, key: str) -> SentencePieceModel | None:
    """Return the specifications in a SentencePiece file, or None for another format."""
    if opened.format != SENTENCEPIECE:
        return None
    return read_model(next(iter(files_of(key).values())))


def _template(template: str) -> None:
    st.code(template, language=None, wrap_lines=True)


def _specification(fields: Mapping[str, Any]) -> None:
    """Draw all fields under the library's own names."""
    rows = [(name, _shown(value)) for name, value in fields.items()]
    _frame(pd.DataFrame(rows, columns=["field", "value"]), 480)


def _frame(table: pd.DataFrame, height: int | Literal["auto"] = "auto") -> None:
    columns = column_labels(table.columns)
    st.dataframe(table, hide_index=True, height=height, column_config=columns)


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return _n("{n} byte", "{n} bytes", len(value))
    return visible(", ".join(map(str, value)) if isinstance(value, list) else str(value))
