"""The page Open: show a saved moment, a history, or a tokenizer trained elsewhere."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

import tokviz
from tokviz.basics.errors import CorpusError
from tokviz.basics.messages import _, _n, said_by
from tokviz.formats.readers.bounded_json import MOST_BYTES as MOST_OF_JSON
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.formats.readers.rank_file import PATTERNS, PatternNeededError
from tokviz.formats.readers.sentencepiece_model import MOST_BYTES as MOST_OF_MODEL
from tokviz.pages.open_by_name import named_files, none_by_name
from tokviz.pages.opened_tokenizer import tokenizer_views, watch_only
from tokviz.pages.visit.moment_file import Moment, MomentFileError, from_file, is_moment
from tokviz.pages.visit.opened_history import lane_of_file
from tokviz.pages.widgets.keys import OPENED, PAGES
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import note, sentence
from tokviz.server import limits, page_limits
from tokviz.server.draw_queue import others_first
from tokviz.server.limit_checks import LimitError, size_said
from tokviz.server.opened.opened_files import prepare, remember
from tokviz.server.pool import QueueFull, TrainingFailed
from tokviz.server.waiting import beside


def page() -> None:
    """Draw the page."""
    prepare()
    said = _(
        "A tokenizer: tokenizer.json, vocab.json with its merges.txt, CLIP’s merges, .tiktoken, "
        "Mistral’s tekken.json, js-tiktoken’s ranks in JSON, or SentencePiece’s .model. Or a file "
        "that tokviz saved: a moment (.tokviz.json) or a history (.npz). Several tokenizers are "
        "shown beside one another."
    )
    most = _(
        "Up to {size} per file, {model} for a .model or .tiktoken, {json} for a .json; a "
        "history may unpack to {history}, the texts of a moment to {moment}.",
        size=size_said(page_limits.upload_bytes()),
        model=size_said(min(MOST_OF_MODEL, page_limits.upload_bytes())),
        json=size_said(min(MOST_OF_JSON, page_limits.upload_bytes())),
        history=size_said(limits.LIMITS.files.history_bytes),
        moment=size_said(limits.LIMITS.files.moment_bytes),
    )
    st.html(f'<h1 class="tv-title">{text(_("Open a file"))}</h1>')
    what = st.empty()
    chosen = st.file_uploader(
        _("Files"),
        type=["json", "txt", "gz", "tiktoken", "model", "npz"],
        accept_multiple_files=True,
        key="opened_files",
        label_visibility="collapsed",
    )
    # What may be opened gives way to what is.
    if not chosen:
        told = "<br>".join(map(text, filter(None, (said, most, none_by_name()))))
        what.html(f'<p class="tv-note">{told}</p>')
    given = [*named_files(), *(("", files) for files in _together(chosen))]
    opened, moment = dict[str, str](), None
    for number, (name, files) in enumerate(given):
        found = _opened_asking(files, f"_{number}" if number else "")
        if isinstance(found, Moment):
            moment = found
        elif found:
            opened[found] = name
    if moment:
        show_moment(moment)
    elif opened:
        room = page_limits.lanes()
        if len(opened) > room:
            note(_n("The last {n} tokenizer is shown.", "The last {n} tokenizers are shown.", room))
        tokenizer_views(dict([*opened.items()][-room:]), show_moment)
    else:
        # The files were removed, or cannot be opened, or another page was shown meanwhile.
        watch_only("")


def _together(chosen: Sequence[Any]) -> list[dict[str, bytes]]:
    """Return the contents of chosen files by their names, those of one tokenizer together."""
    groups = list[dict[str, bytes]]()
    for file in chosen:
        if groups and _belong_together([*groups[-1], file.name]):
            groups[-1][file.name] = file.getvalue()
        else:
            groups.append({file.name: file.getvalue()})
    return groups


def _belong_together(names: Sequence[str]) -> bool:
    """Return whether files of these names are one tokenizer."""
    ends = sorted(name.rpartition(".")[2].lower() for name in names)
    has_config = ends == ["json", "json"] and names.count("tokenizer_config.json") == 1
    return has_config or ends in (["json", "txt"], ["tiktoken", "txt"])


def _opened_asking(files: Mapping[str, bytes], key: str) -> Moment | str | None:
    """Return what files hold (see `_opened`); of ranks without a pattern, ask for it. `key` is of
    the fields that ask."""
    try:
        return _opened(files)
    except PatternNeededError as error:
        pattern = _chosen_pattern(key)
        if pattern:
            return _opened({**files, "pattern.txt": pattern.encode("utf-8", "surrogatepass")})
        sentence(said_by(error))
        return None


def _opened(files: Mapping[str, bytes]) -> Moment | str | None:
    """Return what files hold: a moment, or the digest of a tokenizer; None for what cannot be
    opened, for which a sentence says why. Raises PatternNeededError for ranks without a pattern."""
    try:
        # Reading a large file takes seconds.
        with others_first():
            return _moment(files) or beside(partial(remember, files))
    except PatternNeededError:
        raise
    except (
        *(MomentFileError, TokenizerFileError, tokviz.HistoryFileError),
        *(CorpusError, LimitError, TrainingFailed, QueueFull, tokviz.Cancelled),
    ) as error:
        sentence(said_by(error))
        return None


def _chosen_pattern(key: str) -> str:
    """Draw the choice of a pattern for ranks, and return the pattern, or "" for none yet."""
    own = _("Another pattern")
    name = st.selectbox(
        _("Pattern that cuts a text into words"),
        [*PATTERNS, own],
        index=None,
        placeholder=_("Choose one"),
        key=f"opened_pattern{key}",
    )
    pattern = PATTERNS.get(name or "", "")
    if name == own:
        pattern = st.text_input(
            _("In tiktoken’s syntax"), key=f"opened_own_pattern{key}", max_chars=5000
        )
    return pattern


def _moment(files: Mapping[str, bytes]) -> Moment | None:
    """Return the moment of a file that tokviz saved, or None for another file."""
    if len(files) > 1:
        return None
    [(name, data)] = files.items()
    if name.lower().endswith(".npz") or data[:2] == b"PK":
        return Moment("train", (lane_of_file(name, data),), {})
    return from_file(data) if is_moment(data) else None


def show_moment(moment: Moment) -> None:
    """Switch to the page of a moment and show it there."""
    st.session_state[OPENED] = moment
    st.switch_page(st.session_state[PAGES][moment.page])
