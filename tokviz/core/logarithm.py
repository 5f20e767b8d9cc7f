"""A natural logarithm that has the same bits on every machine, in Python and in the core.

The last bit of the C library's and of NumPy's depends on the processor. This one is made of + − × ÷
alone, which every machine rounds alike, in the same order as in `c/logarithm.c`. A number whose
result needs more than 53 bits is kept as the sum of two floats (T. J. Dekker, "A floating-point
technique for extending the available precision", 1971): `high`, and in `low` what rounding took
away. So the logarithm is known to some 88 bits before it is rounded for the first and only time,
and the result is the float that is nearest to it.
"""

from decimal import Context, Decimal
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

#: Known logarithms are those of c = FIRST / GRID, (FIRST + 1) / GRID, … LAST / GRID.
GRID, FIRST, LAST = 128, 91, 181
#: Half of the numbers from 1/2 to 1, those below, are doubled: then all are from c to c.
LEAST = 181 / 256
#: Cuts a float into two of half as many bits.
_SPLIT = 2.0**27 + 1
EXACT = Context(prec=40)


def in_two(value: Decimal, bits: int = 53) -> tuple[float, float]:
    """A number as the sum of two floats, the first of which has so many bits at most.

    >>> in_two(Decimal("0.1"), bits=3)
    (0.09375, 0.00625)
    """
    mantissa, exponent = np.frexp(float(value))
    high = float(np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits))
    return high, float(EXACT.subtract(value, Decimal(high)))


def known_logarithms() -> list[tuple[float, float]]:
    """The logarithms of the grid."""
    return [in_two(EXACT.ln(Decimal(i) / GRID)) for i in range(FIRST, LAST + 1)]


def ln_2() -> tuple[float, float]:
    """ln 2, the first part of which times any exponent is exact."""
    return in_two(EXACT.ln(Decimal(2)), bits=42)


@cache
def _constants() -> tuple[Floats, Floats, float, float]:
    known = np.array(known_logarithms())
    return known[:, 0].copy(), known[:, 1].copy(), *ln_2()


def logarithms(x: Floats) -> Floats:
    """The natural logarithms of numbers above 2**-1022.

    >>> logarithms(np.array([1.0, 2.0, 0.1])).tolist()
    [0.0, 0.6931471805599453, -2.3025850929940455]
    """
    known, known_low, ln_2_high, ln_2_low = _constants()
    # x = m × 2^e, and c is the number of the grid nearest to m.
    m, e = np.frexp(x)
    small = m < LEAST
    m, e = np.where(small, 2 * m, m), (e - small).astype(np.float64)
    i = np.floor(m * GRID + 0.5)
    c, row = i / GRID, i.astype(np.int64) - FIRST
    # ln x = e ln 2 + ln c + ln (m / c), and ln (m / c) = 2 (s + s³/3 + s⁵/5 + …)
    # where s = (m − c) / (m + c), which is less than 1/360.
    difference = m - c
    total = 2 * c + difference
    total_low = difference - (total - 2 * c)
    s = difference / total
    s_left, s_right = halves(s)
    rest = difference - s * total - rounded_off(s * total, s_left, s_right, *halves(total))
    s_low = (rest - s * total_low) / total
    square = s * s
    square_low = rounded_off(square, s_left, s_right, s_left, s_right) + 2 * s * s_low
    third = square / 3
    third_low = (square - 2 * third - third + square_low) / 3
    more = square * square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square / 11)))
    # The terms after s.
    terms = s * third
    terms_low = rounded_off(terms, s_left, s_right, *halves(third))
    terms_low = terms_low + s * (third_low + more) + s_low * third
    high, low_1 = two_sum(e * ln_2_high, known[row])
    high, low_2 = two_sum(high, 2 * s)
    high, low_3 = two_sum(high, 2 * terms)
    low = known_low[row] + e * ln_2_low + 2 * s_low + 2 * terms_low
    return np.asarray(high + (low_1 + low_2 + low_3 + low))


def halves(a: Floats) -> tuple[Floats, Floats]:
    """Two floats of half as many bits, whose sum is `a`: products of such are exact."""
    scaled = _SPLIT * a
    left = scaled - (scaled - a)
    return left, a - left


def rounded_off(
    product: Floats, a_left: Floats, a_right: Floats, b_left: Floats, b_right: Floats
) -> Floats:
    """What rounding took from the product of two floats, given by their halves."""
    return a_left * b_left - product + a_left * b_right + a_right * b_left + a_right * b_right


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The sum, and what rounding took from it."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)
