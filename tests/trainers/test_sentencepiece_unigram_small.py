"""SentencePiece's Unigram on texts that are small enough to be counted by hand."""

from itertools import pairwise

import pytest
from helpers import anything

import tokviz
from tokviz.trainers import SettingError
from tokviz.trainers.sentencepiece_unigram import SentencePieceUnigram

ALGORITHM = "sentencepiece-unigram"


def test_a_pruning_leaves_what_single_precision_makes_of_its_share():
    """0.7 × 90 is 62.99… in double precision, and 63 in single."""
    trainer = SentencePieceUnigram(vocab_size=10, shrinking_factor=0.7)
    assert [trainer.after_pruning(pieces) for pieces in (90, 12)] == [63, 11]


def test_where_nothing_is_expected_often_enough_the_characters_are_left():
    history = tokviz.train("low lower lowest", ALGORITHM, 30, min_expected_count=1000.0)
    assert [step.action for step in history.steps] == ["finalize"]
    assert history.stopped.startswith("No piece was expected 1000.0 times; EM ended. Only ")
    assert set("lowerst▁") <= set(history.vocab(1))


@pytest.mark.parametrize("min_expected_count", [0.0, 0.5, 50.0])
def test_every_token_is_counted_once(min_expected_count):
    """Those that are unknown for <unk>, not for the first piece."""
    history = tokviz.train(
        "ab abc " * 100 + "日", ALGORITHM, 8,
        character_coverage=0.98, min_expected_count=min_expected_count,
    )  # fmt: skip
    for t in range(len(history) + 1):
        vocab, found = history.vocab(t), {}
        for word, count in zip(history.words.words, history.words.counts, strict=True):
            for token in history.segmentation(word, t):
                found[token] = found.get(token, 0) + count
        counts = dict(zip(vocab, history.token_counts(t).tolist(), strict=True))
        assert {token: count for token, count in counts.items() if count} == found
        assert found["<unk>"] >= 1


def test_characters_that_were_lost_and_taken_back_are_among_those_left():
    history = tokviz.train("ab abc " * 100 + "dab", ALGORITHM, 12, character_coverage=1.0)
    assert [step.action for step in history.steps] == ["em", "em", "finalize"]
    assert history.steps[-1].added == ("a", "b")
    assert history.vocab_size(len(history)) == 3 + 7
    assert history.stopped.startswith("Only 7 pieces are left, fewer than the 9 asked for")


def test_nothing_is_expected_of_characters_that_come_back():
    """EM loses a and b, which nearly always are in ab; the final choice takes them back."""
    history = tokviz.train("ab abc " * 100 + "dab", "sentencepiece-unigram", 9)
    last = len(history)
    assert set(history.steps[-1].added) == {"a", "b"}
    counts = history.candidates(last).set_index("token")["count"]
    assert counts[["a", "b"]].isna().all()
    assert counts[["▁ab", "c", "▁", "d"]].notna().all()


@pytest.mark.parametrize("corpus", [[], ["a"], ["ab ac"]])
@pytest.mark.parametrize("at", [{"bos_id": 175}, {"bos_id": 2, "eos_id": 3}, {"pad_id": 40}])
def test_special_pieces_beyond_the_end_of_a_small_vocabulary(corpus, at):
    history = tokviz.train(corpus, "sentencepiece-unigram", 183, "none", counted=anything, **at)
    for t in range(len(history) + 1):
        assert len(history.ids(t)) == len(history.alive(t))
        vocab = history.vocab(t)
        assert sorted(set(vocab)) == sorted(vocab)
        assert len(vocab) == history.vocab_size(t)
        assert len(history.token_counts(t)) == len(vocab)
    assert len(history.curve()) == len(history) + 1


@pytest.mark.filterwarnings("error", "ignore::tokviz.TokvizWarning")
def test_where_numbers_grow_beyond_all_bounds_training_ends():
    """The library keeps nothing that is expected less than half a time."""
    words = {
        "b": 6, "\ude00\ud800 ": 9, "\ud83d ab ": 1, "\ud800\ud83db": 3,
        "\ud83d\ud800ab\ud800\ude00\ud800 ": 3, "abb\ud83d": 5,
    }  # fmt: skip
    history = tokviz.train(words, ALGORITHM, 14, min_expected_count=0.0, num_sub_iterations=10)
    assert history.stopped.startswith("An expected count is too great for a number; EM ended. Only")
    assert history.steps[-1].action == "finalize"
    for t in range(len(history) + 1):
        for word in history.words.words:
            assert history.segmentation(word, t)


def test_one_em_step_a_round_is_the_least():
    history = tokviz.train("ab abc abcd " * 9, ALGORITHM, 8, num_sub_iterations=1)
    actions = [step.action for step in history.steps]
    assert ("em", "em") not in list(pairwise(actions))
    with pytest.raises(SettingError, match="num_sub_iterations"):
        tokviz.train("ab", ALGORITHM, 8, num_sub_iterations=0)


def test_of_unused_pieces_none_goes_for_its_loss():
    text = "ccabb babcbb c cac aab cccb cbbc"
    history = tokviz.train(text, ALGORITHM, 8, shrinking_factor=0.95, min_expected_count=0.0)
    prunings = [step for step in history.steps if step.action == "prune"]
    of_losses = [(step.score, step.tied, step.tied_removed) for step in prunings]
    assert (0.0, 1, 0) in of_losses
    assert all(removed > 0 for score, _tied, removed in of_losses if score)
