"""The life of tokens over all states, recounted from the segmentations."""

from collections import Counter
from fractions import Fraction

import pytest
from contract_runs import TRAINERS, train
from effort import LONG, each, some
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.text.samples import SAMPLES
from tokviz.trainers import SettingError

CORPORA = {"course": SAMPLES["course"].corpus, "udhr": SAMPLES["udhr"].corpus[: some(1500)]}
TEXT = st.text("abé日1 #Ġ▁", max_size=30)


def check(history, nth=1):
    """Every nth token by its life, and all of them by what they are scaffolding of."""
    states = range(len(history) + 1)
    words = dict(zip(history.words.words, history.words.counts, strict=True))
    cut = [{word: history.segmentation(word, t) for word in words} for t in states]
    vocabularies = [set(history.vocab(t)) for t in states]
    # In each state: for each token in how many places of which words it is.
    uses = [{token: Counter() for token in vocabulary} for vocabulary in vocabularies]
    for state, used_in in zip(cut, uses, strict=True):
        for word, tokens in state.items():
            for token in tokens:
                used_in[token][word] += 1
    for token in each(sorted(set().union(*vocabularies)), nth):
        life = history.life(token)
        used = [used_in.get(token, Counter()) for used_in in uses]
        counts = [sum(words[word] * n for word, n in state.items()) for state in used]
        assert life.counts.tolist() == counts
        present = [token in vocabulary for vocabulary in vocabularies]
        assert life.present.tolist() == present
        assert life.born == present.index(True)
        idle = [t for t in states if present[t] and not any(counts[t:])]
        assert life.unused_from == (idle[0] if idle else None)
        ends = [t for t in states if not any(present[t:])]
        assert life.gone == (ends[0] if ends else None)
        first = next((t for t in states if counts[t]), 0)
        assert dict(zip(life.words.word, life.words.times, strict=True)) == used[first]
        assert life.words["count"].tolist() == [words[word] for word in life.words.word]
        shares = (life.words["count"] * life.words.times).tolist()
        assert shares == sorted(shares, reverse=True)
        if token not in history.special_tokens and any(counts) and hasattr(history, "symbols"):
            assert first == life.born
    for t in states:
        in_use = {token for tokens in cut[t].values() for token in tokens}
        found = history.scaffolding(t)
        assert found.tokens == [token for token in history.vocab(t) if token not in in_use]
        assert found.special == [x for x in found.tokens if x in history.special_tokens]
        assert found.share == Fraction(len(found.tokens), max(1, history.vocab_size(t)))


#: Otherwise each trainer on one of the two.
RUNS = [(key, corpus) for key in TRAINERS for corpus in CORPORA]
RUNS = RUNS if LONG else RUNS[0::4] + RUNS[3::4]


@pytest.mark.parametrize(("key", "corpus"), RUNS)
def test_lives_are_those_of_the_segmentations(key, corpus):
    extra = 3 if key.startswith("sentencepiece unigram") else 40
    # The Universal Declaration has hundreds of characters.
    history = train(key, CORPORA[corpus], extra, special_tokens=("<s>x",))
    check(history, 4 if corpus == "udhr" else 1)


@settings(max_examples=some(120))
@given(st.sampled_from(sorted(TRAINERS)), TEXT, st.sampled_from([0, 2, 40]))
def test_lives_of_any_text(key, text, extra):
    try:
        history = train(key, text, extra, special_tokens=("ab",))
    except SettingError:
        return
    check(history)


def test_a_token_that_unigram_takes_out():
    history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "unigram", vocab_size=8)
    gone = [history.life(token) for token in history.vocab(0) if token not in history.vocab(1)]
    assert gone
    assert {life.gone for life in gone} == {1}
    hugs = history.life("hugs")
    assert (hugs.unused_from, hugs.words.values.tolist()) == (None, [["hugs", 5, 1]])


def test_characters_that_the_vocabulary_leaves_out_share_the_life_of_unk():
    words = {" ab": 300, " ac": 300, " bé日é": 1, " é": 2}
    history = tokviz.train(words, "sentencepiece-unigram", 7, character_coverage=0.98)
    assert history.users("<unk>", 0).values.tolist() == [[" bé日é", 1, 3], [" é", 2, 1]]
    assert history.life("<unk>").counts.tolist() == [5] * (len(history) + 1)
    assert history.life("<s>").unused_from == 0


def test_scaffolding_of_merges():
    history = tokviz.train({"newest": 6, "widest": 3}, vocab_size=10, special_tokens=("<s>",))
    assert history.scaffolding(0) == (["<s>"], ["<s>"], Fraction(1, 8))
    assert history.scaffolding(1).tokens == ["<s>", "s"]
    assert history.life("<s>").unused_from == 0
    assert history.life("w").unused_from is None


def test_who_uses_a_token_in_any_state():
    history = tokviz.train({"hug": 10, "pug": 5, "hughug": 3}, vocab_size=6)
    assert history.users("ug", 1).values.tolist() == [
        ["hug", 10, 1],
        ["hughug", 3, 2],
        ["pug", 5, 1],
    ]
    assert history.users("ug", 2).values.tolist() == [["pug", 5, 1]]
    assert history.users("ug", 0).empty


@pytest.mark.parametrize("algorithm", ["bpe", "unigram", "sentencepiece-unigram"])
def test_what_never_was_a_token_has_no_life(algorithm):
    history = tokviz.train({" ab": 2, " abc": 3, " b": 1}, algorithm, vocab_size=8)
    for question in (history.life, history.present, lambda token: history.users(token, 0)):
        with pytest.raises(KeyError, match="'xyz' is in no vocabulary of this run"):
            question("xyz")
    for t in (-1, len(history) + 1):
        with pytest.raises(IndexError, match="is not a state of this run"):
            history.users("b", t)
        with pytest.raises(IndexError, match="is not a state of this run"):
            history.scaffolding(t)
