"""n-best and sampled segmentations against all segmentations, counted out."""

from itertools import combinations
from math import exp, log

import pytest

import tokviz

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


@pytest.fixture(scope="module")
def tokenizer():
    return tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False).tokenizer()


def every_segmentation(word, probability):
    """All segmentations into tokens, with their probabilities."""
    found = {}
    for k in range(len(word)):
        for cuts in combinations(range(1, len(word)), k):
            bounds = zip((0, *cuts), (*cuts, len(word)), strict=True)
            pieces = tuple(word[a:b] for a, b in bounds)
            if all(piece in probability for piece in pieces):
                found[pieces] = 1.0
                for piece in pieces:
                    found[pieces] *= probability[piece]
    return found


@pytest.fixture(scope="module")
def probability():
    history = tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False)
    rows = history.candidates(0)
    assert rows["count"].sum() == 210
    return dict(zip(rows["token"], rows["count"] / 210, strict=True))


@pytest.mark.parametrize("word", ["hug", "hugs", "pug", "hugpun"])
def test_nbest_is_every_segmentation_best_first(tokenizer, probability, word):
    expected = every_segmentation(word, probability)
    got = {tuple(e.tokens): log_prob for e, log_prob in tokenizer.nbest(word, 1000)}
    assert set(got) == set(expected)
    for pieces, log_prob in got.items():
        assert log_prob == pytest.approx(log(expected[pieces]), abs=1e-9)
    ordered = [log_prob for _, log_prob in tokenizer.nbest(word, 1000)]
    assert ordered == sorted(ordered, reverse=True)


def test_nbest_of_two_words_multiplies(tokenizer, probability):
    hug, pug = every_segmentation("hug", probability), every_segmentation("pug", probability)
    expected = sorted((p * q for p in hug.values() for q in pug.values()), reverse=True)
    got = tokenizer.nbest("hug pug", 5)
    assert [exp(log_prob) for _, log_prob in got] == pytest.approx(expected[:5])
    assert got[0][0].offsets[0] == (0, 3)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_samples_have_their_probabilities(tokenizer, probability, alpha):
    weights = {k: p**alpha for k, p in every_segmentation("hugs", probability).items()}
    total, n = sum(weights.values()), 4000
    counts = dict.fromkeys(weights, 0)
    for seed in range(n):
        counts[tuple(tokenizer.sample("hugs", alpha, seed).tokens)] += 1
    for pieces, weight in weights.items():
        expected = n * weight / total
        assert abs(counts[pieces] - expected) < 5 * (expected + 1) ** 0.5


def test_the_same_seed_draws_the_same(tokenizer):
    draws = [tokenizer.sample("hugs pugs", 0.3, seed).tokens for seed in range(20)]
    assert draws == [tokenizer.sample("hugs pugs", 0.3, seed).tokens for seed in range(20)]
    assert len(set(map(tuple, draws))) > 1


def test_the_misprint_of_the_course(probability):
    assert probability["p"] == 17 / 210
    assert probability["p"] * probability["u"] * probability["g"] == pytest.approx(
        0.001322, abs=5e-7
    )


def test_unknown_characters(tokenizer):
    assert tokenizer.encode("hugé").tokens == ["hug", "<unk>"]
    assert tokenizer.nbest("é", 2)[0][0].tokens == ["<unk>"]
    history = tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False, unknown="word")
    assert history.tokenizer().encode("hugé hug").tokens == ["<unk>", "hug"]
    assert history.tokenizer().nbest("hugé", 2)[0][0].tokens == ["<unk>"]
    assert history.tokenizer().sample("hugé").tokens == ["<unk>"]


def test_merges_have_no_probabilities():
    tokenizer = tokviz.train(HUG, "bpe", 10).tokenizer()
    with pytest.raises(ValueError, match="nbest needs the probabilities of unigram"):
        tokenizer.nbest("hug", 2)
