"""A word without one of its pieces, compared with the losses that training computes."""

from math import isclose, isnan

import pytest
from effort import some
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.history.piece_removal import remove_pieces

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
CORPORA = st.dictionaries(
    st.text("abc", min_size=1, max_size=6), st.integers(1, 9), min_size=1, max_size=8
)


@settings(max_examples=some(50))
@given(CORPORA, st.data())
def test_over_all_words_the_changes_are_the_loss_delta_of_the_piece(words, data):
    history = tokviz.train(words, "unigram", 4, "whitespace", seed_size=30)
    t = data.draw(st.integers(0, len(history)))
    table = history.candidates(t)
    for token, delta in zip(table["token"], table["loss_delta"], strict=True):
        removals = [remove_pieces(history, word, {token}, t) for word in words]
        if isnan(delta):  # a character: training keeps it
            continue
        changes = [removal.count * removal.change for removal in removals]
        assert isclose(sum(changes), delta, rel_tol=1e-9, abs_tol=1e-9)
        terms = history.loss_terms(token, t)
        assert isclose(sum(term.rise for term in terms), delta, rel_tol=1e-9, abs_tol=1e-9)
        using = {word for word in words if token in history.segmentation(word, t)}
        assert {term.lattice.word: term.count for term in terms} == {
            word: words[word] for word in using
        }
        assert terms == sorted(terms, key=lambda term: -term.rise)
        for term in terms:
            assert list(term.before.tokens) == history.segmentation(term.lattice.word, t)
            assert token not in term.after.tokens
            removal = remove_pieces(history, term.lattice.word, {token}, t)
            assert term == removal


@settings(max_examples=some(20))
@given(CORPORA)
def test_the_words_add_up_to_the_exact_deltas_of_sentencepiece(words):
    spaced = {f" {word}": count for word, count in words.items()}
    try:
        history = tokviz.train(spaced, "sentencepiece-unigram", 12, exact_deltas=True)
    except ValueError:  # too few pieces for a vocabulary of that size
        return
    for t in range(len(history)):
        if history.action(t) != "prune":
            continue
        table = history.candidates(t)
        for token, delta in zip(table["token"], table["exact_delta"], strict=True):
            if isnan(delta):
                continue
            removals = [remove_pieces(history, word, {token}, t) for word in history.words.words]
            changes = [removal.count * removal.change for removal in removals]
            assert isclose(sum(changes), delta, rel_tol=1e-5, abs_tol=1e-4)
            rises = [term.rise for term in history.loss_terms(token, t)]
            assert isclose(sum(rises), delta, rel_tol=1e-5, abs_tol=1e-4)


def test_without_a_character_that_nothing_else_spells_a_word_cannot_be_cut():
    history = tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False)
    removal = remove_pieces(history, "hug", {"h", "hu", "hug"}, 0)
    assert removal.before.tokens == ("hug",)
    assert removal.after is None
    assert removal.change is None
    assert [edge.token for edge in removal.lattice.edges] == ["u", "ug", "g"]


def test_a_word_that_the_corpus_does_not_hold_counts_nothing():
    history = tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False)
    assert remove_pieces(history, "bug", {"ug"}, 0).count == 0


def test_merges_have_no_lattice():
    with pytest.raises(ValueError, match="needs the probabilities of unigram"):
        remove_pieces(tokviz.train(HUG, "bpe", 12), "hug", {"ug"}, 0)
