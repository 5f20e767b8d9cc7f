"""Paths through lattices, compared with all paths written out."""

import random
from collections import Counter
from math import exp, inf

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokviz.encoding.lattice import START, Lattices, best_path, edges_of, n_best_paths, sample_path


def all_paths(length, edges, end=None):
    """Every path as (pieces, cost), by brute force."""
    end = length if end is None else end
    if not end:
        return [([], 0.0)]
    return [
        ([*pieces, (start, stop)], before + cost)
        for start, stop, cost in edges
        if stop == end
        for pieces, before in all_paths(length, edges, start)
    ]


COSTS = st.dictionaries(
    st.text("ab", min_size=1, max_size=4), st.sampled_from([0.5, 1.0, 1.5, 2.0]), max_size=8
)
WORDS = st.text("ab", max_size=7)


@given(WORDS, COSTS, st.none() | st.just(9.0), st.integers(1, 6))
def test_best_and_n_best_paths_are_those_of_all_paths(word, cost, unknown, n):
    """Costs are halves, so that sums are exact and ties are many."""
    edges = edges_of(word, cost, 4, unknown)
    paths = all_paths(len(word), edges) if word else []
    expected = sorted(total for _, total in paths)
    found = n_best_paths(len(word), edges, n)
    assert [total for _, total in found] == expected[:n]
    assert len({tuple(path) for path, _ in found}) == len(found)
    assert all((path, total) in paths for path, total in found)
    path, total = best_path(len(word), edges)
    assert total == (expected[0] if expected else (0.0 if not word else inf))
    if path:
        tokens, _ = oracles.viterbi_oracle(
            word, cost | ({c: 9.0 for c in word if c not in cost} if unknown else {})
        )
        assert [word[start:end] for start, end in path] == tokens


@given(st.lists(st.text("ab", min_size=1, max_size=7), max_size=5), COSTS, st.data())
def test_all_words_at_once(words, cost, data):
    cost = {"a": 3.0, "b": 3.0} | cost
    tokens = {token: i for i, token in enumerate(cost)}
    costs = np.asarray(list(cost.values()))
    lattices = Lattices.of(words, tokens)
    assert [*zip(lattices.word, lattices.start, lattices.end, lattices.token, strict=True)] == [
        (w, start, end, tokens[word[start:end]])
        for w, word in enumerate(words)
        for start, end, _ in edges_of(word, cost, 4)
    ]

    def check(lattices, words, cost):
        totals = [best_path(len(word), edges_of(word, cost, 4))[1] for word in words]
        assert (lattices.least_costs(costs) - START).tolist() == totals

    check(lattices, words, cost)
    gone = data.draw(st.sampled_from([t for t in tokens if len(t) > 1] or ["a"]))
    if gone == "a":
        return
    rest = {token: c for token, c in cost.items() if token != gone}
    number = np.arange(len(words))
    check(lattices.without(number, np.full(len(words), tokens[gone])), words, rest)


def test_without_takes_any_words_in_any_order():
    lattices = Lattices.of(["ab", "a"], {"a": 0, "b": 1, "ab": 2})
    copies = lattices.without(np.array([1, 0, 0]), np.array([2, 2, 0]))
    assert copies.lengths.tolist() == [1, 2, 2]
    assert [*zip(copies.word.tolist(), copies.token.tolist(), strict=True)] == [
        (0, 0),
        (1, 0),
        (1, 1),
        (2, 2),
        (2, 1),
    ]


def test_among_equal_paths_the_earliest_start_of_the_last_piece_wins():
    edges = edges_of("abc", {"a": 1.0, "bc": 1.0, "ab": 1.0, "c": 1.0}, 2)
    assert best_path(3, edges)[0] == [(0, 1), (1, 3)]


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0])
def test_samples_are_drawn_in_proportion(alpha):
    edges = edges_of("abab", {"a": 1.0, "b": 1.2, "ab": 1.5, "ba": 0.7, "aba": 2.5}, 3)
    weights = {tuple(p): exp(-alpha * cost) for p, cost in all_paths(4, edges)}
    total, draw, n = sum(weights.values()), random.Random(3).random, 20_000
    found = Counter(tuple(sample_path(4, edges, alpha, draw)) for _ in range(n))
    assert set(found) == set(weights)
    for path, weight in weights.items():
        assert found[path] / n == pytest.approx(weight / total, abs=0.015)


def test_a_lattice_without_a_way_has_no_path():
    edges = edges_of("ax", {"a": 1.0}, 1)
    assert best_path(2, edges) == ([], inf)
    assert n_best_paths(2, edges, 3) == []
    assert best_path(0, []) == ([], 0.0)
