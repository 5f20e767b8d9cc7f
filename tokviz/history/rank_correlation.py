"""Rank correlation."""

import numpy as np

from tokviz.encoding.lattice import Floats


def spearman(a: Floats, b: Floats) -> float:
    """Spearman's rank correlation of two columns, equal values sharing their mean rank; nan with
    fewer than two rows, or where all values of a column are equal.

    >>> spearman(np.array([1.0, 2.0, 4.0]), np.array([2.0, 3.0, 9.0]))
    1.0
    >>> round(spearman(np.array([1.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0])), 4)
    -0.866
    """
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean() if len(x) else x, y - y.mean() if len(y) else y
    scale = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / scale) if scale else float("nan")


def _ranks(values: Floats) -> Floats:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    mean_ranks: Floats = last - (sizes - 1) / 2
    return mean_ranks[group]
