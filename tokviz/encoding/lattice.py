"""Best, n best and random paths through the lattice of a word: nodes are positions, edges pieces.

Costs are −log-probabilities; the best path has the least sum. Among equal paths the one whose last
piece starts earliest wins, then the same for what is before it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from math import exp, inf, log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.core.logarithm import logarithms

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
#: (start, end, cost) in characters of the word.
Edge: TypeAlias = tuple[int, int, float]

#: The published programs start every path at 1 instead of 0. The paths are the same, but sums
#: rounded on the way are not, so that deltas agree to the last bit only from the same start.
START = 1.0

#: Edges of re-segmented words that are looked at together.
BATCH = 200_000


def costs_of(counts: Ints) -> Floats:
    """−ln(count / sum of counts), to the same bit on every machine.

    >>> costs_of(np.array([1, 1])).round(6).tolist()
    [0.693147, 0.693147]
    """
    different, which = np.unique(counts, return_inverse=True)
    costs: Floats = -logarithms(different / counts.sum())[which]
    return costs


def edges_of(
    word: str, cost: Mapping[str, float], longest: int, unknown_cost: float | None = None
) -> list[Edge]:
    """All pieces that fit into a word, by end, then start. A character that is no piece gets an
    edge of `unknown_cost`, unless that is None.

    >>> edges_of("ab", {"a": 1.0, "ab": 1.5}, longest=2, unknown_cost=9.0)
    [(0, 1, 1.0), (0, 2, 1.5), (1, 2, 9.0)]
    """
    edges = []
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - longest), end):
            c = cost.get(word[start:end])
            if c is None and end - start == 1:
                c = unknown_cost
            if c is not None:
                edges.append((start, end, c))
    return edges


def best_path(length: int, edges: Sequence[Edge]) -> tuple[list[tuple[int, int]], float]:
    """The pieces of the best path as (start, end), and its cost; ([], inf) if there is none.

    >>> best_path(3, [(0, 1, 1.0), (0, 2, 2.0), (1, 3, 2.0), (2, 3, 1.0)])
    ([(0, 1), (1, 3)], 3.0)
    """
    best, back = best_ways(length, edges)
    if back[length] < 0:
        return [], (inf if length else 0.0)
    return pieces_to(length, back), best[length] - START


def best_ways(length: int, edges: Sequence[Edge]) -> tuple[list[float], list[int]]:
    """For each node the cost of the best way to it, counted from `START`, and where the last piece
    of that way starts (-1 if no way leads there).

    >>> best_ways(3, [(0, 1, 1.0), (0, 2, 2.0), (1, 3, 2.0), (2, 3, 1.0)])
    ([1.0, 2.0, 3.0, 4.0], [-1, 0, 0, 1])
    """
    best = [START] + [inf] * length
    back = [-1] * (length + 1)
    for start, end, cost in edges:
        if best[start] + cost < best[end]:
            best[end], back[end] = best[start] + cost, start
    return best, back


def pieces_to(end: int, back: Sequence[int]) -> list[tuple[int, int]]:
    """The pieces of a path as (start, end), where `back` says of each end where its piece starts.

    >>> pieces_to(3, [-1, 0, 0, 1])
    [(0, 1), (1, 3)]
    """
    path = []
    while end:
        path.append((back[end], end))
        end = back[end]
    return path[::-1]


def n_best_paths(
    length: int, edges: Sequence[Edge], n: int
) -> list[tuple[list[tuple[int, int]], float]]:
    """The n best paths with their costs, best first.

    >>> paths = n_best_paths(2, [(0, 1, 1.0), (0, 2, 1.5), (1, 2, 1.0)], n=5)
    >>> paths
    [([(0, 2)], 1.5), ([(0, 1), (1, 2)], 2.0)]
    """
    # Every node keeps its n best ways in; a way is (cost, piece start, rank of the way there).
    ways: list[list[tuple[float, int, int]]] = [[(START, -1, 0)]] + [[] for _ in range(length)]
    for start, end, cost in edges:
        more = [(before + cost, start, rank) for rank, (before, _, _) in enumerate(ways[start])]
        ways[end] = nsmallest(n, [*ways[end], *more])
    paths = []
    for total, start, rank in ways[length] if length else []:
        path, end = [(start, length)], start
        while end:
            _, start, rank = ways[end][rank]
            path.append((start, end))
            end = start
        paths.append((path[::-1], total - START))
    return paths


def sample_path(
    length: int, edges: Sequence[Edge], alpha: float, random: Callable[[], float]
) -> list[tuple[int, int]]:
    """A path drawn with probability ∝ exp(−alpha × cost): 0 is uniform over paths, 1 the
    model, infinity always the best path.

    Forward sums, then pieces drawn from the end backwards (Kudo 2018, "Subword Regularization").

    >>> sample_path(2, [(0, 1, 1.0), (0, 2, 1.5), (1, 2, 1.0)], 1.0, lambda: 0.1)
    [(0, 2)]
    """
    if alpha == inf:
        return best_path(length, edges)[0]
    return PathSampler(length, edges, alpha).draw(random)


class PathSampler:
    """Draws any number of paths from the same lattice: the forward sums are made once."""

    def __init__(self, length: int, edges: Sequence[Edge], alpha: float) -> None:
        self._length, self._alpha = length, alpha
        self._forward = [0.0] + [-inf] * length
        self._into: list[list[Edge]] = [[] for _ in range(length + 1)]
        self._shares: dict[int, list[tuple[int, float]]] = {}
        for start, end, cost in edges:
            self._into[end].append((start, end, cost))
            self._forward[end] = _log_add(self._forward[end], self._forward[start] - alpha * cost)

    def draw(self, random: Callable[[], float]) -> list[tuple[int, int]]:
        """A path, as `sample_path` draws it."""
        path, end = [], self._length
        while end:
            start = self._start_of(end, random())
            path.append((start, end))
            end = start
        return path[::-1]

    def _start_of(self, end: int, rest: float) -> int:
        start = 0
        for start, share in self._shares_of(end):
            rest -= share
            if rest < 0:
                return start
        return start

    def _shares_of(self, end: int) -> list[tuple[int, float]]:
        """Where the pieces that end here start, each with its probability."""
        if (shares := self._shares.get(end)) is None:
            forward, alpha = self._forward, self._alpha
            shares = self._shares[end] = [
                (start, exp(forward[start] - alpha * cost - forward[end]))
                for start, _, cost in self._into[end]
            ]
        return shares


def _log_add(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    return a if b == -inf else a + log(1 + exp(b - a))


@dataclass
class Lattices:
    """The lattices of many words as flat edges, sorted by word, then end, then start."""

    lengths: Ints  # per word
    word: Ints  # per edge
    start: Ints
    end: Ints
    token: Ints

    @classmethod
    def of(cls, words: Sequence[str], tokens: Mapping[str, int]) -> "Lattices":
        """All edges of the words over numbered tokens."""
        lengths = np.asarray([len(word) for word in words], np.int64)
        first = np.repeat(np.cumsum(lengths) - lengths, lengths)
        offset = np.arange(lengths.sum()) - first
        left = np.repeat(lengths, lengths) - offset  # characters from here to the word's end
        text, word = "".join(words), np.repeat(np.arange(len(words)), lengths)
        columns = [np.empty((4, 0), np.int64)]
        for n in sorted({len(token) for token in tokens}):
            at = np.flatnonzero(left >= n)
            found = [tokens.get(text[i : i + n], -1) for i in at.tolist()]
            token = np.asarray(found, np.int64)
            at, token = at[token >= 0], token[token >= 0]
            columns.append(np.stack([word[at], offset[at], offset[at] + n, token]))
        edges = np.concatenate(columns, axis=1)
        return cls(lengths, *edges[:, np.lexsort((edges[1], edges[2], edges[0]))])

    def without(self, words: Ints, tokens: Ints) -> "Lattices":
        """One lattice for each i: that of `words[i]` with the edges of `tokens[i]` removed."""
        bounds = np.searchsorted(self.word, np.arange(len(self.lengths) + 1))
        first, sizes = bounds[words], np.diff(bounds)[words]
        copy = np.repeat(np.arange(len(words)), sizes)
        rows = np.arange(len(copy)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
        left = self.token[rows] != tokens[copy]
        rows = rows[left]
        return Lattices(
            self.lengths[words], copy[left], self.start[rows], self.end[rows], self.token[rows]
        )

    def batches(self, words: Ints, tokens: Ints) -> Iterator[tuple[Ints, Ints]]:
        """The (word, token) pairs for `without` in parts that are no burden to memory."""
        edges = np.bincount(self.word, minlength=len(self.lengths))[words]
        cuts = np.flatnonzero(np.diff(np.cumsum(edges) // BATCH)) + 1
        yield from zip(np.split(words, cuts), np.split(tokens, cuts), strict=True)

    def least_costs(self, cost: Floats) -> Floats:
        """The cost of every word's best path from START on. All words advance together, one end
        offset at a time."""
        first_node = np.cumsum(self.lengths + 1) - self.lengths - 1
        best = np.full(int((self.lengths + 1).sum()), inf)
        best[first_node] = START
        # Small integers are sorted by their digits, several times faster.
        small = np.min_scalar_type(int(self.lengths.max(initial=0)))
        edges = np.argsort(self.end.astype(small), kind="stable")
        end, origin = self.end[edges], first_node[self.word[edges]]
        source, target = origin + self.start[edges], origin + end
        weight = cost[self.token[edges]]
        # Edges into the same node are neighbours; `group` is where each node's start.
        group = np.flatnonzero(np.diff(target, prepend=-1))
        nodes = target[group]
        offsets = np.flatnonzero(np.diff(end, prepend=0))
        bounds = [*offsets.tolist(), len(end)]
        groups = np.searchsorted(group, bounds).tolist()
        for i, (first, last) in enumerate(pairwise(bounds)):
            sums = best[source[first:last]] + weight[first:last]
            into = slice(groups[i], groups[i + 1])
            best[nodes[into]] = np.minimum.reduceat(sums, group[into] - first)
        least: Floats = best[first_node + self.lengths]
        return least
