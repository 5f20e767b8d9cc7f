"""The gaps of runs, of those of the words in them."""

from itertools import groupby

import numpy as np

from tokviz.history.base import Ints
from tokviz.trainers.boundless.cut_runs import CutRuns
from tokviz.trainers.picking.gap_codes import OPEN, GapCodes


def run_gaps(
    cut: CutRuns, starts: Ints, words: GapCodes, runs: GapCodes, steps: int
) -> tuple[Ints, Ints]:
    """The numbers of all gaps in runs after so many steps, which is that of one that is open; and
    the changes of those that were opened (state, gap, number), in their order.

    `starts` says where words begin in their own gaps, of which `runs` has those between words. What
    is joined with a word beside it does not come apart any more with that word.

    Of the run "ab c ab" the first step joined a + b, the second "ab" + "c", and the third took
    "ab" back. The first "ab" stays joined, as a part of what it went into; the last one opens:

    >>> from tokviz.text.word_counts import WordCounts
    >>> cut = CutRuns.of(WordCounts(("ab c ab",), (1,)), str.split)
    >>> words, runs = GapCodes(3), GapCodes(3)
    >>> words.give(1, 0, 0), runs.give(1, 1, 1), words.give(1, OPEN, 2)
    (None, None, None)
    >>> gaps, changes = run_gaps(cut, np.array([0, 2, 3]), words, runs, 3)
    >>> gaps.tolist(), changes.tolist()      # of a, b, c, a, b; and that of the last b, opened
    ([3, 0, 1, 3, 3], [[1, 4, 0], [3, 4, 3]])
    """
    sizes = np.diff(starts)[cut.numbers]
    firsts = np.cumsum(sizes) - sizes
    places = np.arange(sizes.sum()) + np.repeat(starts[cut.numbers] - firsts, sizes)
    gaps: Ints = np.asarray(words.now, np.int64)[places]
    gaps[firsts] = runs.now
    found = [np.zeros((0, 3), np.int64)]
    if words.changes:
        joined, stands_at = _joined(runs, steps), cut.places()
        changes = np.asarray(sorted(words.changes, key=lambda change: change[1]), np.int64)
        owners = np.searchsorted(starts, changes[:, 1], side="right") - 1
        for word, rows in groupby(range(len(changes)), key=owners.__getitem__):
            own = changes[[*rows]] - [0, starts[word], 0]
            here = stands_at[word]
            for state in np.unique(joined[here]).tolist():
                first = firsts[here[joined[here] == state]]
                found.append(_until(state, own, first, gaps))
    gaps[gaps == OPEN] = steps
    made = np.concatenate(found)
    made[made == OPEN] = steps
    return gaps, made[np.lexsort((made[:, 1], made[:, 0]))]


def _joined(runs: GapCodes, steps: int) -> Ints:
    """For each word in runs the first state in which it is joined with one beside it."""
    codes = np.asarray(runs.now, np.int64)
    codes[codes == OPEN] = steps
    # The first word of a run is never joined with what is before it.
    joined: Ints = np.minimum(codes, np.append(codes[1:], steps)) + 1
    return joined


def _until(state: int, changes: Ints, firsts: Ints, gaps: Ints) -> Ints:
    """The changes until a state of a word that begins at some places, as far as gaps open until
    then; writes the last numbers of all into `gaps`."""
    until = changes[changes[:, 0] <= state]
    restless = {*until[until[:, 2] == OPEN][:, 1].tolist()}
    for gap in {*changes[:, 1].tolist()}:
        own = until[until[:, 1] == gap]
        gaps[firsts + gap] = own[np.argmax(own[:, 0]), 2] if len(own) else OPEN
    told = until[np.isin(until[:, 1], [*restless])]
    every = np.repeat(told, len(firsts), axis=0)
    every[:, 1] += np.tile(firsts, len(told))
    return every
