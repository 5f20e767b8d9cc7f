"""One run as the page knows it: what was asked for, and its history, trained once for everybody."""

from typing import Any, NamedTuple

import streamlit as st

import tokviz
from tokviz.corpus import WordCounts, count_words, read_word_table
from tokviz.history import History
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.progress import Progress
from tokviz.views import excerpt

#: How many histories are kept for everybody, and how many words of a text are shown.
MOST_HISTORIES = 24
MOST_WORDS = 400


class Run(NamedTuple):
    """Everything that decides a history. `corpus` is a word-count table in text if `is_table`."""

    title: str
    corpus: str
    is_table: bool
    algorithm: str
    vocab_size: int
    pretokenizer: str
    pretokenizer_settings: tuple[tuple[str, Any], ...] = ()
    settings: tuple[tuple[str, Any], ...] = ()

    def make_pretokenizer(self) -> Pretokenizer:
        """The pre-tokenizer with its settings; raises ValueError for a bad pattern."""
        return make_pretokenizer(self.pretokenizer, **dict(self.pretokenizer_settings))

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The special tokens among the settings."""
        return tuple(dict(self.settings).get("special_tokens", ()))


def history_of(run: Run) -> History:
    """The history of a run; trains with a progress bar unless somebody did before.

    Raises ValueError with a sentence for a corpus or setting that cannot be.
    """
    place = _place_for(*run[1:])
    if "history" not in place:
        bar = st.empty()

        def show(progress: Progress) -> None:
            share = min(1.0, progress.done / progress.total) if progress.total else 1.0
            said = f"{progress.done:,} of {progress.total:,} {progress.stage}"
            bar.progress(share, f"{said}, about {progress.seconds_left:.0f} s left")

        place["history"] = tokviz.train(
            read_word_table(run.corpus) if run.is_table else run.corpus,
            run.algorithm,
            run.vocab_size,
            run.make_pretokenizer(),
            show,
            **dict(run.settings),
        )
        bar.empty()
    history: History = place["history"]
    return history


@st.cache_resource(max_entries=MOST_HISTORIES, show_spinner=False)
def _place_for(*run: Any) -> dict[str, Any]:
    """Where the history of a run is kept for everybody: empty until it is trained, since a cached
    function cannot move a progress bar."""
    return {"run": run}


@st.cache_resource(max_entries=MOST_HISTORIES, show_spinner=False)
def words_of(
    corpus: str,
    is_table: bool,
    pretokenizer: str,
    pretokenizer_settings: tuple[tuple[str, Any], ...],
    special_tokens: tuple[str, ...],
) -> WordCounts:
    """The distinct words of a corpus, for the sizes that make sense for it."""
    chosen = make_pretokenizer(pretokenizer, **dict(pretokenizer_settings))
    return count_words(read_word_table(corpus) if is_table else corpus, chosen, special_tokens)


@st.cache_resource(max_entries=MOST_HISTORIES, show_spinner=False)
def excerpt_of(
    corpus: str,
    pretokenizer: str,
    pretokenizer_settings: tuple[tuple[str, Any], ...],
    special_tokens: tuple[str, ...],
) -> list[list[str]]:
    """The first words of a text, line by line."""
    chosen = make_pretokenizer(pretokenizer, **dict(pretokenizer_settings))
    return excerpt(corpus, chosen, special_tokens, MOST_WORDS)
