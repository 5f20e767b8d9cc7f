"""How many tokens each merge saves: on the text of a run, and on text that it was not trained on.

A merge makes one token of two each time that it is applied, so what it saves is how often it is.
"""

from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from tokviz.basics.errors import SettingError
from tokviz.history.base import History, Ints
from tokviz.history.merges import MergeHistory
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import Corpus

if TYPE_CHECKING:
    import pandas as pd


def encodes_by_merges(history: History) -> TypeGuard[MergeHistory]:
    """Whether a run encodes by its merges alone, so that each of them saves tokens.

    >>> import tokviz
    >>> runs = [tokviz.train("low lower", algorithm, 7) for algorithm in ("bpe", "wordpiece")]
    >>> [*map(encodes_by_merges, runs)]
    [True, False]
    """
    return isinstance(history, MergeHistory) and history.default_encoder == "merges"


def tokens_saved(history: History, held_out: Corpus | None = None) -> "pd.DataFrame":
    """One row a merge: step, left, right, token, id, and `saved`, the tokens that it saves on the
    text of the run. With a text that was held out also `saved_held_out`: those that it saves there,
    encoded by all merges.

    What is saved adds up to the difference between the tokens of the first and of the last state.

    Raises SettingError for runs that do not encode by their merges, CorpusError for a bad corpus.

    >>> import tokviz
    >>> history = tokviz.train("low low lower", "bpe", 9, "whitespace")
    >>> tokens_saved(history, "slow lots").values.tolist()
    [[1, 'l', 'o', 'lo', 5, 3, 2], [2, 'lo', 'w', 'low', 6, 3, 1], [3, 'low', 'e', 'lowe', 7, 1, \
0], [4, 'lowe', 'r', 'lower', 8, 1, 0]]
    """
    import pandas as pd

    if not encodes_by_merges(history):
        raise SettingError.saying(
            "What a merge saves is asked of runs that encode by their merges, and this is one of "
            "{algorithm}; train bpe.",
            algorithm=history.algorithm,
        )
    record, base = history.record, len(history.record.alphabet)
    shown = pd.array(history.strings, dtype="str")
    columns = {
        "step": np.arange(1, len(history) + 1),
        "left": shown.take(record.left),
        "right": shown.take(record.right),
        "token": shown[base:],
        "id": history.symbol_ids[base:],
        "saved": history.times,
    }
    if held_out is not None:
        columns["saved_held_out"] = _applied(history, held_out)
    return pd.DataFrame(columns, copy=False)


def _applied(history: MergeHistory, text: Corpus) -> Ints:
    """How often each merge is applied in a text."""
    words = count_words(text, history.pretokenizer, history.special_tokens)
    times = np.zeros(len(history) + 1, np.int64)
    for word, count in zip(words.words, words.counts, strict=True):
        # A gap that stays open has the number of steps.
        np.add.at(times, np.asarray(history.gaps(word), np.int64), count)
    return times[:-1]
