"""Merges of a file applied to a text: every state is what a tokenizer with so many merges gives."""

from dataclasses import replace

import numpy as np
import pytest
from effort import some
from helpers import anything
from hypothesis import given as example_of
from hypothesis import settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as HfTokenizer
from tokenizers.models import BPE

import tokviz
from tokviz.analysis.axis import make_axis
from tokviz.analysis.comparison import compare
from tokviz.encoding.given_merges import GivenMerges
from tokviz.narration import announce
from tokviz.player.pack import pack
from tokviz.text.symbols import UNKNOWN
from tokviz.trainers.replay import replay

COURSE = tokviz.SAMPLES["course"].corpus
KINDS = {
    "characters": {},
    "bytes": {"unit": "byte", "initial_alphabet": ("bytes",)},
    "prefix": {"continuing_subword_prefix": "##", "pretokenizer": "bert"},
    "suffix": {"end_of_word_suffix": "</w>", "suffix_glued": True, "pretokenizer": "whitespace"},
    "suffix apart": {"end_of_word_suffix": "</w>", "pretokenizer": "whitespace"},
}


def given_of(history):
    """The merges of a run as a file would hold them."""
    symbols, record = history.symbols, history.record
    pairs = zip(record.left.tolist(), record.right.tolist(), strict=True)
    return GivenMerges(
        history.spelling,
        tuple(history.vocab(len(history))),
        dict(zip(symbols, history.symbol_ids.tolist(), strict=True)),
        tuple((symbols[a], symbols[b]) for a, b in pairs),
    )


def replayed(history, corpus, name="mine"):
    return replay(name, given_of(history), history.tokenizer(), corpus)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_replayed_on_its_own_text_takes_the_same_steps(kind):
    run = tokviz.train(COURSE, "bpe", 90 + 256 * (kind == "bytes"), **KINDS[kind])
    history = replayed(run, COURSE)
    assert history.record.left.size == len(run)
    for t in range(0, len(run) + 1, 7):
        for word in run.words.words:
            assert history.segmentation(word, t) == run.segmentation(word, t)
    assert history.ranks.tolist() == list(range(len(run)))
    assert history.stopped == f"The text can use {len(run)} of the {len(run)} merges of mine."


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_on_another_text_is_what_its_tokenizer_gives(kind):
    run = tokviz.train(COURSE, "bpe", 90 + 256 * (kind == "bytes"), **KINDS[kind])
    history = replayed(run, "This is another token, tokens are shown here: Face to Face")
    assert 5 < len(history) < len(run)
    assert np.all(np.diff(history.ranks) > 0)
    for t in range(len(history) + 1):
        tokenizer = history.tokenizer(t)
        for word in history.words.words:
            cut = [piece.token for piece in tokenizer.encoder.encode(word)]
            if all(symbol in history.given.ids for symbol in history.spelling.split(word)):
                assert history.segmentation(word, t) == cut
    vocabulary = run.vocab(len(run))
    assert history.vocab(0)[: len(vocabulary)] == vocabulary, "ids are those of the file"
    assert history.encoders == ["merges"]


def test_candidates_and_steps_say_ranks():
    run = tokviz.train({"ab": 5, "abc": 4, "bd": 3, "abcd": 2, "cd": 1}, "bpe", 9)
    history = replayed(run, {"cd": 9, "abc": 1, "bd": 2})
    assert [(s.left, s.right, s.score, s.count, s.tied, s.rule) for s in history.steps] == [
        ("a", "b", 0.0, 1, 1, "rank"),
        ("ab", "c", 1.0, 1, 1, "rank"),
        ("b", "d", 2.0, 2, 1, "rank"),
        ("c", "d", 4.0, 9, 1, "rank"),
    ]
    table = history.candidates(0)
    assert table[["token", "count", "rank", "chosen"]].values.tolist() == [
        ["ab", 1, 0, True],
        ["bd", 2, 2, False],
        ["cd", 9, 4, False],
    ]
    assert not table.tied.any()
    assert history.candidates(1, 1).values.tolist() == history.candidates(1).head(1).values.tolist()
    assert history.candidate_count(1) == 3
    assert history.narrate(1) == (
        'Step 1: merged "a" + "b" into "ab" (once). Its rank is 0 of 5. '
        'Next in rank "b" + "d", rank 2, with 2.'
    )
    assert announce(history, 3) == 'Next: "c" + "d", rank 4, with 9.'
    assert history.narrate(4).endswith("(9 times). Its rank is 4 of 5.")
    assert announce(history, 4) == "The text can use 4 of the 5 merges of mine."
    assert history.curve().score[:4].tolist() == [0, 1, 2, 4]


def test_the_vocabulary_is_that_of_the_file_from_the_start():
    run = tokviz.train(COURSE, "bpe", 60)
    history = replayed(run, "This is new: ß")
    assert history.vocab(0) == [*run.vocab(len(run)), UNKNOWN]
    assert {history.vocab_size(t) for t in range(len(history) + 1)} == {61}
    assert history.token_counts(0)[60] == 2, "ß and the colon are no tokens"
    assert history.segmentation(" ß", len(history)) == ["Ġ", UNKNOWN]
    assert not any(step.grows for step in history.steps)
    assert history.provenance("is").left == "i"
    assert make_axis([history, run], "size").values[-1] == 61


def test_words_that_the_tokenizer_cuts_by_another_rule_are_counted():
    run = tokviz.train("low low lower", "bpe", 8, "whitespace")
    longest = run.tokenizer(None, "longest-token")
    history = replay("mine", given_of(run), longest, "owlow lowow")
    assert history.stopped.startswith("The text can use 2 of the 3 merges of mine.")
    same = replayed(run, "owlow lowow")
    assert same.stopped == "The text can use 2 of the 3 merges of mine."


def test_reconstructed_merges_say_so():
    run = tokviz.train("low low lower", "bpe", 8, "whitespace")
    given = given_of(run)
    known = GivenMerges(given.spelling, given.strings, given.ids, rank_of=given.ids)
    history = replay("mine", known, run.tokenizer(), "low")
    assert "2 of the 3 merges of mine, which were worked out from its ranks." in history.stopped


def test_a_replay_is_not_saved_and_has_one_way_to_cut(tmp_path):
    history = replayed(tokviz.train("low low lower", "bpe", 8, "whitespace"), "low")
    with pytest.raises(ValueError, match="not saved as a history"):
        history.save(tmp_path / "run.npz")
    with pytest.raises(ValueError, match="not for a replay"):
        history.tokenizer(1, "longest-token")


def test_a_replay_is_compared_with_a_training():
    run = tokviz.train(COURSE, "bpe", 60)
    other = tokviz.train("newest newest widest low low low the the", "bpe", 22)
    comparison = compare(
        [run, replayed(other, COURSE)], COURSE, names=["trained", "file"], align="step"
    )
    [parting] = [comparison.parting(0, 1)]
    assert parting.kind == "file"
    assert "Merges of a file." in parting.why
    assert "ranks" in parting.why


def test_it_can_be_stopped():
    run = tokviz.train(COURSE, "bpe", 90)
    history = replay("mine", given_of(run), run.tokenizer(), COURSE, stop_after(2))
    assert history.stopped.startswith("Cancelled after")
    assert len(history) < len(run)


def stop_after(calls):
    told = []

    def progress(said):
        told.append(said)
        return said.stage != "merges" or len(told) < calls

    return progress


def test_the_player_gets_ranks():
    run = tokviz.train(COURSE, "bpe", 60)
    history = replayed(run, COURSE)
    data = pack(history, "mine", None, 100)
    assert b'"given":30' in data
    assert b"top_rank" in data


ABC = st.dictionaries(st.text("abc", min_size=1, max_size=9), st.just(1), max_size=5)


@settings(max_examples=some(150))
@example_of(ABC, ABC)
def test_other_words_end_as_in_the_library(words, others):
    run = tokviz.train({**words, "abc": 1}, "bpe", 40)
    given = given_of(run)
    merges = [(left.text, right.text) for left, right in given.pairs]
    library = HfTokenizer(BPE({s: i for i, s in enumerate(given.strings)}, merges))
    history = replayed(run, others)
    for word in others:
        assert history.segmentation(word, len(history)) == library.encode(word).tokens


@settings(max_examples=some(150))
@example_of(ABC, st.randoms(use_true_random=False))
def test_whatever_the_order_what_differs_is_counted(words, chance):
    """An order in which merges use what later ones make: no trainer gives it, but a file may."""
    run = tokviz.train(words, "bpe", 40, counted=anything)
    given = given_of(run)
    pairs = chance.sample(given.pairs, len(given.pairs))
    history = replay("mine", replace(given, listed=tuple(pairs)), run.tokenizer(), words)
    other = sum(
        history.segmentation(word, len(history)) != run.tokenizer().encode(word).tokens
        for word in words
    )
    noun = "different word" if len(words) == 1 else "different words"
    said = f" The tokenizer itself cuts {other:,} of the {len(words):,} {noun} in another way"
    assert (said in history.stopped) == (other > 0)
    assert len(history) == len(set(history.ranks.tolist()))
