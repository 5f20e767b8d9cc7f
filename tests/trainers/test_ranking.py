"""The ranking gives the exact front, however small it is and whatever is merged."""

import numpy as np
import pytest
from helpers import word_counts
from hypothesis import given
from hypothesis import strategies as st

from tokviz.history.exact import rank_ratios
from tokviz.text.corpus import WordCounts
from tokviz.text.symbols import Spelling
from tokviz.trainers.merging.loop import Start
from tokviz.trainers.merging.ranking import ByCount, ByLikelihood


def index_of(words):
    spelling = Spelling()
    return Start.of(words, spelling, sorted(spelling.symbols_of(words.words))).index()


@pytest.mark.parametrize("first_seen", [True, False])
@given(words=word_counts(max_words=8, max_length=14), size=st.integers(1, 4), data=st.data())
def test_by_count(first_seen, words, size, data):
    index = index_of(words)

    def key(p):
        return (index.first_seen(p),) if first_seen else (index.pairs[p][::-1],)

    # An exact bound, and one that says nothing.
    bound = key if data.draw(st.booleans()) else lambda _: ()
    ranking = ByCount(index, key, bound, size)
    while True:
        live = [p for p, count in enumerate(index.counts) if count]
        order = sorted(live, key=lambda p: (-index.counts[p], *key(p)))
        rows, counts, tied = ranking.best()
        assert list(rows) == order[:size]
        assert list(counts) == [index.counts[p] for p in rows]
        assert tied == sum(index.counts[p] == index.counts[order[0]] for p in live if order)
        if not order:
            return
        ranking.update(index.merge(data.draw(st.sampled_from(order))))


@given(words=word_counts(max_words=8, max_length=14), size=st.integers(1, 4), data=st.data())
def test_by_likelihood(words, size, data):
    index = index_of(words)
    ranking = ByLikelihood(index, size)
    while True:
        live = [p for p, count in enumerate(index.counts) if count]
        columns = [np.asarray([index.counts[p] for p in live], np.int64)] + [
            np.asarray([index.symbol_counts[ord(index.pairs[p][i])] for p in live], np.int64)
            for i in (0, 1)
        ]
        places = np.asarray([index.first_seen(p) for p in live], np.int64)
        order, tied = rank_ratios(*columns, places.__getitem__)
        rows = [live[row] for row in order.tolist()[:size]]
        assert ranking.best() == (rows, [index.counts[p] for p in rows], tied)
        if not live:
            return
        ranking.update(index.merge(data.draw(st.sampled_from(live))))


def test_many_pairs_grow_the_columns():
    """More pairs than the first block of columns holds."""
    words = [chr(i) + chr(j) for i in range(97, 137) for j in range(97, 137)]
    index = index_of(WordCounts(tuple(words), tuple(range(1, len(words) + 1))))
    rows, _, tied = ByLikelihood(index, 3).best()
    assert len(index.pairs) == 1600
    assert (len(rows), tied) == (3, 1)
