"""Numbers whose logarithms Unigram needs: shares of counts, and what is next to where the rule for
the logarithm changes."""

import numpy as np
from effort import LONG

from tokviz.core.logarithm import GRID, LEAST


def _ratios():
    draw = np.random.default_rng(1)
    total = 10 ** draw.uniform(0, 15, 200_000 if LONG else 3000)
    counts = 1 + np.floor(total * draw.random(len(total)) ** 4)
    edges = np.concatenate(
        [
            2.0 ** np.arange(-1022, 60),
            np.arange(GRID // 2, 4 * GRID) / (2 * GRID),
            LEAST * 2.0 ** np.arange(-60, 3),
        ]
    )
    found = [counts / (1 + np.floor(total)), counts, edges]
    found += [np.nextafter(edges, 0), np.nextafter(edges, 2)]
    return np.concatenate(found)


RATIOS = _ratios()
RATIOS = RATIOS[RATIOS >= 2.0**-1022]
