"""Sums whose order and roundings count."""

import numpy as np
import pytest

from tokviz.trainers.pruning import single_sums
from tokviz.trainers.pruning.single_sums import SingleSums

LARGE = 2.0**24  # one more has too many digits


def test_of_two_numbers_at_one_time_that_of_the_others_comes_last():
    sums = SingleSums(np.array([0, 0, 1]), np.array([0, 1, 1]), groups=2)
    assert sums.together(np.array([LARGE, -LARGE, 1.0]), 0, np.array([1])) == 1.0
    sums = SingleSums(np.array([1, 1, 0]), np.array([0, 1, 1]), groups=2)
    assert sums.together(np.array([LARGE, 1.0, -LARGE]), 0, np.array([1])) == 1.0


@pytest.mark.parametrize("large", [0, 2, 80])
def test_every_sum_is_rounded_on_the_way(large, monkeypatch):
    """However many groups are added one by one, and after groups are taken out."""
    monkeypatch.setattr(single_sums, "LARGE", large)
    draw = np.random.default_rng(1)
    group, time = draw.integers(0, 9, 500), draw.permutation(500)
    values = draw.random(500) * 10.0 ** draw.integers(-9, 9, 500)
    sums = SingleSums(group, time, groups=10)
    rows = group != 3
    for kept in (np.ones(500, bool), rows):
        expected = np.zeros(10, np.float32)
        for i in np.argsort(time).tolist():
            if kept[i]:
                expected[group[i]] = np.float32(float(expected[group[i]]) + values[i])
        assert sums.of(values[kept]).tolist() == expected.tolist()
        sums.keep(np.arange(10) != 3, rows)
