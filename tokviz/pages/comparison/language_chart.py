"""The Altair charts of the tokens that each language takes: before and after the mix changes, and
in each lane."""

from collections.abc import Sequence
from itertools import count

import altair as alt
import pandas as pd

from tokviz.basics.messages import _, message
from tokviz.pages.lenses.charts import LANES

#: The two trainings. Colours have enough contrast on both backgrounds; shapes differ as well.
TRAININGS = (message("before"), message("after"))
_COLOURS = [LANES[2], LANES[1]]
_SHAPES = ["circle", "diamond"]
_LANE_SHAPES = ["circle", "diamond", "square", "triangle-up"]
#: What the names in a column are names of.
_SAID = {"training": message("training"), "lane": message("lane")}
#: Pixels of a row's height, and of the longest name.
ROW, LONGEST_NAME = 23, 120
_PADDING = {"left": 0, "right": 14, "top": 0, "bottom": 8}


def ticks(greatest: float) -> list[float]:
    """Return round ratios from 1, the cheapest, to the first that is not below the greatest.

    >>> ticks(13.08)
    [1, 2, 4, 6, 8, 10, 12, 14]
    >>> ticks(1.28)
    [1.0, 1.2, 1.4]
    """
    # Counted in tenths, so that the numbers stay exact.
    step = next(
        step * 10**power
        for power in count()
        for step in (2, 5, 10)
        if greatest <= 1 + 0.7 * step * 10**power
    )
    last = next(n for n in count(10 // step + 1) if n * step >= 10 * greatest)
    tenths = [10, *(n * step for n in range(10 // step + 1, last + 1))]
    return [n // 10 if step >= 10 else n / 10 for n in tenths]


def language_chart(table: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Return a chart with a row for each language of `tokviz.analysis.language_costs.compared`, in
    its order: the two ratios to the cheapest language as marks, joined by a line."""
    trainings = [_(name) for name in TRAININGS]
    marks = pd.concat(
        pd.DataFrame(
            {
                "language": table["language"],
                "training": said,
                "ratio": table[f"ratio_{name}"],
                "tokens": table[f"tokens_{name}"],
            }
        )
        for name, said in zip(TRAININGS, trainings, strict=True)
    )
    return _marks_on_lines(marks, "training", trainings, (_COLOURS, _SHAPES), 0.55)


def lanes_chart(table: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Return a chart with a row for each language of `Comparison.held_out_languages`, in its order:
    a mark for each lane where its ratio to the cheapest language is, and a line from the least to
    the greatest."""
    lanes = table["lane"].unique().tolist()
    return _marks_on_lines(table, "lane", lanes, (LANES, _LANE_SHAPES), 0.3)


def _marks_on_lines(
    table: pd.DataFrame,
    of: str,
    names: Sequence[str],
    looks: tuple[Sequence[str], Sequence[str]],
    opacity: float,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart with a row for each language: a mark for each of the `names` in the column
    `of`, and a line from the least to the greatest."""
    y = _languages(table)
    x, scale = _ratios(float(table["ratio"].max()))
    line = (
        alt.Chart(table)
        .mark_rule(color=LANES[0], strokeWidth=2, opacity=opacity, aria=False)
        .encode(y=y, x=alt.X("min(ratio):Q", scale=scale), x2=alt.X2("max(ratio):Q"))
    )
    points = _points(table, of, names, looks).encode(y=y, x=x)
    return alt.layer(line, points).properties(height={"step": ROW}, padding=_PADDING)


def _languages(table: pd.DataFrame) -> alt.Y:
    return alt.Y(
        "language:N",
        title=None,
        sort=table["language"].unique().tolist(),
        axis=alt.Axis(
            grid=False,
            ticks=False,
            domain=False,
            labelFlush=False,
            labelFontSize=13,
            labelLimit=LONGEST_NAME,
        ),
    )


def _ratios(greatest: float) -> tuple[alt.X, alt.Scale]:
    values = ticks(greatest)
    scale = alt.Scale(domain=[values[0], values[-1]], nice=False, zero=False)
    x = alt.X(
        "ratio:Q",
        title=_("times the tokens of the cheapest language"),
        scale=scale,
        axis=alt.Axis(values=values, labelExpr="format(datum.value, '~g') + '×'", labelFlush=False),
    )
    return x, scale


def _points(
    table: pd.DataFrame, of: str, names: Sequence[str], looks: tuple[Sequence[str], Sequence[str]]
) -> alt.Chart:
    """Return marks that differ in colour and shape by the `names` in a column, with what they
    say."""
    colours, shapes = (list(look[: len(names)]) for look in looks)
    # Two in a row have room on a phone.
    legend = alt.Legend(title=None, orient="top", columns=2, symbolSize=90, symbolOpacity=1)
    points: alt.Chart = (
        alt.Chart(table)
        .mark_point(filled=True, size=85, opacity=1, aria=False)
        .encode(
            color=alt.Color(
                f"{of}:N", scale=alt.Scale(domain=list(names), range=colours), legend=legend
            ),
            shape=alt.Shape(
                f"{of}:N", scale=alt.Scale(domain=list(names), range=shapes), legend=legend
            ),
            tooltip=[
                alt.Tooltip("language:N", title=_("language")),
                alt.Tooltip(f"{of}:N", title=_(_SAID[of])),
                alt.Tooltip("tokens:Q", title=_("tokens"), format=",d"),
                alt.Tooltip("ratio:Q", title=_("times the cheapest"), format=".2f"),
            ],
        )
    )
    return points
