"""Viterbi's algorithm on the lattice of a word, node by node, in numbers that add up as shown."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tokviz.encoding.word_lattice import WordLattice

#: Fewest and most decimals.
DECIMALS = 2, 12


class Walk(NamedTuple):
    """The best ways to each node of a lattice. `back` has the number of the edge by which the best
    way arrives (None if there is no way). Log-probabilities are whole numbers of the last of so
    many `decimals`: of each edge its own (`terms`) and that of the best way that ends with it
    (`through`, None if no way leads to it), and of each node that of its best way (`sums`)."""

    decimals: int
    back: list[int | None]
    terms: list[int]
    through: list[int | None]
    sums: list[int | None]


def walk_of(lattice: WordLattice) -> Walk:
    """Return the walk with the fewest decimals with which the numbers choose what the algorithm
    chose, and agree with the exact sums in two decimals.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
    >>> walk = walk_of(history.lattice("pug", 0))
    >>> walk.decimals, walk.sums, walk.through
    (3, [0, -2514, -2514, -4865], [-2514, -2514, -4278, -4865, -4865])
    """
    back = lattice.backpointers()
    exact = _sums([edge.log_prob for edge in lattice.edges], lattice, back)
    least, most = DECIMALS
    for decimals in range(least, most + 1):
        unit = 10**decimals
        terms = [round(edge.log_prob * unit) for edge in lattice.edges]
        sums = _sums(terms, lattice, back)
        through = [
            None if (before := sums[edge.start]) is None else before + term
            for edge, term in zip(lattice.edges, terms, strict=True)
        ]
        walk = Walk(decimals, back, terms, through, sums)
        agrees = all(
            one is None or other is None or f"{one / unit:.2f}" == f"{other:.2f}"
            for one, other in zip(sums, exact, strict=True)
        )
        if agrees and _chooses(lattice, walk):
            break
    return walk


def _sums(terms: Sequence[Any], lattice: WordLattice, back: Sequence[int | None]) -> list[Any]:
    """Add up the terms of the best way to each node."""
    sums: list[Any] = [0]
    for i in back[1:]:
        before = None if i is None else sums[lattice.edges[i].start]
        sums.append(None if i is None or before is None else before + terms[i])
    return sums


def _chooses(lattice: WordLattice, walk: Walk) -> bool:
    """Return whether no edge has a better sum than the one by which the best way arrives."""
    return all(
        through is None or (best := walk.sums[edge.end]) is None or through <= best
        for edge, through in zip(lattice.edges, walk.through, strict=True)
    )


def walk_view(lattice: WordLattice) -> dict[str, list[Any]]:
    """Return the walk for the browser: of each node its edge and its sum, of each edge its term and
    its sum, as text ("" where no way leads)."""
    walk = walk_of(lattice)

    def written(units: int | None) -> str:
        if units is None:
            return ""
        return f"{units / 10**walk.decimals:.{walk.decimals}f}".replace("-", "−")

    return {
        "back": walk.back,
        "sums": [written(units) for units in walk.sums],
        "terms": [written(units) for units in walk.terms],
        "through": [written(units) for units in walk.through],
    }
