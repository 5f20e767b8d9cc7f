"""The sentences about steps."""

import re

import pytest

import tokviz
from tokviz.narration import agreement, announce


def sentences(corpus, *arguments, **settings):
    history = tokviz.train(corpus, *arguments, **settings)
    return [history.narrate(t) for t in range(len(history) + 1)]


def test_bpe():
    corpus = tokviz.SAMPLES["course"].corpus
    said = sentences(corpus, "bpe", 50, unit="byte")
    assert said[0] == "Before training: 30 tokens in the vocabulary, 198 tokens in the corpus."
    assert said[1] == (
        'Step 1: merged "Ġ" + "t" into "Ġt" (7 times). Runner-up "i" + "s" with a count of 5.'
    )
    assert '"first-seen" chose "i" + "s", met first in "This".' in said[2]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("first-seen", 'met first in "ba".'),
        ("largest-pair", "the greatest pair in alphabetical order (bytes compared as bytes)."),
        ("smallest-ids", "the pair with the smallest ids."),
        ("shortest", "the shortest merged token, then the first in alphabetical order."),
    ],
)
def test_a_tie_says_its_rule(rule, why):
    said = sentences({"ba": 1, "ab": 1}, vocab_size=3, tie_break=rule)[1]
    assert f'2 pairs tied at 1; "{rule}" chose "' in said
    assert said.endswith(why)
    assert "(once)" in said


def test_a_merge_that_does_not_grow_says_so():
    said = sentences({"ab": 5}, vocab_size=4, special_tokens=("ab",))[1]
    assert said.endswith("The vocabulary had that token already and did not grow.")


def test_wordpiece_shows_the_fraction():
    said = sentences({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, "wordpiece", 10)
    assert said[1].startswith('Step 1: merged "##g" + "##s" into "##gs" (5 times).')
    assert "5/(20×5) = 0.05" in said[1]


def test_unigram():
    said = sentences(tokviz.SAMPLES["course"].corpus, "unigram", 98)
    assert said[1].startswith("Round 1: pruned 30 of 300 tokens; ")
    assert "; 237 tied at a loss delta of 0, and 30 of them went, in vocabulary order." in said[1]
    assert " Corpus loss 382.10 → " in said[1]


@pytest.fixture(scope="module", params=[36, 40, 70, 73, 100])
def em_history(request):
    """SentencePiece's Unigram; the larger sizes leave nothing to remove."""
    return tokviz.train(
        tokviz.SAMPLES["course"].corpus,
        "sentencepiece-unigram",
        request.param,
        min_expected_count=0.0,
    )


def test_what_goes_and_comes_in_the_unigram_of_sentencepiece(em_history):
    """What is announced is what is said afterwards, and nothing is never counted as 0."""
    kinds = set()
    for t, step in enumerate(em_history.steps):
        coming, done = announce(em_history, t), em_history.narrate(t + 1)
        assert not re.search(r"\b0 (tokens|of|character)", coming + done)
        n = len(step.removed)
        going = "No token will go" if not n else "1 token will go" if n == 1 else f"{n} tokens will"
        assert going in coming
        added = len(getattr(step, "added", ()))
        back = "1 required character" if added == 1 else f"{added} required characters"
        assert (f", and {back} will come back." in coming) == (added > 0)
        assert (f"; {back} came back." in done) == (added > 0)
        if step.action == "finalize":
            went = "removed no token" if not n else f"removed {n} tokens"
            assert done.startswith(
                f"Step {t + 1}: the final choice: {went}, {step.size_after} stay"
            )
        kinds.add((step.action, n > 0, added > 0))
    assert ("em", False, False) in kinds
    assert any(action == "finalize" and back for action, _, back in kinds)


def test_what_comes_next():
    words = {"ab": 3, "bc": 3}
    history = tokviz.train(words, vocab_size=9, tie_break="smallest-ids")
    assert announce(history, 0) == (
        'Next: "a" + "b" with a count of 3; 2 pairs tie there, and "smallest-ids" takes '
        "the pair with the smallest ids."
    )
    assert announce(history, len(history)) == history.stopped
    unigram = tokviz.train(tokviz.SAMPLES["course"].corpus, "unigram", 98)
    assert announce(unigram, 0) == (
        "Next: 30 tokens go, with loss deltas of up to 0; 237 tokens tie there, so vocabulary "
        "order "
        "decides."
    )


@pytest.mark.parametrize(("algorithm", "size"), [("bpe", 70), ("wordpiece", 70), ("unigram", 98)])
def test_no_two_numbers_are_heard_as_a_decimal(algorithm, size):
    """Only a full stop stands between them: "of 0. 237 tokens" is heard as 0.237 tokens."""
    history = tokviz.train(tokviz.SAMPLES["course"].corpus, algorithm, size)
    for t in range(len(history) + 1):
        said = f"{history.narrate(t)} {announce(history, t)}"
        assert not re.search(r"\d[.,] \d", said), said


def test_how_far_losses_agree_with_exact_deltas():
    corpus, size = tokviz.SAMPLES["course"].corpus, 36
    settings = {"min_expected_count": 0.0, "exact_deltas": True}
    history = tokviz.train(corpus, "sentencepiece-unigram", size, **settings)
    assert [history.action(t) for t in (1, 2)] == ["em", "prune"]
    assert agreement(history, 1) == "Exact Δ is computed before each pruning"
    table = history.candidates(2)
    both = int((table.loss_delta.notna() & table.exact_delta.notna()).sum())
    correlation = f"{history.rank_correlation(2):.3f}"
    said = f"Rank correlation of loss and exact Δ: {correlation} ({both} tokens)"
    assert agreement(history, 2) == said
    assert agreement(tokviz.train(corpus, "sentencepiece-unigram", size + 9), 2) == ""


def test_a_long_word_is_quoted_in_part():
    said = sentences("abcd" * 500, "bpe", 5, "none")
    assert len(said[-1]) < 200
    assert f'"{"abcd" * 10}…"' in said[-1]


@pytest.mark.parametrize("t", [-1, 2])
def test_only_states_have_sentences(t):
    history = tokviz.train({"ab": 1}, vocab_size=3)
    for tell in (history.narrate, lambda t: announce(history, t)):
        with pytest.raises(IndexError, match="it has states 0 to 1"):
            tell(t)
