"""WordPiece agrees with the naive loop in exact fractions, at every step."""

from fractions import Fraction

import oracles
import pytest
from effort import some
from helpers import Shown, joiner, oracle_words, sample_words, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError
from tokviz.trainers.wordpiece import WordPiece

WHITESPACE = make_pretokenizer("whitespace")


def assert_agrees(history):
    words, join = oracle_words(history.words, history.spelling), joiner(history.spelling)
    run = oracles.wordpiece_oracle(words, join=join)
    tables = [step.table for step in run.steps] + [run.table]
    segmentations = [step.segmentations for step in run.steps] + [run.segmentations]
    assert len(history) == len(run.steps)
    curve = history.curve()
    for t, (table, state) in enumerate(zip(tables, segmentations, strict=True)):
        assert [history.segmentation(word, t) for word in history.words.words] == state
        rows = history.candidates(t)
        ranked = sorted(table, key=lambda pair: -table[pair][3])
        columns = (rows.left, rows.right, rows["count"], rows.left_count, rows.right_count)
        assert list(zip(*columns, strict=True)) == [(*pair, *table[pair][:3]) for pair in ranked]
        assert list(rows.token) == [join(*pair) for pair in ranked]
        assert history.candidates(t, 20).equals(rows.head(20))
        if t < len(history):
            step, expected = history.steps[t], run.steps[t]
            assert (step.left, step.right) == expected.pair
            assert (step.count, step.tied) == (expected.count, expected.tied)
            assert step.score == pytest.approx(float(expected.score), rel=1e-15)
            assert curve.score[t] == step.score
            assert list(rows.tied) == [
                i < expected.tied and expected.tied > 1 for i in range(len(rows))
            ]


@settings(max_examples=some(200))
@given(words=word_counts(), pretokenizer=st.sampled_from(["bert", "metaspace"]))
def test_every_state_is_the_naive_loops(words, pretokenizer):
    assert_agrees(WordPiece(10_000).train(words, make_pretokenizer(pretokenizer)))


@given(words=word_counts(max_words=4, max_length=5, max_count=2**45))
def test_counts_too_large_for_floats(words):
    assert_agrees(WordPiece(10_000).train(words, WHITESPACE))


def test_a_difference_that_floats_cannot_see():
    """n/(4n²) against n/((2n+1)(2n−1)): equal as floats, the second greater by one part in 4n².

    The words with y make ##b and ##d as frequent as that; y itself is too common to win.
    """
    n = 2**27
    words = {"ab": n, "a": n, "yb": n, "cd": n, "c": n + 1, "yd": n - 1, "y": 2**32}
    first, second = Fraction(n, 4 * n * n), Fraction(n, (2 * n + 1) * (2 * n - 1))
    assert float(first) == float(second)
    assert first < second
    history = tokviz.train(words, "wordpiece", vocab_size=7)
    step = history.steps[0]
    assert (step.token, step.tied) == ("cd", 1)
    assert list(history.candidates(0).token[:2]) == ["cd", "ab"]


@pytest.mark.parametrize("sample", ["course", "udhr-de", "udhr-hi"])
def test_samples_to_the_last_pair(sample):
    words, _ = sample_words(sample)
    words = WordCounts(tuple(w.strip() or w for w in words.words), words.counts)
    assert_agrees(WordPiece(2_000).train(words, WHITESPACE))


@settings(max_examples=some(60))
@given(word_counts())
def test_frequency_is_bpe_with_prefixes_and_ties_by_ids(words):
    """The alphabet has every character bare first, as `WordPieceTrainer` has it."""
    history = WordPiece(10_000, score="frequency").train(words, WHITESPACE)
    ids = {string: i for i, string in enumerate(history.vocab(0))}
    run = oracles.bpe_oracle(
        oracle_words(words, history.spelling),
        "smallest-ids",
        ids=ids,
        join=joiner(history.spelling),
    )
    assert [(s.left, s.right, s.count, s.tied) for s in history.steps] == [
        (*s.pair, s.count, s.tied) for s in run.steps
    ]
    bare = [string for string in history.vocab(0) if not string.startswith("##")]
    assert bare == [
        Shown.of(history.spelling, history.symbols[i])
        for i, _ in enumerate(sorted(set("".join(words.words))))
    ]


def test_hugging_face_trains_the_frequency_variant():
    """The library numbers ## symbols in the order of a hash table, another in each run, so ties
    fall anyhow; without ties it learns what we do. Word counts here are chosen to leave few."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    words = {"hug": 101, "pug": 53, "pun": 127, "bun": 41, "hugs": 59, "snug": 23, "shun": 11}
    corpus = [" ".join([word] * count) for word, count in words.items()]
    merges = 7
    alphabet = tokviz.train(words, "wordpiece", 900, score="frequency").vocab_size(0)
    size = 1 + alphabet + merges
    theirs = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=["[UNK]"], show_progress=False
    )
    theirs.train_from_iterator(corpus, trainer)
    ours = tokviz.train(words, "wordpiece", size, score="frequency", special_tokens=("[UNK]",))
    assert [step.tied for step in ours.steps] == [1] * merges
    assert set(ours.vocab(len(ours))) == set(theirs.get_vocab())
    for text in ["hugs snugs bunpun", "p un", "löwe hug"]:
        assert ours.tokenizer().encode(text).tokens == theirs.encode(text).tokens


def test_stops_and_refuses_in_a_sentence():
    words = {"hug": 10, "pug": 5}
    beyond = tokviz.train(words, "wordpiece", vocab_size=90)
    assert beyond.stopped.startswith("No pair is left: every word is one token. The vocabulary has")
    with pytest.raises(SettingError, match=r"the alphabet \(4 characters\), so ask for at least 4"):
        tokviz.train(words, "wordpiece", vocab_size=3)
    trainer = WordPiece(90)
    counted = beyond.words
    assert trainer.least_vocab_size(counted, WHITESPACE) == beyond.vocab_size(0) == 4
    assert trainer.greatest_vocab_size(counted, WHITESPACE) >= beyond.vocab_size(len(beyond))


def test_settings_that_only_the_library_has():
    history = tokviz.train({"hug": 5, "pug": 2}, "wordpiece", score="frequency", min_frequency=3)
    assert [step.count for step in history.steps] == [7, 5]
    assert "less than min_frequency=3" in history.stopped
    with pytest.raises(SettingError, match='min_frequency=2 needs score="frequency"'):
        WordPiece(min_frequency=2)
    with pytest.raises(SettingError, match="'ab'; each entry is one character"):
        WordPiece(initial_alphabet=("ab",))
    more = tokviz.train({"a": 1}, "wordpiece", 9, initial_alphabet=("b",))
    assert more.vocab(0) == ["a", "b"]
