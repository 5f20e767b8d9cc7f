"""BPE-dropout of one word as a Markov chain: how probable each segmentation is, exactly.

A state is the word cut into tokens. In a state with k applicable merges, best first, the i-th of
them is made with probability p^(i−1) · (1 − p), and with p^k the word stays as it is. Every merge
leaves one token less, so the states are gone through in layers, from the most tokens to the fewest,
and each is met once, however many orders of merges lead to it.

With p = a / b all states of a layer share one denominator, a power of b: weights are whole numbers,
nothing is rounded, and the probabilities sum to exactly 1.

Source: Provilkov, Emelianenko and Voita (2020), "BPE-Dropout: Simple and Effective Subword
Regularization", Algorithm 1, as `MergeEncoder.sample` draws it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import fsum, log2
from typing import NamedTuple, TypeAlias

from tokviz.basics.errors import SettingError
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import MergeEncoder, Piece

#: Symbol numbers, left to right (-1: unknown). A number always stands for as many symbols.
State: TypeAlias = tuple[int, ...]

#: States of a word that are gone through for exact probabilities, about half a second; more are
#: refused. A word of 20 letters whose merges all go together has more, most words of 20 far fewer.
MOST_STATES = 5_000


class Way(NamedTuple):
    """A segmentation of the word and its probability."""

    pieces: tuple[Piece, ...]
    probability: Fraction

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True)
class DropoutChain:
    """All that BPE-dropout can do with a word. `p` is the probability that a merge is skipped.

    >>> import tokviz
    >>> abc = tokviz.train({"ab": 4, "bc": 3, "abc": 1}, vocab_size=6, pretokenizer="whitespace")
    >>> chain = DropoutChain.of(abc.tokenizer().encoder, "abc", Fraction(1, 10))
    >>> [("|".join(p.token for p in way.pieces), str(way.probability)) for way in chain.ways]
    [('abc', '81/100'), ('ab|c', '9/100'), ('a|bc', '9/100'), ('a|b|c', '1/100')]
    """

    __repr__ = short_repr

    encoder: MergeEncoder
    word: str
    p: Fraction
    start: State
    _length: dict[int, int]  # of a token, in the word's starting symbols
    _merges: dict[State, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, encoder: MergeEncoder, word: str, p: Fraction | str | float) -> "DropoutChain":
        """The chain of a word. A float stands for the decimal number that it is written as: 0.1 is
        one tenth.

        Raises ValueError for a p outside 0 to 1.
        """
        exact = Fraction(repr(p)) if isinstance(p, float) else Fraction(p)
        if not 0 <= exact <= 1:
            raise SettingError.saying("p={p} is not possible; give a number from 0 to 1.", p=p)
        start = tuple(encoder.number.get(symbol, -1) for symbol in encoder.symbols(word))
        return cls(encoder, word, exact, start, dict.fromkeys(start, 1))

    def merges(self, state: State) -> list[tuple[int, int]]:
        """The applicable merges, the best first: the number that each makes, and where."""
        if (known := self._merges.get(state)) is not None:
            return known
        ranks, found = self.encoder.ranks, []
        for at, pair in enumerate(pairwise(state)):
            if (rank := ranks.get(pair)) is not None:
                found.append((*rank, at))
                self._length[rank[1]] = self._length[pair[0]] + self._length[pair[1]]
        merges = [(made, at) for _, made, at in sorted(found)]
        if len(self._merges) < MOST_STATES:
            self._merges[state] = merges
        return merges

    def draw(self, random: Callable[[], float]) -> State:
        """One pass of BPE-dropout, every merge drawn for itself: the same numbers from `random`
        give what `MergeEncoder.sample` makes of them."""
        p, state = float(self.p), self.start
        while True:
            for made, at in self.merges(state):
                if random() >= p:
                    state = (*state[:at], made, *state[at + 2 :])
                    break
            else:
                return state

    def pieces(self, state: State) -> tuple[Piece, ...]:
        """The tokens of a state with their ids and places."""
        ends = accumulate(self._length[number] for number in state)
        return tuple(self.encoder.pieces_of(self.word, state, list(ends)))

    @cached_property
    def ways(self) -> list[Way]:
        """Every segmentation that can come about, the most probable first; of equals the one whose
        first tokens are longer.

        Raises ValueError if the merges can leave the word in more than `MOST_STATES` ways.
        """
        a, b = self.p.numerator, self.p.denominator
        ways: dict[tuple[Piece, ...], Fraction] = {}
        layer, met, whole = {self.start: 1}, 1, 1
        while layer:
            coins = max(len(self.merges(state)) for state in layer)
            powers = [a**i * b ** (coins - i) for i in range(coins + 1)]
            whole *= b**coins
            after: dict[State, int] = {}
            for state, weight in layer.items():
                merges = self.merges(state)
                for i, (made, at) in enumerate(merges):
                    if share := weight * (powers[i] - powers[i + 1]):
                        merged = (*state[:at], made, *state[at + 2 :])
                        after[merged] = after.get(merged, 0) + share
                # Before all of a layer that has too many is made.
                if met + len(after) > MOST_STATES:
                    raise SettingError.saying(
                        "The merges can cut this word in more than {most_states:,} ways, which "
                        "are too many to work out exact probabilities.",
                        most_states=MOST_STATES,
                    )
                if left := weight * powers[len(merges)]:
                    pieces = self.pieces(state)
                    ways[pieces] = ways.get(pieces, Fraction()) + Fraction(left, whole)
            layer, met = after, met + len(after)
        found = [Way(*way) for way in ways.items()]
        found.sort(key=lambda way: [-way.probability, *(-piece.end for piece in way.pieces)])
        return found


def entropy(ways: list[Way]) -> float:
    """The entropy of the distribution in bits.

    >>> entropy([Way((), Fraction(1, 2)), Way((), Fraction(1, 4)), Way((), Fraction(1, 4))])
    1.5
    """
    shares = [float(way.probability) for way in ways]
    return fsum(-share * log2(share) for share in shares if share) or 0.0
