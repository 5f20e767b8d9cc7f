"""The curves of a run, as Altair charts with a cursor that follows the player."""

from typing import Any

import altair as alt
import pandas as pd

#: More points than this are not told apart on any screen.
MOST_POINTS = 1000
#: The parameter, and the name of its hidden input, that moves the cursors.
CURSOR = "tokviz_step"

#: Colours that pass on the light and on the dark background.
_LINE, _CURSOR = "#7d838e", "#d0505c"

_TITLES = {
    "corpus_tokens": "Corpus tokens",
    "vocab_size": "Vocabulary size",
    "loss": "Loss",
}
_SCORES = {
    "bpe": "Count of the next pair",
    "wordpiece": "Score of the next pair",
    "unigram": "Loss delta at the next cut",
}


def titles(curve: pd.DataFrame, algorithm: str) -> dict[str, str]:
    """The columns of a curve that have values, with their titles.

    >>> curve = pd.DataFrame({"corpus_tokens": [9], "vocab_size": [3], "score": [2.0],
    ...                       "loss": [float("nan")]})
    >>> titles(curve, "bpe")["score"], "loss" in titles(curve, "bpe")
    ('Count of the next pair', False)
    """
    names = {**_TITLES, "score": _SCORES[algorithm]}
    return {column: title for column, title in names.items() if curve[column].notna().any()}


def thinned(curve: pd.DataFrame) -> pd.DataFrame:
    """At most `MOST_POINTS` states, evenly spread, the first and the last among them."""
    stride = -(-len(curve) // MOST_POINTS)
    return pd.concat([curve.iloc[::stride], curve.iloc[-1:]]).drop_duplicates("step")


def curve_chart(
    curve: pd.DataFrame, column: str, title: str, start: int
) -> alt.LayerChart | alt.FacetChart:
    """One column of a curve over the states, with a cursor that follows the player.

    The cursor's state is a parameter bound to an input of the name `CURSOR`, which the player sets
    in the browser; the chart is never sent again. `start` is where it stands first.
    """
    points = thinned(curve)
    last = int(curve["step"].iloc[-1])
    cursor = alt.param(name=CURSOR, value=start, bind=alt.binding_range(min=0, max=last, step=1))
    x = alt.X(
        "step:Q",
        title=None,
        scale=alt.Scale(domain=[0, max(1, last)], nice=False),
        axis=alt.Axis(tickMinStep=1, grid=False, tickCount=5),
    )
    values = points[column].dropna()
    whole = bool((values == values.round()).all())
    axis = "~s" if whole or values.abs().max() >= 1000 else ".3~g"
    y = alt.Y(
        f"{column}:Q",
        title=None,
        scale=alt.Scale(zero=values.nunique() == 1) if values.any() else alt.Scale(domain=[0, 1]),
        axis=alt.Axis(grid=False, tickCount=2, format=axis, minExtent=34),
    )
    number = ",d" if whole else ",.4~g" if values.abs().max() < 1000 else ",.1f"
    tooltip = [
        alt.Tooltip("step:Q", title="step"),
        alt.Tooltip(f"{column}:Q", title=title, format=number),
    ]
    base = alt.Chart(points)
    line = base.mark_line(
        color=_LINE, strokeWidth=1.8, interpolate="step-after", aria=False
    ).encode(x=x, y=y, tooltip=tooltip)
    rule = base.transform_aggregate(n="count()").transform_calculate(step=CURSOR)
    # Thinned curves have no point for every state: the last one before the cursor stands for it.
    # A state without a value (the last one makes no choice) has no point and no number.
    here = (
        base.transform_filter(f"datum.step <= {CURSOR}")
        .transform_window(rank="rank()", sort=[alt.SortField("step", order="descending")])
        .transform_filter(f"datum.rank == 1 && isValid(datum.{column})")
    )
    layers = [
        line,
        rule.mark_rule(color=_CURSOR, strokeWidth=1.6, aria=False).encode(x=x),
        here.mark_point(color=_CURSOR, filled=True, size=60, opacity=1, aria=False).encode(
            x=x, y=y
        ),
    ]
    if len(points) == len(curve):
        # Only where every state has its point is the number the state's own.
        text = alt.Text(f"{column}:Q", format=number)
        # The number stands at the top, on the side of the cursor that has room for it.
        style: dict[str, Any] = {"color": _CURSOR, "fontWeight": "bold", "fontSize": 12}
        before = here.transform_filter(f"{CURSOR} <= {last} / 2")
        after = here.transform_filter(f"{CURSOR} > {last} / 2")
        layers += [
            label.encode(x=x, y=alt.value(4), text=text)
            for label in (
                before.mark_text(align="left", dx=8, aria=False, **style),
                after.mark_text(align="right", dx=-8, aria=False, **style),
            )
        ]
    return (
        alt.layer(*layers)
        .add_params(cursor)
        .properties(
            height=140,
            padding={"left": 0, "right": 8, "top": 0, "bottom": 0},
            title=alt.Title(title, fontSize=13, fontWeight="normal", anchor="start"),
        )
    )
