"""The training loop of BPE and WordPiece."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tokviz.basics.errors import FileError
from tokviz.basics.messages import message
from tokviz.basics.progress import Interrupted, Pause, ProgressCallback, Reporter
from tokviz.history.merges import MergeHistory, MergeRecord
from tokviz.history.stop import Stop
from tokviz.text.corpus import Cancelled, WordCounts
from tokviz.text.symbols import Spelling, Symbol, SymbolTable
from tokviz.trainers.interventions import NONE_FORCED, ForcedMerges
from tokviz.trainers.merging.folding import fold
from tokviz.trainers.merging.pairs import PairIndex
from tokviz.trainers.merging.ranking import Ranking
from tokviz.trainers.merging.recorder import TOP, Recorder
from tokviz.trainers.merging.vocabulary import Vocabulary

#: Words whose symbols are numbered between two looks at the clock.
_SLICE = 20_000


@dataclass
class Start:
    """The words of a corpus as strings of numbered symbols (`chr(n)`): before the first merge, or
    in the state of another run that `steps` merges led to; `record` is that run's."""

    alphabet: list[Symbol]
    words: list[str]
    counts: Sequence[int]
    record: MergeRecord | None = None
    steps: int = 0

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
                raise Cancelled(message("Cancelled before the first merge."))
            numbered += spelling.numbered(words.words[first : first + _SLICE], alphabet)
        return cls(list(alphabet), numbered, words.counts)

    @classmethod
    def at(cls, record: MergeRecord, t: int, counts: Sequence[int]) -> "Start":
        """The words of a run in state t, without the merges before it: the gaps say it.

        >>> import tokviz
        >>> history = tokviz.train({"hugs": 2, "hug": 1}, "bpe", vocab_size=6)
        >>> Start.at(history.record, 1, history.words.counts).words     # hu g s, hu g
        ['\\x04\\x00\\x02', '\\x04\\x00']
        """
        symbols, starts = record.state_symbols(t)
        whole = symbols.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        bounds = np.searchsorted(starts, record.starts).tolist()
        words = [whole[first:last] for first, last in pairwise(bounds)]
        return cls(record.alphabet, words, counts, record, t)

    def index(
        self,
        progress: ProgressCallback | None = None,
        kind: Callable[[Sequence[str], Sequence[int], int, Pause], PairIndex] = PairIndex,
    ) -> PairIndex:
        """The pair index of the words. Raises Cancelled if the callback says so."""
        pause = Reporter("words", len(self.words), progress).pause(len(self.words))
        try:
            index = kind(self.words, self.counts, len(self.alphabet) + self.steps, pause)
        except Interrupted:
            raise Cancelled(message("Cancelled before the first merge.")) from None
        if self.record is not None:
            known = slice(int(self.record.known[self.steps]))
            sides = self.record.pair_left[known].tolist(), self.record.pair_right[known].tolist()
            try:
                index.renumber([chr(left) + chr(right) for left, right in zip(*sides, strict=True)])
            except KeyError:
                raise FileError.saying(
                    "The candidates of this history are not the pairs of its words: its file is "
                    "damaged. Train again."
                ) from None
        return index

    def recorder(self, index: PairIndex) -> Recorder:
        """What writes down the run that starts here."""
        if self.record is None:
            return Recorder(self.alphabet, index)
        return Recorder.going_on(self.record, self.steps, index)


def resumed(
    history: MergeHistory, t: int, special_tokens: Iterable[str]
) -> tuple[Start, SymbolTable]:
    """What a trainer needs to go on from state t of a run: its words, and its vocabulary."""
    record = history.record
    table = SymbolTable(history.spelling, special_tokens, record.alphabet)
    for left, right in zip(record.left[:t].tolist(), record.right[:t].tolist(), strict=True):
        table.merge(left, right)
    return Start.at(record, t, history.words.counts), table


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
    forced: ForcedMerges = NONE_FORCED,
) -> tuple[MergeRecord, Stop]:
    """Merges the best pair again and again until the vocabulary holds `vocab_size` strings, no pair
    is left, or the best count is below `min_frequency`. `first_seen`: whether the best is the pair
    with the highest count that is met first. `forced` are merges that are made instead. Returns the
    record and the reason why it ended.

    Raises SettingError for a forced merge that cannot be made, or is not reached."""
    recorder = start.recorder(index)
    reporter = Reporter("merges", start.steps + vocab_size - len(vocabulary), progress)
    while True:
        best, counts, tied = ranking.best()
        recorder.state(best, counts, tied)
        size, steps = len(vocabulary), len(recorder.left)
        if size >= vocab_size:
            stop = Stop("size", vocab_size)
        elif not start.words:
            stop = Stop("no_words")
        elif not best:
            whole = all(len(word) == 1 for word in index.words)
            stop = Stop("no_pair" if whole else "no_valid_pair", vocab_size, size)
        elif counts[0] < min_frequency:
            values = {"count": int(counts[0]), "least": min_frequency}
            stop = Stop("min_frequency", vocab_size, size, values)
        elif reporter.cancelled(steps):
            stop = Stop("cancelled", values={"merges": steps})
        elif first_seen and counts[0] == 1 and steps > forced.last:
            folded = fold(index, vocabulary, vocab_size, TOP, reporter.ahead(steps))
            recorder.fold(folded)
            if folded.cancelled:
                stop = Stop("cancelled", values={"merges": len(recorder.left)})
            elif len(vocabulary) >= vocab_size:
                stop = Stop("size", vocab_size)
            else:
                stop = Stop("no_pair", vocab_size, len(vocabulary))
        else:
            told = forced.pair(steps, index, recorder.merges, best)
            chosen = best[0] if told is None else told
            changed = index.merge(chosen)
            recorder.step(chosen, changed)
            vocabulary.merge(recorder.left[-1], recorder.right[-1])
            ranking.update(changed)
            continue
        if stop.kind != "cancelled":
            forced.check_all_made(len(recorder.left), stop)
        return recorder.record(reporter.only_tell(len(recorder.left))), stop
