"""The model of SentencePiece's Unigram by hand, on "ab" three times and "a" twice;
test_sentencepiece_unigram.py compares whole trainings with the library."""

from math import exp, log

import numpy as np
import pytest

from tokviz.encoding import lattice
from tokviz.trainers.pruning import corpus_lattices
from tokviz.trainers.pruning.em_model import Losses, UnigramEM, digamma
from tokviz.trainers.pruning.seed_pieces import Seeds
from tokviz.trainers.sentencepiece_settings import Prepared

NAN = float("nan")


def no_pause():
    pass


def model_of(scores, words=None, required="ab"):
    """The model of some seeds, piece → score, characters first."""
    words = words or {"ab": 3, "a": 2}
    pieces, edges = list(scores), []
    for w, word in enumerate(words):
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                piece = word[start:end]
                if piece in scores or len(piece) == 1:
                    token = pieces.index(piece) if piece in scores else len(pieces)
                    edges.append((w, start, len(piece), token))
    counts = np.asarray(list(words.values()), np.int64)
    prepared = Prepared(
        list(words), counts, counts, np.arange(len(words)), dict.fromkeys(required, 1)
    )
    columns = np.asarray(edges, np.int64).T
    values = np.asarray(list(scores.values()), np.int64)
    return UnigramEM(prepared, Seeds(pieces, values, tuple(columns)), "0.2.1", no_pause)


def set_log_probs(model, *log_probs):
    model.set_scores(np.asarray(log_probs, np.float32))


def test_scores_become_log_probabilities_and_unknown_is_10_below_the_least():
    model = model_of({"a": 5, "b": 3, "ab": 2})
    assert model.log_prob == pytest.approx([log(0.5), log(0.3), log(0.2), log(0.2) - 10], abs=1e-6)


def test_the_e_step():
    """ "ab" is ab with 0.2 or a, b with 0.15."""
    model = model_of({"a": 5, "b": 3, "ab": 2})
    survey = model.survey(no_pause, expect=True)
    apart = 3 * 0.15 / 0.35
    assert survey.expected == pytest.approx([apart + 2, apart, 3 - apart], abs=1e-6)
    assert survey.loss == pytest.approx(-(3 * log(0.35) + 2 * log(0.5)) / 5, abs=1e-6)
    assert (survey.frequency.tolist(), survey.unknown) == ([2, 0, 3], 0)
    assert not model.survey(no_pause, expect=False).expected.any()


def test_the_m_step_keeps_what_is_expected_just_often_enough():
    model = model_of({"a": 5, "b": 3, "ab": 2})
    model.maximize(np.asarray([2.0, 0.499, 0.5]), 0.5)
    assert model.order.tolist() == [0, 2]
    one, two, total = digamma(np.asarray([2.0, 0.5, 2.5]))
    assert model.log_prob[model.order] == pytest.approx([one - total, two - total], abs=1e-6)
    # b is unknown now, and stays in the lattices.
    assert model.log_prob[[1, 3]].tolist() == [model.log_prob[2] - 10] * 2
    set_log_probs(model, -1.0, -20.0)
    survey = model.survey(no_pause, expect=True)
    # Unknown characters count for the first piece.
    assert (survey.frequency.tolist(), survey.unknown) == ([2, 3], 0)
    shares = exp(-20), exp(-1 - 30)
    apart = 3 * shares[1] / sum(shares)
    assert survey.expected == pytest.approx([2 + 2 * apart, 3 - apart], rel=1e-6)
    model.prune(np.asarray([2, 0]), losses_of([NAN, NAN]), 1)
    survey = model.survey(no_pause, expect=True)
    assert (survey.frequency.tolist(), survey.unknown) == ([8], 3)
    assert survey.expected == pytest.approx([8])


def test_what_is_never_expected_goes_even_if_nothing_is_asked_for():
    model = model_of({"a": 5, "b": 3, "ab": 2})
    model.maximize(np.asarray([2.0, 0.0, 1.0]), 0.0)
    assert model.order.tolist() == [0, 2]


def test_losses():
    """Without ab its one occurrence becomes a, b: the counts sum up to 8 then, not 7. The loss is
    that of one of five words."""
    model = model_of({"a": 5, "b": 3, "ab": 2})
    losses = model.losses(np.asarray([4, 2, 1]), no_pause)
    rise = 1 / 5 * (log(1 / 7) - (log((4 + 1) / 8) + log((2 + 1) / 8)))
    assert losses.loss == pytest.approx([NAN, NAN, rise], abs=1e-6, nan_ok=True)
    assert losses.alternative.tolist() == [0, 1]
    assert losses.alternative_starts.tolist() == [0, 0, 0, 2]
    assert not losses.split.any()
    assert np.isnan(model.losses(np.asarray([5, 3, 0]), no_pause).loss).all(), "unused"


@pytest.mark.parametrize(("log_prob", "split"), [(-3.0, False), (-3.0625, True)])
def test_a_piece_is_split_if_its_parts_are_more_probable(log_prob, split):
    model = model_of({"a": 5, "b": 3, "ab": 2})
    set_log_probs(model, -1.0, -2.0, log_prob)
    losses = model.losses(np.asarray([2, 0, 3]), no_pause)
    assert losses.split.tolist() == [False, False, split]
    assert np.isnan(losses.loss[2]) == split


def test_losses_of_what_is_left_know_what_went():
    """abc was ab + c; without ab it is a + b + c."""
    model = model_of({"a": 5, "b": 3, "c": 3, "ab": 9, "abc": 9}, {"abc": 2}, "abc")
    assert model.losses(np.ones(5, np.int64), no_pause).alternative.tolist() == [0, 1, 3, 2]
    model.maximize(np.asarray([5.0, 3.0, 3.0, 0.0, 9.0]), 0.5)
    assert model.losses(np.ones(4, np.int64), no_pause).alternative.tolist() == [0, 1, 2]


def test_losses_are_in_the_order_of_the_pieces():
    """A pruning puts ba before ab."""
    model = model_of({"a": 5, "b": 3, "ab": 2, "ba": 2}, {"aba": 2})
    assert model.losses(np.ones(4, np.int64), no_pause).alternative.tolist() == [0, 1, 1, 0]
    model.prune(np.ones(4, np.int64), losses_of([NAN, NAN, 0.1, 0.5]), 4)
    assert model.order.tolist() == [0, 1, 3, 2]
    assert model.losses(np.ones(4, np.int64), no_pause).alternative.tolist() == [1, 0, 0, 1]


def losses_of(loss, split=()):
    splits = np.asarray([i in split for i in range(len(loss))])
    return Losses(np.asarray(loss, np.float32), splits, np.empty(0, int), np.zeros(1, int))


@pytest.mark.parametrize(
    ("size", "left"),
    [(5, [0, 4, 2, 3, 5]), (4, [0, 4, 2, 3]), (3, [0, 4, 2]), (2, [0, 4]), (1, [0, 4, 2, 3, 5])],
)
def test_pruning(size, left):
    """0 and 4 have no alternative and are safe; 2 and 3 tie. 1 is unused, 6 split. With fewer
    places than safe pieces the library keeps everything."""
    pieces = {"a": 9, "b": 8, "ab": 7, "ba": 6, "aa": 5, "bb": 4, "aab": 3}
    model = model_of(pieces)
    before = model.log_prob.copy()
    losses = losses_of([NAN, NAN, 0.5, 0.5, NAN, 0.25, NAN], split=[6])
    model.prune(np.asarray([3, 0, 1, 1, 2, 1, 1]), losses, size)
    assert model.order.tolist() == left
    assert model.log_prob[left].tolist() == before[left].tolist()


def test_the_final_choice():
    """Required characters first, whatever their probability; those that were lost get the least
    one and a little more each. Equals are by name."""
    pieces = {"c": 1, "b": 1, "a": 1, "bc": 9, "ab": 9, "aa": 5}
    model = model_of(pieces, {"abc": 1}, "cba")
    model.maximize(np.asarray([0.0, 0.0, 1.0, 9.0, 9.0, 5.0]), 0.5)
    set_log_probs(model, -8.0, -2.0, -2.0, -3.0)
    assert model.finalize({"c": 1, "b": 1, "a": 1}, 5) == ["c", "b"]
    names = [list(pieces)[i] for i in model.order]
    assert names == ["ab", "bc", "b", "a", "c"]
    found = dict(zip(names, model.log_prob[model.order].tolist(), strict=True))
    assert found == pytest.approx({"ab": -2.0, "bc": -2.0, "a": -8.0, "c": -8.0, "b": -7.9999})
    assert model.finalize({"c": 1, "b": 1, "a": 1}, 4) == []
    assert {list(pieces)[i] for i in model.order} == {"a", "b", "c", "ab"}


def test_equals_are_finally_chosen_by_name():
    pieces = {"c": 1, "b": 1, "a": 1, "bc": 9, "ab": 9}
    model = model_of(pieces, {"abc": 1}, "cba")
    set_log_probs(model, -1.0, -1.0, -1.0, -2.0, -2.0)
    assert model.finalize({"c": 1, "b": 1, "a": 1}, 4) == []
    assert [list(pieces)[i] for i in model.order] == ["a", "b", "c", "ab"]


def test_exact_deltas():
    """Without ab, "ab" costs a and b instead; characters have none."""
    model = model_of({"a": 5, "b": 3, "ab": 2}, {"ab": 3, "a": 2, "abab": 7})
    rise = log(0.2) - log(0.5) - log(0.3)
    assert model.exact_deltas(no_pause) == pytest.approx(
        [NAN, NAN, (3 + 2 * 7) * rise], abs=1e-5, nan_ok=True
    )


def test_exact_deltas_where_a_piece_fits_twice():
    """Without one of the two places of aa the other would do: all have to go."""
    model = model_of({"a": 5, "aa": 5}, {"aaa": 2}, "a")
    assert model.exact_deltas(no_pause) == pytest.approx([NAN, 2 * log(2)], abs=1e-5, nan_ok=True)


def test_sheets_of_words_change_nothing(monkeypatch):
    words = {"ab" * n + "a": n for n in range(1, 20)}
    scores = {"a": 5, "b": 3, "ab": 2, "ba": 2, "aba": 1}
    whole = model_of(scores, words)
    deltas = whole.exact_deltas(no_pause)
    monkeypatch.setattr(corpus_lattices, "SHEET", 10)
    monkeypatch.setattr(lattice, "BATCH", 20)
    parts = model_of(scores, words)
    assert parts.exact_deltas(no_pause) == pytest.approx(deltas, nan_ok=True)
    assert len(parts.corpus.sheets) > len(whole.corpus.sheets)
    one, other = (model.survey(no_pause, expect=True) for model in (whole, parts))
    assert one.loss == pytest.approx(other.loss)
    assert one.expected.tolist() == other.expected.tolist(), "added in the same order"
    assert sorted(zip(*one.path, strict=True)) == sorted(zip(*other.path, strict=True))


def test_digamma_of_whole_numbers():
    """ψ(n) is the sum of 1/k up to n − 1, less Euler's constant."""
    numbers = [1, 2, 6, 7, 8, 30]
    expected = [sum(1 / k for k in range(1, n)) - 0.5772156649015329 for n in numbers]
    assert digamma(np.asarray(numbers, float)) == pytest.approx(expected, abs=2e-10)


def test_counts_are_in_single_precision_where_they_are_multiplied():
    """The library holds 2**24 + 1 as 2**24 there; frequencies stay whole numbers."""
    model = model_of({"a": 5, "b": 3, "ab": 2}, {"ab": 2**24 + 1})
    [(_, lattices)] = model.corpus.sheets
    set_log_probs(model, -2.0, -2.0, -2.9014)
    survey = model.survey(no_pause, expect=True)
    posterior = lattices.expect(model.log_prob, no_pause)[1][lattices.token.tolist().index(2)]
    assert 0.74 < posterior < 0.76
    assert survey.expected[2] == np.float32(2**24 * posterior)
    assert survey.expected[2] != np.float32((2**24 + 1) * posterior)
    assert survey.frequency.tolist() == [0, 0, 2**24 + 1]


def test_ways_that_differ_by_less_than_a_rounding_are_equal():
    """ab is worse than a, b, but not once c is added: then the earlier start wins, as in the
    library, which compares sums with the next piece in them."""
    model = model_of({"a": 5, "b": 3, "c": 3, "ab": 2}, {"abc": 1}, "abc")
    for c, frequency in ((-1.0, [1, 1, 1, 0]), (-1000.0, [0, 0, 1, 1])):
        set_log_probs(model, -1.0, -1.0, c, -2.000001)
        survey = model.survey(no_pause, expect=False)
        assert survey.frequency.tolist() == frequency
        # Where ab is the better one, it wins at any rate.
        set_log_probs(model, -1.0, -1.0, c, -1.999999)
        assert model.survey(no_pause, expect=False).frequency.tolist() == [0, 0, 1, 1]
