"""Open a history file as a lane of the page, without training."""

import json
from dataclasses import replace
from hashlib import sha256
from io import BytesIO

from tokviz.basics.errors import CorpusError
from tokviz.basics.messages import message
from tokviz.formats.history_file import read
from tokviz.history.base import History
from tokviz.server import limits
from tokviz.server.jobs import keep_opened
from tokviz.server.limit_checks import check_opened
from tokviz.server.runs import Corpus, HistoryFile, Run, changed_fields
from tokviz.text.word_table import write_word_table
from tokviz.trainers import settings_of


def lane_of_file(name: str, data: bytes) -> Run:
    """Return the lane of a history file, and cache its history. The file contains word counts and
    no text, so the corpus is a table. A run trained on the same table does not get this history,
    which anyone may have written.

    Raises HistoryFileError for a file that is not a history, LimitError for one beyond the limits
    of this server, CorpusError for one whose words cannot be a table, and as `keep_opened` does.
    """
    history = read(BytesIO(data), name, limits.LIMITS.files.history_bytes)
    digest = sha256(data).hexdigest()[:32]
    run = replace(run_of(history, name.removesuffix(".npz")), source=HistoryFile(digest))
    check_opened(run, history, limits.LIMITS)
    try:
        json.dumps(
            [run.pretokenizer_settings, run.settings, run.interventions], ensure_ascii=False
        ).encode()
    except UnicodeEncodeError:
        raise CorpusError(
            message(
                "The history has settings with half a surrogate pair, which is no character; open "
                "it in Python with tokviz.load."
            )
        ) from None
    keep_opened(run, history, name)
    return run


def run_of(history: History, title: str) -> Run:
    """Return the run that makes a history; if it was cancelled, with the size it reached, since the
    run with the full size would give more.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", 7, "bert", tie_break="shortest")
    >>> run = run_of(history, "Mine")
    >>> run.corpus
    Corpus(title='Mine', text='hug\\t10\\npug\\t5', read_as='counts')
    >>> run.settings
    (('tie_break', 'shortest'),)
    """
    trainer = history.trainer
    size = trainer.vocab_size
    if history.stop.kind == "cancelled":
        size = history.vocab_size(len(history))
    settings = tuple(
        (setting.name, getattr(trainer, setting.name))
        for setting in settings_of(trainer)
        # Default for the size of the returned run, which may differ from the trainer's.
        if getattr(trainer, setting.name) != setting.usual(size)
    )
    return Run(
        Corpus(title, _table(history), "counts"),
        history.algorithm,
        size,
        history.pretokenizer.name,
        changed_fields(history.pretokenizer),
        settings,
        getattr(trainer, "interventions", ()),
    )


def _table(history: History) -> str:
    words = dict(zip(history.words.words, history.words.counts, strict=True))
    try:
        return write_word_table(words)
    except CorpusError:
        raise CorpusError(
            message(
                "The history has words that no table in text can hold: with a line break or half a "
                "surrogate pair, which is no character, or too frequent ones. Open it in Python "
                "with tokviz.load."
            )
        ) from None
