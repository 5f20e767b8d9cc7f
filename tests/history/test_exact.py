"""Ratios are ranked as the fractions they are."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokviz.history.exact import rank_ratios, ratios


def ranked(rows):
    """Positions by exact ratio, then by position."""
    exact = [Fraction(count, left * right) for count, left, right in rows]
    return sorted(range(len(rows)), key=lambda i: (-exact[i], i)), exact


SMALL = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
NEIGHBOURS = st.tuples(*[st.integers(2**50, 2**50 + 3)] * 3)
ANY = st.tuples(*[st.integers(1, 2**55)] * 3)


@given(st.lists(SMALL | NEIGHBOURS | ANY, max_size=40), st.none() | st.integers(1, 50))
def test_order_and_ties_are_exact(rows, k):
    order, exact = ranked(rows)
    columns = np.asarray(rows, np.int64).reshape(-1, 3).T
    found, tied = rank_ratios(*columns, lambda r: r, k)
    assert found.tolist() == order[:k]
    assert tied == (exact.count(max(exact)) if rows else 0)


def test_floats_would_be_wrong():
    """1/n² and 1/(n²−1) are the same float; the second is greater wherever it stands."""
    n = 2**30
    count, left, right = np.array([[1, 1], [n, n + 1], [n, n - 1]])
    assert len(set(ratios(count, left, right))) == 1
    for turn in (slice(None), slice(None, None, -1)):
        rows, tied = rank_ratios(count[turn], left[turn], right[turn], lambda r: r, 1)
        assert left[turn][rows[0]] == n + 1
        assert tied == 1


def test_equal_ratios_go_by_the_tie_key():
    one = np.ones(4, np.int64)
    places = np.array([7, 3, 9, 1])
    rows, tied = rank_ratios(
        np.array([2, 4, 2, 1]), np.array([2, 4, 2, 2]), one, places.__getitem__
    )
    assert rows.tolist() == [1, 0, 2, 3]
    assert tied == 3
