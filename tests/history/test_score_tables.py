"""Places and ranks of any state, from the record alone, are those of a recount."""

import numpy as np
import pytest
from helpers import sample_words, word_counts
from hypothesis import given
from hypothesis import strategies as st

from tokviz.history import score_tables
from tokviz.history.first_places import FirstPlaces
from tokviz.pretokenizers import make_pretokenizer
from tokviz.trainers.bpe import BPE
from tokviz.trainers.wordpiece import WordPiece

WHITESPACE = make_pretokenizer("whitespace")


def recount(history, t):
    """Every pair of symbols and its first place in state t, in the order of being met."""
    places, at = {}, 0
    for word in range(len(history.words)):
        symbols = history.word_symbols(word, t)
        cuts = history.cuts(word, t).tolist()
        for i in range(len(symbols) - 1):
            places.setdefault((symbols[i], symbols[i + 1]), at + cuts[i + 1])
        at = int(history.record.starts[word + 1])
    return places


def check_places(history, states):
    first, r = FirstPlaces(history.record), history.record
    for t in states:
        pairs, _ = history.pair_counts(t)
        names = zip(r.pair_left[pairs].tolist(), r.pair_right[pairs].tolist(), strict=True)
        places = recount(history, t)
        found = first.of(pairs, np.full(len(pairs), t)).tolist()
        assert found == [places[name] for name in names]
        assert len(found) == len(places)


@given(word_counts(max_words=8, max_length=20), st.sampled_from([BPE, WordPiece]))
def test_first_places(words, trainer):
    history = trainer(10_000).train(words, WHITESPACE)
    check_places(history, range(len(history) + 1))


def test_first_places_of_a_book():
    words, pretokenizer = sample_words("alice")
    history = BPE(1500, unit="byte").train(words, pretokenizer)
    check_places(history, [0, 1, 2, 50, 700, len(history)])


@pytest.mark.parametrize("tie_break", ["first-seen", "largest-pair", "smallest-ids", "shortest"])
def test_numbers_too_large_to_pack_are_ranked_the_same(tie_break, monkeypatch):
    words, pretokenizer = sample_words("course")
    trainer = BPE(500, tie_break=tie_break)
    packed = trainer.train(words, pretokenizer)
    tables = [packed.candidates(t) for t in range(len(packed) + 1)]
    monkeypatch.setattr(score_tables, "MOST_BITS", 0)
    for t, table in enumerate(tables):
        assert packed.candidates(t).equals(table)
