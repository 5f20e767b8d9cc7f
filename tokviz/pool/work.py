"""What workers are asked for. Everything comes in by value, and the progress callback last.

A worker that is told to end early gives what it has: a history that ends there.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import tokviz
from tokviz.corpus import WordCounts, count_words, read_word_table
from tokviz.formats.opened import OpenedTokenizer, open_tokenizer
from tokviz.grid import Grid, GridCallback, grid
from tokviz.history import History
from tokviz.merge_record import MergeRecord
from tokviz.pretokenizers import Pretokenizer
from tokviz.progress import ProgressCallback
from tokviz.replay_history import ReplayHistory
from tokviz.trainers.interventions import Choice
from tokviz.trainers.replay import Replay


def train(
    corpus: str,
    is_table: bool,
    algorithm: str,
    vocab_size: int,
    pretokenizer: Pretokenizer,
    settings: Mapping[str, Any],
    note: ProgressCallback,
) -> History:
    """A training from its beginning; the corpus is a word-count table in text if `is_table`."""
    read = read_word_table(corpus) if is_table else corpus
    return tokviz.train(read, algorithm, vocab_size, pretokenizer, note, **settings)


def go_on(history: History, step: int, choice: Choice, note: ProgressCallback) -> History:
    """The branch of a history that is told another choice at a step."""
    return tokviz.branch(history, step, choice, note)


class Replayed(NamedTuple):
    """What is new in a replay; an opened tokenizer cannot be sent from one process to another."""

    words: WordCounts
    stopped: str
    record: MergeRecord
    text: str | None


def replay(
    files: Mapping[str, bytes], corpus: str, is_table: bool, note: ProgressCallback
) -> Replayed:
    """The merges of a tokenizer, given by its files, on a corpus."""
    read = read_word_table(corpus) if is_table else corpus
    made = tokviz.replay(open_tokenizer(files), read, note)
    assert isinstance(made, ReplayHistory)
    return Replayed(made.words, made.stopped, made.record, made.text)


def replayed(opened: OpenedTokenizer, made: Replayed) -> ReplayHistory:
    """The history of a replay in the process that opened the tokenizer itself."""
    given, tokenizer = opened.merges, opened.tokenizer
    assert given is not None
    trainer = Replay(opened.name, len(given.strings), given)
    history = ReplayHistory(
        trainer, tokenizer.pretokenizer, made.words, made.stopped, made.record, given, tokenizer
    )
    history.text = made.text
    return history


def make_grid(
    corpus: str,
    is_table: bool,
    set_ups: Mapping[str, Mapping[str, Any]],
    sizes: tuple[int, ...],
    note: GridCallback,
) -> Grid:
    """Every set-up trained to every size."""
    return grid(read_word_table(corpus) if is_table else corpus, set_ups, sizes, note)


def count(
    corpus: str,
    is_table: bool,
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...],
    note: ProgressCallback | None,
) -> WordCounts:
    """The distinct words of a corpus."""
    read = read_word_table(corpus) if is_table else corpus
    return count_words(read, pretokenizer, special_tokens, note)
