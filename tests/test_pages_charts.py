"""The curves as charts."""

import pandas as pd
import pytest

import tokviz
from tokviz.pages.charts import CURSOR, MOST_POINTS, curve_chart, thinned, titles


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
def test_every_curve_of_every_algorithm_has_a_cursor_that_the_player_moves(algorithm):
    history = tokviz.train(tokviz.SAMPLES["course"].corpus, algorithm, 80)
    curve = history.curve()
    shown = titles(curve, algorithm)
    assert ("loss" in shown) == (algorithm == "unigram")
    for column, title in shown.items():
        chart = curve_chart(curve, column, title, 1).to_dict()
        assert chart["title"]["text"] == title
        (cursor,) = chart["params"]
        assert (cursor["value"], cursor["name"]) == (1, CURSOR)
        assert cursor["bind"]["max"] == len(history)
        domains = [layer["encoding"]["x"]["scale"]["domain"] for layer in chart["layer"]]
        assert all(domain == [0, len(history)] for domain in domains), "the cursors line up"


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    curve = pd.DataFrame({"step": range(65_001)})
    steps = thinned(curve).step.tolist()
    assert len(steps) <= MOST_POINTS + 1
    assert (steps[0], steps[-1]) == (0, 65_000)
    assert thinned(curve.head(5)).step.tolist() == [0, 1, 2, 3, 4]
