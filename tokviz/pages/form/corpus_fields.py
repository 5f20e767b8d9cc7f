"""The fields for the corpus: a sample, the visitor's own text, or a file.

Choosing a sample also fills in its settings. Any other text is the visitor's own, and is restored
after looking at a sample.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from tokviz import SAMPLES
from tokviz.basics.messages import _, here, message, said_by
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.keys import OWN, SAMPLE, SAMPLE_LISTS, UPLOAD, UPLOAD_ERROR
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import note, sentence
from tokviz.server import limits, page_limits
from tokviz.server.limit_checks import LimitError, check_bytes
from tokviz.server.runs import READ_AS, Corpus, Run, run_of_sample, sample_of

#: The list entry for the visitor's own text, and the title of a typed text.
OWN_SAMPLE, OWN_TEXT = "own", message("My own text")
#: A longer text is not put in the field, unless it was typed there: it would be sent with every
#: click.
LARGEST_EDITED = 200_000

_CORPUS, _READ_AS = "corpus_text", "corpus_read_as"


@dataclass
class Own:
    """The visitor's own text; one of a large `file` is not editable."""

    read_as: str = "text"
    title: str = OWN_TEXT
    text: str = ""
    file: str = ""


def fill_corpus(corpus: Corpus) -> None:
    """Fill the fields with a corpus, as if the visitor had entered it."""
    state = st.session_state
    _name_sample(sample_of(corpus) or OWN_SAMPLE)
    if state[SAMPLE] == OWN_SAMPLE:
        _keep(corpus)
    _show(corpus)


def _name_sample(name: str) -> None:
    """Select another sample, or the visitor's own text, in a new list: a browser that has not drawn
    it yet still sends the old list's value, which must not count as a choice."""
    state = st.session_state
    state[SAMPLE] = name
    state[SAMPLE_LISTS] = state.get(SAMPLE_LISTS, 0) + 1


def _sample_key() -> str:
    return f"sample_{st.session_state['sample_lists']}"


def _show(corpus: Corpus) -> None:
    state = st.session_state
    state.pop(UPLOAD_ERROR, None)
    state[_CORPUS] = corpus.text if _is_editable(corpus) else ""
    state[_READ_AS] = corpus.read_as


def _is_editable(corpus: Corpus) -> bool:
    """Return whether a corpus is shown in the field."""
    own: Own = st.session_state.get(OWN, Own())
    return len(corpus.text) <= LARGEST_EDITED or corpus.text == own.text


def _keep(corpus: Corpus) -> None:
    """Remember the visitor's own text, or a file that is too large to edit."""
    own = Own(corpus.read_as, corpus.title)
    if _is_editable(corpus):
        own.text = corpus.text
    else:
        own.file = corpus.text
    st.session_state[OWN] = own


def corpus_in_form() -> Corpus:
    """Return the corpus that the fields hold."""
    state = st.session_state
    own: Own = state.get(OWN, Own())
    name = state[SAMPLE]
    title = SAMPLES[name].title if name in SAMPLES else own.title
    text = own.file if name == OWN_SAMPLE and own.file else state.get(_CORPUS) or ""
    return Corpus(title, text, state[_READ_AS])


def read_as_field() -> None:
    """Draw the choice whether the text is a text or a table of words and their counts."""
    st.segmented_control(
        _("Read as"),
        list(READ_AS),
        format_func=lambda name: here(READ_AS[name]),
        key=_READ_AS,
        required=True,
        on_change=_edited,
        persist_state="session",
        help=_(
            "Word counts: one word and its count a line, split by a comma or a tab. Languages: a "
            "line such as === English === begins one. No algorithm trains on these lines; "
            "Parity-aware BPE alone is told of the languages."
        ),
    )


def source_note() -> None:
    """Draw a note on where the chosen sample is from."""
    name = st.session_state[SAMPLE]
    if name in SAMPLES:
        sample = SAMPLES[name]
        said = _(
            "Source: {source} Licence: {licence}", source=sample.source, licence=sample.licence
        )
        st.html(f'<p class="tv-note">{text(here(sample.note))}<br>{text(said)}</p>')


def sample_field(fill_settings: Callable[[Run], None]) -> None:
    """Draw the choice of a sample or of the visitor's own text."""
    names, key = [*SAMPLES, OWN_SAMPLE], _sample_key()
    choice(
        _("Sample"),
        names,
        index=names.index(st.session_state[SAMPLE]),
        format_func=lambda name: here(OWN_TEXT if name == OWN_SAMPLE else SAMPLES[name].title),
        key=key,
        on_change=_take_sample,
        args=(key, fill_settings),
    )


def text_field(label: str, height: int) -> None:
    """Draw the field of the text; in place of a file that is too large to edit, its beginning."""
    own: Own = st.session_state.get(OWN, Own())
    if st.session_state[SAMPLE] == OWN_SAMPLE and own.file:
        said = _(
            "The corpus is the file {name} ({n:,} characters). It starts: {start} …",
            name=own.title,
            n=len(own.file),
            start=" ".join(own.file[:300].split()),
        )
        note(said)
        note(_("Reloading the page loses this text: it is too long to be kept."))
        st.button(_("Type a text instead"), on_click=_drop_file)
    else:
        st.text_area(
            label,
            key=_CORPUS,
            height=height,
            on_change=_edited,
            persist_state="session",
            placeholder=_("Paste a text. Each line is a document."),
        )


def file_field() -> None:
    """Draw the upload of a file."""
    st.file_uploader(
        _("File (.txt, or .csv/.tsv with words and counts)"),
        type=["txt", "csv", "tsv"],
        key=UPLOAD,
        on_change=_take_file,
        max_upload_size=page_limits.upload_megabytes(),
    )


def upload_error() -> None:
    """Draw a sentence on the last file if it could not be read."""
    if UPLOAD_ERROR in st.session_state:
        sentence(st.session_state[UPLOAD_ERROR])


def _take_sample(key: str, fill_settings: Callable[[Run], None]) -> None:
    """Fill the form with the chosen sample, or with the visitor's own text."""
    if key != _sample_key():
        return
    name = st.session_state[SAMPLE] = st.session_state[key]
    if name == OWN_SAMPLE:
        _take_own()
        return
    run = run_of_sample(SAMPLES[name])
    _show(run.corpus)
    fill_settings(run)
    _hold()


def _take_own() -> None:
    state = st.session_state
    state.pop(UPLOAD_ERROR, None)
    own: Own = state.get(OWN, Own())
    state[_CORPUS], state[_READ_AS] = own.text, own.read_as
    _hold()


def _hold() -> None:
    """Record the text before the page is drawn, which may put other lanes on it."""
    visit = this_visit()
    if visit.held is not None:
        lane, run = visit.held
        visit.held = lane, replace(run, corpus=corpus_in_form())


def _take_file() -> None:
    """Read an uploaded file as the visitor's own text."""
    file = st.session_state[UPLOAD]
    if file is None:
        return
    data = file.getvalue()
    try:
        check_bytes(len(data), limits.LIMITS.corpus)
        decoded = data.decode("utf-8-sig")
    except LimitError as error:
        st.session_state[UPLOAD_ERROR] = said_by(error)
        return
    except UnicodeDecodeError as error:
        st.session_state[UPLOAD_ERROR] = _(
            "{name} is not UTF-8 (byte {byte}); save it as UTF-8 and try again.",
            name=file.name,
            byte=error.start,
        )
        return
    is_table = file.name.lower().endswith((".csv", ".tsv"))
    _keep(Corpus(file.name, decoded, "counts" if is_table else "text"))
    _name_sample(OWN_SAMPLE)
    _take_own()


def _edited() -> None:
    """Keep an edited text as the visitor's own."""
    state = st.session_state
    own: Own = state.get(OWN, Own())
    if state[SAMPLE] == OWN_SAMPLE and own.file:
        # A file has no text field; only the way to read it can change.
        state[OWN] = replace(own, read_as=state[_READ_AS])
        _hold()
        return
    title = own.title if state[SAMPLE] == OWN_SAMPLE and OWN in state else OWN_TEXT
    state[OWN] = Own(state[_READ_AS], title, state.get(_CORPUS) or "")
    if state[SAMPLE] != OWN_SAMPLE:
        _name_sample(OWN_SAMPLE)
    _hold()


def _drop_file() -> None:
    st.session_state[OWN] = Own()
    _take_own()
