"""Questions to a Unigram run that the contract and the oracles do not ask."""

from math import log

import pytest
from effort import some
from helpers import word_counts
from hypothesis import given, settings

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.trainers.unigram import Unigram

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def test_provenance():
    history = tokviz.train(WORDS, "unigram", 8, special_tokens=("<s>",))
    hug = history.provenance("hug")
    assert (hug.born, hug.left, hug.token_id) == (0, None, history.vocab(0).index("hug"))
    assert hug.words.to_dict("list") == {"word": ["hug"], "count": [10], "times": [1]}
    assert hug.counts[0] == 10
    assert history.provenance("<s>").counts.sum() == 0
    with pytest.raises(KeyError, match="'xyz' is in no vocabulary"):
        history.provenance("xyz")


@settings(max_examples=some(40))
@given(word_counts(max_length=6))
def test_provenance_counts_are_the_token_counts_of_every_state(words):
    least = len(set("".join(words.words)))
    history = Unigram(max(1, least)).train(words, make_pretokenizer("whitespace"))
    for token in history.vocab(0):
        found = history.provenance(token)
        for t in range(len(history) + 1):
            vocab = history.vocab(t)
            count = history.token_counts(t)[vocab.index(token)] if token in vocab else 0
            assert found.counts[t] == count
        if found.unused_from is not None:
            assert not found.counts[found.unused_from :].any()
            assert found.counts[found.unused_from - 1]


def test_removed_tokens_are_not_in_later_vocabularies():
    history = tokviz.train(WORDS, "unigram", 8)
    for t, step in enumerate(history.steps):
        assert set(history.vocab(t)) - set(history.vocab(t + 1)) == set(step.removed)
        assert len(step.removed) == step.size_before - step.size_after
        assert step.loss_after == history.curve().loss[t + 1]


@settings(max_examples=some(40))
@given(word_counts(max_length=6))
def test_a_round_changes_the_loss_by_dropping_and_by_renormalising(words):
    """The first part is what the new segmentations cost at the old probabilities."""
    least = len(set("".join(words.words)))
    history = Unigram(max(1, least)).train(words, make_pretokenizer("whitespace"))
    changes = history.loss_changes()
    assert len(changes) == len(history)
    for t, change in enumerate(changes):
        cost = dict(zip(history.vocab(t), (-history.log_probs(t)).tolist(), strict=True))
        cuts = [[history.segmentation(word, t + i) for word in words.words] for i in (0, 1)]
        dearer = [
            count * (sum(cost[token] for token in after) - sum(cost[token] for token in before))
            for before, after, count in zip(*cuts, words.counts, strict=True)
        ]
        assert change.dropped == pytest.approx(sum(dearer), abs=1e-9)
        assert change.words or change.dropped == 0.0
        loss = history.record.loss
        assert change.dropped + change.renormalised == pytest.approx(loss[t + 1] - loss[t])
        assert change.words == sum(before != after for before, after in zip(*cuts, strict=True))
        weights = zip(cuts[1], words.counts, strict=True)
        assert change.tokens == sum(len(cut) * count for cut, count in weights)
        ratio = change.counts_before / change.counts_after
        assert change.renormalised == pytest.approx(-change.tokens * log(ratio))


def test_probabilities_add_up_to_one():
    history = tokviz.train(WORDS, "unigram", 8)
    for t in range(len(history) + 1):
        assert sum(2.718281828459045**p for p in history.log_probs(t)) == pytest.approx(1)


def test_an_unknown_encoder_is_refused():
    with pytest.raises(ValueError, match="encoder='merges' is not for unigram"):
        tokviz.train(WORDS, "unigram", 8).tokenizer(0, "merges")
