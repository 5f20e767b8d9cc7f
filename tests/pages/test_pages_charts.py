"""Metrics and lives of tokens as charts: what they hold, and a cursor that the player can move."""

import altair as alt
import numpy as np
import pandas as pd
import pytest

import tokviz
from tokviz.analysis.axis import make_axis
from tokviz.pages.lenses.charts import (
    CURSOR,
    MOST_COMPARED,
    curve_chart,
    life_marks,
    life_points,
    table_points,
)

COURSE = tokviz.SAMPLES["course"].corpus


def lanes(*kinds):
    return [tokviz.train(COURSE, algorithm, size) for algorithm, size in kinds]


def metric_points(histories, axis, metric):
    table = tokviz.compare(histories, COURSE, axis.align).metrics
    return table_points(table, "lane", metric)


def test_the_cursor_is_a_parameter_with_an_input_of_its_own():
    [history] = lanes(("bpe", 60))
    axis = make_axis([history], "step")
    chart = curve_chart(metric_points([history], axis, "fertility"), "Fertility", axis, 7)
    [cursor] = chart["params"]
    assert (cursor["name"], cursor["value"]) == (CURSOR, 7)
    assert cursor["bind"] == {"input": "range", "min": 0, "max": len(history), "step": 1}


def test_charts_are_valid_vega_lite_whose_data_have_names_of_their_own():
    """By the schema that Altair brings along: the page sends a chart unchecked."""
    histories = lanes(("bpe", 60), ("unigram", 100))
    axis, both = make_axis(histories[:1], "step"), make_axis(histories, "share")
    alone = metric_points(histories[:1], axis, "fertility")
    counts = histories[0].life(histories[0].vocab(len(histories[0]))[-1]).counts
    charts = [
        curve_chart(alone, "Fertility", axis, 0),
        curve_chart(metric_points(histories, both, "entropy"), "Entropy", both, 0.5),
        curve_chart(
            life_points(counts, axis), "Life", axis, 2, life_marks({"made": 0, "gone": 4}, axis)
        ),
    ]
    names = []
    for chart in charts:
        data = {name: frame.to_dict("records") for name, frame in chart["datasets"].items()}
        alt.LayerChart.from_dict({**chart, "datasets": data})
        used = [part["data"]["name"] for part in (chart, *chart["layer"]) if "data" in part]
        assert used == [*data]
        names += used
    assert len(set(names)) == len(names) == 4
    again = curve_chart(alone, "Fertility", axis, 0)
    assert again["data"] == charts[0]["data"]


@pytest.mark.parametrize(("values", "said"), [([5000.5, 7000], ",.0f"), ([0.5, 7], ".3~g")])
def test_numbers_on_an_axis_are_written_out(values, said):
    frame = pd.DataFrame({"lane": "a", "x": [0.0, 1.0], "value": values, "until": [1.0, 2.0]})
    axis = make_axis(lanes(("bpe", 60)), "step")
    line = curve_chart(frame, "Loss", axis, 0.0)["layer"][0]
    assert line["encoding"]["y"]["axis"]["format"] == said


def test_what_happens_to_a_token_is_marked_at_sizes_and_not_beyond_them():
    """A run that prunes comes back to its end there, and nothing happens on the way."""
    [history] = lanes(("unigram", 100))
    axis = make_axis([history], "size")
    assert axis.beyond
    marks = life_marks({"gone": len(history), "out of use": 2}, axis)
    expected = [history.vocab_size(len(history)), history.vocab_size(2)]
    assert marks["x"].tolist() == expected


def test_curves_of_many_positions_have_their_first_and_last_point():
    x = np.arange(1000.0)
    table = pd.DataFrame({"lane": ["a"] * 1000 + ["b"] * 1000, "x": [*x, *x], "entropy": [*x, *-x]})
    found = table_points(table, "lane", "entropy")
    assert (found["lane"] == "a").sum() == (found["lane"] == "b").sum() == MOST_COMPARED
    for lane, sign in (("a", 1), ("b", -1)):
        own = found[found["lane"] == lane]
        assert own["x"].iloc[[0, -1]].tolist() == [0, 999]
        assert (own["value"] == sign * own["x"]).all()
        # Each point stands until the next one, the last for one position.
        assert own["until"].tolist() == [*own["x"].iloc[1:], 1000]
