"""The functions that workers run. The last argument of each is the progress callback.

A worker that is told to end early returns the result so far: a history that ends there.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import tokviz
from tokviz.analysis.autopsy import Autopsy, autopsy
from tokviz.analysis.grid import Grid, GridCallback, grid
from tokviz.basics.messages import using
from tokviz.basics.progress import Interrupted, ProgressCallback
from tokviz.formats.choice_checks import is_chosen
from tokviz.formats.readers.opened import OpenedTokenizer, open_tokenizer
from tokviz.history.base import History
from tokviz.history.continued import ContinuedHistory
from tokviz.history.merge_record import MergeRecord
from tokviz.history.merges import MergeHistory
from tokviz.history.replay import ReplayHistory
from tokviz.history.stop import Stop
from tokviz.player.packed_lane import packed_lane
from tokviz.pretokenizers import Pretokenizer
from tokviz.server.limit_checks import check_words
from tokviz.server.limits import OfCorpus
from tokviz.server.runs import Corpus, read_corpus
from tokviz.text.languages import count_for, text_for
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import Trainer, alike
from tokviz.trainers.bpe import MergeTrainer
from tokviz.trainers.continued import Continued
from tokviz.trainers.interventions import Choice, Interventions
from tokviz.trainers.reached import unwarned
from tokviz.trainers.replay import Replay


def train(
    corpus: str,
    read_as: str,
    algorithm: str,
    vocab_size: int,
    pretokenizer: Pretokenizer,
    settings: Mapping[str, Any],
    limits: OfCorpus,
    note: ProgressCallback,
) -> History:
    """Train a history on a corpus that is read as `read_corpus` does. Raises LimitError for words
    beyond the limits."""
    read, check = read_corpus(corpus, read_as), partial(_check, limits)
    # The page says why the training ended; warnings in the server's log reach no one.
    with unwarned():
        return tokviz.train(read, algorithm, vocab_size, pretokenizer, note, check, **settings)


class Drawn(NamedTuple):
    """How a history is drawn: under a label, as one of so many lanes, in a language."""

    label: str
    lanes: int
    language: str


class Packed(NamedTuple):
    """A history, and what it is drawn with: packed for the player."""

    history: History
    drawn: Drawn
    blob: bytes


def train_packed(drawn: Drawn, corpus: str, read_as: str, *given: Any) -> Packed | History:
    """Train a history as `train` does, and pack it, unless it ended early: the server draws the
    pages of all visitors in one process, and has several of these."""
    history = train(corpus, read_as, *given)
    if history.stop.kind == "cancelled":
        return history
    text = Corpus("", corpus, read_as).plain if read_as != "counts" else None
    with using(drawn.language):
        # What is worked out for it stays out of what is sent.
        blob = packed_lane(copy(history), text, drawn.label, drawn.lanes)
    return Packed(history, drawn, blob)


def _check(limits: OfCorpus, words: WordCounts) -> None:
    check_words(words, limits)


def branch(history: History, step: int, choice: Choice, note: ProgressCallback) -> History:
    """Return the branch of a history with another choice at a step."""
    return tokviz.branch(history, step, choice, note)


def with_choice(history: History, note: ProgressCallback) -> History | None:
    """Return a history from a file, which knows the choice of its characters from then on; None if
    they are others than its trainer chooses."""
    return history if is_chosen(history, note) else None


@contextmanager
def _unheard() -> Iterator[None]:
    """Discard what native code prints to standard error, such as a visitor's text."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class OfFile(NamedTuple):
    """The new parts of a run of a tokenizer file; an opened tokenizer cannot be pickled."""

    words: WordCounts
    stop: Stop
    record: MergeRecord
    text: str | None


def replay(files: Mapping[str, bytes], corpus: str, read_as: str, note: ProgressCallback) -> OfFile:
    """Replay a tokenizer's merges on a corpus. Its library also runs here, so a crash ends only
    this training."""
    read = text_for(False, read_corpus(corpus, read_as))
    with _unheard():
        made = tokviz.replay(open_tokenizer(files), read, note)
    return OfFile(made.words, made.stop, made.record, made.text)


def replayed(opened: OpenedTokenizer, made: OfFile) -> ReplayHistory:
    """Return the history of a replay, in the process that opened the tokenizer."""
    given, tokenizer = opened.merges, opened.tokenizer
    assert given is not None
    trainer = Replay(opened.name, len(given.strings), given)
    return ReplayHistory(
        trainer,
        tokenizer.pretokenizer,
        made.words,
        made.stop,
        made.record,
        given,
        tokenizer,
        text=made.text,
    )


def go_on(
    files: Mapping[str, bytes],
    corpus: str,
    read_as: str,
    vocab_size: int,
    interventions: Interventions,
    limits: OfCorpus,
    note: ProgressCallback,
) -> OfFile:
    """Train on from a tokenizer, to so many ids in all, told what to choose in some steps.
    Its library also runs here. Raises LimitError for words beyond the limits."""
    read, check = read_corpus(corpus, read_as), partial(_check, limits)
    with _unheard(), unwarned():
        opened = open_tokenizer(files)
        made = tokviz.train(
            *(read, "bpe", vocab_size, None, note, check, opened), interventions=interventions
        )
    return OfFile(made.words, made.stop, made.record, made.text)


def continued(
    vocab_size: int, interventions: Interventions, opened: OpenedTokenizer, made: OfFile
) -> ContinuedHistory:
    """Return the history of a training that went on, in the process that opened the tokenizer."""
    trainer = Continued(opened, vocab_size, interventions=interventions)
    pretokenizer = opened.tokenizer.pretokenizer
    parts = made.words, made.stop, made.record
    return ContinuedHistory(trainer, pretokenizer, *parts, text=made.text)


class Alike(NamedTuple):
    """The new parts of a training with the words of a tokenizer's file."""

    trainer: MergeTrainer
    words: WordCounts
    stop: Stop
    record: MergeRecord


def train_alike(
    files: Mapping[str, bytes],
    corpus: str,
    read_as: str,
    merges: int,
    limits: OfCorpus,
    note: ProgressCallback,
) -> Alike:
    """Train with the words and symbols of a tokenizer's file, for at most so many merges. Its
    library also runs here. Raises LimitError for words beyond the limits."""
    read, check = text_for(False, read_corpus(corpus, read_as)), partial(_check, limits)
    with _unheard():
        made = alike.train_alike(open_tokenizer(files), read, merges, note, check)
    assert isinstance(made.trainer, MergeTrainer)
    return Alike(made.trainer, made.words, made.stop, made.record)


def alike_of(opened: OpenedTokenizer, made: Alike) -> MergeHistory:
    """Return the history of such a training, in the process that opened the tokenizer."""
    return MergeHistory(made.trainer, alike.words_of(opened), made.words, made.stop, made.record)


def examine(files: Mapping[str, bytes], note: ProgressCallback) -> Autopsy | None:
    """Examine the vocabulary of a tokenizer's files; None when that was cancelled. Its library also
    runs here, so a crash ends only this."""
    with _unheard():
        opened = open_tokenizer(files)
        try:
            return autopsy(opened.tokenizer, opened.merges, note)
        except Interrupted:
            return None


def make_grid(
    corpus: str,
    read_as: str,
    set_ups: Mapping[str, Mapping[str, Any]],
    sizes: tuple[int, ...],
    limits: OfCorpus,
    note: GridCallback,
) -> Grid:
    """Train every set-up to every size. Raises LimitError for words beyond the limits."""
    read = read_corpus(corpus, read_as)
    return grid(read, set_ups, sizes, note, partial(_check, limits))


def count(
    corpus: str,
    read_as: str,
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...],
    by_language: bool,
    note: ProgressCallback | None,
) -> WordCounts:
    """Count the distinct words of a corpus."""
    read = read_corpus(corpus, read_as)
    return count_for(by_language, read, pretokenizer, special_tokens, note)


def sizes(
    words: WordCounts,
    trainer: Trainer,
    pretokenizer: Pretokenizer,
    _note: ProgressCallback | None,
) -> tuple[int, int]:
    """Return the smallest and largest vocabulary size that a trainer can have."""
    return (
        trainer.least_vocab_size(words, pretokenizer),
        trainer.greatest_vocab_size(words, pretokenizer),
    )
