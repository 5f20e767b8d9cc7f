"""Runs side by side, end to end: every table against what it is made of."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import tokviz
from tokviz.analysis.alignment import AlignmentError
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.analysis.boundaries import Lane, boundaries, parted_words
from tokviz.analysis.held_out import held_out
from tokviz.analysis.metrics import METRICS, metrics
from tokviz.analysis.overlap import jaccard, texts_over
from tokviz.analysis.parting import Parting
from tokviz.text.corpus import count_words

COURSE = tokviz.SAMPLES["course"].corpus
TRIOS = {
    "families": [
        ("bpe", 60, {"unit": "byte"}),
        ("wordpiece", 70, {}),
        ("unigram", 60, {}),
    ],
    "rules": [
        ("bpe", 50, {"unit": "byte", "tie_break": rule})
        for rule in ("first-seen", "smallest-ids", "shortest")
    ],
    "pre-tokenizers": [
        ("bpe", 55, {"pretokenizer": name}) for name in ("gpt2", "whitespace", "bert")
    ],
    "sizes": [("bpe", size, {}) for size in (40, 50, 60)],
    "sentencepiece": [
        ("sentencepiece-bpe", 60, {}),
        ("sentencepiece-unigram", 60, {}),
        ("unigram", 60, {"seed_size": 100}),
    ],
    "scores": [
        ("wordpiece", 70, {"special_tokens": ("[UNK]",)}),
        ("wordpiece", 70, {"score": "frequency"}),
        ("bpe", 60, {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
    ],
}
PAIRS = list(combinations(range(3), 2))
HELD_OUT = "This is a zebra. The tokenizers see 42 new words, é!"


@pytest.fixture(scope="module")
def runs():
    return {
        name: [tokviz.train(COURSE, algorithm, size, **more) for algorithm, size, more in trio]
        for name, trio in TRIOS.items()
    }


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("trio", TRIOS)
def test_three_runs_end_to_end(runs, trio, align):
    histories = runs[trio]
    comparison = tokviz.compare(histories, COURSE, align, list("ABC"), points=17)
    axis, last = make_axis(histories, align), len(comparison.axis.values) - 1
    at = comparison.positions
    assert (at[0], at[-1], len(at)) == (0, last, min(17, last + 1))
    assert (np.diff(at) > 0).all()

    table = comparison.metrics
    assert table.columns.tolist() == [
        "lane", "position", "x", "step", "vocab_size", *(metric.name for metric in METRICS),
        "words", "per_word",
    ]  # fmt: skip
    assert set(table["words"]) == {len(COURSE.split())}
    assert table["lane"].tolist() == [name for name in "ABC" for _ in at]
    for name, history, states in zip("ABC", histories, axis.states, strict=True):
        rows = table[table["lane"] == name].reset_index(drop=True)
        assert rows["position"].tolist() == at.tolist()
        assert rows["x"].tolist() == axis.values[at].tolist()
        expected = metrics(history).iloc[states[at]].reset_index(drop=True)
        assert rows.drop(columns=["lane", "position", "x"]).equals(expected)

    end = comparison.end
    assert end.columns.tolist() == table.columns.tolist()
    assert end["lane"].tolist() == [*"ABC"]
    assert end["step"].tolist() == [len(history) for history in histories]
    assert end.equals(table.groupby("lane").tail(1).reset_index(drop=True))

    pairs = comparison.pairs
    assert pairs[["left", "right"]].drop_duplicates().values.tolist() == [
        ["A", "B"], ["A", "C"], ["B", "C"],
    ]  # fmt: skip
    for i, j in PAIRS:
        rows = pairs[(pairs["left"] == "ABC"[i]) & (pairs["right"] == "ABC"[j])]
        assert rows["position"].tolist() == at.tolist()
        assert rows["x"].tolist() == axis.values[at].tolist()
        found = comparison.alignments[i, j]
        everywhere = (
            Lane(histories[i], axis.states[i], found.left),
            Lane(histories[j], axis.states[j], found.right),
        )
        counts = boundaries(found, *everywhere)
        columns = rows[["left_boundaries", "right_boundaries", "shared_boundaries"]]
        assert columns.values.tolist() == [[int(row[p]) for row in counts] for p in at]
        assert rows["boundary_f1"].tolist() == counts.f1[at].tolist()
        states, numbers = [axis.states[k][at].tolist() for k in (i, j)], {}
        texts = [
            texts_over(histories[k], of, numbers) for k, of in zip((i, j), states, strict=True)
        ]
        assert rows["jaccard"].tolist() == jaccard(*texts, *states).tolist()
        for position in (0, last // 2, last, -1):
            words = comparison.words(position, i, j)
            assert words.equals(parted_words(found, *everywhere, position))
            assert comparison.words(position, i, j, 3).equals(words.head(3))
            # Neither has a boundary of its own where no word is cut differently.
            both, mine, theirs = (
                counts.both[position],
                counts.left[position],
                counts.right[position],
            )
            assert (words["count"] * words["only_left"]).sum() == mine - both
            assert (words["count"] * words["only_right"]).sum() == theirs - both

    partings = comparison.partings
    assert partings.columns.tolist() == [
        "left", "right", "x", *Parting._fields[:5], "left_parts", "right_parts",
        *Parting._fields[7:],
    ]  # fmt: skip
    found = {(i, j): comparison.parting(i, j) for i, j in PAIRS}
    apart = [pair for pair, where in found.items() if where is not None]
    assert partings[["left", "right"]].values.tolist() == [["ABC"[i], "ABC"[j]] for i, j in apart]
    for pair, row in zip(apart, partings.to_dict("records"), strict=True):
        where = found[pair]
        assert row["x"] == axis.values[where.position]
        assert (row["left_parts"], row["right_parts"]) == (where.left, where.right)
        for name in {*Parting._fields} - {"left", "right"}:
            assert row[name] == getattr(where, name)
        assert comparison.words(where.position, *pair, 1)["word"].tolist() == [where.word]

    held = comparison.held_out(HELD_OUT, 1)
    for row, history, states in zip(held.to_dict("records"), histories, axis.states, strict=True):
        estimate = held_out(history, int(states[1]), HELD_OUT)
        assert (row["step"], row["words"], row["tokens"]) == (states[1], *estimate[:2])
        assert row["unknown_words"] == estimate.unknown_words
        for name in ("characters_per_token", "bytes_per_token", "characters", "bytes", "per_word"):
            assert row[name] == getattr(estimate, name)
        for rate in ("unknown", "fertility", "whole_words"):
            columns = (row[rate], row[f"{rate}_low"], row[f"{rate}_high"])
            assert columns == getattr(estimate, rate)
    assert held["lane"].tolist() == [*"ABC"]
    assert set(held["words"]) == {len(HELD_OUT.split())}
    own = comparison.per("pretokens").held_out(HELD_OUT, 1)
    for words, history in zip(own["words"], histories, strict=True):
        found = count_words(HELD_OUT, history.pretokenizer, history.special_tokens)
        assert words == found.total
    assert comparison.held_out(iter([HELD_OUT]), 1).equals(held)
    assert comparison.held_out(HELD_OUT, 0)["step"].tolist() == [int(of[0]) for of in axis.states]
    at_end = comparison.held_out(HELD_OUT)
    assert at_end["step"].tolist() == [int(states[-1]) for states in axis.states]
    assert at_end.equals(comparison.held_out(HELD_OUT, last))


def test_a_worked_example():
    words = {"hugs": 3, "pug": 2}
    comparison = tokviz.compare([tokviz.train(words, "bpe", size) for size in (6, 7)], align="step")
    # ug, then hug: see the boundaries' own example. Both have h u g s p ug, then one has hug.
    assert comparison.pairs.drop(columns=["left", "right"]).values.tolist() == [
        [0, 0, 1, 1, 13, 13, 13],
        [1, 1, 1, 1, 8, 8, 8],
        [2, 2, 6 / 7, 10 / 13, 8, 5, 5],
    ]
    assert comparison.partings[["left", "right", "x", "kind", "word", "times"]].values.tolist() == [
        ["bpe 1", "bpe 2", 2, "over", "hugs", 3]
    ]
    assert comparison.words(2).values.tolist() == [
        ["hugs", 3, ["h", "ug", "s"], ["hug", "s"], 1, 1, 0, (1, 3), (3,)]
    ]
    assert comparison.metrics["corpus_tokens"].tolist() == [18, 13, 13, 18, 13, 10]


# --- points, names, lanes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "positions"),
    [
        (2, [0, 10]),
        # 0, 3.33, 6.67, 10.
        (4, [0, 3, 7, 10]),
        (10, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]),
        (11, [*range(11)]),
        (500, [*range(11)]),
    ],
)
def test_points_have_the_first_and_the_last(points, positions):
    history = tokviz.train("abcdefghijk", "bpe", 99)
    assert len(history) == 10
    comparison = tokviz.compare([history], points=points)
    assert comparison.positions.tolist() == positions
    assert comparison.metrics["step"].tolist() == positions
    # Partings are looked for everywhere.
    assert len(comparison.axis.values) == 11


def test_a_run_without_steps_has_one_position():
    history = tokviz.train("a", "bpe", 1)
    for align in ALIGNMENTS:
        comparison = tokviz.compare([history, history], align=align)
        assert comparison.positions.tolist() == [0]
        assert comparison.pairs["boundary_f1"].tolist() == [1]
        assert comparison.partings.empty


def test_the_end_is_each_runs_own_last_state():
    """Unigram prunes 300 seeds, of which most are unused, to 50 tokens."""
    runs = [tokviz.train(COURSE, name, 50) for name in ("bpe", "unigram")]
    for align in ALIGNMENTS:
        end = tokviz.compare(runs, COURSE, align).end
        assert end["vocab_size"].tolist() == [50, 50]
        assert end["corpus_tokens"].tolist() == [133, 91]
        assert end["unused"].tolist() == [0.16, 0.16]
    # A run that prunes has more tokens at first, and comparisons are by share of training.
    table = tokviz.compare(runs, COURSE).metrics
    assert table["x"].iloc[[0, -1]].tolist() == [0, 100]
    assert table.iloc[-1]["step"] == len(runs[1])


def test_runs_are_named_by_their_algorithms(runs):
    bpe, wordpiece, unigram = runs["families"]
    assert tokviz.compare([bpe, wordpiece, unigram]).names == ("bpe", "wordpiece", "unigram")
    assert tokviz.compare([bpe, wordpiece, bpe]).names == ("bpe 1", "wordpiece", "bpe 2")
    assert tokviz.compare([bpe], names=["mine"]).names == ("mine",)
    assert tokviz.compare([bpe, bpe], names=["x", "y"]).pairs["right"].unique().tolist() == ["y"]


def test_one_run_has_metrics_and_no_pairs(runs):
    comparison = tokviz.compare(runs["families"][:1], points=9)
    assert len(comparison.metrics) == 9
    three = tokviz.compare(runs["families"], COURSE)
    for table, other in (
        (comparison.pairs, three.pairs),
        (comparison.partings, three.partings),
    ):
        assert isinstance(table, pd.DataFrame)
        assert table.empty
        assert table.columns.tolist() == other.columns.tolist()
    assert len(comparison.held_out(HELD_OUT)) == 1


def test_lanes_may_be_asked_for_in_any_order(runs):
    comparison = tokviz.compare(runs["families"], COURSE)
    for i, j in PAIRS:
        mine, turned = comparison.words(4, i, j), comparison.words(4, j, i)
        swap = {"left": "right", "right": "left", "only_left": "only_right"}
        swap |= {"only_right": "only_left"}
        swap |= {"left_cuts": "right_cuts", "right_cuts": "left_cuts"}
        assert mine.rename(columns=swap)[turned.columns].equals(turned)
        a, b = comparison.parting(i, j), comparison.parting(j, i)
        assert (a.position, a.left, a.right_state) == (b.position, b.right, b.left_state)


@pytest.mark.parametrize("lanes", [(0, 0), (0, 3), (3, 0), (-1, 0)])
def test_other_lanes_say_which_there_are(runs, lanes):
    comparison = tokviz.compare(runs["families"], COURSE)
    said = f"Lanes {lanes[0]} and {lanes[1]} are not two lanes of this comparison"
    with pytest.raises(ValueError, match=said):
        comparison.words(0, *lanes)
    with pytest.raises(ValueError, match=said):
        comparison.parting(*lanes)


# --- what is wrong is said in sentences -----------------------------------------------------------


@pytest.mark.parametrize(
    ("histories", "more", "said"),
    [
        (0, {}, "There is no run to compare; pass one or more histories."),
        (2, {"align": "time"}, "align='time' is not known; choose one of step, size, share."),
        (2, {"names": ["a"]}, "1 name for 2 runs; give one for each."),
        (2, {"points": 1}, "points=1 has no room for the first and last position; give 2 or more."),
    ],
)
def test_what_is_wrong_is_said(runs, histories, more, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        tokviz.compare(runs["families"][:histories], COURSE, **more)


def test_the_text_is_needed_only_for_other_words(runs):
    same, other = runs["rules"], runs["pre-tokenizers"]
    without, given = tokviz.compare(same), tokviz.compare(same, COURSE)
    assert without.pairs.equals(given.pairs)
    assert without.partings.equals(given.partings)
    for corpus in (None, {"This": 3}):
        comparison = tokviz.compare(other, corpus)
        # Metrics need no text at all.
        assert comparison.metrics.equals(tokviz.compare(other, COURSE).metrics)
        for ask in (
            lambda c=comparison: c.pairs,
            lambda c=comparison: c.partings,
            lambda c=comparison: c.words(0),
            lambda c=comparison: c.parting(1, 2),
        ):
            with pytest.raises(AlignmentError, match="pass the text that all were trained on"):
                ask()


def test_runs_of_tables_do_without_a_text():
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    trio = [tokviz.train(words, name, 18) for name in ("bpe", "wordpiece", "unigram")]
    comparison = tokviz.compare(trio)
    assert len(comparison.partings) == 3
    assert set(comparison.words(-1)["word"]) <= set(words)
    assert comparison.words(-1).equals(tokviz.compare(trio, words).words(-1))


def test_documents_may_be_a_list(runs):
    lines = COURSE.split("\n")
    histories = runs["pre-tokenizers"]
    assert tokviz.compare(histories, lines).pairs.equals(tokviz.compare(histories, COURSE).pairs)


def test_fertility_is_divided_by_the_same_words_in_every_lane(runs):
    words = len(COURSE.split())
    comparison = tokviz.compare(runs["pre-tokenizers"], COURSE)
    assert comparison.per_word == "whitespace"
    assert set(comparison.metrics["words"]) == {words}
    end = comparison.end
    assert end["fertility"].tolist() == (end["corpus_tokens"] / words).tolist()
    laid = comparison.alignments
    own = comparison.per("pretokens")
    assert own.alignments is laid
    assert own.end["words"].tolist() == [run.words.total for run in runs["pre-tokenizers"]]
    assert own.end["words"].nunique() > 1
    assert own.by("step").per_word == "pretokens"
    asked = tokviz.compare(runs["pre-tokenizers"], COURSE, per_word="pretokens")
    assert asked.metrics.equals(own.metrics)
    assert own.per("whitespace").metrics.equals(comparison.metrics)


def test_a_lane_that_knows_no_white_space_words_gives_every_lane_its_own():
    text = "don't stop, low lower"
    table = tokviz.train({"low": 3, "lower": 1}, "bpe", 9)
    comparison = tokviz.compare([tokviz.train(text, "bpe", 20), table], text)
    assert comparison.per_word == comparison.per("whitespace").per_word == "pretokens"
    assert comparison.end["words"].tolist() == [6, 4]
    with pytest.raises(tokviz.SettingError, match="per_word=0 is not known; choose whitespace or"):
        tokviz.compare([table], per_word=0)


def test_another_axis_keeps_what_is_known_of_the_boundaries(runs):
    comparison = tokviz.compare(runs["families"], COURSE)
    laid = comparison.alignments
    other = comparison.by("step")
    assert other.alignments is laid
    anew = tokviz.compare(runs["families"], COURSE, "step")
    assert other.metrics.equals(anew.metrics)
    assert other.pairs.equals(anew.pairs)
    assert other.partings.equals(anew.partings)
    assert not other.pairs.equals(comparison.pairs)
