"""A history file as a lane of the page: the same steps, without training anew."""

import json
from dataclasses import replace
from hashlib import sha256
from io import BytesIO

from tokviz.basics.messages import message
from tokviz.formats.history_file import read
from tokviz.history.base import History
from tokviz.server import limits
from tokviz.server.histories import put_history
from tokviz.server.limit_checks import check_opened
from tokviz.server.runs import Corpus, HistoryFile, Run, changed_fields
from tokviz.text.corpus import CorpusError
from tokviz.text.word_table import write_word_table
from tokviz.trainers import settings_of


def lane_of_file(name: str, data: bytes) -> Run:
    """The lane of a history file; its history is known from then on. The file holds words and their
    counts and no text, so the corpus is a table of these. Whoever trains on the same table is not
    given this history, which anybody may have written.

    Raises HistoryFileError for a file that is no history, LimitError for one that is beyond the
    limits of this server, and CorpusError for one whose words cannot be a table.
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
    put_history(run, history)
    return run


def run_of(history: History, title: str) -> Run:
    """What was asked for when a history was trained; of one that was cancelled the size that it
    came to, so that nobody who asks for more is given less.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", 7, "bert", tie_break="shortest")
    >>> run = run_of(history, "Mine")
    >>> run.corpus, run.settings
    (Corpus(title='Mine', text='hug\\t10\\npug\\t5', is_table=True), (('tie_break', 'shortest'),))
    """
    trainer = history.trainer
    size = trainer.vocab_size
    if history.stop.kind == "cancelled":
        size = history.vocab_size(len(history))
    settings = tuple(
        (setting.name, getattr(trainer, setting.name))
        for setting in settings_of(trainer)
        # Of the size that the run will be asked for, which may be another one.
        if getattr(trainer, setting.name) != setting.usual(size)
    )
    return Run(
        Corpus(title, _table(history), is_table=True),
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
