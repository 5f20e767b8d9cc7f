"""The curves of one to four runs, as Altair charts with a cursor that follows the player."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from tokviz.axis import Axis
from tokviz.language import _, message
from tokviz.pages.markup import text

#: More points than this are not told apart on any screen.
MOST_POINTS = 1000
MOST_COMPARED = 200
#: The parameter, and the name of its hidden input, that moves the cursors.
CURSOR = "tokviz_step"

#: Colours that pass on the light and on the dark background; lanes differ by dashes as well.
LANES = ["#7d838e", "#3d85c6", "#b8791a", "#9a6fc4"]
#: Two lanes have a colour of their own, that of neither.
PAIRS = ["#2f8f83", "#c0588b", "#7a8a2a", "#b0632f", "#5b78c7", "#8a7a6a"]
_DASHES = [[1, 0], [7, 4], [2, 3], [10, 3, 2, 3], [12, 4], [4, 2]]
_CURSOR = "#d0505c"
#: What happens to a token, as the mark on its curve and the same sign for a legend in words.
LIFE_MARKS: dict[str, tuple[str, str]] = {
    message("made"): ("triangle-up", "▲"),
    message("out of use"): ("diamond", "◆"),
    message("gone"): ("square", "■"),
}

_TITLES = {
    "corpus_tokens": message("Corpus tokens"),
    "characters_per_token": message("Characters per token"),
}
_SCORES = {
    "bpe": message("Count of the next pair"),
    "wordpiece": message("Score of the next pair"),
    "unigram": message("Loss delta at the next cut"),
    "sentencepiece-bpe": message("Count of the next pair"),
    "replay": message("Rank of the next merge"),
}
_AXES = {
    "step": "{curve}",
    "size": message("{curve} by vocabulary size"),
    "share": message("{curve} by share of training, in percent"),
}
#: What a position of the scrubber is.
_PLACES = {"step": message("step"), "size": message("size"), "share": message("share")}


def titles(curves: Sequence[pd.DataFrame], algorithms: Sequence[str], align: str) -> dict[str, str]:
    """The columns to draw, with their titles. Lanes share only what has one unit in all of them.

    >>> curve = pd.DataFrame({"loss": [float("nan")]})
    >>> list(titles([curve], ["bpe"], "step"))
    ['corpus_tokens', 'score', 'characters_per_token']
    >>> list(titles([curve, curve], ["bpe", "unigram"], "size"))
    ['corpus_tokens', 'step', 'characters_per_token']
    """
    first, last = _TITLES.items()
    size = ("vocab_size", message("Vocabulary size"))
    if len(curves) > 1:
        third = ("step", message("Step or round")) if align == "size" else size
        return {name: _(_AXES[align], curve=title) for name, title in (first, third, last)}
    # What SentencePiece's Unigram goes by changes from step to step.
    score = _SCORES.get(algorithms[0])
    third = ("score", score) if score else size
    if curves[0]["loss"].notna().any():
        last = ("loss", message("Loss") if score else message("−ln P of a word (the objective)"))
    return {name: _(title) for name, title in (first, third, last)}


def points(
    curves: Sequence[pd.DataFrame], names: Sequence[str], axis: Axis, column: str
) -> pd.DataFrame:
    """One column of every run over the positions of the scrubber, at most `MOST_POINTS` a lane:
    lane, x, value, and `until`, the x at which the next point takes its place.

    >>> from tokviz.axis import Axis
    >>> curve = pd.DataFrame({"corpus_tokens": [9, 7, 6]})
    >>> axis = Axis("step", np.arange(3.0), [np.arange(3)])
    >>> points([curve], ["BPE"], axis, "corpus_tokens").values.tolist()
    [['BPE', 0.0, 9.0, 1.0], ['BPE', 1.0, 7.0, 2.0], ['BPE', 2.0, 6.0, 3.0]]
    """
    n = len(axis.values)
    kept = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(int))
    x = axis.values[kept]
    frames = [
        pd.DataFrame(
            {
                "lane": name,
                "x": x,
                "value": curve[column].to_numpy(float)[states[kept]],
                "until": np.append(x[1:], x[-1] + 1),
            }
        )
        for curve, name, states in zip(curves, names, axis.states, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def table_points(frame: pd.DataFrame, lane: str, column: str) -> pd.DataFrame:
    """As `points`, from a table of a `tokviz.Comparison`: `lane` names its column of lanes. At most
    `MOST_COMPARED` points a lane: several lanes are drawn anew at every move of the cursor.

    >>> table = pd.DataFrame({"lane": ["a", "a"], "x": [5.0, 7.0], "fertility": [3.0, 2.0]})
    >>> table_points(table, "lane", "fertility").values.tolist()
    [['a', 5.0, 3.0, 7.0], ['a', 7.0, 2.0, 8.0]]
    """
    xs = frame["x"].unique()
    if len(xs) > MOST_COMPARED:
        kept = xs[np.linspace(0, len(xs) - 1, MOST_COMPARED).round().astype(int)]
        frame = frame[frame["x"].isin(kept)]
    x = frame["x"]
    until = x.groupby(frame[lane], sort=False).shift(-1)
    columns = {"lane": frame[lane], "x": x, "value": frame[column].astype(float)}
    return pd.DataFrame({**columns, "until": until.fillna(x + 1)})


def legend(names: Sequence[str], colours: Sequence[str]) -> str:
    """The lines of a chart and whose they are, in HTML.

    >>> legend(["a"], ["#000000"])
    '<span><i style="border-top: 3px solid #000000"></i>a</span>'
    """
    styles = ("solid", "dashed", "dotted", "double", "dashed", "dotted")
    return "".join(
        f'<span><i style="border-top: 3px {style} {colour}"></i>{text(name)}</span>'
        for name, colour, style in zip(names, colours, styles, strict=False)
    )


def life_points(counts: npt.NDArray[np.int64], axis: Axis) -> pd.DataFrame:
    """A token's counts over the positions of the scrubber, as `points`: of every count that stays
    the same only the first and last position, so that no short life is lost.

    >>> axis = Axis("step", np.arange(5.0), [np.arange(5)])
    >>> life_points(np.array([0, 9, 9, 9, 2]), axis)[["x", "value", "until"]].values.tolist()
    [[0.0, 0.0, 1.0], [1.0, 9.0, 4.0], [4.0, 2.0, 5.0]]
    """
    values, last = counts[axis.states[0]], len(axis.values) - 1
    kept = np.union1d([0, last], np.flatnonzero(np.diff(values)) + 1)
    if len(kept) > MOST_POINTS:
        kept = kept[np.linspace(0, len(kept) - 1, MOST_POINTS).round().astype(int)]
    x = axis.values[kept]
    columns = {"lane": "token", "x": x, "value": values[kept].astype(float)}
    return pd.DataFrame({**columns, "until": np.append(x[1:], x[-1] + 1)})


def life_marks(events: Mapping[str, int], axis: Axis) -> pd.DataFrame:
    """Where the scrubber meets the states in which something happens to a token: x and what. What
    happens in none of its states is left out.

    >>> axis = Axis("size", np.array([5.0, 7.0, 9.0]), [np.array([4, 2, 0])])
    >>> life_marks({"made": 0, "gone": 1}, axis).values.tolist()
    [[9.0, 'made'], [7.0, 'gone']]
    """
    states = axis.states[0]
    places = {what: np.flatnonzero(states >= state) for what, state in events.items()}
    end = -1 if states[-1] < states[0] else 0
    rows = [(float(axis.values[at[end]]), what) for what, at in places.items() if len(at)]
    return pd.DataFrame(rows, columns=["x", "what"])


def _domain(values: "pd.Series[float]") -> list[float]:
    """From the least to the greatest value; from 0 where there is but one. Said outright, since a
    domain found from the data would be found anew whenever the cursor moves."""
    if not len(values):
        return [0, 1]
    low, high = float(values.min()), float(values.max())
    return [low, high] if low < high else [min(0.0, low), max(low, 0.0) or 1]


def curve_chart(
    frame: pd.DataFrame,
    title: str,
    axis: Axis,
    start: float,
    marks: pd.DataFrame | None = None,
    colours: Sequence[str] = LANES,
) -> alt.LayerChart | alt.FacetChart:
    """The `points` of a curve, a line a lane, with a cursor that follows the player. With `marks`
    it is that of a token (`life_points`, `life_marks`).

    The cursor's place is a parameter bound to an input of the name `CURSOR`, which the player sets
    in the browser; the chart is never sent again. `start` is where it stands first.
    """
    first, last = float(axis.values[0]), float(axis.values[-1])
    step = 0.1 if axis.align == "share" else 1
    bind = alt.binding_range(min=first, max=last, step=step)
    cursor = alt.param(name=CURSOR, value=start, bind=bind)
    x = alt.X(
        "x:Q",
        title=None,
        scale=alt.Scale(domain=[first, max(first + 1, last)], nice=False),
        axis=alt.Axis(tickMinStep=1, grid=False, tickCount=5),
    )
    values = frame["value"].dropna()
    whole = bool((values == values.round()).all())
    number = ",d" if whole else ",.4~g" if values.abs().max() < 1000 else ",.1f"
    domain = _domain(values)
    y = alt.Y(
        "value:Q",
        title=None,
        scale=alt.Scale(domain=domain),
        axis=alt.Axis(grid=False, values=domain, format=",d" if whole else ".3~g", minExtent=34),
    )
    lanes = frame["lane"].unique().tolist()
    colour = alt.Color("lane:N", scale=alt.Scale(domain=lanes, range=colours), legend=None)
    dash = alt.StrokeDash("lane:N", scale=alt.Scale(domain=lanes, range=_DASHES), legend=None)
    tooltip = [
        alt.Tooltip("x:Q", title=_(_PLACES[axis.align])),
        alt.Tooltip("value:Q", title=title, format=number),
    ]
    if len(lanes) > 1:
        tooltip.insert(0, alt.Tooltip("lane:N", title=_("lane")))
    base = alt.Chart(frame)
    line = base.mark_line(strokeWidth=1.8, interpolate="step-after", aria=False).encode(
        x=x, y=y, color=colour, strokeDash=dash, tooltip=tooltip
    )
    rule = base.transform_aggregate(n="count()").transform_calculate(x=CURSOR)
    # A state without a value (the last one makes no choice) has no point and no number.
    # The last point before the cursor has the value; it is shown where the cursor is.
    here = base.transform_filter(
        f"datum.x <= {CURSOR} && {CURSOR} < datum.until && isValid(datum.value)"
    ).transform_calculate(x=CURSOR)
    dot = _CURSOR if len(lanes) == 1 else colour
    layers = [
        line,
        rule.mark_rule(color=_CURSOR, strokeWidth=1.6, aria=False).encode(x=x),
        here.mark_point(filled=True, size=60, opacity=1, aria=False).encode(
            x=x, y=y, color=alt.value(dot) if isinstance(dot, str) else dot
        ),
    ]
    if marks is not None:
        layers.append(_marks(marks, x, domain[0]))
    exact = len(frame) < MOST_POINTS if marks is not None else len(frame) == len(axis.values)
    if len(lanes) == 1 and exact:
        # Only where no point is left out is the number the state's own.
        text = alt.Text("value:Q", format=number)
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


def _marks(marks: pd.DataFrame, x: alt.X, low: float) -> alt.Chart:
    said = {str(what): _(what) for what in LIFE_MARKS}
    shapes = alt.Scale(
        domain=[*said.values()], range=[shape for shape, _sign in LIFE_MARKS.values()]
    )
    marked: alt.Chart = (
        alt.Chart(marks.assign(what=marks["what"].map(said)))
        .mark_point(filled=True, size=70, opacity=1, color=LANES[0], aria=False)
        .encode(
            x=x,
            y=alt.YDatum(low),
            shape=alt.Shape("what:N", scale=shapes, legend=None),
            tooltip=[alt.Tooltip("what:N", title=" "), alt.Tooltip("x:Q", title=_("at"))],
        )
    )
    return marked
