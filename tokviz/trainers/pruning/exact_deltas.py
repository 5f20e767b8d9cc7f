"""By how much the Viterbi loss would really rise without each piece: the number that SentencePiece
approximates."""

import numpy as np
import numpy.typing as npt

from tokviz.encoding.lattice import Lattices
from tokviz.history.base import Floats, Ints
from tokviz.trainers.pruning.em_lattice import Pause, WordLattices


def add_exact_deltas(
    deltas: Floats, lattices: WordLattices, log_prob: Floats, counts: Floats, pause: Pause
) -> None:
    """Adds to each token's delta what the words of some lattices, each counted `counts` times,
    contribute. Only words whose best path uses a token do."""
    n = len(deltas)
    word, token, rise = lattices.rises(log_prob, pause)
    edges = lattices.lattices()
    several = _several(edges, word * n + token, n)
    once = ~several
    deltas += np.bincount(token[once], rise[once] * counts[word[once]], n)
    # Without a token, all of its edges go: where a word has more than one, segment it anew.
    pairs = np.unique((word * n + token)[several])
    usual = edges.least_costs(-log_prob)
    for w, t in edges.batches(*np.divmod(pairs, n)):
        pause()
        costs = edges.without(w, t).least_costs(-log_prob)
        deltas += np.bincount(t, (costs - usual[w]) * counts[w], n)


def _several(edges: Lattices, pairs: Ints, n_tokens: int) -> npt.NDArray[np.bool_]:
    """Which (word, token) pairs, as word × n_tokens + token, have more than one edge."""
    keys = np.sort(edges.word * n_tokens + edges.token)
    doubled = keys[1:][keys[1:] == keys[:-1]]
    return np.isin(pairs, doubled)
