"""e^x with the same bits on every machine.

The last bit of the C library's and of NumPy's depends on the processor. As `logarithm.py` this one
is made of + − × ÷ alone, with sums of two floats where 53 bits are too few: so e^x is known to some
75 bits before it is rounded, and the result is the float that is nearest to it; where these bits
stand in the middle of two floats, the even one.
"""

from decimal import Decimal
from functools import cache

import numpy as np

from tokviz.core.logarithm import EXACT, Floats, halves, in_two, rounded_off, two_sum

#: Known powers of 2 are those of 0 / PARTS, 1 / PARTS, … (PARTS − 1) / PARTS.
PARTS = 64
#: Below that the result is 0; above, no float.
LEAST, GREATEST = -746.0, 709.7


@cache
def _constants() -> tuple[Floats, Floats, float, float]:
    ln_2 = EXACT.ln(Decimal(2))
    step = EXACT.divide(ln_2, Decimal(PARTS))
    exponents = [EXACT.multiply(step, Decimal(i)) for i in range(PARTS)]
    known = np.array([in_two(EXACT.exp(exponent)) for exponent in exponents])
    # The first part of a step times any number of steps is exact.
    return known[:, 0].copy(), known[:, 1].copy(), *in_two(step, bits=35)


def exponentials(x: Floats) -> Floats:
    """e to the power of numbers up to GREATEST; greater ones are taken for that.

    >>> exponentials(np.array([0.0, 1.0, -0.1, -np.inf])).tolist()
    [1.0, 2.718281828459045, 0.9048374180359595, 0.0]
    """
    known, known_low, step, step_low = _constants()
    x = np.clip(x, LEAST, GREATEST)
    # x = n steps + r, and e^x = 2^(n / PARTS) × (1 + r + r²/2 + r³/6 + …), where |r| < 1/180.
    n = np.rint(x / step)
    r, r_low = two_sum(x - n * step, -n * step_low)
    r_halves = halves(r)
    square = r * r
    square_low = rounded_off(square, *r_halves, *r_halves) + 2 * r * r_low
    more = square * r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040))))
    high, low = two_sum(r, square / 2)
    low = low + (r_low + square_low / 2 + more)
    whole = np.floor(n / PARTS)
    row = (n - whole * PARTS).astype(np.int64)
    power = known[row]
    added = power * high
    added_low = rounded_off(added, *halves(power), *halves(high))
    result, rest = two_sum(power, added)
    rest = rest + (added_low + power * low + known_low[row] * (1 + high))
    return np.asarray(np.ldexp(result + rest, whole.astype(np.int64)))
