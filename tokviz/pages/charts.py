"""The curves of a run, as Altair charts with a cursor at the present state."""

import altair as alt
import pandas as pd

#: More points than this are not told apart on any screen.
MOST_POINTS = 1000

#: Colours that pass on the light and on the dark background.
_LINE, _CURSOR = "#7d838e", "#d0505c"

_TITLES = {
    "corpus_tokens": "Corpus tokens",
    "vocab_size": "Vocabulary size",
    "loss": "Loss",
}
_SCORES = {
    "bpe": "Count of the merged pair",
    "wordpiece": "Score of the merged pair",
    "unigram": "Loss delta at the cut",
}


def titles(curve: pd.DataFrame, algorithm: str) -> dict[str, str]:
    """The columns of a curve that have values, with their titles.

    >>> curve = pd.DataFrame({"corpus_tokens": [9], "vocab_size": [3], "score": [2.0],
    ...                       "loss": [float("nan")]})
    >>> titles(curve, "bpe")["score"], "loss" in titles(curve, "bpe")
    ('Count of the merged pair', False)
    """
    names = {**_TITLES, "score": _SCORES[algorithm]}
    return {column: title for column, title in names.items() if curve[column].notna().any()}


def thinned(curve: pd.DataFrame) -> pd.DataFrame:
    """At most `MOST_POINTS` states, evenly spread, the first and the last among them."""
    stride = -(-len(curve) // MOST_POINTS)
    return pd.concat([curve.iloc[::stride], curve.iloc[-1:]]).drop_duplicates("step")


def curve_chart(
    curve: pd.DataFrame, column: str, title: str, t: int
) -> alt.LayerChart | alt.FacetChart:
    """One column of a curve over the states, with a cursor at state t and its value there."""
    here = curve.iloc[[t]]
    points = pd.concat([thinned(curve), here]).drop_duplicates("step").dropna(subset=[column])
    x = alt.X("step:Q", title=None, axis=alt.Axis(tickMinStep=1, grid=False, tickCount=5))
    values = points[column]
    whole = bool((values == values.round()).all())
    y = alt.Y(
        f"{column}:Q",
        title=None,
        scale=alt.Scale(zero=values.nunique() == 1),
        axis=alt.Axis(grid=False, tickCount=2, format="~s" if whole else ".3~g", minExtent=34),
    )
    number = ",d" if whole else ",.4~g" if values.abs().max() < 1000 else ",.1f"
    tooltip = [
        alt.Tooltip("step:Q", title="step"),
        alt.Tooltip(f"{column}:Q", title=title, format=number),
    ]
    line = alt.Chart(points.sort_values("step")).mark_line(
        color=_LINE, strokeWidth=1.8, interpolate="step-after", aria=False
    )
    cursor = alt.Chart(here).mark_rule(color=_CURSOR, strokeWidth=1.6, aria=False)
    value = alt.Chart(here.dropna(subset=[column])).encode(x=x, y=y, tooltip=tooltip)
    # The value stands at the top, on the side of the cursor that has room for it.
    left = t > len(curve) // 2
    label = value.mark_text(
        align="right" if left else "left", dx=-8 if left else 8, color=_CURSOR,
        fontWeight="bold", fontSize=12, aria=False,
    ).encode(y=alt.value(4), text=alt.Text(f"{column}:Q", format=number))  # fmt: skip
    return alt.layer(
        line.encode(x=x, y=y, tooltip=tooltip),
        cursor.encode(x=x),
        value.mark_point(color=_CURSOR, filled=True, size=60, opacity=1, aria=False),
        label,
    ).properties(
        height=140,
        padding={"left": 0, "right": 8, "top": 0, "bottom": 0},
        title=alt.Title(title, fontSize=13, fontWeight="normal", anchor="start"),
    )
