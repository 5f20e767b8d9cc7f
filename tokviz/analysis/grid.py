"""A grid of trainings: every algorithm with every vocabulary size, a row of numbers for each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tokviz.analysis.metrics import METRICS, PerWord, metrics, words_known
from tokviz.analysis.sizes import Sized, trained_to
from tokviz.basics.progress import Progress
from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.given_corpus import Corpus, as_corpus
from tokviz.text.languages import count_for, of_languages
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import configured
from tokviz.trainers.training import make_trainer

if TYPE_CHECKING:
    import pandas as pd

#: The stages in which a training trains; before them it counts words and prepares.
_TRAINING = ("merges", "tokens", "steps")
_COLUMNS = ["algorithm", "vocab_size", "reached", "steps", *(m.name for m in METRICS)]
_COLUMNS += ["words", "per_word", "stopped", "error"]
#: Whole numbers that a cell may not have.
_TYPES = dict.fromkeys(["reached", "steps", "corpus_tokens", "words"], "Int64")

#: A name for each algorithm, and what `tokviz.train` is told besides the size.
SetUps: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Grid:
    """The cells of a grid as a table, and whether it was cancelled before it had them all.

    A row of `table` has the name of the algorithm, the `vocab_size` asked for, the size that was
    `reached`, the `steps` until there, every one of `METRICS` in that state, the `words` that
    figures per word are of and which they are (`per_word`: see `tokviz.analysis.metrics.metrics`),
    and in `stopped` why training ended. A cell that cannot be trained has a sentence in `error` and
    no numbers.
    """

    __repr__ = short_repr

    table: "pd.DataFrame"
    cancelled: bool


@dataclass(frozen=True)
class GridProgress:
    """One report: `done` of `cells` are finished, and `inner` is that of the training towards
    `vocab_size`, which will finish `at_once` more.

    >>> inner = Progress("merges", done=20, total=40, seconds=1.0)
    >>> GridProgress("bpe", 80, done=1, cells=10, at_once=4, inner=inner).share
    0.3
    """

    algorithm: str
    vocab_size: int
    done: int
    cells: int
    at_once: int
    inner: Progress

    @property
    def share(self) -> float:
        """The share of the grid that is done, 0 to 1."""
        inner, part = self.inner, 0.0
        if inner.stage in _TRAINING and inner.total:
            part = min(1.0, inner.done / inner.total)
        return (self.done + part * self.at_once) / self.cells


#: Called with a `GridProgress`; return False to stop. The cells that are finished are kept.
GridCallback: TypeAlias = Callable[[GridProgress], bool | None]


def grid(
    corpus: Corpus | Mapping[str, str],
    algorithms: Iterable[str] | SetUps,
    vocab_sizes: Iterable[int],
    progress: GridCallback | None = None,
    when_counted: Callable[[WordCounts], None] | None = None,
    per_word: PerWord = "whitespace",
) -> Grid:
    """Trains every algorithm to every vocabulary size and returns what each training ends with.

    `corpus` is as in `tokviz.train`. `algorithms` are names of `TRAINERS`, or a mapping from a name
    of one's own to `tokviz.train`'s arguments: algorithm (the name itself if there is none),
    pretokenizer, and the settings. The rows come in the order of the algorithms, by size.
    `when_counted` is as `counted` of `tokviz.train`. `per_word` says which words fertility and the
    words kept whole count: those between white space, the same for every cell, or the pre-tokens of
    each.

    Raises SettingError or CorpusError for what no cell can be trained with, and for other words;
    what is wrong with a size only is said in its row.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> table = grid(words, ["bpe", "wordpiece"], [4, 8, 10]).table
    >>> table[["algorithm", "vocab_size", "steps", "corpus_tokens"]].dropna().values.tolist()
    [['bpe', 8, 1, 93], ['bpe', 10, 3, 62], ['wordpiece', 8, 1, 108], ['wordpiece', 10, 3, 88]]
    >>> table["error"][0].split(":")[0]
    'A vocabulary size of 4 is too small'
    """
    import pandas as pd

    words_known([], per_word)
    if not isinstance(algorithms, Mapping):
        algorithms = {name: {} for name in algorithms}
    lines = [_Line.of(label, **{"algorithm": label, **more}) for label, more in algorithms.items()]
    sizes = sorted(set(vocab_sizes))
    corpus = corpus if of_languages(corpus) else as_corpus(corpus)
    if not isinstance(corpus, str | Mapping):
        # It is read once for each pre-tokenizer.
        corpus = list(corpus)
    cells = len(lines) * len(sizes)
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    counted: dict[tuple[bool, Pretokenizer, tuple[str, ...]], WordCounts] = {}
    cancelled = False
    for number, line in enumerate(lines if sizes else []):

        def note(size: int, at_once: int, inner: Progress, label: str = line.label) -> bool | None:
            report = GridProgress(label, size, len(rows), cells, at_once, inner)
            return None if progress is None else progress(report)

        key = line.by_language, line.pretokenizer, line.special_tokens
        try:
            if key not in counted:
                by, cut, special = key
                counted[key] = count_for(by, corpus, cut, special, partial(note, sizes[-1], 0))
                if when_counted is not None:
                    when_counted(counted[key])
            words = counted[key]
            known = per_word if words.white_space_known else "pretokens"
            for sized in trained_to(
                sizes, line.algorithm, line.settings, words, line.pretokenizer, note
            ):
                rows[number, sized.vocab_size] = _row(line.label, sized, known)
        except Cancelled:
            cancelled = True
            break
    found = [rows[cell] for cell in sorted(rows)]
    table = pd.DataFrame(found, columns=_COLUMNS).astype(_TYPES)
    for name in ("per_word", "stopped", "error"):
        # As objects: a column of texts would not keep how its messages were made.
        table[name] = pd.Series([row[name] for row in found], dtype=object)
    return Grid(table, cancelled)


def _row(label: str, sized: Sized, per_word: PerWord) -> dict[str, Any]:
    row: dict[Any, Any] = {"algorithm": label, "vocab_size": sized.vocab_size}
    row |= {"per_word": per_word, "stopped": sized.stopped, "error": sized.error}
    if sized.history is not None:
        (numbers,) = metrics(sized.history, [sized.state], per_word).to_dict("records")
        row |= {"reached": numbers.pop("vocab_size"), "steps": numbers.pop("step"), **numbers}
    return row


def usual_sizes(least: int, greatest: int) -> list[int]:
    """Round vocabulary sizes between two others, nine at most, for a first look.

    >>> usual_sizes(40, 160), usual_sizes(7, 18), usual_sizes(3, 3)
    ([40, 60, 80, 100, 120, 140, 160], [8, 10, 12, 14, 16, 18], [3])
    """
    step = 1
    while step * 8 < greatest - least:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return [*range(-(-least // step) * step, greatest + 1, step)] or [least]


class _Line(NamedTuple):
    """An algorithm of the grid as it is trained, but for the size."""

    label: str
    algorithm: str
    settings: dict[str, Any]
    pretokenizer: Pretokenizer
    special_tokens: tuple[str, ...]
    by_language: bool

    @classmethod
    def of(
        cls,
        label: str,
        algorithm: str,
        pretokenizer: str | Pretokenizer | None = None,
        **settings: Any,
    ) -> "_Line":
        """Raises SettingError for settings that cannot be, whatever the size."""
        trainer = make_trainer(algorithm, **settings)
        chosen = make_pretokenizer(pretokenizer or trainer.default_pretokenizer)
        cut = configured(trainer, chosen)
        special = trainer.special_tokens
        return cls(label, algorithm, settings, cut, special, trainer.by_language)
