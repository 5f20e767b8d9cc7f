"""Numbers that add up, as they are shown, to a sum as it is shown elsewhere.

A sum is shown to four digits. Its terms are rounded to the same last digit, some down and some up:
those with the largest remainder go up, as seats are shared out among parties. So each is less than
one unit of that digit from its exact value.
"""

from collections.abc import Sequence
from math import floor
from typing import NamedTuple

#: Remainders that differ by less than this count as equal: what differs is rounding of floats.
REMAINDER = 1e-6


class AddedUp(NamedTuple):
    """Terms in units of the last digit of their sum, which is ten to the `power`; `nearest` are the
    same terms rounded one by one."""

    terms: list[int]
    nearest: list[int]
    power: int

    def written(self, units: int) -> str:
        """A number of units as it is shown, to the last digit.

        >>> AddedUp([], [], -3).written(-1234567), AddedUp([], [], 2).written(12)
        ('-1,234.567', '1,200')
        """
        decimals = max(0, -self.power)
        return decimal(units * 10 ** max(0, self.power), decimals)


def decimal(units: int, decimals: int) -> str:
    """A whole number of units of the last of some decimals, as it is shown.

    >>> decimal(-1234567, 3), decimal(5, 0), decimal(5, 2)
    ('-1,234.567', '5', '0.05')
    """
    whole, rest = divmod(abs(units), 10**decimals)
    return f"{'-' * (units < 0)}{whole:,}" + (f".{rest:0{decimals}}" if decimals else "")


def added_up(values: Sequence[float], total: float) -> AddedUp:
    """Round values so that they add up to their sum as it is shown.

    >>> added_up([2.2633, 2.2633], 4.5266)  # is shown as 4.527
    AddedUp(terms=[2264, 2263], nearest=[2263, 2263], power=-3)
    >>> added_up([5.0, 2.0], 7.0)
    AddedUp(terms=[5000, 2000], nearest=[5000, 2000], power=-3)
    """
    digits, _, exponent = f"{total:.3e}".partition("e")
    power = int(exponent) - 3
    scaled = [_over(value, power) for value in values]
    terms = shared(scaled, int(digits.replace(".", "")))
    return AddedUp(terms, [floor(value + 0.5) for value in scaled], power)


def shared(values: Sequence[float], total: int) -> list[int]:
    """Round values so that they add up to a whole number, those with the largest remainder up.

    >>> shared([1.5, 1.5, 1.2], 4)
    [2, 1, 1]
    """
    if not values:
        return []
    units = [floor(value) for value in values]
    whole, missing = divmod(total - sum(units), len(values))
    left = [floor((value - unit) / REMAINDER) for value, unit in zip(values, units, strict=True)]
    order = sorted(range(len(values)), key=lambda i: -left[i])
    ups = set(order[:missing])
    return [unit + whole + (i in ups) for i, unit in enumerate(units)]


def _over(value: float, power: int) -> float:
    """Return a value in units of ten to a power, as every version of Python and the browser do."""
    return float(value / 10**power if power > 0 else value * 10**-power)
