"""Curves as charts: what they hold, and a cursor that the player can move."""

import altair as alt
import numpy as np
import pandas as pd
import pytest

import tokviz
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.pages.lenses.charts import (
    CURSOR,
    MOST_COMPARED,
    MOST_POINTS,
    curve_chart,
    life_marks,
    life_points,
    points,
    table_points,
    titles,
)

COURSE = tokviz.SAMPLES["course"].corpus


def lanes(*kinds):
    return [tokviz.train(COURSE, algorithm, size) for algorithm, size in kinds]


@pytest.mark.parametrize("align", ALIGNMENTS)
def test_every_position_has_its_point_and_its_value(align):
    histories = lanes(("bpe", 60), ("wordpiece", 70), ("unigram", 100))
    axis = make_axis(histories, align)
    curves = [history.curve() for history in histories]
    frame = points(curves, ["a", "b", "c"], axis, "corpus_tokens")
    for p, value in enumerate(axis.values):
        here = frame[(frame.x <= value) & (value < frame.until)]
        expected = [c.corpus_tokens[s[p]] for c, s in zip(curves, axis.states, strict=True)]
        assert here.value.tolist() == expected
        assert here.lane.tolist() == ["a", "b", "c"]


def test_long_curves_are_thinned_and_keep_their_ends():
    [history] = lanes(("bpe", 60))
    curve = history.curve()
    long = type(curve)({"corpus_tokens": range(5001)})
    axis = make_axis([history], "step")._replace(
        values=long.index.to_numpy(float), states=[long.index.to_numpy()]
    )
    frame = points([long], ["a"], axis, "corpus_tokens")
    assert len(frame) == MOST_POINTS
    assert frame.value.iloc[[0, -1]].tolist() == [0, 5000]
    assert (frame.until.iloc[:-1].to_numpy() == frame.x.iloc[1:].to_numpy()).all()


def test_the_cursor_is_a_parameter_with_an_input_of_its_own():
    [history] = lanes(("bpe", 60))
    axis = make_axis([history], "step")
    frame = points([history.curve()], ["BPE"], axis, "score")
    chart = curve_chart(frame, "Count", axis, 7)
    [cursor] = chart["params"]
    assert (cursor["name"], cursor["value"]) == (CURSOR, 7)
    assert cursor["bind"] == {"input": "range", "min": 0, "max": len(history), "step": 1}


def test_charts_are_valid_vega_lite_whose_data_have_names_of_their_own():
    """By the schema that Altair brings along: the page sends a chart unchecked."""
    histories = lanes(("bpe", 60), ("unigram", 100))
    curves = [history.curve() for history in histories]
    axis, both = make_axis(histories[:1], "step"), make_axis(histories, "share")
    counts = histories[0].life(histories[0].vocab(len(histories[0]))[-1]).counts
    charts = [
        curve_chart(points(curves[:1], ["BPE"], axis, "score"), "Count", axis, 0),
        curve_chart(points(curves, ["a", "b"], both, "corpus_tokens"), "Tokens", both, 0.5),
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
    again = curve_chart(points(curves[:1], ["BPE"], axis, "score"), "Count", axis, 0)
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


def test_titles_name_the_unit_of_the_axis():
    histories = lanes(("unigram", 100), ("bpe", 60))
    curves = [history.curve() for history in histories]
    algorithms = [history.algorithm for history in histories]
    assert titles(curves[:1], ["unigram"], "step") == {
        "corpus_tokens": "Corpus tokens",
        "score": "Loss delta at the next cut",
        "loss": "Loss",
    }
    assert titles(curves, algorithms, "size")["step"] == "Step or round by vocabulary size"


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
