"""What a run of merges has written down becomes a `MergeRecord`."""

from typing import Protocol

import numpy as np

from tokviz.history.base import Ints
from tokviz.history.merge_record import TOP, MergeRecord
from tokviz.trainers.merging.task import Start


class Written(Protocol):
    """What has written columns down: a run, or two as one."""

    def column(self, name: str) -> Ints: ...


def record_of(start: Start, run: Written) -> MergeRecord:
    """The record of a run that has finished."""
    log = {name: run.column(name) for name in ("log_pair", "log_count", "log_starts")}
    states, frames = _keyframes(run.column("first_counts"), int(run.column("known")[-1]), **log)
    lengths = [0, *(len(pairs) for pairs, _ in frames)]
    sides = run.column("pair_left"), run.column("pair_right")
    number = np.min_scalar_type(max(int(side.max(initial=0)) for side in sides))
    left, gaps = run.column("left"), run.column("gaps")
    return MergeRecord(
        alphabet=start.alphabet,
        left=left.astype(np.int32),
        right=run.column("right").astype(np.int32),
        tied=run.column("tied").astype(np.int32),
        pair_left=sides[0].astype(number),
        pair_right=sides[1].astype(number),
        log_pair=log["log_pair"].astype(np.int32),
        log_count=narrow(log["log_count"]),
        log_starts=narrow(log["log_starts"]),
        known=narrow(run.column("known")),
        keyframe_states=np.asarray(states, np.int32),
        keyframe_starts=narrow(np.cumsum(lengths)),
        keyframe_pair=np.concatenate([pairs for pairs, _ in frames]).astype(np.int32),
        keyframe_count=narrow(np.concatenate([counts for _, counts in frames])),
        top_pair=narrow(run.column("top_pair")).reshape(-1, TOP),
        top_count=narrow(run.column("top_count")).reshape(-1, TOP),
        symbols=start.symbols.astype(np.min_scalar_type(int(start.symbols.max(initial=0)))),
        starts=narrow(start.starts),
        gaps=gaps.astype(np.int16 if len(left) < 1 << 15 else np.int32),
    )


def _keyframes(
    first_counts: Ints, known: int, log_pair: Ints, log_count: Ints, log_starts: Ints
) -> tuple[list[int], list[tuple[Ints, Ints]]]:
    """States, and the live pairs of each with their counts: the first state, and then one as soon
    as enough has changed."""
    counts = np.zeros(known, np.int64)
    counts[: len(first_counts)] = first_counts
    states, frames, at = [0], [_live(counts)], 0
    while True:
        most = at + changes_until_next(len(frames[-1][0]))
        state = int(np.searchsorted(log_starts, most, side="right"))
        if state == len(log_starts):
            return states, frames
        end = int(log_starts[state])
        # Of several changes of a pair, the last one stays.
        counts[log_pair[at:end]] = log_count[at:end]
        states.append(state)
        frames.append(_live(counts))
        at = end


def changes_until_next(live: int) -> int:
    """How many counts may change after a keyframe of so many pairs before there is the next one."""
    return max(4096, 3 * live)


def _live(counts: Ints) -> tuple[Ints, Ints]:
    live = np.flatnonzero(counts)
    return live, counts[live]


def narrow(values: Ints) -> Ints:
    """32-bit integers if they fit."""
    return values.astype(np.int32 if values.max(initial=0) < 2**31 else np.int64)
