"""Unigram's way to cut a word: the most probable path through its lattice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, Piece
from tokviz.encoding.lattice import START, Edge, best_path, edges_of, n_best_paths, sample_path
from tokviz.encoding.word_lattice import LatticeEdge, WordLattice
from tokviz.text.symbols import Spelling, Symbol

#: An unknown character costs that much more than the rarest token (SentencePiece,
#: `unigram_model.cc`, kUnkPenalty).
UNKNOWN_PENALTY = 10.0


def rows_within(word: str, tokens: Sequence[str], costs: Sequence[float]) -> list[int]:
    """The rows of a vocabulary that decide how a word is cut: the tokens that are in it, and the
    rarest, from which follows what an unknown character costs.

    >>> rows_within("ab", ["a", "b", "ba", "ab", "c"], [1.0, 1.0, 1.0, 1.0, 2.0])
    [0, 1, 3, 4]
    """
    rarest = max(range(len(tokens)), key=costs.__getitem__, default=None)
    return [row for row, token in enumerate(tokens) if token in word or row == rarest]


@dataclass(frozen=True)
class ViterbiEncoder:
    """Cuts a word into its most probable pieces. A character that is no piece becomes `<unk>`, or
    with `whole_word` (as in the course's notebooks) all of its word does.

    >>> encoder = ViterbiEncoder(Spelling(), {"a": 0, "ab": 1}, {"a": 1.0, "ab": 1.5}, False, None)
    >>> [piece.token for piece in encoder.encode("aabc")]
    ['a', 'ab', '<unk>']
    """

    __repr__ = short_repr

    spelling: Spelling
    id_of: Mapping[str, int]
    cost: Mapping[str, float]
    whole_word: bool
    unknown_id: int | None
    unknown: str = "<unk>"

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.cost), default=1)

    @cached_property
    def _unknown_cost(self) -> float:
        return max(self.cost.values(), default=0.0) + UNKNOWN_PENALTY

    def edges(self, word: str) -> list[Edge]:
        """The lattice of a word; unknown characters have edges unless the whole word goes."""
        return edges_of(
            word, self.cost, self._longest, None if self.whole_word else self._unknown_cost
        )

    def lattice(self, word: str) -> WordLattice:
        """All segmentations of a word, with their probabilities."""
        return WordLattice(
            word,
            tuple(
                LatticeEdge(start, end, self._token(text), self._id(text), -cost)
                for start, end, cost in self.edges(word)
                for text in (word[start:end],)
            ),
        )

    def encode(self, word: str) -> list[Piece]:
        return self.pieces(word, self.path(word))

    def path(self, word: str) -> list[tuple[int, int]]:
        """The pieces of the most probable path as (start, end); none if there is no path."""
        return best_path(len(word), self.edges(word))[0]

    def n_best(self, word: str, n: int) -> list[tuple[list[Piece], float]]:
        """The n most probable segmentations with their log-probabilities, best first."""
        paths = n_best_paths(len(word), self.edges(word), n)
        if word and not paths:
            return [(self.pieces(word, []), -inf)]
        return [(self.pieces(word, path), -cost) for path, cost in paths]

    def sample(self, word: str, alpha: float, random: Callable[[], float]) -> list[Piece]:
        """A segmentation drawn with probability ∝ P(path)**alpha."""
        edges = self.edges(word)
        if not best_path(len(word), edges)[0]:
            return self.pieces(word, [])
        return self.pieces(word, sample_path(len(word), edges, alpha, random))

    def trace(self, word: str) -> list[Event]:
        """Every edge of the lattice, by end; accepted are those on the best path."""
        edges = self.edges(word)
        path = set(self.path(word))
        return [
            Event(-1, self._token(word[start:end]), start, end, (start, end) in path)
            for start, end, _ in edges
        ]

    def totals(self, word: str) -> list[tuple[float, float]]:
        """For every event of `trace`: the log-probability of its edge, and that of the best way
        from the start of the word through it (−inf if there is none to where it starts)."""
        best, found = [START] + [inf] * len(word), []
        for start, end, cost in self.edges(word):
            total = best[start] + cost
            found.append((-cost, START - total))
            best[end] = min(best[end], total)
        return found

    def pieces(self, word: str, path: list[tuple[int, int]]) -> list[Piece]:
        """The pieces of a path given as (start, end); without one the whole word is unknown."""
        if word and not path:
            return [Piece(self.unknown, self.unknown_id, 0, len(word))]
        return [
            Piece(self._token(word[start:end]), self._id(word[start:end]), start, end)
            for start, end in path
        ]

    def _id(self, text: str) -> int | None:
        return self.id_of.get(text, self.unknown_id)

    def _token(self, text: str) -> str:
        return self.spelling.show(Symbol(text)) if text in self.id_of else self.unknown
