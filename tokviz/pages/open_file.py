"""The page Open: show a saved moment, a history, or a tokenizer trained elsewhere."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

import tokviz
from tokviz.basics.messages import _, said_by
from tokviz.formats.readers.bounded_json import MOST_BYTES as MOST_OF_JSON
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.formats.readers.rank_file import PATTERNS, PatternNeededError
from tokviz.formats.readers.sentencepiece_model import MOST_BYTES as MOST_OF_MODEL
from tokviz.pages.open_by_name import named_files
from tokviz.pages.opened_tokenizer import tokenizer_view, watch_only
from tokviz.pages.visit.moment_file import Moment, MomentFileError, from_file, is_moment
from tokviz.pages.visit.opened_history import lane_of_file
from tokviz.pages.widgets.keys import OPENED, PAGES
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import sentence
from tokviz.server import limits, page_limits
from tokviz.server.draw_queue import others_first
from tokviz.server.limit_checks import LimitError, size_said
from tokviz.server.opened.opened_files import remember
from tokviz.server.waiting import beside
from tokviz.text.corpus import CorpusError


def page() -> None:
    """Draw the page."""
    said = _(
        "A tokenizer: tokenizer.json, vocab.json with its merges.txt, CLIP’s merges, .tiktoken, "
        "Mistral’s tekken.json, js-tiktoken’s ranks in JSON, or SentencePiece’s .model. Or a file "
        "that tokviz saved: a moment (.tokviz.json) or a history (.npz)."
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
    st.html(
        f'<h1 class="tv-title">{text(_("Open a file"))}</h1>'
        f'<p class="tv-note">{text(said)}<br>{text(most)}</p>'
    )
    chosen = st.file_uploader(
        _("Files"),
        type=["json", "txt", "gz", "tiktoken", "model", "npz"],
        accept_multiple_files=True,
        key="opened_files",
        label_visibility="collapsed",
    )
    named = named_files()
    if not chosen:
        # The files were removed, or another page was shown meanwhile.
        if named:
            _open_asking(named)
        else:
            watch_only("")
        return
    # The last file, or the last two if they belong together.
    taken = chosen[-2:] if _belong_together([file.name for file in chosen[-2:]]) else chosen[-1:]
    _open_asking({file.name: file.getvalue() for file in taken})


def _open_asking(files: Mapping[str, bytes]) -> None:
    """Show what files hold; of ranks without a pattern, ask for it."""
    try:
        _open(files)
    except PatternNeededError as error:
        pattern = _chosen_pattern()
        if pattern:
            _open({**files, "pattern.txt": pattern.encode("utf-8", "surrogatepass")})
        else:
            watch_only("")
            sentence(said_by(error))


def _belong_together(names: Sequence[str]) -> bool:
    """Return whether files of these names are one tokenizer."""
    ends = sorted(name.rpartition(".")[2].lower() for name in names)
    has_config = ends == ["json", "json"] and names.count("tokenizer_config.json") == 1
    return has_config or ends in (["json", "txt"], ["tiktoken", "txt"])


def _open(files: Mapping[str, bytes]) -> None:
    """Show what files hold, or a sentence that says why they cannot be opened. Raises
    PatternNeededError for ranks without a pattern."""
    try:
        # Reading a large file takes seconds.
        with others_first():
            moment = _moment(files)
            key = None if moment else beside(partial(remember, files))
    except PatternNeededError:
        raise
    except (
        *(MomentFileError, TokenizerFileError, tokviz.HistoryFileError),
        *(CorpusError, LimitError),
    ) as error:
        watch_only("")
        sentence(said_by(error))
        return
    if moment:
        show_moment(moment)
    elif key:
        tokenizer_view(key, files, show_moment)


def _chosen_pattern() -> str:
    """Draw the choice of a pattern for ranks, and return the pattern, or "" for none yet."""
    own = _("Another pattern")
    name = st.selectbox(
        _("Pattern that cuts a text into words"),
        [*PATTERNS, own],
        index=None,
        placeholder=_("Choose one"),
        key="opened_pattern",
    )
    pattern = PATTERNS.get(name or "", "")
    if name == own:
        pattern = st.text_input(_("In tiktoken’s syntax"), key="opened_own_pattern", max_chars=5000)
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
