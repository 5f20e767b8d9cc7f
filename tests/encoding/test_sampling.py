"""A word drawn many times, compared with the samplers and the distributions themselves."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from math import exp, fsum, log

import pytest

import tokviz
from tokviz.encoding.dropout import DropoutChain, entropy
from tokviz.encoding.sampling import sample_merges, sample_unigram

COURSE = tokviz.SAMPLES["course"].corpus


@cache
def unigram(algorithm="unigram", **settings):
    size = 100 if algorithm == "unigram" else 60
    return tokviz.train(COURSE, algorithm, size, **settings).tokenizer().encoder


@cache
def merges(algorithm="bpe"):
    return tokviz.train(COURSE, algorithm, 60).tokenizer(encoder="merges").encoder


def chain():
    return DropoutChain.of(merges(), " tokenization", 0.5)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1.0, 2.0])
@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-unigram"])
@pytest.mark.parametrize("word", [" token", "▁tokenizéé", "é", "t"])
def test_draws_of_unigram_are_those_of_the_encoder(algorithm, alpha, word):
    encoder, draw = unigram(algorithm), random.Random(3).random
    samples = sample_unigram(encoder, word, alpha, 300, 3, 10_000)
    drawn = Counter(tuple(encoder.sample(word, alpha, draw)) for _ in range(300))
    assert {row.pieces: row.times for row in samples.rows if row.times} == drawn
    weights = [exp(alpha * log_prob) for _, log_prob in encoder.n_best(word, 10_000)]
    total = fsum(weights)
    assert samples.segmentations == len(weights) == len(samples.rows)
    shares = [weight / total for weight in weights]
    assert [row.probability for row in samples.rows] == pytest.approx(shares)
    bits = -fsum(share * log(share) / log(2) for share in shares)
    assert samples.entropy == pytest.approx(bits, abs=1e-9)
    assert (samples.other_probability, samples.other_times) == (0.0, 0)


def test_what_is_not_shown_is_summed_up():
    encoder = unigram()
    every = sample_unigram(encoder, " tokenization", 0.3, 1_000, 5, 10_000)
    few = sample_unigram(encoder, " tokenization", 0.3, 1_000, 5, 4)
    assert few.rows == every.rows[:4]
    assert few.segmentations == every.segmentations > 4
    assert few.other_probability == pytest.approx(fsum(r.probability for r in every.rows[4:]))
    assert few.other_times == sum(row.times for row in every.rows[4:])
    every = sample_merges(chain(), 1_000, 5, 10_000)
    few = sample_merges(chain(), 1_000, 5, 4)
    assert few.other_probability == pytest.approx(fsum(r.probability for r in every.rows[4:]))
    assert few.other_times == sum(row.times for row in every.rows[4:]) > 0


def test_a_word_without_a_path_is_unknown_in_every_draw():
    encoder = unigram(whole_words=False, unknown="word")
    samples = sample_unigram(encoder, " toké", 0.5, 100, 1, 9)
    [row] = samples.rows
    assert [piece.token for piece in row.pieces] == ["<unk>"]
    assert (row.probability, row.times, samples.entropy) == (1.0, 100, 0.0)
    assert "unknown in every draw" in samples.reason


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "sentencepiece-bpe"])
def test_draws_of_merges_are_those_of_the_encoder(algorithm):
    encoder, p, draw = merges(algorithm), Fraction(3, 10), random.Random(9).random
    samples = sample_merges(DropoutChain.of(encoder, "tokenization", p), 500, 9, 10_000)
    drawn = Counter(
        tuple(encoder.sample("tokenization", lambda: draw() < 0.3)[0]) for _ in range(500)
    )
    assert {row.pieces: row.times for row in samples.rows if row.times} == drawn
    ways = DropoutChain.of(encoder, "tokenization", p).ways
    assert [(row.pieces, row.probability) for row in samples.rows] == [
        (pieces, float(probability)) for pieces, probability in ways
    ]
    assert (samples.segmentations, samples.entropy) == (len(ways), entropy(ways))


def test_beyond_what_can_be_exact_the_draws_are_shown_alone():
    encoder = tokviz.train({"a" * 40: 1}, "bpe", 6).tokenizer().encoder
    samples = sample_merges(DropoutChain.of(encoder, "a" * 40, 0.5), 10_000, 1, 5)
    assert samples.entropy is samples.segmentations is samples.other_probability is None
    assert "too many to work out" in samples.reason
    times = [row.times for row in samples.rows]
    assert times == sorted(times, reverse=True)
    # A long word is drawn less often.
    assert sum(times) + samples.other_times == samples.draws == 1_000


def test_the_longest_words_are_refused_in_a_sentence():
    for samples in (
        sample_merges(DropoutChain.of(merges(), "a" * 101, 0.5), 1_000, 1, 5),
        sample_unigram(unigram(), "a" * 101, 0.5, 1_000, 1, 5),
    ):
        assert (samples.rows, samples.draws) == ([], 0)
        assert "only words of up to 100 are drawn" in samples.reason
