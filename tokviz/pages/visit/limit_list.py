"""The limits of this server in words: a line below the corpus, and a list of all."""

import os

import streamlit as st

from tokviz.basics.messages import _, _n, here, message, sentences
from tokviz.pages.widgets.encode_request import MOST_CHARACTERS as MOST_ENCODED
from tokviz.pages.widgets.markup import text
from tokviz.server import limits, page_limits
from tokviz.server.limit_checks import size_said

#: Share of the largest corpus from which the page shows the corpus's size.
LARGE = 0.1

BEYOND = message(
    "For more: give a shorter text; or train on your own computer (python -m tokviz train), which "
    "has none of these limits; or only count words there (python -m tokviz count … --out "
    "words.tsv), over as many files as you like, and give that file here. Whoever runs the server "
    "sets the limits in a file (TOKVIZ_LIMITS)."
)

Rows = dict[str, str]


def corpus_limits(used: int) -> None:
    """Draw the limits of a corpus, its size `used` in bytes if that is large, and a button for the
    rest."""
    most = limits.LIMITS.corpus
    said: str = message(
        "Up to {size} of text and {words:,} different words.",
        size=size_said(most.bytes),
        words=most.distinct_words,
    )
    if used > LARGE * most.bytes:
        said = sentences(said, message("This one has {size}.", size=size_said(used)))
    with st.container(horizontal=True, vertical_alignment="center", key="corpus_limits"):
        st.html(f'<p class="tv-note">{text(here(said))}</p>', width="content")
        with st.popover(_("All limits"), type="tertiary", key="all_limits", width="content"):
            limit_list()


def limit_list() -> None:
    """Draw all limits, and what to do beyond them."""
    groups = {
        _("Texts"): _texts(),
        _("Settings"): _settings(),
        _("Training"): _training(),
        _("Files"): _files(),
    }
    lists = "".join(
        f"<h3>{text(name)}</h3><dl>"
        + "".join(f"<div><dt>{text(k)}</dt><dd>{text(v)}</dd></div>" for k, v in rows.items())
        + "</dl>"
        for name, rows in groups.items()
    )
    beyond = f'<p class="tv-note">{text(here(BEYOND))}</p>'
    st.html(f'<div class="tv-limits">{lists}{beyond}</div>')


def _texts() -> Rows:
    most = limits.LIMITS.corpus
    return {
        _("Corpus"): here(size_said(most.bytes)),
        _("Different words"): f"{most.distinct_words:,}",
        _("A word"): _characters(most.word_characters),
        _("Held-out text"): here(size_said(most.held_out_bytes)),
        _("Your own text in a lesson"): _characters(most.lesson_characters),
        _("All files of Languages"): _characters(most.language_characters),
        _("A text on the page Encode"): _characters(MOST_ENCODED),
    }


def _settings() -> Rows:
    most = limits.LIMITS.settings
    return {
        _("Vocabulary size"): f"{page_limits.vocabulary():,}",
        _("Seed vocabulary"): f"{most.seeds:,}",
        _("Lanes"): f"{page_limits.lanes()}",
        _("What-ifs of a run"): f"{most.what_ifs}",
        _("Special tokens"): f"{most.special_tokens:,}",
        _("Time of a pattern"): _(
            "{n:g} s per document, for each million characters begun",
            n=page_limits.pattern_seconds(),
        ),
    }


def _training() -> Rows:
    most, kept = limits.LIMITS.training, limits.LIMITS.kept
    return {
        _("Time"): _time(most.seconds),
        _("Memory"): here(size_said(most.megabytes * 10**6)),
        _("At the same time"): f"{most.workers or os.cpu_count() or 1}",
        _("Running or waiting"): _(
            "{n:,} of all people together; {each:,} of one session", n=most.queue, each=most.each
        ),
        _("A run that no page looks at"): _(
            "is cancelled after {time}", time=_time(most.unwatched_seconds)
        ),
        _("Kept for everybody"): _(
            "{n:,} runs, of {size}; older ones are trained again",
            n=kept.histories,
            size=size_said(kept.megabytes * 10**6),
        ),
        _("Kept for one page"): _(
            "what it shows, and earlier runs up to {size} in all",
            size=size_said(kept.session_megabytes * 10**6),
        ),
    }


def _files() -> Rows:
    most = limits.LIMITS.files
    return {
        _("A file"): here(size_said(page_limits.upload_bytes())),
        _("All files"): _("{size}, until the page is reloaded", size=size_said(most.session_bytes)),
        _("A history"): _("{size} unpacked", size=size_said(most.history_bytes)),
        _("A moment"): _("{size} of texts unpacked", size=size_said(most.moment_bytes)),
    }


def _characters(n: int) -> str:
    return _n("{n} character", "{n} characters", n)


def _time(seconds: float) -> str:
    if seconds >= 120:
        return _("{n:g} minutes", n=round(seconds / 60, 1))
    return _n("{n:g} second", "{n:g} seconds", 1 if seconds == 1 else 2, n=seconds)
