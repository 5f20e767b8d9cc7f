"""Many sums at once are, to the last bit, the sums that a plain loop makes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokviz.trainers.pruning import ordered_sums
from tokviz.trainers.pruning.ordered_sums import plain_sum, sums_with_replacements

FLOATS = st.floats(0, 1e6) | st.sampled_from([0.1, 1e16, 1.0, 3.0])


def loop(terms):
    total = 0.0
    for term in terms:
        total += term
    return total


@given(st.data(), st.integers(1, 60), st.sampled_from([1, 7, 1 << 16]))
def test_every_sum_runs_in_order(data, n, block):
    terms = data.draw(st.lists(FLOATS, min_size=n, max_size=n))
    places = st.dictionaries(st.integers(0, n - 1), FLOATS, min_size=1)
    columns = data.draw(st.lists(places, max_size=5))
    entries = [(c, r, v) for c, column in enumerate(columns) for r, v in column.items()]
    data.draw(st.randoms(use_true_random=False)).shuffle(entries)
    column, row, value = zip(*entries, strict=True) if entries else ((), (), ())
    saved, ordered_sums._BLOCK = ordered_sums._BLOCK, block
    try:
        found = sums_with_replacements(
            np.asarray(terms),
            np.asarray(column, np.int64),
            np.asarray(row, np.int64),
            np.asarray(value, np.float64),
        )
    finally:
        ordered_sums._BLOCK = saved
    expected = [loop(col.get(i, term) for i, term in enumerate(terms)) for col in columns]
    assert found.tolist() == expected
    assert plain_sum(np.asarray(terms)) == loop(terms)


@pytest.mark.parametrize("block", [1 << 16, 100])
def test_many_columns_of_many_terms(monkeypatch, block):
    """Beyond what hypothesis draws: several blocks, columns that join late, random floats."""
    monkeypatch.setattr(ordered_sums, "_BLOCK", block * 201)
    draw = np.random.default_rng(0)
    terms = draw.random(3000) * 1e3
    row = np.sort(500 + draw.choice(2500, 200, replace=False))
    value = draw.random(200)
    found = sums_with_replacements(terms, np.arange(200), row, value)
    for i in range(200):
        assert found[i] == loop([*terms[: row[i]], value[i], *terms[row[i] + 1 :]])


def test_a_sum_that_is_alone_for_long(monkeypatch):
    """Pairs of ones would add up to something; one by one they vanish."""
    monkeypatch.setattr(ordered_sums, "_BLOCK", 200)
    terms = np.asarray([1e16] + [1.0] * 1000)
    found = sums_with_replacements(terms, np.array([0]), np.array([900]), np.array([2.0]))
    assert found.tolist() == [loop([*terms[:900], 2.0, *terms[901:]])] == [1e16 + 4]
