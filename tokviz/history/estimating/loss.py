"""The loss by which Hugging Face's Unigram prunes, as it is and as it should be."""

import numpy as np

from tokviz.core.logarithm import logarithms
from tokviz.history.base import Floats, Ints


def approximate_loss(
    own: Ints, others: Ints, sizes: Ints, counted: Ints, tokens: int, words: int
) -> Floats:
    """By how much the objective rises without pieces that occur `own` times among `tokens`, if
    their places are taken by runs of `others`, of these `sizes`; in nats for one of the `words`.

    `counted` is how many pieces are taken to stand in the place of one. That is the size of the
    run; the library counts all pieces there are (huggingface/tokenizers, issue 2069), so that a
    frequent piece seems to be missed far more than it is.

    >>> one = np.array([10]), np.array([30, 5]), np.array([2])
    >>> [float(approximate_loss(*one, np.array([n]), 100, 50)[0].round(4)) for n in (2, 400)]
    [0.1403, 1.5866]
    """
    starts = np.cumsum(sizes) - sizes
    log_sums = logs(tokens + own * (counted - 1).astype(np.float64))
    without = np.zeros(len(own))
    for k in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > k)
        without[rows] += logs(others[starts[rows] + k] + own[rows]) - log_sums[rows]
    share = own / words
    return np.asarray(share * (logs(own) - logs(np.asarray([tokens or 1])) - without))


def logs(values: Ints | Floats) -> Floats:
    """The logarithm of each, all positive; the same on every machine."""
    return logarithms(values.astype(np.float64))
