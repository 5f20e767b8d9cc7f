"""Two runs of merges become one record: the first on words, the other on texts that hold these
words, from the merges of the first on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord


@dataclass(frozen=True)
class Spliced:
    """The columns that two runs have written down as one."""

    columns: dict[str, Ints]

    def column(self, name: str) -> Ints:
        """See `Merging`."""
        return self.columns[name]


def spliced(first: MergeRecord, other: MergeRecord, followed: Sequence[int]) -> Spliced:
    """The columns of `first`, which has a step at least, before its last state, and those of
    `other` from there on.

    `followed` are the steps of `first` that `other` has made too, before its own. A pair that both
    have in that state keeps its number. The symbols that the corpus begins with and their gaps are
    those of `other` in every state.
    """
    border, at = len(first.left), len(followed)
    own = len(other.left) - at
    # What a step of `other` is called here; the last one is the state in which it ended.
    steps = np.asarray([*followed, *range(border, border + own + 1)], np.int64)
    called = np.concatenate([np.arange(len(first.alphabet)), len(first.alphabet) + steps])
    before, live = live_counts(first, border), live_counts(other, at)
    numbers = _numbers(first, other, called, before, live, int(other.known[at]))
    columns = {"gaps": steps[other.gaps], **_log(first, other, at, numbers, before, live)}
    for side in ("left", "right"):
        columns[side] = np.concatenate(
            [getattr(first, side), called[getattr(other, side)[at:].astype(np.int64)]]
        )
        of_pairs = getattr(other, f"pair_{side}").astype(np.int64)
        new = numbers >= len(first.pair_left)
        columns[f"pair_{side}"] = np.concatenate(
            [getattr(first, f"pair_{side}"), called[of_pairs[new]]]
        )
    for name in ("tied", "top_count"):
        columns[name] = np.concatenate(
            [getattr(first, name)[:-1], getattr(other, name)[at:]]
        ).ravel()
    top = other.top_pair[at:]
    columns["top_pair"] = np.concatenate(
        [first.top_pair[:-1], np.where(top < 0, -1, numbers[top])]
    ).ravel()
    met = int((numbers[: int(other.known[at])] >= len(first.pair_left)).sum())
    later = other.known[at:].astype(np.int64) - int(other.known[at])
    columns["known"] = np.concatenate([first.known[:-1], len(first.pair_left) + met + later])
    columns["first_counts"] = live_counts(first, 0)[: int(first.known[0])]
    return Spliced(columns)


def live_counts(record: MergeRecord, t: int) -> Ints:
    """The count of every pair of a record in state t.

    >>> import tokviz
    >>> live_counts(tokviz.train({"hugs": 2, "hug": 1}, "bpe", vocab_size=6).record, 1).tolist()
    [0, 0, 2, 3, 0]
    """
    counts = np.zeros(len(record.pair_left), np.int64)
    end, until = int(record.keyframe_starts[1]), int(record.log_starts[t])
    counts[record.keyframe_pair[:end]] = record.keyframe_count[:end]
    # Of several changes of a pair, the last one stays.
    counts[record.log_pair[:until]] = record.log_count[:until]
    return counts


def _numbers(
    first: MergeRecord,
    other: MergeRecord,
    called: Ints,
    before: Ints,
    live: Ints,
    known: int,
) -> Ints:
    """The number of every pair of `other`, −1 for those of before that are no longer live."""
    n_first, among = len(first.pair_left), np.flatnonzero(before)
    code = len(called) + len(first.left) + 1
    of_first = first.pair_left[among].astype(np.int64) * code + first.pair_right[among]
    left, right = (called[side.astype(np.int64)] for side in (other.pair_left, other.pair_right))
    codes = left * code + right
    order = np.argsort(of_first)
    place = np.minimum(np.searchsorted(of_first, codes, sorter=order), max(0, len(among) - 1))
    found = np.full(len(codes), -1)
    if len(among):
        same = of_first[order[place]] == codes
        found[same] = among[order[place[same]]]
    old = np.arange(len(codes)) < known
    numbers = np.where(old & (live > 0), found, -1)
    new = np.where(old, (live > 0) & (found < 0), True)
    numbers[new] = n_first + np.arange(int(new.sum()))
    return numbers


def _log(
    first: MergeRecord, other: MergeRecord, at: int, numbers: Ints, before: Ints, live: Ints
) -> dict[str, Ints]:
    """The changes of counts: in the last step before the border those of both, the ones of `other`
    last."""
    n_first, known = len(first.pair_left), int(other.known[at])
    after = np.zeros(max(n_first, int(numbers.max(initial=-1)) + 1), np.int64)
    there = np.flatnonzero((numbers[:known] >= 0) & (live[:known] > 0))
    after[numbers[there]] = live[there]
    was = np.zeros(len(after), np.int64)
    was[:n_first] = before
    changed = np.flatnonzero(after != was)
    since = int(other.log_starts[at])
    pairs, counts = numbers[other.log_pair[since:]], other.log_count[since:]
    starts = other.log_starts[at:].astype(np.int64) - since + len(first.log_pair) + len(changed)
    return {
        "log_pair": np.concatenate([first.log_pair, changed, pairs]).astype(np.int64),
        "log_count": np.concatenate([first.log_count, after[changed], counts]).astype(np.int64),
        "log_starts": np.concatenate([first.log_starts[:-1], starts]).astype(np.int64),
    }
