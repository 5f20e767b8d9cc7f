"""e^x, which must have the same bits on every machine."""

from decimal import Context, Decimal

import numpy as np
import pytest

from tokviz.core.exponential import GREATEST, PARTS, exponentials

DECIMAL = Context(prec=60)


def draw():
    """Exponents of all sizes, and those about half a known step."""
    random = np.random.default_rng(5)
    steps = np.arange(-2000, 2000) + 0.5
    signs = random.choice([-1, 1], 2000)
    return {
        "posteriors": -random.random(4000) * 40,
        "small": signs * random.random(2000) * 0.02,
        # With digits at random: 1 + 2**-53 itself stands in the middle of two floats.
        "tiny": signs * random.uniform(1, 2, 2000) * 2.0 ** -random.integers(2, 70, 2000),
        "all": random.uniform(-708, GREATEST, 4000),
        "between": np.nextafter(steps * np.log(2) / PARTS, random.choice([-800, 800], 4000)),
    }


@pytest.mark.parametrize("name", draw())
def test_it_is_the_nearest_float(name):
    x = draw()[name]
    nearest = [float(DECIMAL.exp(Decimal(value))) for value in x.tolist()]
    assert exponentials(x).tolist() == nearest


def test_what_no_float_can_hold():
    found = exponentials(np.array([-np.inf, -800.0, -745.2, -745.1, 0.0, 800.0]))
    assert found[:3].tolist() == [0.0, 0.0, 0.0]
    assert found[3] == 2.0**-1074
    assert found[4] == 1.0
    assert np.isfinite(found[5])
