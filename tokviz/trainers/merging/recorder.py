"""Writes down a run of merges while it goes on."""

from array import array
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from tokviz.basics.progress import Pause
from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord
from tokviz.text.symbols import Symbol
from tokviz.trainers.merging.folding import Folded
from tokviz.trainers.merging.pairs import PairIndex, symbol_numbers

#: How many of the best rows of every state are kept as they were.
TOP = 20
#: Changes of counts between two keyframes; three times as many as it holds, if that is more.
MOST_CHANGES = 4096


class Recorder:
    """Writes the columns of a `MergeRecord` while a run goes on."""

    def __init__(self, alphabet: list[Symbol], index: PairIndex) -> None:
        self._alphabet, self._index = alphabet, index
        self._symbols = _smallest(symbol_numbers("".join(index.words)))
        self._starts = index.starts
        self.left, self.right, self.tied = array("i"), array("i"), array("i")
        self._log_pair, self._log_count = array("i"), array("q")
        self._log_starts, self._known = array("q", [0]), array("q", [len(index.pairs)])
        self._top_pair, self._top_count = array("i"), array("q")
        self._keyframes: list[tuple[int, Ints, Ints]] = []
        self._keyframe()

    @classmethod
    def going_on(cls, record: MergeRecord, t: int, index: PairIndex) -> "Recorder":
        """A recorder that has written what a record has up to state t. The index is in that state,
        and its pairs have the numbers of the record."""
        recorder = cls(record.alphabet, index)
        recorder._symbols, recorder._starts = record.symbols, record.starts
        logged = slice(int(record.log_starts[t]))
        recorder._log_starts, recorder._known = array("q"), array("q")
        for column, values in (
            (recorder.left, record.left[:t]),
            (recorder.right, record.right[:t]),
            (recorder.tied, record.tied[:t]),
            (recorder._log_pair, record.log_pair[logged]),
            (recorder._log_count, record.log_count[logged]),
            (recorder._log_starts, record.log_starts[: t + 1]),
            (recorder._known, record.known[: t + 1]),
            (recorder._top_pair, record.top_pair[:t]),
            (recorder._top_count, record.top_count[:t]),
        ):
            _extend(column, values.ravel())
        recorder._keyframes = []
        for k in np.flatnonzero(record.keyframe_states <= t).tolist():
            held = slice(*record.keyframe_starts[k : k + 2].tolist())
            counts = record.keyframe_count[held].astype(np.int64)
            state = int(record.keyframe_states[k])
            recorder._keyframes.append((state, record.keyframe_pair[held], counts))
        recorder._since = int(record.log_starts[recorder._keyframes[-1][0]])
        return recorder

    def state(self, best: Sequence[int], counts: Sequence[int], tied: int) -> None:
        """Notes the best rows of the present state and their counts."""
        self._top_pair.extend(best)
        self._top_count.extend(counts)
        if missing := TOP - len(best):
            self._top_pair.extend([-1] * missing)
            self._top_count.extend([0] * missing)
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
        if len(self._log_pair) - self._since > max(MOST_CHANGES, 3 * len(self._keyframes[-1][1])):
            self._keyframe()

    def _keyframe(self) -> None:
        counts = np.asarray(self._index.counts, np.int64)
        live = np.flatnonzero(counts)
        self._keyframes.append((len(self.left), live, counts[live]))
        self._since = len(self._log_pair)

    def fold(self, folded: Folded) -> None:
        """Notes all steps that folding took, and the states behind them. No keyframe is due: what
        is left to change is no more than three times what is live."""
        steps, known = len(folded.left), self._known[-1]
        inside = folded.inside
        # Each pair goes with its gap; the merge before it in its word has replaced it by a new one.
        first = np.append(folded.gaps, [-1] * (TOP + 1))
        now = first[: steps + 1].copy()
        born = known + np.cumsum(inside) - 1
        now[1:][inside] = born[inside]
        lengths = np.where(inside, 3, 1)
        ends = len(self._log_pair) + np.cumsum(lengths)
        log = np.zeros((2, int(lengths.sum())), np.int64)
        at = np.cumsum(lengths) - lengths
        log[0, at] = now[:-1]
        log[0, at[inside] + 1] = first[1 : steps + 1][inside]
        log[0, at[inside] + 2] = born[inside]
        log[1, at[inside] + 2] = 1
        rows = sliding_window_view(first, TOP)[1 : steps + 1].copy()
        rows[:, 0] = now[1:]
        _extend(self.left, folded.left)
        _extend(self.right, folded.right)
        _extend(self.tied, self.tied[-1] - 1 - np.arange(steps))
        _extend(self._known, born + 1)
        _extend(self._log_starts, ends)
        _extend(self._log_pair, log[0])
        _extend(self._log_count, log[1])
        _extend(self._top_pair, rows.ravel())
        _extend(self._top_count, (rows >= 0).ravel())

    @property
    def merges(self) -> Iterable[tuple[int, int]]:
        """The symbols that each step so far merged."""
        return zip(self.left, self.right, strict=True)

    def record(self, pause: Pause) -> MergeRecord:
        """The finished columns."""
        states, pairs, counts = zip(*self._keyframes, strict=True)
        lengths = [0, *map(len, pairs)]
        codes = _smallest(symbol_numbers("".join(self._index.pairs)))
        return MergeRecord(
            alphabet=self._alphabet,
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
            symbols=self._symbols,
            starts=_narrow(self._starts),
            gaps=self._gaps(pause),
        )

    def _gaps(self, pause: Pause) -> Ints:
        """Unfolds every token of the finished words into the steps that made it.

        A token's inside is the same wherever it occurs: symbols within it never met symbols
        outside it, so they were merged as they are in every other place.
        """
        n_base, never = len(self._alphabet), len(self.left)
        number = np.dtype(np.int16 if never < 1 << 15 else np.int32)

        def written(step: int) -> bytes:
            return step.to_bytes(number.itemsize, "little")

        inside: list[bytes | None] = [b""] * n_base
        for step, (left, right) in enumerate(zip(self.left, self.right, strict=True)):
            a, b = inside[left], inside[right]
            if a is None or b is None or len(a) + len(b) >= _SHORT:
                inside.append(None)
            else:
                inside.append(a + written(step) + b)
        tokens = "".join(self._index.words)
        for token in map(ord, set(tokens)):
            if inside[token] is None:
                inside[token] = self._unfold(token, inside, written)
        pause()
        template = [b"" if steps is None else written(never) + steps for steps in inside]
        parts = []
        for first in range(0, len(tokens), _SLICE):
            parts.append(b"".join([template[ord(t)] for t in tokens[first : first + _SLICE]]))
            pause()
        return np.frombuffer(b"".join(parts), number.newbyteorder("<")).astype(number)

    def _unfold(
        self, token: int, inside: Sequence[bytes | None], written: Callable[[int], bytes]
    ) -> bytes:
        parts: list[bytes] = []
        todo: list[int | bytes] = [token]
        while todo:
            item = todo.pop()
            if isinstance(item, bytes):
                parts.append(item)
            elif (known := inside[item]) is not None:
                parts.append(known)
            else:
                step = item - len(self._alphabet)
                todo += [self.right[step], written(step), self.left[step]]
        return b"".join(parts)


#: Tokens that are unfolded between two looks at the clock.
_SLICE = 200_000
#: Insides up to so many bytes are kept for every token; longer ones, which could add up to the
#: square of the number of steps, are unfolded only if a word ends up with them.
_SHORT = 256


def _extend(column: "array[int]", values: npt.ArrayLike) -> None:
    column.frombytes(np.asarray(values).astype(column.typecode).tobytes())


def _narrow(values: Ints) -> Ints:
    """32-bit integers if they fit."""
    return values.astype(np.int32) if values.max(initial=0) < 2**31 else values


def _smallest(symbols: Ints) -> Ints:
    """Symbol numbers in as few bits as they need: most runs know less than 2**16."""
    return symbols.astype(np.min_scalar_type(int(symbols.max(initial=0))))
