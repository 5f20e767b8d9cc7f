"""The Altair chart of a grid: a metric by vocabulary size, with a line for each algorithm."""

from typing import Any

import altair as alt
import pandas as pd

from tokviz.analysis.metrics import Metric
from tokviz.basics.messages import _, here
from tokviz.pages.lenses.charts import LANES
from tokviz.trainers import TRAINERS

#: Each algorithm has the same colour, dashes and marks in every grid. The colours have enough
#: contrast on a light and on a dark background.
_COLOURS = [*LANES, "#1f9478", "#b35fb5", "#8a7a2e", "#6f7683", "#c95a3c", "#4a6fd0"]
_DASHES = [
    *([1, 0], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]),
    *([12, 4], [6, 2, 2, 2], [1, 3], [9, 2], [3, 1]),
]
_POINTS = [
    *("circle", "square", "triangle-up", "diamond"),
    *("cross", "triangle-down", "triangle-left", "triangle-right"),
    # A star, and a hexagon on its point, which Vega has no names for.
    "M0,-1L.26,-.36L.95,-.31L.43,.14L.59,.81L0,.45L-.59,.81L-.43,.14L-.95,-.31L-.26,-.36Z",
    "M0,-1L.87,-.5L.87,.5L0,1L-.87,.5L-.87,-.5Z",
]
_NAMES = [kind.label for kind in TRAINERS.values()]


def grid_chart(table: pd.DataFrame, metric: Metric) -> alt.LayerChart | alt.FacetChart:
    """Return the chart of a metric, with each trained cell at the vocabulary size it reached.

    The columns of `table` are those of `tokviz.analysis.grid`; `algorithm` holds the labels of
    `TRAINERS`.
    """
    cells = table.loc[table["error"] == "", ["algorithm", "vocab_size", "reached", metric.name]]
    cells = cells.astype({"reached": int, metric.name: float})
    shown = [name for name in _NAMES if name in set(cells["algorithm"])]
    places = [_NAMES.index(name) for name in shown]
    number = ",d" if metric.name == "corpus_tokens" else ".4f"

    def scale(values: list[Any]) -> alt.Scale:
        return alt.Scale(domain=shown, range=[values[place] for place in places])

    # Dashes would break up the outlines of the legend's marks.
    legend = alt.Legend(
        title=None, orient="top", symbolSize=90, symbolStrokeWidth=0, labelLimit=0, columns=3
    )
    colour = alt.Color("algorithm:N", scale=scale(_COLOURS), legend=legend)
    base = alt.Chart(cells).encode(
        x=alt.X(
            "reached:Q",
            title=_("Vocabulary size"),
            scale=alt.Scale(zero=False, nice=False, padding=16),
            axis=alt.Axis(
                values=sorted(set(cells["vocab_size"].tolist())),
                format=",d",
                grid=False,
                labelOverlap="greedy",
            ),
        ),
        y=alt.Y(
            f"{metric.name}:Q",
            title=None,
            scale=alt.Scale(zero=False, padding=8),
            axis=alt.Axis(tickCount=5),
        ),
        color=colour,
    )
    dash = alt.StrokeDash("algorithm:N", scale=scale(_DASHES), legend=None)
    shape = alt.Shape("algorithm:N", scale=scale(_POINTS), legend=legend)
    tooltip = [
        alt.Tooltip("algorithm:N", title=_("Algorithm")),
        alt.Tooltip("vocab_size:Q", title=_("Size asked for"), format=",d"),
        alt.Tooltip("reached:Q", title=_("Size reached"), format=",d"),
        alt.Tooltip(f"{metric.name}:Q", title=here(metric.label), format=number),
    ]
    return alt.layer(
        base.mark_line(strokeWidth=1.8, aria=False).encode(strokeDash=dash),
        base.mark_point(filled=True, size=80, opacity=1, aria=False).encode(
            shape=shape, tooltip=tooltip
        ),
    ).properties(height=290)
