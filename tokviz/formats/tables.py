"""Every table of a history, by name: what the pages show and files hold.

Rows and columns are those of the history's own questions; nothing is computed anew. How tables
become files is told in `tokviz.formats.table_files`.
"""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from tokviz.analysis.metrics import metrics
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.formats.table_files import TABLE_FORMATS, table_bytes
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.history.seeds import SeedHistory

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TABLES", "TABLE_FORMATS", "Table", "table_bytes"]


@dataclass(frozen=True)
class Table:
    """One table of a history: its name, what people call it, a sentence of help, and whether it is
    of one state or of all."""

    __repr__ = short_repr

    name: str
    label: str
    help: str
    at_state: bool
    make: "Callable[[History, int], pd.DataFrame]"

    def frame(self, history: History, t: int | None = None) -> "pd.DataFrame":
        """The table of state t, the last one if None; tables of all states are the same for any.

        Raises IndexError for a state that the run does not have.

        >>> import tokviz
        >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
        >>> TABLES["segmentations"].frame(history, 2).values.tolist()
        [['low', 5, 1, ['low']], ['lower', 2, 3, ['low', 'e', 'r']]]
        """
        t = len(history) if t is None else t
        history.check_state(t)
        return self.make(history, t)


def vocabulary(history: History, t: int) -> "pd.DataFrame":
    """The vocabulary of state t in id order: id, token (as displayed), special, text, bytes (of its
    text in UTF-8, in hexadecimal), born (the first state that has it), count (in the corpus as
    segmented in state t); for merges left and right, what it was made of; for Unigram log_prob.

    `text` has no markers, and no value where the bytes are not whole characters: those of a part of
    a character, or of a lone surrogate.

    >>> import tokviz
    >>> table = vocabulary(tokviz.train({"é": 5}, "bpe", 3, "gpt2", unit="byte"), 1)
    >>> table[["token", "text", "bytes", "left", "right", "count"]].values.tolist()[1:]
    [['Ã', nan, 'c3', nan, nan, 0], ['Ã©', 'é', 'c3a9', 'Ã', '©', 5]]
    """
    import pandas as pd

    tokens, tokenizer = history.vocab(t), history.tokenizer(t)
    special = [symbol is None for symbol in tokenizer.symbols]
    covered = [tokenizer.text_bytes(i) for i in range(len(tokens))]
    columns: dict[str, Any] = {
        "id": np.arange(len(tokens)),
        "token": _text(tokens),
        "special": special,
        "text": _text(map(_decoded, covered)),
        "bytes": _text(data.hex() for data in covered),
        "born": history.births(t),
        "count": history.token_counts(t),
    }
    return pd.DataFrame(columns | family_columns(history, t))


@singledispatch
def family_columns(_history: History, _t: int) -> dict[str, Any]:
    """What a family alone knows of the tokens of state t: columns over its vocabulary."""
    return {}


def segmentations(history: History, t: int) -> "pd.DataFrame":
    """Every word of the corpus, in the order in which it was met: word, count, pieces (how many
    tokens), tokens (a list, as displayed, as segmented in state t)."""
    import pandas as pd

    words = history.words
    tokens = [history.segmentation(word, t) for word in words.words]
    columns = {
        "word": _text(words.words),
        "count": np.asarray(words.counts, np.int64),
        "pieces": np.asarray([len(cut) for cut in tokens], np.int64),
        "tokens": pd.Series(tokens, dtype=object),
    }
    return pd.DataFrame(columns)


def steps(history: History) -> "pd.DataFrame":
    """Every step: step (the number of the state that it leads to, from 1), action, the fields of
    the history's steps, vocab_size and corpus_tokens after it, and narration.

    >>> import tokviz
    >>> table = steps(tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7))
    >>> table[["step", "left", "right", "count", "vocab_size", "corpus_tokens"]].values.tolist()
    [[1, 'l', 'o', 7, 6, 18], [2, 'lo', 'w', 7, 7, 11]]
    >>> table["narration"][1]
    'Step 2: merged "lo" + "w" into "low" (7 times). Runner-up "w" + "e" with a count of 2.'
    """
    import pandas as pd

    rows = [dataclasses.asdict(step) for step in history.steps]
    names = list(dict.fromkeys(name for row in rows for name in row if name != "step"))
    curve = history.curve()
    columns: dict[str, Any] = {"step": np.arange(1, len(rows) + 1)}
    for name in names:
        columns[name] = _column([row.get(name) for row in rows])
    columns["vocab_size"] = curve["vocab_size"].to_numpy()[1:]
    columns["corpus_tokens"] = curve["corpus_tokens"].to_numpy()[1:]
    columns["narration"] = _text(history.narrate(t) for t in range(1, len(rows) + 1))
    return pd.DataFrame(columns)


def _column(values: list[Any]) -> Any:
    """Values of one field; some kinds of steps may not have it. Whole numbers stay whole."""
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return _text(values)
    if kinds == {int} and None in values:
        return pd.array(values, dtype="Int64")
    return pd.Series([list(v) if isinstance(v, tuple) else v for v in values])


def _text(values: Iterable[str | None]) -> "pd.Series[Any]":
    """A column of text: of pandas' own kind, unless there is a lone surrogate, which it refuses."""
    import pandas as pd

    texts = list(values)
    try:
        return pd.Series(texts, dtype="str")
    except UnicodeEncodeError:
        return pd.Series(texts, dtype=object)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


@family_columns.register
def _parents(history: MergeHistory, t: int) -> dict[str, Any]:
    """What each token of the vocabulary was merged from; nothing for the alphabet."""
    strings, columns = np.asarray([*history.strings, None], object), {}
    for name, part in (("left", history.record.left), ("right", history.record.right)):
        made_of = np.concatenate([[-1], part])[history.births(t)]
        columns[name] = _text(strings[made_of].tolist())
    return columns


@family_columns.register
def _log_probs(history: SeedHistory, t: int) -> dict[str, Any]:
    """No special token has one."""
    rows = history.candidates(t)
    known = dict(zip(rows["token"].tolist(), rows["log_prob"].tolist(), strict=True))
    tokens = zip(history.vocab(t), history.vocab_symbols(t), strict=True)
    found = [None if symbol is None else known.get(token) for token, symbol in tokens]
    return {"log_prob": found}


#: The tables of a history by name. A new table is one entry here.
TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            "candidates",
            message("Candidates"),
            message("What the next step chooses from, best first: every row with its scores."),
            True,
            lambda history, t: history.candidates(t),
        ),
        Table(
            "vocabulary",
            message("Vocabulary"),
            message(
                "Every token of the state: id, text, bytes, when it was born, how often it is used."
            ),
            True,
            vocabulary,
        ),
        Table(
            "segmentations",
            message("Segmentations"),
            message("Every word of the corpus with its count and its tokens in the state."),
            True,
            segmentations,
        ),
        Table(
            "steps",
            message("Steps"),
            message("What every step of the training did, in columns and in a sentence."),
            False,
            lambda history, _t: steps(history),
        ),
        Table(
            "curve",
            message("Curve"),
            message(
                "Every state: vocabulary size, corpus tokens, characters per token, score, loss."
            ),
            False,
            lambda history, _t: history.curve(),
        ),
        Table(
            "metrics",
            message("Metrics"),
            message(
                "Every state: characters and bytes per token, fertility, unused vocabulary, "
                "entropy and more."
            ),
            False,
            lambda history, _t: metrics(history),
        ),
    )
}
