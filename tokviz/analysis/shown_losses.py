"""A loss delta in numbers that add up as they are shown."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from tokviz.encoding.word_lattice import Segmentation
from tokviz.history.piece_removal import Removal

#: Decimals that are shown at least and at most: the higher a count, the more a cost needs.
DECIMALS = 2, 12


class Rounded(NamedTuple):
    """Costs without and with a token, and the rises that follow from them, in units of the last
    decimal that is shown; `total` is the sum of the rises."""

    decimals: int
    rows: list[tuple[int, int, int]]
    total: int

    def written(self, units: int) -> str:
        """A number of units as it is shown, to the last digit.

        >>> Rounded(3, [], 0).written(-1234567)
        '-1,234.567'
        """
        whole, rest = divmod(abs(units), 10**self.decimals)
        return f"{'-' * (units < 0)}{whole:,}.{rest:0{self.decimals}}"


def rounded(terms: Sequence[Removal]) -> Rounded:
    """Round the costs of words to the fewest decimals with which the rises are exact to two
    decimals, and their sum to four digits, as in the score table; where counts are too high for
    that, to the most decimals.

    >>> from tokviz.encoding.word_lattice import Segmentation, WordLattice
    >>> def term(*costs):
    ...     cut = [Segmentation((), (), -cost) for cost in costs]
    ...     return Removal(WordLattice("ab", ()), *cut, count=1)
    >>> rounded([term(2.0, 4.263), term(1.0, 3.263)])  # 2.26 + 2.26 is not 4.53
    Rounded(decimals=3, rows=[(4263, 2000, 2263), (3263, 1000, 2263)], total=4526)
    """
    rises = [term.rise or 0.0 for term in terms]
    # One after the other, as every version of Python and the browser do.
    exact = [f"{rise:.2f}" for rise in rises], f"{reduce(add, rises, 0.0):.4g}"
    least, most = DECIMALS
    for decimals in range(least, most + 1):
        unit = 10**decimals
        costs = [(_cost(term.after, unit), _cost(term.before, unit)) for term in terms]
        rows = [
            (after, before, t.count * (after - before))
            for t, (after, before) in zip(terms, costs, strict=True)
        ]
        total = sum(rise for _after, _before, rise in rows)
        shown = [f"{rise / unit:.2f}" for _after, _before, rise in rows]
        if (shown, f"{total / unit:.4g}") == exact:
            break
    return Rounded(decimals, rows, total)


def _cost(segmentation: Segmentation | None, unit: int) -> int:
    """Return −ln P of a segmentation in units of the last decimal."""
    return round(-segmentation.log_prob * unit) if segmentation else 0
