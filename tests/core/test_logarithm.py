"""The logarithm is the float nearest to the true one."""

from decimal import Context, Decimal

from ratios import RATIOS

from tokviz.core.logarithm import logarithms


def test_logarithms_are_the_nearest_floats():
    exact = Context(prec=60)
    found = logarithms(RATIOS)
    for x, ln in zip(RATIOS.tolist(), found.tolist(), strict=True):
        assert ln == float(Decimal(x).ln(exact)), x
