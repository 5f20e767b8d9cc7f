"""What a run of merges is asked to do, and what can do it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback, Reporter
from tokviz.history.base import Ints
from tokviz.text.corpus import Cancelled
from tokviz.text.symbols import Codes, Spelling, Symbol, SymbolTable
from tokviz.text.word_counts import Languages, WordCounts
from tokviz.trainers.boundless.cut_runs import CutRuns
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.parity.turns import Balance

#: Words whose symbols are numbered between two looks at the clock.
_SLICE = 20_000


@dataclass(frozen=True)
class Start:
    """The words of a corpus as numbered symbols, one word after the other; `starts` says where each
    word's begin, and where the last ones end.

    >>> words = WordCounts(("ab", "b"), (2, 1))
    >>> start = Start.of(words, Spelling(), [Symbol("a"), Symbol("b")])
    >>> start.symbols.tolist(), start.starts.tolist()
    ([0, 1, 1], [0, 2, 3])
    """

    alphabet: list[Symbol]
    symbols: Codes
    starts: Ints
    counts: Sequence[int]

    @classmethod
    def of(
        cls,
        words: WordCounts,
        spelling: Spelling,
        alphabet: Sequence[Symbol],
        progress: ProgressCallback | None = None,
    ) -> "Start":
        """Numbers the symbols of the words; `alphabet` must hold every one of them.

        Raises Cancelled if the callback says so.
        """
        reporter = Reporter("words", len(words), progress)
        parts: list[tuple[Codes, Ints]] = [(np.empty(0, np.int32), np.empty(0, np.int64))]
        for first in range(0, len(words), _SLICE):
            if reporter.cancelled(first):
                raise Cancelled(message("Cancelled before the first merge."))
            parts.append(spelling.numbered(words.words[first : first + _SLICE], alphabet))
        symbols, lengths = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(list(alphabet), symbols, np.concatenate([[0], np.cumsum(lengths)]), words.counts)


class Parity(NamedTuple):
    """The languages of a run, the words of their development texts, and how they are compared."""

    languages: Languages
    development: Start
    balance: Balance


class Boundless(NamedTuple):
    """The words of a corpus of runs, as numbered symbols, and the runs that have them."""

    words: Start
    cut: CutRuns


@dataclass(frozen=True)
class Task:
    """Merges until the vocabulary holds `vocab_size` strings, no pair is left, or the best count is
    below `min_frequency`.

    `rule` is a name of `TIE_BREAKS`; "likelihood", which is WordPiece's score with first-seen ties;
    or "given": the pair of the lowest rank that `candidates` says. `vocabulary` has the alphabet.
    With a `threshold`, tokens are taken back (see `tokviz.trainers.picky_bpe`); with a `parity`,
    languages take turns (see `tokviz.trainers.parity_bpe`); with a `boundless`, whole words are
    merged beside what is in them (see `tokviz.trainers.boundless_bpe`), with a `threshold` or not.
    """

    start: Start
    vocabulary: SymbolTable
    rule: str
    vocab_size: int
    min_frequency: int = 1
    candidates: Candidates | None = field(default=None, repr=False)
    threshold: Fraction | None = None
    parity: Parity | None = None
    boundless: Boundless | None = None


def task_of(words: Mapping[str, int], vocab_size: int = 99) -> Task:
    """BPE on some words, as its simplest."""
    counted = WordCounts(tuple(words), tuple(words.values()))
    alphabet = sorted(Spelling().symbols_of(words))
    start = Start.of(counted, Spelling(), alphabet)
    return Task(start, SymbolTable(Spelling(), (), alphabet), "first-seen", vocab_size)


class Merging(Protocol):
    """A run of merges, standing in a state of which it has written down the best pairs."""

    def go_on(self, steps: int) -> str:
        """Merges the best pair, again and again, at most `steps` times. Returns why the run has
        ended: the kind of a `Stop`, or "" if it has not."""

    def follow(self, left: Ints, right: Ints) -> int:
        """Merges these pairs instead, in their order. Returns how many: fewer than there are if one
        is no candidate."""

    def first_seen(self, p: int) -> int:
        """A number for the place where pair p is first met now, which grows along the corpus. Only
        for pairs that still occur."""

    def column(self, name: str) -> Ints:
        """What the run has written down until now, by the names of `MergeRecord`; and "sizes" of
        the vocabulary, the counts of all pairs now and at first."""
