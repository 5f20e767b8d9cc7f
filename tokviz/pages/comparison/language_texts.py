"""The texts of the tab Languages: the Declaration of Human Rights, or the visitor's own files."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.typing import UploadedFile

from tokviz.analysis.language_costs import DECLARED, declarations
from tokviz.basics.messages import _, _n, here, listed, message, said_by
from tokviz.pages.widgets.markup import text, visible
from tokviz.pages.widgets.style import sentence
from tokviz.server import limits

#: Sources of the texts; the first is the default.
_SOURCES = {"declaration": message("Article 1"), "files": message("My own files")}
#: Most languages of a chart; more cannot be told apart.
MOST_LANGUAGES = 40

_SOURCE, _FILES, _OWN, _REFUSED = (
    f"languages_{name}" for name in ("source", "files", "own", "file_refused")
)


def texts_in_form() -> dict[str, str]:
    """Return the chosen texts by language; empty while own files are chosen but missing."""
    state = st.session_state
    if state.get(_SOURCE, "declaration") == "declaration":
        return declarations()
    own: dict[str, str] = state.get(_OWN, {})
    return own


def names_in_form() -> Mapping[str, str]:
    """Return what languages of the chosen texts are called in the language of the page; those of
    own files are called as their owner did."""
    return DECLARED if st.session_state.get(_SOURCE, "declaration") == "declaration" else {}


def named(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a table whose languages are named in that of the page, those that have `names`."""
    return table.assign(language=[here(names.get(name, name)) for name in table["language"]])


def texts_fields(changed: Callable[[], None]) -> tuple[str, dict[str, str]]:
    """Draw the choice of texts. Returns their title and the texts by language; `changed` is called
    when the texts change."""
    state = st.session_state
    state.setdefault(_SOURCE, "declaration")
    source = st.segmented_control(
        _("Texts"),
        list(_SOURCES),
        format_func=lambda name: here(_SOURCES[name]),
        key=_SOURCE,
        required=True,
        on_change=changed,
        persist_state="session",
        help=_(
            "{declaration}: the first article of the Universal Declaration of Human Rights in {n} "
            "languages. {own}: one text in several languages.",
            declaration=_SOURCES["declaration"],
            n=len(declarations()),
            own=_SOURCES["files"],
        ),
    )
    texts = texts_in_form()
    if source == "declaration":
        return message("Article 1 in {n} languages", n=len(texts)), texts
    st.file_uploader(
        _("One file per language (.txt, UTF-8)"),
        type=["txt"],
        accept_multiple_files=True,
        key=_FILES,
        on_change=_take_files,
        args=(changed,),
        help=_(
            "Its name is that of the language. The files should be translations of one "
            "another: only then do their numbers of tokens tell what the same content costs. "
            "Up to {n} files, of {most:,} characters in all.",
            n=MOST_LANGUAGES,
            most=limits.LIMITS.corpus.language_characters,
        ),
    )
    if _REFUSED in state:
        sentence(state[_REFUSED])
    if texts:
        names = here(listed(f"<bdi>{text(name)}</bdi>" for name in texts))
        said = _n(
            "{n} language: {names}. Only translations of one text can be compared.",
            "{n} languages: {names}. Only translations of one text can be compared.",
            len(texts),
            names=names,
        )
        forgets = text(_("Reloading the page forgets the files."))
        st.html(f'<p class="tv-note">{said} {forgets}</p>')
    return message("My own files in {n} languages", n=len(texts)), texts


def _take_files(changed: Callable[[], None]) -> None:
    """Read the uploaded files, and keep their texts when the field leaves the page."""
    state = st.session_state
    files: Sequence[UploadedFile] = state[_FILES]
    state.pop(_REFUSED, None)
    try:
        state[_OWN] = read_texts([(file.name, file.getvalue()) for file in files])
    except ValueError as error:
        state[_OWN], state[_REFUSED] = {}, said_by(error)
    changed()


def read_texts(files: Sequence[tuple[str, bytes]]) -> dict[str, str]:
    """Return the texts of files (name, content) by language: the name without .txt.

    Raises ValueError for a file that is not UTF-8, empty or a duplicate, and for too many or too
    long ones.

    >>> read_texts([("German.txt", b"Alle Menschen"), ("French.TXT", b"Tous")])
    {'German': 'Alle Menschen', 'French': 'Tous'}
    """
    if len(files) > MOST_LANGUAGES:
        raise ValueError(
            message("These are {n} files; give at most {most}.", n=len(files), most=MOST_LANGUAGES)
        )
    texts: dict[str, str] = {}
    for name, content in files:
        language = visible(name[:-4] if name[:-4] and name.lower().endswith(".txt") else name)
        try:
            decoded = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(
                message(
                    "{name} is not UTF-8 (byte {byte}); save it as UTF-8 and try again.",
                    name=name,
                    byte=error.start,
                )
            ) from error
        if not decoded.strip():
            raise ValueError(message("{name} is empty; give a text in every language.", name=name))
        if language in texts:
            raise ValueError(
                message("Two files are called {name}; give one for each language.", name=name)
            )
        texts[language] = decoded
    characters = sum(map(len, texts.values()))
    most = limits.LIMITS.corpus.language_characters
    if characters > most:
        raise ValueError(
            message(
                "The files have {n:,} characters; give at most {most:,} in all.",
                n=characters,
                most=most,
            )
        )
    return texts
