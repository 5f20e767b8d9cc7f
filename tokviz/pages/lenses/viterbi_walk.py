"""Viterbi's algorithm on the lattice of a word, and the best segmentations that it has, in numbers
that add up as shown."""

from collections.abc import Sequence
from itertools import pairwise
from math import isclose
from typing import Any, NamedTuple

from tokviz.encoding.word_lattice import Segmentation, WordLattice

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

    def written(units: Sequence[int | None]) -> list[str]:
        return ["" if n is None else _written(n, walk.decimals) for n in units]

    return {
        "back": walk.back,
        "sums": written(walk.sums),
        "terms": written(walk.terms),
        "through": written(walk.through),
    }


def _written(units: int, decimals: int) -> str:
    return f"{units / 10**decimals:.{decimals}f}".replace("-", "−")


def sums_view(
    lattice: WordLattice, ways: Sequence[Segmentation], tied: Sequence[bool], most_terms: int
) -> list[tuple[str, str]]:
    """Return how the log-probabilities of the pieces of segmentations, the best first, add up: the
    terms of each that has several and at most `most_terms`, and the sum. Decimals are the fewest
    with which sums are in the order of the segmentations, those that are `tied` with the best one
    are equal to its sum, and all agree with the exact sums in two decimals.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> lattice = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False).lattice("pug")
    >>> sums_view(lattice, lattice.n_best(3), [True, True, False], 2)
    [('−2.514 − 2.351', '−4.865'), ('−2.514 − 2.351', '−4.865'), ('', '−6.629')]
    """
    least, most = DECIMALS
    for decimals in range(least, most + 1):
        unit = 10**decimals
        terms = [[round(lattice.edges[i].log_prob * unit) for i in way.edges] for way in ways]
        sums = [
            sum(numbers) if len(numbers) <= most_terms else round(way.log_prob * unit)
            for numbers, way in zip(terms, ways, strict=True)
        ]
        agrees = all(
            round(units / unit, 2) == round(way.log_prob, 2)
            for units, way in zip(sums, ways, strict=True)
        )
        ordered = all(
            n == m if is_tied else n > m or isclose(way.log_prob, other.log_prob, rel_tol=1e-9)
            for (n, way, _tied), (m, other, is_tied) in pairwise(zip(sums, ways, tied, strict=True))
        )
        if agrees and ordered:
            break
    return [
        (_added(numbers, decimals, most_terms), _written(units, decimals))
        for numbers, units in zip(terms, sums, strict=True)
    ]


def _added(terms: Sequence[int], decimals: int, most: int) -> str:
    """Return log-probabilities, none above 0, as a sum; or "" for one alone and for too many."""
    if not 1 < len(terms) <= most:
        return ""
    return " − ".join(_written(abs(term), decimals) for term in terms).join(["−", ""])
