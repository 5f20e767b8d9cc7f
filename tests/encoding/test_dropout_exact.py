"""The exact distribution of BPE-dropout, compared with every outcome of every coin."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from effort import each, some
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.encoding import dropout
from tokviz.encoding.dropout import DropoutChain

#: Runs of every kind that merges: ties by all rules, bytes, suffix, prefix, unknown characters.
RUNS = {
    "first-seen": {"algorithm": "bpe"},
    "largest-pair": {"algorithm": "bpe", "tie_break": "largest-pair"},
    "smallest-ids": {"algorithm": "bpe", "tie_break": "smallest-ids"},
    "shortest": {"algorithm": "bpe", "tie_break": "shortest"},
    "bytes": {"algorithm": "bpe", "unit": "byte"},
    "suffix": {"algorithm": "bpe", "end_of_word_suffix": "</w>"},
    "wordpiece": {"algorithm": "wordpiece"},
    "sentencepiece": {"algorithm": "sentencepiece-bpe"},
    "byte fallback": {"algorithm": "sentencepiece-bpe", "byte_fallback": True},
}
TEXT = "abab abba baab aabb aaaa bbb abc cab cabbage é éa ab ba"


@cache
def encoder_of(name):
    kinds = {"sentencepiece": "sentencepiece", "byte fallback": "sentencepiece"}
    size = 300 if name == "byte fallback" else 26
    run = tokviz.train(
        TEXT, vocab_size=size, pretokenizer=kinds.get(name, "whitespace"), **RUNS[name]
    )
    assert len(run) >= 5
    return run.tokenizer(encoder="merges").encoder


def every_outcome(encoder, word, p):
    """All sequences of coins that `sample` asks for, with the product of their probabilities."""
    ways, left = Counter(), [((), Fraction(1))]
    while left:
        coins, probability = left.pop()
        asked = iter(coins)
        try:
            pieces, _ = encoder.sample(word, lambda asked=asked: next(asked))
        except StopIteration:
            left.append(((*coins, True), probability * p))
            left.append(((*coins, False), probability * (1 - p)))
        else:
            ways[tuple(pieces)] += probability
    return ways


WORDS = st.text("abcé日", max_size=6)
SHARES = st.fractions(0, 1, max_denominator=20)


@pytest.mark.parametrize("name", RUNS)
@settings(max_examples=some(40))
@given(word=WORDS, p=SHARES)
def test_probabilities_are_those_of_all_coins(name, word, p):
    encoder = encoder_of(name)
    ways = DropoutChain.of(encoder, word, p).ways
    expected = {way: q for way, q in every_outcome(encoder, word, p).items() if q}
    assert {way.pieces: way.probability for way in ways} == expected
    assert sum(way.probability for way in ways) == 1
    probabilities = [way.probability for way in ways]
    assert probabilities == sorted(probabilities, reverse=True)


@pytest.mark.parametrize("name", RUNS)
@given(word=st.text("abcé日", max_size=12), p=SHARES, seed=st.integers(0, 10**9))
def test_a_draw_is_that_of_the_encoder(name, word, p, seed):
    """The same coins make the same segmentation, and leave the same ones to the next draw."""
    encoder, ours, theirs = encoder_of(name), random.Random(seed), random.Random(seed)
    chain = DropoutChain.of(encoder, word, p)
    for _ in range(5):
        pieces, _ = encoder.sample(word, lambda: theirs.random() < float(p))
        assert chain.pieces(chain.draw(ours.random)) == tuple(pieces)
    assert ours.random() == theirs.random()


@pytest.mark.parametrize("name", RUNS)
@given(word=st.text("abcé日", max_size=12))
def test_none_and_all_are_certain(name, word):
    encoder = encoder_of(name)
    for p in (0, 1):
        pieces = encoder.stages(word)[-1 if p == 0 else 0]
        assert DropoutChain.of(encoder, word, p).ways == [(tuple(pieces), 1)]


@cache
def alice():
    history = tokviz.train(tokviz.SAMPLES["alice"].documents, vocab_size=1_000)
    return history.tokenizer().encoder


WORDS = ["thought", "little", " remark", "eeeee", " understanding"]
#: Otherwise every second pair of a word and a chance.
DRAWN = each([(word, p) for word in WORDS for p in ("0.1", "0.5", "0.9")], 2)


@pytest.mark.parametrize(("word", "p"), DRAWN)
def test_frequencies_fit_by_chi_square(word, p):
    """Draws of `MergeEncoder.sample` itself. χ² of d degrees of freedom has the mean d and the
    standard deviation √2d; six of these above it is one case in tens of thousands."""
    encoder, draw, n = alice(), random.Random(7).random, 5_000
    drawn = Counter(tuple(encoder.sample(word, lambda: draw() < float(p))[0]) for _ in range(n))
    expected = {way.pieces: n * way.probability for way in DropoutChain.of(encoder, word, p).ways}
    assert set(drawn) <= set(expected)
    # Rare ones are counted together, as χ² asks for.
    common = [pieces for pieces, times in expected.items() if times >= 5]
    pairs = [(drawn[pieces], float(expected[pieces])) for pieces in common]
    seen, meant = map(sum, zip(*pairs, strict=True))
    if n - meant >= 5:
        pairs.append((n - seen, n - meant))
    square = sum((times - mean) ** 2 / mean for times, mean in pairs)
    degrees = len(pairs) - 1
    assert square <= degrees + 6 * (2 * degrees) ** 0.5 + 1e-9


def test_a_float_is_the_decimal_that_it_is_written_as():
    assert DropoutChain.of(alice(), "a", 0.1).p == Fraction(1, 10)
    for wrong in (-0.1, "1.01", 2):
        with pytest.raises(ValueError, match="is not possible; give a number from 0 to 1"):
            DropoutChain.of(alice(), "a", wrong)


def test_too_many_ways_are_refused_before_they_take_long(monkeypatch):
    chain = DropoutChain.of(alice(), " antidisestablishmentarianism", "0.5")
    with pytest.raises(ValueError, match=r"in more than 5,000 ways, which are too many"):
        _ = chain.ways
    monkeypatch.setattr(dropout, "MOST_STATES", 3)
    assert len(DropoutChain.of(encoder_of("first-seen"), "ab", "0.5").ways) == 2


def test_entropy_is_in_bits():
    ways = DropoutChain.of(encoder_of("first-seen"), "ab", "0.5").ways
    assert [way.probability for way in ways] == [Fraction(1, 2)] * 2
    assert dropout.entropy(ways) == 1.0
    assert dropout.entropy(DropoutChain.of(alice(), "the", 0).ways) == 0.0
