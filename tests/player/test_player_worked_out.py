"""The loss deltas that the player shows word by word: numbers that add up, and are the engine's."""

from decimal import Decimal
from itertools import accumulate

import pytest

import tokviz
from tokviz.player import columns as module
from tokviz.player.columns import unigram_columns

COURSE = tokviz.SAMPLES["course"].corpus
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
CASES = {
    "course": (COURSE, 45, {"pretokenizer": "gpt2"}),
    "hug": (HUG, 8, {"pretokenizer": "whitespace", "whole_words": False}),
    "dropped": (COURSE, 60, {"interventions": {0: ("drop", "▁This", "Hugging")}}),
    "counts": ({"ab": 2**40, "abc": 2**50, "b": 3, "cab": 7}, 3, {}),
}


def number(written):
    return Decimal(written.replace(",", ""))


@pytest.mark.parametrize("name", CASES)
def test_shown_terms_add_up_to_the_delta_of_the_score_table(name):
    corpus, size, settings = CASES[name]
    history = tokviz.train(corpus, "unigram", size, **settings)
    header = {}
    unigram_columns(history, [], header)
    seen = 0
    for t, worked_out in header["worked_out"].items():
        table = history.candidates(t)
        going = table[table.chosen & (table.loss_delta > 0)]
        dearest = going.sort_values("loss_delta", ascending=False, kind="stable")
        users = [len(history.users(token, t)) for token in dearest.token]
        room = sum(n <= module.MOST_WORDS for n in accumulate(users))
        # The dearest ones, as far as there is room.
        assert sorted(history.strings[i] for i in worked_out) == sorted(dearest.token[:room])
        deltas = dict(zip(table.token, table.loss_delta, strict=True))
        for i, found in worked_out.items():
            token, total = history.strings[i], number(found["total"])
            assert found["total"] == f"{deltas[token]:.4g}"
            unit = Decimal(10) ** (total.adjusted() - 3)
            rises = []
            for word, count, after, before, rise, cut in found["rows"]:
                off = abs(count * (number(after) - number(before)) - number(rise))
                assert off <= (Decimal("1.5") if found["adjusted"] else Decimal("0.5")) * unit
                assert "".join(history.strings[k] for k in cut).lstrip("▁Ġ") == word.lstrip("▁Ġ")
                assert i not in cut
                rises.append(number(rise))
            assert sum(rises) + number(found["rest"][1]) == total
            assert len(rises) + found["rest"][0] == len(history.loss_terms(token, t))
            seen += 1
    assert seen


def test_words_beyond_the_first_are_added_up_as_one(monkeypatch):
    monkeypatch.setattr(module, "MOST_TERMS", 1)
    history = tokviz.train(COURSE, "unigram", 45)
    header = {}
    unigram_columns(history, [], header)
    found = [one for state in header["worked_out"].values() for one in state.values()]
    assert any(one["rest"][0] for one in found)
    for one in found:
        assert number(one["rows"][0][4]) + number(one["rest"][1]) == number(one["total"])
