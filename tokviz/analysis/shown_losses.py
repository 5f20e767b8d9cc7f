"""A loss delta in numbers that add up as they are shown."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from tokviz.analysis.added_up import added_up, decimal
from tokviz.encoding.word_lattice import Segmentation
from tokviz.history.piece_removal import Removal

#: Decimals of a cost at least and at most: the higher a count, the more it needs.
DECIMALS = 2, 12
#: A smaller share of the words' loss is only what floats make of nothing.
LEAST = 1e-12


class ShownLoss(NamedTuple):
    """A loss delta, `total`, as it is shown everywhere, and what it is the sum of, as it is shown:
    per word the cost without the token, the cost now, and the rise that follows; `rest` is the rise
    of all words that have no row. `adjusted` says that some rise is rounded the other way, so that
    all add up. There are no rows if the delta is nothing but rounding."""

    rows: list[tuple[str, str, str]]
    rest: str
    total: str
    adjusted: bool


def shown_loss(terms: Sequence[Removal], delta: float | None, most: int) -> ShownLoss:
    """Return a loss delta in numbers that add up; without a `delta`, of the sum of its terms. The
    first terms, at most so many, have rows. Costs have the fewest decimals by which the product
    with the count is the rise.

    >>> from tokviz.encoding.word_lattice import Segmentation, WordLattice
    >>> def term(*costs):
    ...     cut = [Segmentation((), (), -cost) for cost in costs]
    ...     return Removal(WordLattice("ab", ()), *cut, count=1)
    >>> shown = shown_loss([term(2.0, 4.2633), term(1.0, 3.2633)], None, 8)
    >>> shown.rows, shown.total  # 2.263 + 2.263 is not 4.527
    ([('4.263', '2.000', '2.264'), ('3.263', '1.000', '2.263')], '4.527')
    >>> shown.adjusted
    True
    """
    rises = [term.rise or 0.0 for term in terms]
    total = _sum(rises) if delta is None else delta
    written = "0" if total == 0 else f"{total:.4g}"
    costs_now = [-t.before.log_prob * t.count if t.before else 0.0 for t in terms]
    others = [_sum(rises[most:])] if len(rises) > most else []
    added = added_up(rises[:most] + others, total)
    # Beside a large loss of the corpus, floats know a small delta to less than four digits.
    unknown = abs(_sum(rises) - total) > 10.0**added.power
    if unknown or total <= LEAST * _sum(costs_now):
        return ShownLoss([], "0", written, False)
    decimals, costs, exact = _costs(terms[:most], added.nearest, added.power)
    rows = [
        (decimal(after, decimals), decimal(before, decimals), added.written(rise))
        for (after, before), rise in zip(costs, added.terms, strict=False)
    ]
    rest = added.written(added.terms[-1]) if others else "0"
    return ShownLoss(rows, rest, written, not exact or added.terms != added.nearest)


def _sum(rises: Sequence[float]) -> float:
    """Add one after the other, as every version of Python and the browser do."""
    return reduce(add, rises, 0.0)


def _costs(
    terms: Sequence[Removal], rises: Sequence[int], power: int
) -> tuple[int, list[tuple[int, int]], bool]:
    """Return a number of decimals, the costs in units of the last one, and whether count × the
    difference is each of the rises, in units of ten to the power."""
    least, most = DECIMALS
    for decimals in range(min(most, max(least, -power)), most + 1):
        unit, over = 10**decimals, 10 ** (decimals + power)
        costs = [(_cost(term.after, unit), _cost(term.before, unit)) for term in terms]
        exact = all(
            (2 * term.count * (after - before) + over) // (2 * over) == rise
            for term, (after, before), rise in zip(terms, costs, rises, strict=False)
        )
        if exact:
            return decimals, costs, True
    return most, costs, False


def _cost(segmentation: Segmentation | None, unit: int) -> int:
    """Return −ln P of a segmentation in units of the last decimal."""
    return round(-segmentation.log_prob * unit) if segmentation else 0
