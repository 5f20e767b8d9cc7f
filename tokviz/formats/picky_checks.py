"""Files of PickyBPE histories may come from anybody, too."""

from collections.abc import Collection, Sequence

import numpy as np

from tokviz.formats.history_checks import (
    check_integers,
    check_merged,
    check_rising,
    check_size,
    check_tables,
    check_within,
    must,
)
from tokviz.history.picking.record import PickyRecord


def check_picky(
    record: PickyRecord, texts: Sequence[str], told: Collection[int], most: int
) -> None:
    """Raises ValueError for a record of PickyBPE whose columns do not fit each other or the words.
    `told` is as in `check_merges`; symbols with more than `most` characters in all are left to
    `check_spelled`."""
    r, steps = record, len(record.left)
    check_integers(vars(r))
    check_size("the steps", steps, r.right, r.made)
    _check_steps(r, most)
    check_tables(r, texts)
    merges = np.flatnonzero(r.right >= 0)
    log = np.append(r.log_starts, 0)
    must(bool((log[merges + 1] > log[merges]).all()), "the log")
    check_merged(r, r.merged[merges], r.left[merges], r.right[merges], told)
    check_size("the log", len(r.log_pair), r.log_place)
    check_size("the keyframes", len(r.keyframe_pair), r.keyframe_place)
    check_within("the places", len(r.symbols), r.log_place, r.keyframe_place)
    check_size("the changes", len(r.change_state), r.change_gap, r.change_code)
    check_rising("the changes", r.change_state, 1, steps)
    check_within("the changes", len(r.gaps), r.change_gap)
    check_within("the changes", steps + 1, r.change_code)
    made = (r.change_code == steps) | (r.change_code < r.change_state)
    must(bool(made.all()), "the changes")
    must(bool((r.gaps[r.change_gap] == steps).all()), "the changes")
    must(not np.isin(r.change_gap, r.starts[:-1]).any(), "the changes")


def _check_steps(record: PickyRecord, most: int) -> None:
    """A merge is of symbols that are there, and makes the next one, or one that is spelled so; what
    is taken back is one of the two that the last merge joined, each once, the left one first."""
    alphabet = len(record.alphabet)
    texts = [symbol.text for symbol in record.alphabet]
    there, may_go = {*range(alphabet)}, list[int]()
    columns = (record.left.tolist(), record.right.tolist(), record.made.tolist())
    total = 0
    for step, (left, right, made) in enumerate(zip(*columns, strict=True)):
        if right < 0:
            must(right == -1 and left == made >= alphabet and left in may_go, "a removal")
            may_go = may_go[may_go.index(left) + 1 :]
            there.discard(left)
            texts.append("")
            continue
        must(left in there and right in there, "a merge")
        new = texts[left] + texts[right]
        total += len(new)
        if total > most:
            return
        first = made == alphabet + step
        must(first or (alphabet <= made < alphabet + step and texts[made] == new), "a merge")
        texts.append(new if first else "")
        there.add(made)
        may_go = [*dict.fromkeys((left, right))]
