"""The colours of tokens: neighbours differ, and nothing changes a colour that is given."""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from effort import LONG
from helpers import anything
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.history.colours import COLOURS, Neighbours, colour_of_stranger, counted, start_colours

COURSE = tokviz.SAMPLES["course"].corpus
#: A corpus in which everything stands beside everything.
CROWDED = " ".join("".join(random.Random(n).choices("abcdefghijkl", k=9)) for n in range(60))
MERGING = {
    "bpe": ("bpe", {"unit": "byte"}),
    "suffix": ("bpe", {"end_of_word_suffix": "</w>", "tie_break": "shortest"}),
    "wordpiece": ("wordpiece", {}),
    "sentencepiece-bpe": ("sentencepiece-bpe", {}),
}


def graph(counts):
    """Neighbours from how often two numbers are side by side."""
    left, right = zip(*counts, strict=True)
    return Neighbours(*map(np.asarray, (left, right, [*counts.values()])))


def clashes(colours, counts, number, colour):
    """How often a number is beside another one of a colour."""
    return sum(
        count
        for pair, count in counts.items()
        if number in pair and colours[sum(pair) - number] == colour
    )


graphs = st.dictionaries(
    st.tuples(st.integers(0, 14), st.integers(0, 14)).filter(lambda pair: pair[0] < pair[1]),
    st.integers(1, 2**50),
    min_size=1,
)


def test_what_has_most_neighbours_is_coloured_first():
    # 2 is in five places, 0 and 3 in four, 1 in one: 2, then "a" (3), then "b" (0), then 1.
    found = start_colours(["b", "c", "d", "a"], graph({(0, 2): 2, (0, 3): 2, (2, 3): 2, (1, 2): 1}))
    assert found == [2, 3, 0, 1]


def test_of_nine_that_all_meet_the_two_that_meet_least_are_alike():
    counts = dict.fromkeys(combinations(range(9), 2), 10) | {(3, 5): 1}
    colours = start_colours([*map(str, range(9))], graph(counts))
    assert colours[3] == colours[5]
    assert len({*colours}) == COLOURS


@given(graphs)
@settings(max_examples=500 if LONG else 100, deadline=None)
def test_no_other_colour_would_be_better_for_any(counts):
    colours = start_colours([""] * 15, graph(counts))
    for number in range(15):
        mine = clashes(colours, counts, number, colours[number])
        assert mine <= min(clashes(colours, counts, number, colour) for colour in range(COLOURS))
        if sum(number in pair for pair in counts) < COLOURS:
            assert mine == 0


@pytest.mark.parametrize("seed", range(5))
def test_no_other_colour_would_be_better_where_all_meet(seed):
    draw = random.Random(seed)
    counts = {pair: draw.randint(1, 99) for pair in combinations(range(15), 2)}
    colours = start_colours([""] * 15, graph(counts))
    for number in range(15):
        found = [clashes(colours, counts, number, colour) for colour in range(COLOURS)]
        assert found[colours[number]] == min(found)


@given(graphs, st.randoms(use_true_random=False))
@settings(max_examples=200 if LONG else 40, deadline=None)
def test_the_order_in_which_neighbours_are_met_does_not_matter(counts, draw):
    places = [
        (*draw.sample(pair, 2), part)
        for pair, n in counts.items()
        for part in (n // 2, n - n // 2)
        if part
    ]
    draw.shuffle(places)
    names = [f"{number:02}" for number in range(15)]
    found = counted(*(np.asarray(column) for column in zip(*places, strict=True)))
    assert start_colours(names, found) == start_colours(names, graph(counts))


@pytest.mark.parametrize("name", MERGING)
@pytest.mark.parametrize("corpus", [COURSE, CROWDED], ids=["course", "crowded"])
def test_training_longer_changes_no_colour(name, corpus):
    algorithm, more = MERGING[name]
    whole = tokviz.train(corpus, algorithm, 70, **more)
    for size in (45, 55):
        short = tokviz.train(corpus, algorithm, size, **more)
        assert len(short) < len(whole)
        for token in short.strings:
            assert short.colour(token) == whole.colour(token)


@pytest.mark.parametrize("corpus", [COURSE, CROWDED, "aaaa aaab abab baba bbbb"])
@pytest.mark.parametrize("name", ["bpe", "suffix", "wordpiece"])
def test_a_new_token_takes_the_colour_that_is_rarest_beside_it(name, corpus):
    algorithm, more = MERGING[name]
    history = tokviz.train(corpus, algorithm, 400, counted=anything, **more)
    colour, seen = history.colour, {*history.vocab(0)}
    for t, step in enumerate(history.steps):
        beside = dict.fromkeys(range(COLOURS), 0)
        for word, count in zip(history.words.words, history.words.counts, strict=True):
            for one, other in pairwise(history.segmentation(word, t + 1)):
                if step.token in (one, other) and one != other:
                    beside[colour(other if one == step.token else one)] += count
        if step.token not in seen:
            mine = colour(step.token)
            assert beside[mine] == min(beside.values())
            free = {c for c in beside if beside[c] == beside[mine]}
            if free - {colour(step.left), colour(step.right)}:
                assert mine not in (colour(step.left), colour(step.right))
        seen.add(step.token)


def test_symbols_that_may_never_merge_differ_all_the_same():
    history = tokviz.train("1a 2b 1b 2a " * 9, "sentencepiece-bpe", 20, split_digits=True)
    for word in history.words.words:
        for one, other in pairwise(history.segmentation(word, len(history))):
            assert history.colour(one) != history.colour(other)


@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-unigram"])
def test_neighbours_of_all_best_segmentations_differ(algorithm):
    history = tokviz.train(COURSE, algorithm, 40)
    for t in range(len(history) + 1):
        for word in history.words.words:
            for one, other in pairwise(history.segmentation(word, t)):
                assert one == other or history.colour(one) != history.colour(other)


def test_neighbours_are_counted_over_all_states():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    history = tokviz.train(words, "unigram", 8, "whitespace", whole_words=False)
    beside = {}
    for t in range(len(history) + 1):
        for word, count in words.items():
            for pair in pairwise(history.segmentation(word, t)):
                if pair[0] != pair[1]:
                    beside[pair] = beside.get(pair, 0) + count
    names = sorted({token for pair in beside for token in pair})
    number = {name: i for i, name in enumerate(names)}
    left, right = zip(*((number[a], number[b]) for a, b in beside), strict=True)
    found = counted(*map(np.asarray, (left, right, [*beside.values()])))
    expected = start_colours(names, found)
    whole = {name for name in history.colours if name not in number}
    # Those without neighbours come last and change no other.
    assert {name: history.colour(name) for name in names} == dict(zip(names, expected, strict=True))
    assert all(
        any(history.segmentation(w, t) == [w] for t in range(len(history) + 1)) for w in whole
    )


def test_unknown_characters_are_one_token():
    history = tokviz.train(
        "ab " * 400 + "日本", "sentencepiece-unigram", 8, character_coverage=0.98
    )
    assert history.colour("<unk>") == history.colours["<unk>"]
    assert "日" not in history.colours


def test_a_corpus_without_words_has_no_colours():
    assert tokviz.train("", "bpe", 5, counted=anything).colours == {}


def test_strings_of_no_run_have_the_colour_that_they_have_everywhere():
    history = tokviz.train(COURSE, "bpe", 40)
    assert history.colour("no token") == colour_of_stranger("no token")
    assert colour_of_stranger("\ud800") in range(COLOURS)


def test_equal_graphs_give_equal_colours_in_lanes():
    one = tokviz.train(COURSE, "bpe", 60, "whitespace", tie_break="shortest")
    other = tokviz.train(COURSE, "bpe", 90, "whitespace", special_tokens=("<s>",))
    letters = one.vocab(0)
    assert [one.colour(token) for token in letters] == [other.colour(token) for token in letters]


def test_a_replay_has_the_colours_of_its_own_text(tmp_path):
    trained = tokviz.train(COURSE, "bpe", 60, "gpt2", unit="byte")
    trained.export("tokenizer.json", tmp_path)
    history = tokviz.replay(
        tokviz.open_tokenizer(tmp_path / "tokenizer.json"), "This is the course"
    )
    for word in history.words.words:
        for one, other in pairwise(history.segmentation(word, 0)):
            assert one == other or history.colour(one) != history.colour(other)
