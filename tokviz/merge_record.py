"""What a run of merges writes down: one number per gap, and a log of new counts.

Gaps. Between two neighbouring starting symbols of a word there is a gap. Training closes gaps and
never opens one, so a single number a gap, the step that closes it, holds every segmentation of
every state: at state t the gaps with a number ≥ t are open. The number of corpus tokens over time
is a histogram of these numbers, and the symbol of a token is that of its latest closed gap, since
the last merge inside a token is the one that made it.

Score tables. Each step logs the pairs whose counts changed with their new counts; now and then a
keyframe notes all live pairs. The table of any state is one keyframe and one assignment.
"""

from dataclasses import dataclass

import numpy as np

from tokviz.history import Ints
from tokviz.symbols import Symbol

#: The step number of a gap that no merge closes.
NEVER = np.iinfo(np.int32).max


@dataclass
class MergeRecord:
    """The columns that a run of merges writes. Symbols are numbered: the alphabet first, then one
    a merge. Pairs are numbered in the order in which they were first met. Columns have the
    smallest type that holds them, so widen before multiplying."""

    alphabet: list[Symbol]
    left: Ints  # per step
    right: Ints
    tied: Ints  # per state: candidates that share the best score
    pair_left: Ints  # per pair
    pair_right: Ints
    log_pair: Ints  # per change of a count
    log_count: Ints
    log_starts: Ints  # per state: where the log of the step out of it starts
    known: Ints  # per state: how many pairs have been met
    keyframe_states: Ints  # per keyframe
    keyframe_starts: Ints
    keyframe_pair: Ints  # all keyframes, one after the other
    keyframe_count: Ints
    top_pair: Ints  # per state: the best rows, -1 where there are fewer
    top_count: Ints
    symbols: Ints  # per starting symbol of every word, one word after the other
    starts: Ints  # per word, and the end
    gaps: Ints  # per starting symbol: the step that joins it to the one before it
