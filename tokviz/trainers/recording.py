"""The training loop of BPE and WordPiece."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tokviz.corpus import Cancelled, WordCounts
from tokviz.merge_history import MergeRecord
from tokviz.progress import Interrupted, Pause, ProgressCallback, Reporter
from tokviz.symbols import Spelling, Symbol
from tokviz.trainers.folding import fold
from tokviz.trainers.merging import PairIndex
from tokviz.trainers.ranking import Ranking
from tokviz.trainers.recorder import TOP, Recorder
from tokviz.trainers.vocabulary import Vocabulary

#: Words whose symbols are numbered between two looks at the clock.
_SLICE = 20_000


@dataclass
class Start:
    """The words of a corpus as strings of numbered symbols (`chr(n)`), before the first merge."""

    alphabet: list[Symbol]
    words: list[str]
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
        numbered: list[str] = []
        for first in range(0, len(words), _SLICE):
            if reporter.cancelled(first):
                raise Cancelled("Cancelled before the first merge.")
            numbered += spelling.numbered(words.words[first : first + _SLICE], alphabet)
        return cls(list(alphabet), numbered, words.counts)

    def index(
        self,
        progress: ProgressCallback | None = None,
        kind: Callable[[Sequence[str], Sequence[int], int, Pause], PairIndex] = PairIndex,
    ) -> PairIndex:
        """The pair index of the words. Raises Cancelled if the callback says so."""
        pause = Reporter("words", len(self.words), progress).pause(len(self.words))
        try:
            return kind(self.words, self.counts, len(self.alphabet), pause)
        except Interrupted:
            raise Cancelled("Cancelled before the first merge.") from None


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Training makes a great many small lists and no cycles; to look for cycles among them would
    take a fifth of its time.

    >>> with collector_at_rest():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@collector_at_rest()
def run_merges(
    start: Start,
    index: PairIndex,
    ranking: Ranking,
    vocabulary: Vocabulary,
    vocab_size: int,
    min_frequency: int,
    first_seen: bool,
    progress: ProgressCallback | None,
) -> tuple[MergeRecord, str]:
    """Merges the best pair again and again until the vocabulary holds `vocab_size` strings, no pair
    is left, or the best count is below `min_frequency`. `first_seen`: whether the best is the pair
    with the highest count that is met first. Returns the record and the reason why it ended."""
    recorder = Recorder(start.alphabet, index)
    reporter = Reporter("merges", vocab_size - len(vocabulary), progress)
    while True:
        best, counts, tied = ranking.best()
        recorder.state(best, counts, tied)
        size, steps = len(vocabulary), len(recorder.left)
        if size >= vocab_size:
            stopped = _full(vocab_size)
        elif not start.words:
            stopped = "The corpus has no words: there is nothing to merge."
        elif not best:
            stopped = _nothing_left(size, vocab_size, index.words)
        elif counts[0] < min_frequency:
            stopped = (
                f"The best pair occurs {counts[0]} times, less than "
                f"min_frequency={min_frequency}. The vocabulary has {size} of the {vocab_size} "
                "tokens asked for."
            )
        elif reporter.cancelled(steps):
            stopped = _cancelled(steps)
        elif first_seen and counts[0] == 1:
            folded = fold(index, vocabulary, vocab_size, TOP, reporter.ahead(steps))
            recorder.fold(folded)
            if folded.cancelled:
                stopped = _cancelled(len(recorder.left))
            elif len(vocabulary) >= vocab_size:
                stopped = _full(vocab_size)
            else:
                stopped = _nothing_left(len(vocabulary), vocab_size)
        else:
            changed = index.merge(best[0])
            recorder.step(best[0], changed)
            vocabulary.merge(recorder.left[-1], recorder.right[-1])
            ranking.update(changed)
            continue
        return recorder.record(reporter.only_tell(len(recorder.left))), stopped


def _full(vocab_size: int) -> str:
    return f"The vocabulary has the {vocab_size} tokens asked for."


def _nothing_left(size: int, vocab_size: int, words: Sequence[str] = ()) -> str:
    why = "every word is one token"
    if any(len(word) > 1 for word in words):
        why = "what could still be merged spells no valid piece"
    return (
        f"No pair is left: {why}. The vocabulary has {size} of the {vocab_size} tokens asked for."
    )


def _cancelled(steps: int) -> str:
    return f"Cancelled after {steps} merges."
