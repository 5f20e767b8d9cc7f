"""What the lens of a word sends to the browser, compared with the engine asked state by state."""

import json
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import exp, isclose, log, prod

import pytest
from effort import some

import tokviz
from tokviz.analysis.expected_terms import flows
from tokviz.pages.lenses.word_views import (
    MOST_FACTORS,
    MOST_FLOWS,
    MOST_LOST,
    MOST_STATES,
    lattice_view,
    percent,
    removal_view,
    tree_view,
)

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COURSE = tokviz.SAMPLES["course"].corpus
HOSTILE = "<img src=x onerror=alert(1)>👩‍🚀é\u202e\ud800\x00"


def string(view, face):
    shown = view["table"][face][0]
    return shown if isinstance(shown, str) else "".join(shown)


def words_of(node, view):
    return [string(view, view["nodes"][child]["face"]) for child in node["children"]]


# --- merges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("bpe", {"pretokenizer": "gpt2", "unit": "byte"}),
        ("bpe", {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
        ("wordpiece", {"pretokenizer": "bert"}),
        ("sentencepiece-bpe", {"pretokenizer": "sentencepiece"}),
    ],
)
def test_every_node_is_the_step_that_made_it(algorithm, settings):
    history = tokviz.train(COURSE, algorithm, 60, **settings)
    seen = 0
    for word in history.words.words:
        view = tree_view(history, word)
        for node in view["nodes"]:
            if node["step"] is None:
                assert not node["children"]
                continue
            step = history.steps[node["step"]]
            assert words_of(node, view) == [step.left, step.right]
            assert string(view, node["face"]) == step.token
            assert (node["count"], node["tied"]) == (step.count, step.tied)
            table = history.candidates(node["step"])
            rows = {(r.left, r.right): (i + 1, r.count) for i, r in enumerate(table.itertuples())}
            before = history.segmentation(word, node["step"])
            pairs = {*pairwise(before)} - {(step.left, step.right)}
            lost = {(string(view, a), string(view, b)): (k, n) for a, b, n, k in node["lost"]}
            assert {pair: rows[pair] for pair in pairs if pair in rows} == {
                pair: found for pair, found in lost.items() if found[0] is not None
            }
            assert lost.keys() <= pairs
            seen += len(lost)
    assert seen > 20


def test_the_lost_pairs_that_are_not_sent_are_counted():
    history = tokviz.train({"abcdefghijklmnopqrstuvwxyz": 1, "yz": 5}, "bpe", 27)
    [node] = [n for n in tree_view(history, "abcdefghijklmnopqrstuvwxyz")["nodes"] if n["children"]]
    assert len(node["lost"]) == MOST_LOST
    assert node["lost_more"] == 24 - MOST_LOST


def test_likelihood_scores_are_those_of_the_steps():
    history = tokviz.train(HUG, "wordpiece", 20, "whitespace")
    for node in tree_view(history, "hugs")["nodes"]:
        if node["step"] is not None:
            assert node["score"] == f"{history.steps[node['step']].score:.4g}"
    frequency = tokviz.train(HUG, "wordpiece", 20, "whitespace", score="frequency")
    assert {node["score"] for node in tree_view(frequency, "hugs")["nodes"]} == {None}


def test_wordpiece_shows_encoding_beside_training():
    words = {"xbc": 5, "abd": 3, "abc": 1}
    history = tokviz.train(words, "wordpiece", 11, "whitespace", score="frequency")
    view = tree_view(history, "abc")
    shown = [(m["first"], [string(view, f) for f, _, _ in m["tokens"]]) for m in view["matches"]]
    assert shown == [(0, ["a", "##b", "##c"]), (1, ["a", "##bc"]), (3, ["ab", "##c"])]
    assert view["leaf_of"] == [0, 1, 2, 3]
    unknown = tree_view(history, "abq")["matches"][0]
    assert unknown["unknown"]
    assert unknown["tokens"][0][1:] == [0, 3]
    assert tree_view(tokviz.train(words, "bpe", 11), "abc")["matches"] == []


def test_the_symbols_of_a_character_are_its_bytes():
    history = tokviz.train("é日", "bpe", 5, "whitespace", unit="byte")
    view = tree_view(history, "é日")
    assert view["leaf_of"] == [0, 2, 5]
    assert sum(not node["children"] for node in view["nodes"]) == 5


def test_unknown_bytes_are_bytes():
    history = tokviz.train("hug", "bpe", 3, "whitespace", unit="byte")
    view = tree_view(history, "é")
    assert view["table"] == [(byte, None, "unknown", history.colour(byte)) for byte in "Ã©"]


def test_unknown_symbols_are_shown_as_such():
    for algorithm in ("bpe", "sentencepiece-bpe"):
        history = tokviz.train("hug hugs", algorithm, 12, "sentencepiece")
        view = tree_view(history, " hüg")
        kinds = {string(view, n["face"]): view["table"][n["face"]][2] for n in view["nodes"]}
        assert kinds["ü"] == "unknown"
        assert kinds["▁"] == ""


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram", "sentencepiece-unigram"])
@pytest.mark.parametrize("word", [HOSTILE, "", " ", "a"])
def test_any_word_can_be_written_down(algorithm, word):
    history = tokviz.train(COURSE + HOSTILE, algorithm, 120, "none" if word == HOSTILE else "gpt2")
    merges = algorithm in ("bpe", "wordpiece")
    view = tree_view(history, word) if merges else lattice_view(history, word, 0)
    assert json.loads(json.dumps(view)) is not None


# --- Unigram --------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-unigram"])
def test_every_state_has_its_lattice(algorithm):
    pretokenizer = "gpt2" if algorithm == "unigram" else "sentencepiece"
    history = tokviz.train(COURSE, algorithm, 70, pretokenizer)
    word = max(history.words.words, key=len)
    view = lattice_view(history, word, 0)
    assert [*view["frames"]] == [str(t) for t in range(len(history) + 1)]
    for t in range(len(history) + 1):
        frame, lattice = view["frames"][str(t)], history.lattice(word, t)
        assert frame["segmentations"] == f"{lattice.segmentations:,}"
        assert len(frame["edges"]) == len(lattice.edges)
        for edge, theirs, p in zip(
            frame["edges"], lattice.edges, lattice.posteriors(), strict=True
        ):
            assert (edge["start"], edge["end"]) == (theirs.start, theirs.end)
            assert string(view, edge["face"]) == theirs.token
            assert edge["log_prob_exact"] == f"{theirs.log_prob:.6f}".replace("-", "−")
            assert edge["share"] == percent(p)
            assert isclose(edge["posterior"], p, abs_tol=5e-5)
        best = lattice.chosen()
        assert tuple(frame["ways"][0]["edges"]) == best.edges
        assert [i for i, edge in enumerate(frame["edges"]) if edge["best"]] == [*best.edges]
        total = sum(exp(way.log_prob) for way in lattice.n_best(lattice.segmentations))
        for way, theirs in zip(frame["ways"], lattice.n_best(8), strict=True):
            assert way["share"] == percent(exp(theirs.log_prob) / total)
            terms, total_shown = numbers(way["terms"]), numbers(way["sum"])[0]
            assert abs(total_shown - Decimal(theirs.log_prob)) <= Decimal("0.0051")
            if 1 < len(theirs.edges) <= MOST_FACTORS:
                assert sum(terms) == total_shown, "what is shown adds up"
                assert len(terms) == len(theirs.edges)
            else:
                assert not terms


def test_segmentations_that_are_nearly_as_probable_have_other_sums():
    words = {"bb": 12, "bcba": 16, "cbaa": 25, "ccbc": 18}
    history = tokviz.train(words, "unigram", 8, "whitespace", whole_words=False)
    ways = lattice_view(history, "cbaa", 0)["frames"]["0"]["ways"]
    exact = [way.log_prob for way in history.lattice("cbaa", 0).n_best(8)]
    apart = [not isclose(one, other, rel_tol=1e-9) for one, other in pairwise(exact)]
    for is_apart, (one, other) in zip(apart, pairwise(ways), strict=True):
        [better], [worse] = numbers(one["sum"]), numbers(other["sum"])
        assert better > worse if is_apart else better >= worse
    assert any(apart)


def numbers(shown):
    """The numbers of a sum as it is shown: "−2.51 − 2.35"."""
    return [Decimal(term) for term in shown.replace("− ", "-").replace("−", "-").split()]


def test_a_product_of_counts_is_the_probability():
    history = tokviz.train(HUG, "unigram", 13, "whitespace", whole_words=False)
    counts = dict(zip(*history.candidates(0)[["token", "count"]].T.to_numpy(), strict=True))
    for word in HUG:
        view = lattice_view(history, word, 0)
        for way in view["frames"]["0"]["ways"]:
            tokens = [string(view, view["frames"]["0"]["edges"][i]["face"]) for i in way["edges"]]
            exact = Fraction(prod(counts[token] for token in tokens), 210 ** len(tokens))
            above, below = way["exact"].split(" / ")
            power = {"210": 1, "210²": 2, "210³": 3, "210⁴": 4}[below]
            shown = Fraction(prod(map(int, above.split(" × "))), 210**power)
            assert shown == exact
            assert isclose(float(numbers(way["sum"])[0]), log(exact), abs_tol=0.005)


def test_pug_has_an_exact_tie():
    history = tokviz.train(HUG, "unigram", 13, "whitespace", whole_words=False)
    ways = lattice_view(history, "pug", 0)["frames"]["0"]["ways"]
    first, second, third = (numbers(way["sum"]) for way in ways)
    assert first == second > third
    assert [(way["exact"], way["tied"]) for way in ways] == [
        ("17 × 20 / 210²", True),
        ("17 × 20 / 210²", True),
        ("17 × 36 × 20 / 210³", False),
    ]


def test_long_products_are_written_only_for_ties():
    words = {"abcdef": 1, "abcdeg": 1}
    history = tokviz.train(words, "unigram", 8, "whitespace", seed_size=8)
    last = lattice_view(history, "abcdef", len(history))["frames"][str(len(history))]
    for way in last["ways"]:
        assert bool(way["exact"]) == (way["tied"] or len(way["edges"]) <= 4)


def test_only_the_states_around_the_present_one_are_sent():
    history = tokviz.train(
        tokviz.SAMPLES["alice"].corpus, "unigram", 70, "gpt2", prune_fraction=0.01
    )
    assert len(history) > 2 * MOST_STATES
    for here in (0, MOST_STATES, len(history)):
        states = [int(t) for t in lattice_view(history, "a", here)["frames"]]
        assert len(states) == MOST_STATES
        assert states == [*range(states[0], states[0] + MOST_STATES)]
        assert here in states


def test_a_word_that_cannot_be_cut_has_no_way():
    history = tokviz.train(HUG, "unigram", 13, "whitespace", unknown="word")
    frame = lattice_view(history, "hux", 0)["frames"]["0"]
    assert (frame["ways"], frame["segmentations"]) == ([], "0")


def test_unknown_characters_have_edges_of_their_own():
    history = tokviz.train(HUG, "unigram", 13, "whitespace", unknown="character")
    view = lattice_view(history, "hux", 0)
    edge = view["frames"]["0"]["edges"][-1]
    assert view["table"][edge["face"]] == ("<unk>", None, "unknown", history.colour("<unk>"))
    assert all(not way["exact"] for way in view["frames"]["0"]["ways"])


def test_a_removed_piece_takes_its_other_places_along():
    history = tokviz.train(HUG, "unigram", 13, "whitespace", whole_words=False)
    lattice = history.lattice("pugpug", 0)
    first = next(i for i, edge in enumerate(lattice.edges) if edge.token == "ug")
    view = removal_view(history, "pugpug", 0, [first, 99])
    assert [lattice.edges[i].token for i in view["edges"]] == ["ug", "ug"]
    assert [lattice.edges[i].token for i in view["after"]] == ["pu", "g", "pu", "g"]
    assert view["corpus"] == ""


def test_a_removal_costs_what_the_score_table_says():
    history = tokviz.train(HUG, "unigram", 13, "whitespace", whole_words=False)
    edges = history.lattice("hug", 0).edges
    [hug] = [i for i, edge in enumerate(edges) if edge.token == "hug"]
    view = removal_view(history, "hug", 0, [hug])
    assert view["loss"] == "4.9904 instead of 2.6391 (+2.3514)"
    assert view["corpus"] == "10 times that, +23.5138,"
    gone = removal_view(history, "hug", 0, [i for i, e in enumerate(edges) if e.start == 0])
    assert (gone["after"], gone["loss"], gone["corpus"]) == (None, "", "")


def test_an_em_step_flows_from_shares_into_probabilities():
    """count × share is what is shown, sums to the expected count over all words, and only where the
    next step is an EM step."""
    history = tokviz.train(COURSE, "sentencepiece-unigram", 40, min_expected_count=0.1)
    for t in range(len(history) + 1):
        sums, unit = Counter(), Decimal(10) ** -4
        for word, count in zip(history.words.words, history.words.counts, strict=True):
            frame = lattice_view(history, word, t)["frames"][str(t)]
            assert bool(frame["flows"]) == (history.action(t) == "em")
            found = flows(history, history.lattice(word, t), t)
            sums.update({flow.token: flow.times * flow.share for flow in found})
            assert len(frame["flows"]) == min(MOST_FLOWS, len(found))
            for flow, row in zip(found, frame["flows"], strict=False):
                assert flow.times == count
                assert Decimal(row["share"]) * int(row["count"]) == Decimal(row["part"])
                assert abs(Decimal(row["share"]) - Decimal(flow.share)) <= unit
                after = flow.after if flow.token in history.vocab(t + 1) else 0
                assert (row["before"], row["after"]) == (f"{flow.before:.4g}", f"{after:.4g}")
        alive = [history.strings[i] for i in history.alive(t).tolist()]
        expected = dict(zip(alive, history.expected_counts(t).tolist(), strict=True))
        first = alive[0]
        for token, total in sums.items():
            # The first piece has the unknown characters, too.
            if token != first:
                assert total == pytest.approx(expected[token], rel=1e-3, abs=1e-4)


def test_the_way_that_is_taken_is_the_one_of_the_library():
    """In a corpus of ties, rounding to single precision decides; the lens shows what it decided."""
    draw, differs = random.Random(1), 0
    for _ in range(some(60)):
        words = {" " + "".join(draw.choices("abc", k=draw.randint(1, 7))): 3 for _ in range(12)}
        try:
            history = tokviz.train(words, "sentencepiece-unigram", draw.randint(8, 20))
        except ValueError:  # no vocabulary of that size
            continue
        for word in history.words.words:
            view = lattice_view(history, word, 0)
            for t in range(len(history) + 1):
                frame, lattice = view["frames"][str(t)], history.lattice(word, t)
                way = frame["ways"][0]["edges"]
                spans = [(frame["edges"][i]["start"], frame["edges"][i]["end"]) for i in way]
                assert spans == history.tokenizer(t).encoder.path(word)
                assert [i for i, edge in enumerate(frame["edges"]) if edge["best"]] == [*way]
                differs += lattice.best() != lattice.chosen()
    assert differs, "else this says nothing"
