"""The lattice of one word: all its segmentations at once, and how probable each of them is.

Nodes are the places between characters, 0 to the word's length; an edge is a piece that fits there.
A path from the first node to the last is a segmentation. Its probability is proportional to the
product of its pieces' probabilities, raised to the power α: α = 1 is the model itself, 0 makes all
segmentations equally probable, infinity leaves only the best one.

Sums over all paths, of which there may be 2^(length − 1), take one pass over the edges in each
direction (forward–backward), in logarithms. Sources: Kudo (2018), "Subword Regularization:
Improving Neural Network Translation Models with Multiple Subword Candidates"; Rabiner (1989), "A
Tutorial on Hidden Markov Models", for forward–backward.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, fsum, inf, log
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tokviz.basics.arguments import Shown, plain, whole
from tokviz.basics.errors import SettingError
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.lattice import best_path, best_ways, n_best_paths, sample_path

if TYPE_CHECKING:
    import pandas as pd


class LatticeEdge(NamedTuple):
    """A piece that fits into the word at [start, end), in characters: the token as displayed, its
    id (None for an unknown character without one), and its natural log-probability."""

    start: int
    end: int
    token: str
    id: int | None
    log_prob: float

    def __repr__(self) -> str:
        return short_repr(self)


class Segmentation(NamedTuple):
    """A path through the lattice: its tokens, the numbers of its edges, and the sum of their
    log-probabilities (not normalised, as in `Tokenizer.nbest`)."""

    tokens: tuple[str, ...]
    edges: tuple[int, ...]
    log_prob: float

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True)
class WordLattice:
    """All segmentations of a word into pieces of one vocabulary. Made by `Tokenizer.lattice` and
    `History.lattice`.

    `edges` are sorted by end, then start. A word that cannot be cut into pieces at all (only with
    `unknown="word"`) has no segmentation: no best one, posteriors of 0 and an entropy of 0.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
    >>> lattice = history.lattice("pug", 0)
    >>> [(e.start, e.end, e.token) for e in lattice.edges]
    [(0, 1, 'p'), (0, 2, 'pu'), (1, 2, 'u'), (1, 3, 'ug'), (2, 3, 'g')]
    >>> [round(p, 3) for p in lattice.posteriors()]
    [0.539, 0.461, 0.079, 0.461, 0.539]
    >>> lattice.segmentations, lattice.best().tokens, round(lattice.entropy(), 3)
    (3, ('p', 'ug'), 0.915)
    """

    __repr__ = short_repr

    word: str
    edges: tuple[LatticeEdge, ...]
    #: The encoder's own path, where its rounding decides between nearly equal ones.
    path: tuple[tuple[int, int], ...] | None = None

    @cached_property
    def _costs(self) -> list[tuple[int, int, float]]:
        return [(edge.start, edge.end, -edge.log_prob) for edge in self.edges]

    @cached_property
    def _number(self) -> dict[tuple[int, int], int]:
        return {(edge.start, edge.end): i for i, edge in enumerate(self.edges)}

    # --- single paths -------------------------------------------------------------------------

    def best(self) -> Segmentation | None:
        """The most probable segmentation, by Viterbi's algorithm; None if there is none. Among
        equals the one whose last piece starts earliest, then the same for what is before it."""
        if not self.word:
            return Segmentation((), (), 0.0)
        path, cost = best_path(len(self.word), self._costs)
        return self._segmentation(path, cost) if path else None

    def chosen(self) -> Segmentation | None:
        """The segmentation that the encoder takes: the best one, but for SentencePiece, which adds
        up in single precision, one that is as good within its rounding."""
        if self.path is None or not self.word:
            return self.best()
        return self._segmentation(
            self.path, fsum(self._costs[self._number[p]][2] for p in self.path)
        )

    def backpointers(self) -> list[int | None]:
        """Return for each node the number of the edge by which the best way to it arrives, as
        Viterbi's algorithm finds them from left to right; None where no way leads, and for node 0.
        The nodes of `chosen` have its edges.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
        >>> lattice = history.lattice("pug", 0)
        >>> [i if i is None else lattice.edges[i].token for i in lattice.backpointers()]
        [None, 'p', 'pu', 'ug']
        """
        _best, back = best_ways(len(self.word), self._costs)
        found = [self._number.get((start, end)) for end, start in enumerate(back)]
        for start, end in self.path or ():
            found[end] = self._number[start, end]
        return found

    def n_best(self, n: int) -> list[Segmentation]:
        """The n most probable segmentations, best first, ties as in `best`.

        Exact: every node keeps its n best ways in, so the sums are those of `best`, to the bit.
        """
        if not self.word:
            return [Segmentation((), (), 0.0)][:n]
        return [
            self._segmentation(path, cost)
            for path, cost in n_best_paths(len(self.word), self._costs, n)
        ]

    def sample(self, seed: int = 0, alpha: float = 1.0, nbest_size: int = -1) -> Segmentation:
        """A segmentation drawn with probability ∝ P^alpha, the same for the same seed.

        From all segmentations if `nbest_size` is −1, else from so many best ones.

        Raises ValueError for a negative alpha, an `nbest_size` that is neither −1 nor at least 1,
        and a word without any segmentation.
        """
        return self.draw(Random(seed).random, alpha, nbest_size)

    def draw(
        self, random: Callable[[], float], alpha: float = 1.0, nbest_size: int = -1
    ) -> Segmentation:
        """Like `sample`, with the numbers in [0, 1) that `random` gives."""
        check_sampling(alpha, nbest_size)
        best = self.best()
        if best is None:
            raise SettingError.saying(
                "{word!r} has no segmentation with this vocabulary.", word=self.word
            )
        if not self.word or alpha == inf or nbest_size == 1:
            return best
        if nbest_size > 1:
            among = self.n_best(nbest_size)
            return among[draw_one([s.log_prob for s in among], alpha, random)]
        path = sample_path(len(self.word), self._costs, alpha, random)
        cost = fsum(self._costs[self._number[piece]][2] for piece in path)
        return self._segmentation(path, cost)

    def _segmentation(self, path: Sequence[tuple[int, int]], cost: float) -> Segmentation:
        numbers = tuple(self._number[piece] for piece in path)
        return Segmentation(tuple(self.edges[i].token for i in numbers), numbers, -cost)

    # --- all paths ----------------------------------------------------------------------------

    @cached_property
    def segmentations(self) -> int:
        """How many segmentations there are, exactly."""
        ways = [1] + [0] * len(self.word)
        for edge in self.edges:
            ways[edge.end] += ways[edge.start]
        return ways[-1]

    def log_total(self, alpha: float = 1.0) -> float:
        """ln Σ P(segmentation)^alpha over all segmentations; −inf if there is none. With alpha 1
        the log-probability of the word itself."""
        return self._forward(alpha)[-1]

    def posteriors(self, alpha: float = 1.0) -> list[float]:
        """For every edge the probability that a segmentation drawn with P^alpha uses it."""
        if alpha == inf:
            best = self.best()
            on_it = set(best.edges) if best else set()
            return [float(i in on_it) for i in range(len(self.edges))]
        forward, backward = self._forward(alpha), self._backward(alpha)
        total = forward[-1]
        return [
            _exp(forward[edge.start] + alpha * edge.log_prob + backward[edge.end], total)
            for edge in self.edges
        ]

    def entropy(self, alpha: float = 1.0) -> float:
        """The entropy of the distribution over segmentations, in nats (divide by ln 2 for bits):
        0 if one is certain, the logarithm of their number if all are equally probable."""
        if alpha == inf:
            return 0.0
        forward = self._forward(alpha)
        if forward[-1] == -inf:
            return 0.0
        # Drawing a path backwards from its end, each node adds the entropy of the piece that is
        # drawn there: only sums of what is not negative, so that nothing cancels.
        entropy = [0.0] * len(forward)
        for node in range(1, len(forward)):
            into = self._into[node] if forward[node] > -inf else []
            shares = [forward[e.start] + alpha * e.log_prob - forward[node] for e in into]
            entropy[node] = fsum(
                exp(share) * (entropy[edge.start] - min(share, 0.0))
                for edge, share in zip(into, shares, strict=True)
                if share > -inf
            )
        return entropy[-1]

    def table(self, alpha: float = 1.0) -> "pd.DataFrame":
        """The edges as a table: start, end, token, id, log_prob, posterior, best (is it on the
        best path)."""
        import pandas as pd

        best = self.best()
        on_it = set(best.edges) if best else set()
        # As objects: Arrow's strings take no lone surrogates, and an id may be None.
        table = pd.DataFrame(self.edges, columns=list(LatticeEdge._fields), dtype=object)
        table = table.astype({"start": "int64", "end": "int64", "log_prob": "float64"})
        table["posterior"] = self.posteriors(alpha)
        table["best"] = [i in on_it for i in range(len(self.edges))]
        return table

    @cached_property
    def _into(self) -> list[list[LatticeEdge]]:
        """Per node the edges that end there."""
        into: list[list[LatticeEdge]] = [[] for _ in range(len(self.word) + 1)]
        for edge in self.edges:
            into[edge.end].append(edge)
        return into

    def _forward(self, alpha: float) -> list[float]:
        """Per node the log of the sum over all ways there from the word's start."""
        check_sampling(alpha)
        sums = [0.0] + [-inf] * len(self.word)
        for node in range(1, len(sums)):
            sums[node] = _log_sum([sums[e.start] + alpha * e.log_prob for e in self._into[node]])
        return sums

    def _backward(self, alpha: float) -> list[float]:
        """Per node the log of the sum over all ways from there to the word's end."""
        out: list[list[float]] = [[] for _ in range(len(self.word) + 1)]
        sums = [-inf] * len(self.word) + [0.0]
        for node in range(len(self.word), 0, -1):
            if node < len(self.word):
                sums[node] = _log_sum(out[node])
            for edge in self._into[node]:
                out[edge.start].append(alpha * edge.log_prob + sums[node])
        return sums


def check_sampling(alpha: float, nbest_size: int = -1) -> None:
    """Raises ValueError unless alpha is at least 0 and `nbest_size` is −1 or at least 1.

    >>> check_sampling(0.1, 0)
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: nbest_size=0 is not possible; give -1 for all \
segmentations, or 1 or more.
    """
    if not (isinstance(plain(alpha), int | float) and alpha >= 0):
        raise SettingError.saying(
            "alpha={alpha} is not possible; give 0 or more.", alpha=Shown(alpha)
        )
    if whole("nbest_size", nbest_size) != -1 and nbest_size < 1:
        raise SettingError.saying(
            "nbest_size={nbest_size} is not possible; give -1 for all segmentations, or 1 or more.",
            nbest_size=nbest_size,
        )


def draw_one(log_probs: Sequence[float], alpha: float, random: Callable[[], float]) -> int:
    """The number of one of several, drawn with probability ∝ exp(alpha × log-probability). They
    are best first; an infinite alpha always draws the first.

    >>> draw_one([-1.0, -1.0], 1.0, lambda: 0.6)
    1
    """
    if alpha == inf:
        return 0
    # Relative to the best, so that no sum of tiny numbers becomes 0.
    weights = [exp(alpha * (p - log_probs[0])) if p > -inf else 0.0 for p in log_probs]
    rest = random() * fsum(weights)
    for i, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return i
    return 0


def _exp(log_part: float, log_total: float) -> float:
    # Rounding may put a certain edge a hair above 1.
    return min(1.0, exp(log_part - log_total)) if log_part > -inf else 0.0


def _log_sum(logs: Sequence[float]) -> float:
    """ln Σ exp, relative to the greatest."""
    top = max(logs, default=-inf)
    return top if top == -inf else top + log(fsum(exp(x - top) for x in logs))
