"""The end of a first-seen run by hand; test_bpe.py compares whole runs with the plain loop."""

import pytest

import tokviz
from tokviz.trainers.merging import loop
from tokviz.trainers.merging.folding import fold
from tokviz.trainers.merging.pairs import PairIndex
from tokviz.trainers.merging.vocabulary import Size


def test_a_vocabulary_that_is_full_is_not_cancelled():
    """As in the loop, which looks at the size first."""
    asked = []
    folded = fold(PairIndex(["\0\1\2"], [1], 3), Size(3), 5, 20, lambda n: asked.append(n) or n > 1)
    assert (folded.left, folded.right) == ([0, 3], [1, 2])
    assert not folded.cancelled
    assert asked == [1]


def test_folding_begins_when_no_pair_occurs_twice(monkeypatch):
    """a + b twice, then what is left: ab + c, then d + e."""
    folds = []
    monkeypatch.setattr(loop, "fold", lambda *args: folds.append(fold(*args)) or folds[-1])
    history = tokviz.train({"abc": 1, "ab": 1, "de": 1}, vocab_size=9)
    assert [step.token for step in history.steps] == ["ab", "abc", "de"]
    [folded] = folds
    assert (folded.left, folded.right) == ([5, 3], [2, 4])


@pytest.mark.parametrize("rule", ["shortest", "smallest-ids", "largest-pair"])
def test_other_rules_never_fold(monkeypatch, rule):
    monkeypatch.setattr(loop, "fold", lambda *_: pytest.fail("folds"))
    assert len(tokviz.train({"abc": 1, "de": 1}, vocab_size=9, tie_break=rule)) == 3
