"""Questions to a run of merges that the contract and the oracles do not ask."""

import numpy as np
import pytest
from effort import some
from helpers import sample_words, word_counts
from hypothesis import given, settings

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.bpe import BPE
from tokviz.trainers.merging import record


def test_a_gap_carries_the_step_that_closes_it():
    history = tokviz.train({"hugs": 2, "hug": 1}, vocab_size=6)
    assert [step.token for step in history.steps] == ["hu", "hug"]
    assert history.record.gaps.tolist() == [2, 0, 1, 2, 2, 0, 1]
    assert [history.cuts(0, t).tolist() for t in range(3)] == [[0, 1, 2, 3], [0, 2, 3], [0, 3]]


def test_provenance_of_a_token_that_is_used_up():
    """ "es" is made of e + s, all of it goes into "est" in the next step."""
    history = tokviz.train({"newest": 6, "widest": 3, "rest": 1}, vocab_size=10)
    es = history.provenance("es")
    assert (es.left, es.right, es.born, es.unused_from) == ("e", "s", 1, 2)
    assert es.counts.tolist() == [0, 10, 0]
    assert es.words.to_dict("list") == {
        "word": ["newest", "widest", "rest"],
        "count": [6, 3, 1],
        "times": [1, 1, 1],
    }
    est = history.provenance("est")
    assert (est.token_id, est.unused_from) == (9, None)
    e = history.provenance("e")
    assert (e.born, e.left, len(e.words)) == (0, None, 0)
    assert e.counts.tolist() == [16, 6, 6]
    with pytest.raises(KeyError, match="'xyz' is in no vocabulary"):
        history.provenance("xyz")


@settings(max_examples=some(60))
@given(word_counts())
def test_provenance_counts_are_the_token_counts_of_every_state(words):
    history = BPE(10_000, special_tokens=("ab",)).train(words, make_pretokenizer("whitespace"))
    last = len(history)
    for token in history.vocab(last):
        found = history.provenance(token)
        expected = []
        for t in range(last + 1):
            vocab = history.vocab(t)
            expected.append(history.token_counts(t)[vocab.index(token)] if token in vocab else 0)
        assert found.counts.tolist() == expected
        assert history.vocab(last)[found.token_id] == token
        assert history.births(last)[found.token_id] == found.born
        if found.unused_from is not None:
            assert not any(expected[found.unused_from :])
            assert expected[found.unused_from - 1]


@given(word_counts(max_words=8, max_length=16))
def test_no_string_is_learned_twice(words):
    """What lies between two token borders never met what is outside, so it is always cut alike."""
    history = BPE(10_000).train(words, make_pretokenizer("whitespace"))
    learned = [step.token for step in history.steps]
    assert len(set(learned)) == len(learned)
    assert all(step.grows for step in history.steps)


def test_keyframes_change_nothing(monkeypatch):
    """The table of any state is the same from a keyframe nearby as from the first one."""
    words, pretokenizer = sample_words("course")
    trainer = BPE(500, tie_break="smallest-ids")
    far = trainer.train(words, pretokenizer)
    assert len(far.record.keyframe_states) == 1

    monkeypatch.setattr(record, "changes_until_next", lambda _live: 7)
    near = trainer.train(words, pretokenizer)
    assert len(near.record.keyframe_states) > 10
    for t in range(len(far) + 1):
        assert near.candidates(t).equals(far.candidates(t))


def test_enough_changes_make_a_keyframe():
    words, pretokenizer = sample_words("alice")
    history = BPE(2000, unit="byte").train(words, pretokenizer)
    assert len(history.record.keyframe_states) > 1
    for t in (0, 1000, len(history)):
        pairs, counts = history.pair_counts(t)
        assert len(pairs) == len(np.unique(pairs)) == history.candidate_count(t)
        top = history.candidates(t, 20)
        whole = history.candidates(t)
        assert top.equals(whole.head(20))
        assert counts.sum() == whole["count"].sum()


def test_long_tokens_are_unfolded():
    """One word of 5,000 letters that becomes one token: its inside is too long to be kept."""
    history = tokviz.train({"a" * 4096: 1}, vocab_size=100)
    assert [len(history.segmentation("a" * 4096, t)) for t in range(13)] == [
        4096 >> t for t in range(13)
    ]
    assert history.record.gaps[:5].tolist() == [len(history), 0, 1, 0, 2]


def test_more_symbols_than_half_of_32_bits_can_multiply():
    """Pairs are told apart by left × symbols + right, beyond 2**32 here."""
    letters = [
        chr(c) for c in (*range(0x4E00, 0x9FFF), *range(0xAC00, 0xD7A3), *range(0x20000, 0x2A000))
    ]
    table = {a + b: 1 for a, b in zip(letters[::2], letters[1::2], strict=False)}
    words = WordCounts(tuple(table), tuple(table.values()))
    history = BPE(len(letters) + 2).train(words, make_pretokenizer("whitespace"))
    assert history.candidates(1).token[:2].tolist() == [words.words[1], words.words[2]]
    assert history.candidates(1).token.tolist()[-1] == words.words[-1]


def test_an_unknown_encoder_is_refused():
    history = tokviz.train({"ab": 1}, vocab_size=3)
    with pytest.raises(ValueError, match="encoder='viterbi' is not for this bpe"):
        history.tokenizer(0, "viterbi")
