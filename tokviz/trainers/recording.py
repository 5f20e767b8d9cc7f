"""The training loop of BPE and WordPiece, and what it writes down on the way."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tokviz.corpus import Cancelled, WordCounts
from tokviz.history import Ints
from tokviz.merge_history import NEVER, MergeRecord
from tokviz.progress import ProgressCallback, Reporter
from tokviz.symbols import Spelling, Symbol, SymbolTable
from tokviz.trainers.merging import PairIndex, symbol_numbers
from tokviz.trainers.ranking import Ranking

#: How many of the best rows of every state are kept as they were.
TOP = 20
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

    def index(self) -> PairIndex:
        """The pair index of the words."""
        return PairIndex(self.words, self.counts, len(self.alphabet))


class Recorder:
    """Writes the columns of a `MergeRecord` while a run goes on."""

    def __init__(self, start: Start, index: PairIndex) -> None:
        self._start, self._index = start, index
        self.left, self.right, self.tied = array("i"), array("i"), array("i")
        self._log_pair, self._log_count = array("i"), array("q")
        self._log_starts, self._known = array("q", [0]), array("q", [len(index.pairs)])
        self._top_pair, self._top_count = array("i"), array("q")
        self._keyframes: list[tuple[int, Ints, Ints]] = []
        self._keyframe()

    def state(self, best: Sequence[int], tied: int) -> None:
        """Notes the best rows of the present state."""
        counts, missing = self._index.counts, TOP - len(best)
        self._top_pair.extend([*best, *[-1] * missing])
        self._top_count.extend([*map(counts.__getitem__, best), *[0] * missing])
        self.tied.append(tied)

    def step(self, pair: int, changed: Sequence[int]) -> None:
        """Notes the merge of a pair and the counts that it changed."""
        symbols = self._index.pairs[pair]
        self.left.append(ord(symbols[0]))
        self.right.append(ord(symbols[1]))
        self._log_pair.extend(changed)
        self._log_count.extend(map(self._index.counts.__getitem__, changed))
        self._log_starts.append(len(self._log_pair))
        self._known.append(len(self._index.pairs))
        if len(self._log_pair) - self._since > max(4096, 3 * len(self._keyframes[-1][1])):
            self._keyframe()

    def _keyframe(self) -> None:
        counts = np.asarray(self._index.counts, np.int64)
        live = np.flatnonzero(counts)
        self._keyframes.append((len(self.left), live, counts[live]))
        self._since = len(self._log_pair)

    def record(self) -> MergeRecord:
        """The finished columns."""
        states, pairs, counts = zip(*self._keyframes, strict=True)
        lengths = [0, *map(len, pairs)]
        codes = _smallest(symbol_numbers("".join(self._index.pairs)))
        return MergeRecord(
            alphabet=self._start.alphabet,
            left=np.asarray(self.left, np.int32),
            right=np.asarray(self.right, np.int32),
            tied=np.asarray(self.tied, np.int32),
            pair_left=codes[0::2],
            pair_right=codes[1::2],
            log_pair=np.asarray(self._log_pair, np.int32),
            log_count=_narrow(np.asarray(self._log_count, np.int64)),
            log_starts=_narrow(np.asarray(self._log_starts, np.int64)),
            known=_narrow(np.asarray(self._known, np.int64)),
            keyframe_states=np.asarray(states, np.int32),
            keyframe_starts=_narrow(np.cumsum(lengths)),
            keyframe_pair=np.concatenate(pairs).astype(np.int32),
            keyframe_count=_narrow(np.concatenate(counts)),
            top_pair=_narrow(np.asarray(self._top_pair, np.int64)).reshape(-1, TOP),
            top_count=_narrow(np.asarray(self._top_count, np.int64)).reshape(-1, TOP),
            symbols=_smallest(symbol_numbers("".join(self._start.words))),
            starts=_narrow(self._index.starts),
            gaps=self._gaps(),
        )

    def _gaps(self) -> Ints:
        """Unfolds every token of the finished words into the steps that made it.

        A token's inside is the same wherever it occurs: symbols within it never met symbols
        outside it, so they were merged as they are in every other place.
        """
        n_base = len(self._start.alphabet)
        inside: list[bytes] = [b""] * n_base
        for step, (left, right) in enumerate(zip(self.left, self.right, strict=True)):
            joined = inside[left], inside[right]
            short = None not in joined and len(joined[0]) + len(joined[1]) < _SHORT
            inside.append(joined[0] + _int32(step) + joined[1] if short else None)  # type: ignore[arg-type]
        tokens = "".join(self._index.words)
        for token in map(ord, set(tokens)):
            if inside[token] is None:
                inside[token] = self._unfold(token, inside, n_base)
        never = _int32(NEVER)
        template = [b"" if steps is None else never + steps for steps in inside]
        return np.frombuffer(b"".join([template[ord(token)] for token in tokens]), np.int32)

    def _unfold(self, token: int, inside: Sequence[bytes | None], n_base: int) -> bytes:
        parts: list[bytes] = []
        todo: list[int | bytes] = [token]
        while todo:
            item = todo.pop()
            if isinstance(item, bytes):
                parts.append(item)
            elif (known := inside[item]) is not None:
                parts.append(known)
            else:
                step = item - n_base
                todo += [self.right[step], _int32(step), self.left[step]]
        return b"".join(parts)


#: Insides up to so many bytes are kept for every token; longer ones, which could add up to the
#: square of the number of steps, are unfolded only if a word ends up with them.
_SHORT = 256


def _int32(step: int) -> bytes:
    return step.to_bytes(4, "little", signed=True)


def _narrow(values: Ints) -> Ints:
    """32-bit integers if they fit."""
    return values.astype(np.int32) if values.max(initial=0) < 2**31 else values


def _smallest(symbols: Ints) -> Ints:
    """Symbol numbers in as few bits as they need: most runs know less than 2**16."""
    return symbols.astype(np.min_scalar_type(int(symbols.max(initial=0))))


def run_merges(
    start: Start,
    index: PairIndex,
    ranking: Ranking,
    table: SymbolTable,
    vocab_size: int,
    min_frequency: int,
    progress: ProgressCallback | None,
) -> tuple[MergeRecord, str]:
    """Merges the best pair again and again until `table` holds `vocab_size` strings, no pair is
    left, or the best count is below `min_frequency`. Returns the record and the reason."""
    recorder = Recorder(start, index)
    reporter = Reporter("merges", vocab_size - len(table), progress)
    while True:
        best, tied = ranking.best()
        recorder.state(best, tied)
        size, steps = len(table), len(recorder.left)
        if size >= vocab_size:
            stopped = f"The vocabulary has the {vocab_size} tokens asked for."
        elif not start.words:
            stopped = "The corpus has no words: there is nothing to merge."
        elif not best:
            stopped = (
                f"No pair is left: every word is one token. The vocabulary has {size} of the "
                f"{vocab_size} tokens asked for."
            )
        elif index.counts[best[0]] < min_frequency:
            stopped = (
                f"The best pair occurs {index.counts[best[0]]} times, less than "
                f"min_frequency={min_frequency}. The vocabulary has {size} of the {vocab_size} "
                "tokens asked for."
            )
        elif reporter.cancelled(steps):
            stopped = f"Cancelled after {steps} merges."
        else:
            changed = index.merge(best[0])
            recorder.step(best[0], changed)
            table.merge(recorder.left[-1], recorder.right[-1])
            ranking.update(changed)
            continue
        return recorder.record(), stopped
