"""Unigram agrees with the naive loop bit for bit, in every round."""

import math
import random
from dataclasses import replace

import numpy as np
import oracles
import pytest
from effort import some
from helpers import sample_words, word_counts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.grid import grid
from tokviz.analysis.lane_names import facts_of
from tokviz.basics import progress as progress_module
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError
from tokviz.trainers import unigram as module
from tokviz.trainers.pruning import compiled, plain
from tokviz.trainers.unigram import Unigram

WHITESPACE = make_pretokenizer("whitespace")


def assert_agrees(history):
    """Losses, deltas and removals to the last bit; segmentations and vocabularies by name."""
    trainer, words = history.trainer, history.words
    pairs = list(zip(words.words, words.counts, strict=True))
    rounds = oracles.unigram_oracle(
        pairs,
        trainer.seed_size,
        trainer.vocab_size - len(trainer.special_tokens),
        trainer.prune_fraction,
        start_score=1,
        trim_last=trainer.trim_last,
        whole_words=trainer.whole_words,
    )
    show = {token: history.strings[i] for i, token in enumerate(history.record.tokens)}
    curve = history.curve()
    assert len(history) == len(rounds) - 1
    for t, state in enumerate(rounds):
        tokens = list(state.model)
        assert history.vocab(t) == [*history.special_tokens, *map(show.get, tokens)]
        assert [history.record.tokens[i] for i in history.alive(t)] == tokens
        assert history.published_loss(t) == pytest.approx(state.loss, abs=1e-9)
        assert curve.loss[t] == pytest.approx(state.loss - words.total, abs=1e-9)
        deltas = history.loss_deltas(t).tolist()
        found = {t: d for t, d in zip(tokens, deltas, strict=True) if not math.isnan(d)}
        assert found == state.deltas
        assert (-history.log_probs(t)).tolist() == pytest.approx(list(state.model.values()))
        segmentations = [history.segmentation(word, t) for word in words.words]
        assert segmentations == [[show[token] for token in s] for s in state.segmentations]
        used = dict.fromkeys(history.vocab(t), 0)
        for tokens_of, count in zip(segmentations, words.counts, strict=True):
            for token in tokens_of:
                used[token] += count
        assert history.token_counts(t).tolist() == list(used.values())
        assert curve.corpus_tokens[t] == sum(used.values())
        ranked = sorted(state.deltas, key=state.deltas.get)
        rows = history.candidates(t)
        assert list(rows.token)[: len(ranked)] == [show[token] for token in ranked]
        assert history.candidates(t, 7).equals(rows.head(7))
        assert list(rows.chosen).count(True) == len(state.removed)
        if t < len(history):
            step = history.steps[t]
            assert list(step.removed) == [show[token] for token in state.removed]
            assert step.tied == state.tied == max(1, list(rows.tied).count(True))
            assert step.score == state.deltas[state.removed[-1]] == curve.score[t]
            cut = [token for token in state.removed if state.deltas[token] == step.score]
            assert step.tied_removed == len(cut)


@settings(max_examples=some(150))
@given(
    words=word_counts(max_length=7),
    seed_size=st.integers(1, 40),
    above=st.integers(0, 12),
    fraction=st.sampled_from([0.001, 0.1, 0.5, 0.9]),
    trim_last=st.booleans(),
    whole_words=st.booleans(),
    special=st.sampled_from([(), ("<s>", "</s>")]),
)
def test_every_round_is_the_naive_loops(
    words, seed_size, above, fraction, trim_last, whole_words, special
):
    characters = len(set("".join(words.words)))
    trainer = Unigram(
        max(1, characters + above + len(special)),
        seed_size=seed_size,
        prune_fraction=fraction,
        trim_last=trim_last,
        whole_words=whole_words,
        special_tokens=special,
    )
    assert_agrees(trainer.train(words, WHITESPACE))


def test_a_sample_bit_for_bit():
    words, _ = sample_words("udhr-en")
    words = WordCounts(words.words[:40], words.counts[:40])
    history = Unigram(60, seed_size=150).train(words, make_pretokenizer("metaspace"))
    assert len(history) > 5
    assert_agrees(history)


@pytest.fixture
def in_plain_python(monkeypatch):
    """Trains without the compiled trainer."""

    def trained(function, *args):
        with monkeypatch.context() as patch:
            patch.setattr(module, "runs_compiled", lambda: False)
            return function(*args)

    return trained


def assert_same(one, other):
    """Two runs are equal, in every column and its type, and in why they ended."""
    assert one.stop == other.stop
    for name, column in vars(one.record).items():
        found = vars(other.record)[name]
        assert np.array_equal(column, found, equal_nan=name == "delta"), name
        assert getattr(column, "dtype", 0) == getattr(found, "dtype", 0), name


@settings(max_examples=some(60), suppress_health_check=list(HealthCheck))
@given(
    words=word_counts(max_length=9),
    longest=st.integers(1, 5),
    whole_words=st.booleans(),
    share=st.floats(0, 1),
)
def test_plain_python_is_the_definition(in_plain_python, words, longest, whole_words, share):
    """Also where a run goes on from a state of another one."""
    trainer = Unigram(12, seed_size=30, max_token_length=longest, whole_words=whole_words)
    trainer = replace(trainer, vocab_size=max(12, trainer.least_vocab_size(words, WHITESPACE)))
    whole = trainer.train(words, WHITESPACE)
    assert_same(whole, in_plain_python(trainer.train, words, WHITESPACE))
    t = int(share * len(whole))
    assert_same(whole, trainer.resume(whole, t))
    assert_same(whole, in_plain_python(trainer.resume, whole, t))


def test_a_run_cancelled_anywhere_keeps_its_whole_rounds(monkeypatch):
    """Whichever report says stop, seeding, building, segmenting or deltas: what is left is the
    beginning of the whole run, or nothing."""
    monkeypatch.setattr(compiled, "LOOKS", 300)
    clock = iter(range(10**9))
    monkeypatch.setattr(progress_module, "perf_counter", lambda: next(clock))
    words, pretokenizer = sample_words("course")
    trainer, reports = Unigram(100), []
    whole = trainer.train(words, pretokenizer, reports.append)
    assert len(reports) > 6 * len(whole)
    lengths = []
    for last in range(len(reports)):
        calls = iter(range(10**9))
        try:
            run = trainer.train(words, pretokenizer, lambda _, c=calls, n=last: next(c) < n)
        except tokviz.Cancelled:
            lengths.append(-1)
            continue
        t = len(run)
        lengths.append(t)
        assert run.stopped == f"Cancelled after {t} round{'s' if t != 1 else ''}."
        assert list(run.steps) == list(whole.steps)[:t]
        assert run.vocab(t) == whole.vocab(t)
        assert run.loss_deltas(t).tobytes() == whole.loss_deltas(t).tobytes()
        assert run.segmentation(words.words[0], t) == whole.segmentation(words.words[0], t)
        assert not run.candidates(t).chosen.any()
    assert lengths == sorted(lengths)
    assert set(lengths) == set(range(-1, len(whole)))


def test_reasons_to_stop():
    words = {"hug": 10, "pug": 5, "hugs": 5}

    def stopped(size, **settings):
        return tokviz.train(words, "unigram", size, **settings).stopped

    assert stopped(8) == "The vocabulary has the 8 tokens asked for."
    assert stopped(8, trim_last=False, prune_fraction=0.5) == (
        "The last round removed more than needed: 7 tokens are left, and 8 were asked for."
    )
    assert stopped(90).startswith("There are only 13 seed tokens, fewer than the 90 asked for,")
    assert stopped(5, prune_fraction=0.9) == "The vocabulary has the 5 tokens asked for."
    with pytest.raises(SettingError, match=r"the alphabet \(5 characters\), so ask for at least 5"):
        stopped(4)
    with pytest.raises(SettingError, match="1 special token and the alphabet"):
        stopped(5, special_tokens=("<unk>",))


def test_too_many_substrings_are_refused(monkeypatch, in_plain_python):
    """Before they fill the memory, even within one word."""
    draw = random.Random(1)
    words = {"".join(chr(draw.randrange(256, 9000)) for _ in range(9_999)): 1 for _ in range(5)}
    with pytest.raises(SettingError, match=r"3,000,000 different .* smaller max_token_length"):
        tokviz.train(words, "unigram", 50_000)
    monkeypatch.setattr(plain, "MAX_SUBSTRINGS", 100)
    with pytest.raises(SettingError, match="smaller max_token_length"):
        in_plain_python(tokviz.train, {"".join(map(chr, range(97, 117))): 1}, "unigram", 50)
    assert in_plain_python(tokviz.train, {"abcdefgh": 1}, "unigram", 50).vocab_size(0) == 36


def test_longest_token():
    history = tokviz.train({"abcabc": 3}, "unigram", vocab_size=4, max_token_length=2)
    assert {len(token) for token in history.record.tokens} == {1, 2}


def test_tied_seeds_are_told():
    """Three substrings occur twice; two of them fit, the first ones met."""
    history = tokviz.train({"abc": 2}, "unigram", vocab_size=5, seed_size=5)
    assert history.vocab(0) == ["a", "b", "c", "ab", "abc"]
    assert history.record.tied_seeds == 3


@given(word_counts())
def test_sizes_for_a_form_are_bounds(words):
    trainer = Unigram(10_000)
    history = trainer.train(words, WHITESPACE)
    assert trainer.least_vocab_size(words, WHITESPACE) <= history.vocab_size(len(history))
    assert trainer.greatest_vocab_size(words, WHITESPACE) == history.vocab_size(0)


# --- how many seeds ---------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "seeds"), [(1, 300), (100, 300), (101, 303), (4000, 12_000)])
def test_seeds_follow_the_size_where_nobody_names_them(size, seeds):
    trainer = tokviz.make_trainer("unigram", size)
    assert trainer.seed_size == tokviz.make_trainer("unigram", size, seed_size=0).seed_size == seeds
    assert tokviz.make_trainer("unigram", size, seed_size=80).seed_size == 80
    # What a run started from does not change with what else it is told.
    assert replace(trainer, vocab_size=50).seed_size == seeds


def test_a_large_vocabulary_leaves_something_to_prune():
    """The call of which all was 300 tokens and no step."""
    history = tokviz.train("\n".join(tokviz.SAMPLES["alice"].documents), "unigram", 1000)
    assert (history.vocab_size(0), history.vocab_size(len(history))) == (3000, 1000)
    assert len(history) > 5
    from_grid = grid(history.text, ["unigram"], [400]).table
    assert from_grid["steps"][0] == len(tokviz.train(history.text, "unigram", 400)) > 5


def test_the_usual_seeds_are_no_fact_of_a_run():
    runs = [
        tokviz.train({"abc": 9, "abd": 5}, "unigram", 6, "whitespace", **more)
        for more in ({}, {"seed_size": 300}, {"seed_size": 8})
    ]
    assert ["Seed vocabulary" in facts_of(run) for run in runs] == [False, False, True]
    assert facts_of(runs[0], whole=True)["Seed vocabulary"] == "300"
