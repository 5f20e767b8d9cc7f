"""The texts whose tokens are counted language by language: the declaration, or one's own files."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from tokviz.languages import declarations
from tokviz.pages.markup import text, visible
from tokviz.pages.style import sentence

DECLARATION, OWN_FILES = "Article 1", "My own files"
#: More languages are not told apart in a chart; longer texts would be counted too long.
MOST_LANGUAGES, MOST_CHARACTERS = 40, 1_000_000

_SOURCE, _FILES, _OWN, _REFUSED = (
    f"languages_{name}" for name in ("source", "files", "own", "file_refused")
)


def texts_in_form() -> dict[str, str]:
    """The texts that are chosen, by language; none while one's own are missing."""
    state = st.session_state
    if state.get(_SOURCE, DECLARATION) == DECLARATION:
        return declarations()
    own: dict[str, str] = state.get(_OWN, {})
    return own


def texts_fields(changed: Callable[[], None]) -> tuple[str, dict[str, str]]:
    """Draws the choice of texts. Returns what they are called, and the texts by language; `changed`
    is called whenever they become others."""
    state = st.session_state
    state.setdefault(_SOURCE, DECLARATION)
    source = st.segmented_control(
        "Texts",
        [DECLARATION, OWN_FILES],
        key=_SOURCE,
        required=True,
        on_change=changed,
        persist_state="session",
        help=f"{DECLARATION}: the first article of the Universal Declaration of Human Rights in "
        f"{len(declarations())} languages. {OWN_FILES}: one text in several languages.",
    )
    texts = texts_in_form()
    if source == DECLARATION:
        return f"Article 1 in {len(texts)} languages", texts
    st.file_uploader(
        "One file a language (.txt, UTF-8)",
        type=["txt"],
        accept_multiple_files=True,
        key=_FILES,
        on_change=_take_files,
        args=(changed,),
        help="Its name is that of the language. The files should be translations of one another: "
        "only then do their numbers of tokens tell what the same costs.",
    )
    if _REFUSED in state:
        sentence(state[_REFUSED])
    if texts:
        names = ", ".join(f"<bdi>{text(name)}</bdi>" for name in texts)
        st.html(
            f'<p class="tv-note">{len(texts)} languages: {names}. Only translations of one '
            "text can be compared.</p>"
        )
    return f"My own files in {len(texts)} languages", texts


def _take_files(changed: Callable[[], None]) -> None:
    """Reads what was uploaded. It stays one's own when the fields are gone from the page."""
    state = st.session_state
    files: Sequence[UploadedFile] = state[_FILES]
    state.pop(_REFUSED, None)
    try:
        state[_OWN] = read_texts([(file.name, file.getvalue()) for file in files])
    except ValueError as error:
        state[_OWN], state[_REFUSED] = {}, str(error)
    changed()


def read_texts(files: Sequence[tuple[str, bytes]]) -> dict[str, str]:
    """The texts of files (name, content) by language, which is the name without .txt.

    Raises ValueError with a sentence for what is no UTF-8, empty, too much, or there twice.

    >>> read_texts([("German.txt", b"Alle Menschen"), ("French.TXT", b"Tous")])
    {'German': 'Alle Menschen', 'French': 'Tous'}
    """
    if len(files) > MOST_LANGUAGES:
        raise ValueError(f"These are {len(files)} files; give at most {MOST_LANGUAGES}.")
    texts: dict[str, str] = {}
    for name, content in files:
        language = visible(name[:-4] if name[:-4] and name.lower().endswith(".txt") else name)
        try:
            decoded = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name} is not UTF-8 (byte {error.start}); save it as UTF-8 and try again."
            ) from error
        if not decoded.strip():
            raise ValueError(f"{name} is empty; give a text in every language.")
        if language in texts:
            raise ValueError(f"Two files are called {name}; give one for each language.")
        texts[language] = decoded
    characters = sum(map(len, texts.values()))
    if characters > MOST_CHARACTERS:
        raise ValueError(
            f"The files have {characters:,} characters; give at most {MOST_CHARACTERS:,} in all."
        )
    return texts
