"""Whatever comes before the first state of a Unigram run can be cancelled, and says so."""

import pytest

import tokviz
from tokviz.trainers import sentencepiece_unigram

HUG = {" hug": 10, " pug": 5, " hugs": 5}
UNIGRAMS = {"unigram": "tokens", "sentencepiece-unigram": "steps"}


@pytest.mark.parametrize(("algorithm", "stage"), UNIGRAMS.items())
def test_before_the_first_state(algorithm, stage):
    with pytest.raises(tokviz.Cancelled, match="before the first state was known"):
        tokviz.train(HUG, algorithm, 12, progress=lambda report: report.stage != stage)


@pytest.mark.parametrize("part", ["find_seeds", "UnigramEM"])
def test_while_something_long_is_made(monkeypatch, part):
    """The part gets a pause that asks the callback; here somebody cancels during it."""
    cancelling = []

    def made(*args):
        cancelling.append(True)
        args[-1]()
        pytest.fail("goes on")

    monkeypatch.setattr(tokviz.basics.progress.Reporter.__init__, "__defaults__", (0,))
    monkeypatch.setattr(sentencepiece_unigram, part, made)
    with pytest.raises(tokviz.Cancelled, match="looking for seeds"):
        tokviz.train(
            HUG,
            "sentencepiece-unigram",
            12,
            progress=lambda report: report.stage != "words" or not cancelling,
        )
    assert cancelling == [True]


def test_where_nothing_is_to_be_pruned_no_share_is_below_zero(monkeypatch):
    monkeypatch.setattr(tokviz.basics.progress.Reporter.__init__, "__defaults__", (0,))
    reports = []
    tokviz.train(HUG, "unigram", 5000, progress=reports.append)
    assert {report.done for report in reports if report.stage == "tokens"} == {0}
