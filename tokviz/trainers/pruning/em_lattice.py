"""Forward–backward and Viterbi through the lattices of all words of a corpus at once.

Source: google/sentencepiece 0.2.1, src/unigram_model.cc (PopulateNodes, PopulateMarginal, Viterbi).
The library keeps sums in single precision, and where pieces tie its roundings decide. So every sum
here is rounded where the library rounds it, and summands come in its order.

Nodes are the positions of the words, edges the pieces between them. All words advance together, one
offset at a time.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tokviz.core.exponential import exponentials
from tokviz.core.logarithm import logarithms
from tokviz.encoding.lattice import Floats, Ints, Lattices

Bools: TypeAlias = npt.NDArray[np.bool_]
Singles: TypeAlias = npt.NDArray[np.float32]
_Real = TypeVar("_Real", np.float32, np.float64)

#: Called between pieces of work; raises an exception to end the run.
Pause = Callable[[], None]

#: By how much of its magnitude a sum may be below another and yet, once both are rounded after
#: adding the same, equal it: two units of single precision.
_NEARLY = np.float32(2**-22)


class Best(NamedTuple):
    """The best paths of words: the score of each, and their pieces as columns in no order."""

    score: Singles
    word: Ints
    start: Ints
    token: Ints


class WordLattices:
    """The lattices of some words over numbered tokens: `word`, `start`, `length` and `token` of
    each edge, in any order. Every word must have a path.

    >>> columns = ([0, 0, 0], [0, 1, 0], [1, 1, 2], [0, 1, 2])      # "ab" from a, b and ab
    >>> lattices = WordLattices(np.array([2]), *map(np.array, columns))
    >>> log_prob = np.log(np.array([0.5, 0.25, 0.125], np.float32))
    >>> logs, posteriors = lattices.expect(log_prob, lambda: None)
    >>> logs.round(6).tolist()
    [-1.3862940073013306]
    >>> lattices.token.tolist(), posteriors.round(6).tolist()          # half of "ab", half of "a b"
    ([0, 2, 1], [0.5, 0.5, 0.5])
    """

    def __init__(self, lengths: Ints, word: Ints, start: Ints, length: Ints, token: Ints) -> None:
        self.lengths = lengths
        self.first_node = np.cumsum(lengths + 1) - lengths - 1
        self.last_node = self.first_node + lengths
        # By offset, so that an offset's edges are neighbours, then by word and length.
        order = np.argsort((start * len(lengths) + word) * (length.max(initial=0) + 1) + length)
        self._set(word[order], start[order], length[order], token[order], np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.lengths)

    def _set(self, word: Ints, start: Ints, length: Ints, token: Ints, lost: Ints) -> None:
        self.word, self.start, self.length, self.token = word, start, length, token
        #: The nodes before and after each edge.
        self.far = self.first_node[word] + start
        self.near = self.far + length
        #: The edges of each offset, and the first edge of each node.
        self._offsets = _runs(start)
        self._firsts = _firsts(self.far)
        self._set_backward(lost)

    def _set_backward(self, lost: Ints) -> None:
        """The order in which edges are added up backwards: at each node by length, but those of
        `lost` tokens last."""
        sizes = np.diff(self._firsts, append=len(self.far))
        rank = np.arange(len(self.far)) - np.repeat(self._firsts, sizes)
        if len(lost):
            unknown = np.isin(self.token[self._firsts], lost)
            rank -= np.repeat(unknown, sizes)
            rank[self._firsts[unknown]] += sizes[unknown]
        key = self.start * (rank.max(initial=0) + 1) + rank
        if len(key) and key.max() < 2**16:
            key = key.astype(np.uint16)  # which NumPy sorts by radix
        self._backward = np.argsort(key, kind="stable")
        slices = _runs(key[self._backward])
        offset = self.start[self._backward]
        # From the last offset to the first, but within each from the first rank to the last.
        self._back_slices = sorted(slices, key=lambda edges: -int(offset[edges.start]))

    def keep(self, alive: Bools, lost: Ints) -> None:
        """Takes out the edges of tokens that are not alive. `lost` tokens stay, but as unknown
        characters: the library puts these after all pieces."""
        rows = np.flatnonzero(alive[self.token])
        self._set(self.word[rows], self.start[rows], self.length[rows], self.token[rows], lost)

    # --- all paths ----------------------------------------------------------------------------

    def log_likelihoods(self, log_prob: Singles | Floats, pause: Pause) -> Any:
        """ln of the summed probability of all segmentations, for each word."""
        before = self._forward(log_prob[self.token], pause)
        return np.asarray(before[self.last_node])

    def expect(self, log_prob: Singles | Floats, pause: Pause) -> tuple[Any, Floats]:
        """The log-likelihoods, and the posterior of each edge: how often the segmentations of its
        word use it on average."""
        weight = log_prob[self.token]
        before, after = self._forward(weight, pause), self._after(weight, pause)
        logs = before[self.last_node]
        part = before[self.far] + weight
        part += after[self.near]
        part -= logs[self.word]
        # Scores that differ too much for single precision may give anything; training looks.
        with np.errstate(over="ignore"):
            return logs, _exponentials(part)

    def _forward(self, weight: Singles | Floats, pause: Pause) -> Any:
        """ln of the summed probability of all ways to each node."""
        before = np.full(self._n_nodes, -np.inf, weight.dtype)
        before[self.first_node] = 0
        for edges in self._offsets:
            pause()
            _add(before, self.near[edges], before[self.far[edges]] + weight[edges])
        return before

    def _after(self, weight: Singles | Floats, pause: Pause) -> Any:
        """The same of all ways from each node to the end of its word."""
        after = np.full(self._n_nodes, -np.inf, weight.dtype)
        after[self.last_node] = 0
        for slice_ in self._back_slices:
            pause()
            edges = self._backward[slice_]
            _add(after, self.far[edges], weight[edges] + after[self.near[edges]])
        return after

    @property
    def _n_nodes(self) -> int:
        return int((self.lengths + 1).sum())

    # --- the best path ------------------------------------------------------------------------

    def best(self, log_prob: Singles | Floats, pause: Pause) -> Best:
        """The best path of every word. Among equal paths the one whose last piece starts earliest
        wins, then the same for what is before it."""
        weight: Any = log_prob[self.token]
        best, back = self._best_ahead(weight, pause)
        word, edge = self._path(best, back, weight, pause)
        return Best(best[self.last_node], word, self.start[edge], self.token[edge])

    def rises(self, log_prob: Floats, pause: Pause) -> tuple[Ints, Ints, Floats]:
        """For each edge of the best paths its word, its token, and by how much the cost of the word
        (−ln of its best path) would rise without that edge; inf where it has no other path.

        Every path has one edge over the first character of the edge in question. So the best path
        without the edge is the best of those through the other edges over that character.
        """
        weight = log_prob[self.token]
        best, back = self._best_ahead(weight, pause)
        word, edge = self._path(best, back, weight, pause)
        rest = np.full(len(best), -np.inf)
        rest[self.last_node] = 0.0
        for edges in reversed(self._offsets):
            first, last = np.searchsorted(self._firsts, (edges.start, edges.stop))
            groups = self._firsts[first:last]
            sums = rest[self.near[edges]] + weight[edges]
            rest[self.far[groups]] = np.maximum.reduceat(sums, groups - edges.start)
        through = best[self.far] + weight + rest[self.near]
        through[edge] = -np.inf
        longest = int(self.length.max(initial=0))
        other = np.full(len(best) + longest, -np.inf)
        for over in range(longest):
            pause()
            through[self.length <= over] = -np.inf
            # The best path through an edge from each node that reaches `over` characters further.
            places = self.far[self._firsts] + over
            other[places] = np.maximum(other[places], np.maximum.reduceat(through, self._firsts))
        rise = best[self.last_node[word]] - other[self.far[edge]]
        return word, self.token[edge], np.maximum(rise, 0.0)

    def _best_ahead(
        self, weight: npt.NDArray[_Real], pause: Pause
    ) -> tuple[npt.NDArray[_Real], Ints]:
        """The log-probability of the best path to each node, and the edge that it arrives by."""
        best = np.full(self._n_nodes, -np.inf, weight.dtype)
        best[self.first_node] = 0.0
        back = np.full(len(best), -1)
        for edges in self._offsets:
            pause()
            sums, nodes = best[self.far[edges]] + weight[edges], self.near[edges]
            # Offsets go up: what is only equal starts later.
            better = np.flatnonzero(sums > best[nodes])
            nodes = nodes[better]
            best[nodes], back[nodes] = sums[better], edges.start + better
        return best, back

    def _path(
        self, best: npt.NDArray[_Real], back: Ints, weight: npt.NDArray[_Real], pause: Pause
    ) -> tuple[Ints, Ints]:
        """The edges of all best paths, in no particular order, and their words.

        The library compares the ways to a node with the next piece added. A way that is worse by
        less than that sum's rounding is its equal.
        """
        sums = best[self.far] + weight
        slack = _NEARLY * np.abs(best[self.last_node])[self.word]
        near = np.flatnonzero((sums < best[self.near]) & (sums + slack >= best[self.near]))
        near = near[near < back[self.near[near]]]
        rivals: dict[int, list[int]] = {}
        for edge, node in zip(near.tolist(), self.near[near].tolist(), strict=True):
            rivals.setdefault(node, []).append(edge)
        contested = np.zeros(len(best), bool)
        contested[self.near[near]] = True
        word = np.flatnonzero(self.lengths > 0)
        node, after = self.last_node[word], np.zeros(len(word), weight.dtype)
        path = [np.empty((2, 0), np.int64)]
        while len(node):
            pause()
            edge = back[node]
            for i in np.flatnonzero(contested[node]).tolist():
                top = best[node[i]] + after[i]
                equal = (one for one in rivals[int(node[i])] if sums[one] + after[i] == top)
                edge[i] = next(equal, edge[i])
            path.append(np.stack([word, edge]))
            node, after = self.far[edge], weight[edge]
            inside = np.flatnonzero(node > self.first_node[word])
            word, node, after = word[inside], node[inside], after[inside]
        words, edges = np.concatenate(path, axis=1)
        return words, edges

    def lattices(self) -> Lattices:
        """The same lattices with their edges sorted by word, then end and start."""
        order = np.lexsort((self.far, self.near))
        word, start, length = self.word[order], self.start[order], self.length[order]
        return Lattices(self.lengths, word, start, start + length, self.token[order])


def _runs(values: npt.NDArray[np.integer]) -> list[slice]:
    """Where equal neighbours are."""
    cuts = [*_firsts(values).tolist(), len(values)]
    return [slice(first, last) for first, last in pairwise(cuts)]


def _firsts(values: npt.NDArray[np.integer]) -> Ints:
    """Where each run of equal neighbours begins."""
    changes = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _exponentials(values: Any) -> Floats:
    """e to the power of each, in double precision. What is rounded to single precision afterwards
    does not tell the last bit."""
    if values.dtype == np.float64:
        return exponentials(values)
    return np.asarray(np.exp(values, dtype=np.float64))


def _add(logs: Any, at: Ints, more: Any) -> None:
    """Adds probabilities, all given by their logarithms, at different places."""
    there = logs[at]
    high = np.maximum(there, more)
    there -= more
    sums = _exponentials(-np.abs(there))
    sums += 1
    if logs.dtype == np.float64:
        sums = logarithms(sums)
    else:
        np.log(sums, out=sums)
    sums += high
    logs[at] = sums
