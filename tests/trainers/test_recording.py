"""What is done before the first merge says how far it is, and can be cancelled."""

import pytest

import tokviz
from tokviz import Cancelled
from tokviz.basics import progress
from tokviz.text.symbols import Spelling, Symbol
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.merging.task import Start

WORDS = WordCounts(tuple(f"{i:05}" for i in range(45_000)), (1,) * 45_000)
DIGITS = [Symbol(digit) for digit in "0123456789"]


def test_words_are_told_while_they_are_numbered(monkeypatch):
    monkeypatch.setattr(progress.Reporter.__init__, "__defaults__", (0,))
    seen = []
    Start.of(WORDS, Spelling(), DIGITS, seen.append)
    assert [report.done for report in seen] == [0, 20_000, 40_000]


def test_numbering_is_cancelled():
    with pytest.raises(Cancelled, match="before the first merge"):
        Start.of(WORDS, Spelling(), DIGITS, lambda _: False)


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_the_total_is_the_number_of_merges_asked_for(algorithm):
    seen = []
    tokviz.train({"ab": 1, "cd": 1}, algorithm, 6, "whitespace", seen.append)
    assert [report.total for report in seen if report.stage == "merges"][:1] == [2]
