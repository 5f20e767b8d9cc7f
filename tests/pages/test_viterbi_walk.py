"""Viterbi's algorithm node by node: the best ways, in numbers that add up as they are shown."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokviz
from tokviz.encoding.word_lattice import LatticeEdge, WordLattice
from tokviz.pages.lenses.viterbi_walk import walk_of, walk_view

COURSE = tokviz.SAMPLES["course"].corpus
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
LOGS = st.floats(-12, -0.01)


def prefix(lattice, node):
    """The lattice of the word up to a node."""
    edges = tuple(edge for edge in lattice.edges if edge.end <= node)
    return WordLattice(lattice.word[:node], edges)


def check(lattice):
    walk, unit = walk_of(lattice), 10 ** walk_of(lattice).decimals
    for node in range(1, len(lattice.word) + 1):
        best, i = prefix(lattice, node).best(), walk.back[node]
        if best is None:
            assert (i, walk.sums[node]) == (None, None)
            continue
        assert i == best.edges[-1]
        assert walk.sums[node] == sum(walk.terms[k] for k in best.edges)
        assert f"{walk.sums[node] / unit:.2f}" == f"{best.log_prob:.2f}"
        arriving = [k for k, edge in enumerate(lattice.edges) if edge.end == node]
        ways = [walk.through[k] for k in arriving if walk.through[k] is not None]
        assert max(ways) == walk.through[i] == walk.sums[node]
    for k, edge in enumerate(lattice.edges):
        assert round(edge.log_prob * unit) == walk.terms[k]
        before = walk.sums[edge.start]
        assert walk.through[k] == (None if before is None else before + walk.terms[k])


@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-unigram"])
def test_each_place_has_the_best_way_to_it(algorithm):
    pretokenizer = "gpt2" if algorithm == "unigram" else "sentencepiece"
    history = tokviz.train(COURSE, algorithm, 70, pretokenizer)
    for t in (0, len(history) // 2, len(history)):
        for word in history.words.words:
            check(history.lattice(word, t))


@given(st.lists(LOGS, min_size=10, max_size=10), st.sets(st.integers(0, 9)))
@example([-1.0] * 10, set())
# Rounded to two decimals, a and b together would beat ab, which is better.
@example([-1.004, -2.0075, -1.004, *[-9.0] * 7], set())
@example([-0.014, -0.014, -0.028, *[-9.0] * 7], set())
def test_shown_numbers_add_up_and_choose_as_the_algorithm(log_probs, missing):
    places = [(start, end) for end in range(1, 5) for start in range(end)]
    edges = [
        LatticeEdge(start, end, "abcd"[start:end], None, log_prob)
        for k, ((start, end), log_prob) in enumerate(zip(places, log_probs, strict=True))
        if k not in missing
    ]
    check(WordLattice("abcd", tuple(edges)))


def test_the_page_gets_texts():
    history = tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False)
    view = walk_view(history.lattice("pug", 0))
    assert view["sums"] == ["0.000", "−2.514", "−2.514", "−4.865"]
    assert view["through"] == ["−2.514", "−2.514", "−4.278", "−4.865", "−4.865"]
    broken = walk_view(WordLattice("ab", (LatticeEdge(1, 2, "b", None, -1.0),)))
    assert broken == {
        "back": [None, None, None],
        "sums": ["0.00", "", ""],
        "terms": ["−1.00"],
        "through": [""],
    }
