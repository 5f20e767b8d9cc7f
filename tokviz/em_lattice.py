"""Forward–backward and Viterbi through the lattices of all words of a corpus at once.

Nodes are the positions of the words, edges the pieces between them. All words advance together, one
offset at a time: one `reduceat` for all edges that end there. Sums of probabilities use nothing but
multiplication and addition, and powers of two are exact, so every bit is the same on every machine.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import log

import numpy as np
import numpy.typing as npt

from tokviz.em_weights import Weights
from tokviz.lattice import Floats, Ints, Lattices

#: 2**k for k = 0, −1, −2, … as `_POWERS[k]`; what is smaller is 0 beside what it is added to.
_LEAST = -1074
_POWERS = np.ldexp(1.0, np.concatenate([[0], np.arange(_LEAST, 0)]))

_LN2 = log(2)


#: Called between pieces of work; raises an exception to end the run.
Pause = Callable[[], None]


class _Sweep:
    """The edges in the order in which a sweep through all words meets them.

    A sweep carries values from the `far` node of each edge to its `near` node. Edges of one offset
    are neighbours, and among them those of one near node.
    """

    def __init__(self, far: Ints, near: Ints, token: Ints, offset: Ints) -> None:
        self.far, self.near, self.token = far, near, token
        self._offset = offset
        groups = np.flatnonzero(np.diff(near, prepend=-1))
        cuts = np.append(np.flatnonzero(np.diff(offset, prepend=offset[:1] - 1)), len(near))
        self._groups, self._cuts = groups, cuts.tolist()
        self._group_cuts = np.searchsorted(groups, cuts).tolist()

    def slices(self) -> Iterator[tuple[slice, Ints, Ints]]:
        """For each offset its edges, where the groups of one near node start in them, and those
        nodes."""
        for edges, groups in zip(pairwise(self._cuts), pairwise(self._group_cuts), strict=True):
            starts = self._groups[slice(*groups)]
            yield slice(*edges), starts - edges[0], self.near[starts]

    def keep(self, alive: npt.NDArray[np.bool_]) -> "_Sweep":
        rows = alive[self.token]
        return _Sweep(self.far[rows], self.near[rows], self.token[rows], self._offset[rows])


class WordLattices:
    """The lattices of some words over numbered tokens: `word`, `start`, `length` and `token` of
    each edge, in any order. Every word must have a path.

    >>> columns = ([0, 0, 0], [0, 1, 0], [1, 1, 2], [0, 1, 2])      # "ab" from a, b and ab
    >>> lattices = WordLattices(np.array([2]), *map(np.array, columns))
    >>> probs, token_lengths = np.array([0.5, 0.25, 0.125]), np.array([1, 1, 2])
    >>> weights = Weights(np.log(probs), token_lengths, live=np.arange(3))
    >>> expected = np.zeros(3)
    >>> lattices.expect(weights, np.array([6.0]), expected, lambda: None).round(6).tolist()
    [-1.386294]
    >>> expected.tolist()                       # half of 6 for "ab", half for "a b"
    [3.0, 3.0, 3.0]
    """

    def __init__(self, lengths: Ints, word: Ints, start: Ints, length: Ints, token: Ints) -> None:
        self.lengths = lengths
        self.first_node = np.cumsum(lengths + 1) - lengths - 1
        n_nodes, end = int((lengths + 1).sum()), start + length
        source = self.first_node[word] + start
        target = source + length
        # By end offset, then target, then start: among equal paths the earliest start shall win.
        longest = int(length.max(initial=0)) + 1
        order = np.argsort((end * n_nodes + target) * longest - length)
        self._ahead = _Sweep(source[order], target[order], token[order], end[order])
        order = np.argsort(-start * n_nodes + source, kind="stable")
        self._back = _Sweep(target[order], source[order], token[order], -start[order])

    def __len__(self) -> int:
        return len(self.lengths)

    def keep(self, alive: npt.NDArray[np.bool_]) -> None:
        """Takes out the edges of tokens that are not alive."""
        self._ahead = self._ahead.keep(alive)
        self._back = self._back.keep(alive)

    # --- all paths ----------------------------------------------------------------------------

    def log_likelihoods(self, weights: Weights, pause: Pause) -> Floats:
        """ln of the summed probability of all segmentations, for each word."""
        total, exponent, _ = self._forward(weights, pause)
        return _logs(total, exponent)

    def expect(self, weights: Weights, counts: Floats, into: Floats, pause: Pause) -> Floats:
        """Adds to `into` how often each token is expected in the words, each counted `counts`
        times; returns the log-likelihoods."""
        total, exponent, ahead = self._forward(weights, pause)
        per_node = np.repeat(counts / total, self.lengths + 1)
        sweep = self._back
        last = self.first_node + self.lengths
        scaled = weights.scaled(int(self.lengths.max(initial=0)))
        shares = []
        if scaled is not None:
            before, after = ahead[0], np.zeros(len(per_node))
            after[last] = 1.0
            weight = scaled[sweep.token]
            for edges, group, nodes in sweep.slices():
                pause()
                part = weight[edges] * after[sweep.far[edges]]
                after[nodes] = np.add.reduceat(part, group)
                source = sweep.near[edges]
                part *= before[source]
                part *= per_node[source]
                shares.append(part)
        else:
            mantissa, power = ahead
            after, rest = np.zeros(len(per_node)), np.zeros(len(per_node), np.int64)
            after[last] = 1.0
            all_of = np.repeat(exponent, self.lengths + 1)
            weight, lift = weights.mantissa[sweep.token], weights.exponent[sweep.token]
            for edges, group, nodes in sweep.slices():
                pause()
                far, source = sweep.far[edges], sweep.near[edges]
                part = weight[edges] * after[far]
                bits = lift[edges] + rest[far]
                after[nodes], rest[nodes] = _sums(part, bits, group)
                part *= mantissa[source]
                bits += power[source] - all_of[source]
                part *= per_node[source]
                shares.append(np.ldexp(part, np.maximum(bits, 2 * _LEAST)))
        if shares:
            into += np.bincount(sweep.token, np.concatenate(shares), len(into))
        return _logs(total, exponent)

    def _forward(self, weights: Weights, pause: Pause) -> tuple[Floats, Ints, tuple[Floats, Ints]]:
        """For each word the summed probability as mantissa and exponent, and that of the ways to
        each node: all with `Weights.shift` where it was applied."""
        sweep, n_nodes = self._ahead, int((self.lengths + 1).sum())
        last = self.first_node + self.lengths
        ahead, power = np.zeros(n_nodes), np.zeros(n_nodes, np.int64)
        ahead[self.first_node] = 1.0
        scaled = weights.scaled(int(self.lengths.max(initial=0)))
        if scaled is not None:
            weight = scaled[sweep.token]
            for edges, group, nodes in sweep.slices():
                pause()
                part = weight[edges] * ahead[sweep.far[edges]]
                ahead[nodes] = np.add.reduceat(part, group)
            return ahead[last], -weights.shift(self.lengths), (ahead, power)
        weight, lift = weights.mantissa[sweep.token], weights.exponent[sweep.token]
        for edges, group, nodes in sweep.slices():
            pause()
            far = sweep.far[edges]
            part, bits = weight[edges] * ahead[far], lift[edges] + power[far]
            ahead[nodes], power[nodes] = _sums(part, bits, group)
        return ahead[last], power[last], (ahead, power)

    # --- the best path ------------------------------------------------------------------------

    def best(self, weights: Weights, pause: Pause) -> tuple[Ints, Ints, Ints]:
        """The pieces of the best path of every word, as (word, start, token) columns in no
        particular order.

        Among equal paths the one whose last piece starts earliest wins, then the same for what is
        before it.
        """
        word, edge = self._path(self._best_ahead(weights, pause)[1], pause)
        sweep = self._ahead
        return word, sweep.far[edge] - self.first_node[word], sweep.token[edge]

    def rises(self, weights: Weights, pause: Pause) -> tuple[Ints, Ints, Floats]:
        """For each edge of the best paths its word, its token, and by how much the cost of the word
        (−ln of its best path) would rise without that edge; inf where it has no other path.

        Every path has one edge over the first character of the edge in question. So the best path
        without the edge is the best of those through the other edges over that character.
        """
        best, back = self._best_ahead(weights, pause)
        word, edge = self._path(back, pause)
        start = self._ahead.far[edge]
        sweep = self._back
        rest = np.full(len(best), -np.inf)
        rest[self.first_node + self.lengths] = 0.0
        weight = weights.log_prob[sweep.token]
        for edges, group, nodes in sweep.slices():
            sums = rest[sweep.far[edges]] + weight[edges]
            rest[nodes] = np.maximum.reduceat(sums, group)
        through = best[sweep.near] + weight + rest[sweep.far]
        follows = np.full(len(best), -1)  # where the best path goes on from each of its nodes
        follows[start] = self._ahead.near[edge]
        through[follows[sweep.near] == sweep.far] = -np.inf
        length = sweep.far - sweep.near
        longest = int(length.max(initial=0))
        other = np.full(len(best) + longest, -np.inf)
        groups = np.flatnonzero(np.diff(sweep.near, prepend=-1))
        for over in range(longest):
            pause()
            through[length <= over] = -np.inf
            # The best path through an edge from each node that reaches `over` characters further.
            places = sweep.near[groups] + over
            other[places] = np.maximum(other[places], np.maximum.reduceat(through, groups))
        rise = best[(self.first_node + self.lengths)[word]] - other[start]
        return word, self._ahead.token[edge], np.maximum(rise, 0.0)

    def _best_ahead(self, weights: Weights, pause: Pause) -> tuple[Floats, Ints]:
        """The log-probability of the best path to each node, and the edge that it arrives by."""
        sweep, n_nodes = self._ahead, int((self.lengths + 1).sum())
        best = np.full(n_nodes, -np.inf)
        best[self.first_node] = 0.0
        weight = weights.log_prob[sweep.token]
        back = np.full(n_nodes, -1)
        for edges, group, nodes in sweep.slices():
            pause()
            sums = best[sweep.far[edges]] + weight[edges]
            top = np.maximum.reduceat(sums, group)
            best[nodes] = top
            sizes = np.diff(group, append=len(sums))
            hits = np.flatnonzero(sums == np.repeat(top, sizes))[::-1]
            # The first hit of each node starts earliest. Writing backwards lets it win.
            back[sweep.near[edges][hits]] = edges.start + hits
        return best, back

    def _path(self, back: Ints, pause: Pause) -> tuple[Ints, Ints]:
        """The edges of all best paths, in no particular order, and their words."""
        word = np.flatnonzero(self.lengths > 0)
        node = (self.first_node + self.lengths)[word]
        path = [np.empty((2, 0), np.int64)]
        while len(node):
            pause()
            edge = back[node]
            path.append(np.stack([word, edge]))
            node = self._ahead.far[edge]
            inside = node > self.first_node[word]
            word, node = word[inside], node[inside]
        words, edges = np.concatenate(path, axis=1)
        return words, edges

    def lattices(self) -> Lattices:
        """The same lattices with their edges sorted by word."""
        sweep = self._ahead
        order = np.argsort(sweep.near, kind="stable")
        far, near = sweep.far[order], sweep.near[order]
        word = np.searchsorted(self.first_node, far, side="right") - 1
        first = self.first_node[word]
        return Lattices(self.lengths, word, far - first, near - first, sweep.token[order])


def _sums(part: Floats, bits: Ints, group: Ints) -> tuple[Floats, Ints]:
    """The sums of part × 2**bits over each group, as mantissas and exponents."""
    top = np.maximum.reduceat(bits, group)
    below = bits - np.repeat(top, np.diff(group, append=len(bits)))
    scaled = part * _POWERS[np.maximum(below, _LEAST)]
    mantissa, exponent = np.frexp(np.add.reduceat(scaled, group))
    return mantissa, top + exponent


def _logs(mantissa: Floats, exponent: Ints) -> Floats:
    # The C library's logarithm: the last bit of NumPy's depends on the processor.
    pairs = zip(mantissa.tolist(), exponent.tolist(), strict=True)
    return np.asarray([log(m) + e * _LN2 for m, e in pairs], np.float64)
