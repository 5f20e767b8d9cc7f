"""SuperBPE: the same merges as the program of its authors, and every state as defined."""

import json
import lzma
from collections import Counter
from itertools import pairwise

import pytest
from effort import LONG, each
from helpers import anything
from oracles import merge_pair
from record_super_bpe import CORPORA, FILE, SIZES, TEXTS, TRANSITIONS, corpus
from trainers.test_hf_trainers import text

import tokviz
from tokviz.narration import announce
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.trainers import SettingError
from tokviz.trainers.super_bpe import SuperBPE

RECORDED = json.loads(lzma.decompress(FILE.read_bytes()))
#: Once "=y" is a token, no space stands before a "=" in the runs, and in words it does.
MISSED = "a=y\na=y\na=y\nx =y\nx =y a=y"


def train(lines, size, transition, **settings):
    settings = {"unit": "byte", "counted": anything, **settings}
    return tokviz.train(lines, "super-bpe", size, transition_size=transition, **settings)


def listed(history, steps=None):
    """The merges as the program writes them."""
    return [f"{step.left} {step.right}" for step in history.steps[:steps]]


def stage_1(history):
    """The number of steps before the borders fall."""
    return len(history) if history.border is None else history.border


def assert_same(history, recorded):
    """The merges of stage 1, and then all of them: none was passed over here."""
    within, made = recorded
    assert listed(history, stage_1(history)) == within
    assert listed(history) == made
    assert history.times.all()


#: Otherwise each text is trained to one of the sizes.
RUNS = [(name, size) for name in TEXTS for size in SIZES]
RUNS = RUNS if LONG else RUNS[1::4] + RUNS[2::4]


@pytest.mark.parametrize(("name", "size"), RUNS)
@pytest.mark.checked_against("tokenizers-superbpe", "trainer", "super-bpe")
def test_the_program_on_a_text(name, size, checked):
    [run] = [run for run in RECORDED["texts"] if (run["text"], run["size"]) == (name, size)]
    history = train(text(name), size, int(TRANSITIONS[name] * size))
    assert_same(history, run["merges"])
    assert history.crosses.sum() > 50
    checked()


@pytest.mark.checked_against("tokenizers-superbpe", "trainer", "super-bpe")
def test_the_program_on_random_corpora(checked):
    crossing = compared = 0
    seeds = each(range(CORPORA), 3)
    for seed in seeds:
        lines, size, transition = corpus(seed)
        runs = make_pretokenizer("runs")
        if size < SuperBPE(unit="byte").least_vocab_size(count_words(lines, runs), runs):
            continue
        history = train(lines, size, transition)
        assert_same(history, RECORDED["corpora"][seed])
        crossing += int(history.crosses.sum())
        compared += 1
    assert crossing > (5_000 if LONG else 1_400)
    assert compared == len(seeds)
    checked(compared)


def counts_of(words):
    """The pairs of words with their counts."""
    counts = Counter()
    for tokens, n in words:
        for pair in pairwise(tokens):
            counts[pair] += n
    return counts


def may_be(pair, longest):
    token = "".join(pair)
    return ":Ġ" not in token and sum(map(bool, token.split("Ġ"))) <= longest


@pytest.mark.parametrize("unit", ["char", "byte"])
def test_every_state_is_as_defined(unit):
    states = 0
    for seed in range(100 if LONG else 6):
        lines, size, transition = corpus(1000 + seed)
        history = train(lines, size + 20, transition, unit=unit, longest=2 + seed % 3)
        states += assert_defined(history)
    assert states > (500 if LONG else 200)


def assert_defined(history):
    """Counts everything anew in every state."""
    spelling, trainer = history.spelling, history.trainer
    cut = lambda text: [*map(spelling.show, spelling.split(text))]  # noqa: E731 (one line, twice)
    runs = [(cut(run), n) for run, n in zip(history.words.words, history.words.counts, strict=True)]
    words = Counter()
    for run, n in zip(history.words.words, history.words.counts, strict=True):
        for word in trainer.words_in(run):
            words[word] += n
    words = [(cut(word), n) for word, n in words.items()]
    for t in range(len(history) + 1):
        fallen = history.border is not None and t >= history.border
        counts = counts_of(runs if fallen else words)
        table = history.candidates(t)
        rows = zip(table.left, table.right, strict=True)
        found = dict(zip(rows, table["count"].tolist(), strict=True))
        if fallen:
            assert found.items() <= counts.items()
            assert all(may_be(pair, trainer.longest) for pair in found)
            left_out = counts.keys() - found.keys()
            assert not any(may_be(pair, trainer.longest) for pair in left_out)
        else:
            assert found == dict(counts)
        assert history.candidate_count(t) == len(found)
        assert history.candidates(t, 5).equals(table.head(5))
        encoder = history.tokenizer(t).encoder
        for n, (word, (tokens, _)) in enumerate(zip(history.words.words, runs, strict=True)):
            assert history.segmentation(word, t) == tokens
            # Encoding begins anew in each state: otherwise every run has its turn in every third.
            if (n + t) % 3 == 0 or LONG:
                assert [piece.token for piece in encoder.encode(word)] == tokens
        if t < len(history):
            pair = history.steps[t].left, history.steps[t].right
            assert found[pair] == max(found.values()) == history.steps[t].count
            runs = [(merge_pair(tokens, pair, "".join(pair)), n) for tokens, n in runs]
            words = [(merge_pair(tokens, pair, "".join(pair)), n) for tokens, n in words]
    return len(history) + 1


def test_a_merge_that_finds_nothing_in_runs_stays_a_step():
    history = tokviz.train(MISSED, "super-bpe", 13, transition_size=8)
    step = history.steps[1]
    assert (step.token, step.count, step.times, history.border) == ("Ġ=", 2, 0, 3)
    assert history.narrate(2).startswith(
        'Step 2: merged "Ġ" + "=" into "Ġ=" (0 times, counted 2 within words).'
    )
    assert assert_defined(history) == 9
    # What is told to a state after it is found there.
    t = 5
    left, right = history.candidates(t)[["left", "right"]].iloc[1]
    other = tokviz.branch(history, t, (left, right))
    assert (other.steps[t].left, other.steps[t].right) == (left, right)
    assert listed(other, t) == listed(history, t)
    assert other.steps[t].forced


def test_the_borders_are_told():
    history = tokviz.train(
        "by the way\nby the way\nby the sea", "super-bpe", 16, transition_size=14
    )
    assert history.border == 5
    fallen = "The borders of words fall."
    assert [t for t in range(8) if announce(history, t).startswith(fallen)] == [5]
    across = 'Step 6: merged "by" + "Ġthe" across words into "byĠthe" (3 times).'
    assert history.narrate(6).startswith(across)
    assert ["across words" in history.narrate(t) for t in range(8)] == [False] * 6 + [True] * 2
    assert history.word_starts("by the way").tolist() == [0, 2, 6]


@pytest.mark.parametrize(("size", "border"), [(1, 0), (13, 4), (20, None), (99, None)])
def test_where_the_borders_fall(size, border):
    text = "by the way\nby the way\nby the sea"
    history = tokviz.train(text, "super-bpe", 18, transition_size=size)
    assert history.border == border
    plain = tokviz.train(text, "bpe", 18, tie_break="smallest-ids")
    until = stage_1(history)
    assert listed(history, until) == listed(plain, until)
    assert bool(history.crosses.any()) == (border is not None)


def test_they_fall_early_where_no_pair_is_left():
    history = tokviz.train("ab cd\nab cd\nab cd", "super-bpe", 40, counted=anything)
    assert (history.border, history.stopped[:46]) == (
        3,
        "No pair is left: every word is one token. The ",
    )
    kept = tokviz.train("a: b\na: b", "super-bpe", 40, counted=anything)
    assert kept.stopped.startswith("No pair is left: what could still be merged has too many words")
    assert kept.stop.reached == kept.vocab_size(len(kept))


def test_no_token_has_more_words_than_asked_for():
    line = "one two three four five six seven"
    for longest in (1, 2, 3, 4):
        history = tokviz.train([line] * 3, "super-bpe", 90, longest=longest, counted=anything)
        most = max(len(token.replace("Ġ", " ").split()) for token in history.vocab(len(history)))
        assert most == longest


def test_settings_that_cannot_be():
    for settings in (
        {"transition_size": -1},
        {"longest": 0},
        {"words": "bert"},
        {"tie_break": "first-seen"},
    ):
        with pytest.raises(SettingError, match=next(iter(settings))):
            tokviz.train("low low", "super-bpe", 5, **settings)
