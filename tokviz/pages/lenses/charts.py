"""Vega-Lite charts of metrics and of the life of a token, with a cursor that follows the player.

They are written as JSON: Altair takes longer to make and check them than the rest of the page. The
points of a chart are a table with the columns lane, x, value, and until: the x of the next point.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tokviz.analysis.axis import Axis
from tokviz.basics.messages import _, message
from tokviz.pages.widgets.markup import text

#: A chart, or a part of one, in Vega-Lite's JSON.
Spec = dict[str, Any]
#: Most points of a line; more cannot be told apart on a screen.
MOST_POINTS = 1000
MOST_COMPARED = 200
#: The chart's parameter, and the hidden input, that move the cursor.
CURSOR = "tokviz_step"

#: Colours with enough contrast on both backgrounds; lanes also differ by dashes.
LANES = ["#7d838e", "#3d85c6", "#b8791a", "#9a6fc4"]
#: A pair of lanes has a colour of its own.
PAIRS = ["#2f8f83", "#c0588b", "#7a8a2a", "#b0632f", "#5b78c7", "#8a7a6a"]
_DASHES = [[1, 0], [7, 4], [2, 3], [10, 3, 2, 3], [12, 4], [4, 2]]
#: What stands for the present step, or for what was chosen.
MARKED = "#d0505c"
#: Events of a token: the chart's mark, and the same sign for a legend in text.
LIFE_MARKS: dict[str, tuple[str, str]] = {
    message("made"): ("triangle-up", "▲"),
    message("out of use"): ("diamond", "◆"),
    message("gone"): ("square", "■"),
}

#: What the x axis counts.
_PLACES = {"step": message("step"), "size": message("size"), "share": message("share")}


def table_points(frame: pd.DataFrame, lane: str, column: str) -> pd.DataFrame:
    """Return the points of a table of `tokviz.Comparison`, whose column `lane` names the lanes; at
    most `MOST_COMPARED` a lane, since all lanes are redrawn at every move of the cursor.

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
    """Return the HTML of a chart's legend.

    >>> legend(["a"], ["#000000"])
    '<span><i style="border-top: 3px solid #000000"></i>a</span>'
    """
    styles = ("solid", "dashed", "dotted", "double", "dashed", "dotted")
    return "".join(
        f'<span><i style="border-top: 3px {style} {colour}"></i>{text(name)}</span>'
        for name, colour, style in zip(names, colours, styles, strict=False)
    )


def life_points(counts: npt.NDArray[np.int64], axis: Axis) -> pd.DataFrame:
    """Return the points of a token's counts: of equal counts in a row, only the first.

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
    """Return the positions on the axis at which something happens to a token, as columns x and
    what.

    >>> axis = Axis("size", np.array([5.0, 7.0, 9.0]), [np.array([4, 2, 0])])
    >>> life_marks({"made": 0, "gone": 1}, axis).values.tolist()
    [[9.0, 'made'], [7.0, 'gone']]
    """
    # Nothing happens beyond all sizes.
    states = axis.states[0][: len(axis.values) - axis.beyond]
    places = {what: np.flatnonzero(states >= state) for what, state in events.items()}
    end = -1 if states[-1] < states[0] else 0
    rows = [(float(axis.values[at[end]]), what) for what, at in places.items() if len(at)]
    return pd.DataFrame(rows, columns=["x", "what"])


def _domain(values: "pd.Series[float]") -> list[float]:
    """Return the range of the values, from 0 if there is only one. It is given explicitly:
    Vega-Lite would compute it again at every move of the cursor."""
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
) -> Spec:
    """Return the chart of points, a line for each lane, with a cursor that follows the player;
    with `marks`, that of a token (`life_points`, `life_marks`).

    The cursor is a parameter bound to the input `CURSOR`, which the player sets in the browser, so
    the chart is sent only once. `start` is its first value.
    """
    first, last = float(axis.values[0]), float(axis.values[-1])
    x = {
        **_field("x", "quantitative", title=None),
        "scale": {"domain": [first, max(first + 1, last)], "nice": False},
        "axis": {"tickMinStep": 1, "grid": False, "tickCount": 5},
    }
    values = frame["value"].dropna()
    whole = bool((values == values.round()).all())
    small = values.abs().max() < 1000
    number = ",d" if whole else ",.4~g" if small else ",.1f"
    domain = _domain(values)
    y = {
        **_field("value", "quantitative", title=None),
        "scale": {"domain": domain},
        "axis": {
            "grid": False,
            "values": domain,
            # "g" would write 5,000.5 as 5e+3.
            "format": ",d" if whole else ".3~g" if small else ",.0f",
            "minExtent": 34,
        },
    }
    lanes = frame["lane"].unique().tolist()
    lane = _field("lane", "nominal")
    colour = {**lane, "scale": {"domain": lanes, "range": [*colours]}, "legend": None}
    dash = {**lane, "scale": {"domain": lanes, "range": _DASHES}, "legend": None}
    tooltip = [
        _field("x", "quantitative", title=_(_PLACES[axis.align])),
        _field("value", "quantitative", title=title, format=number),
    ]
    if len(lanes) > 1:
        tooltip.insert(0, {**lane, "title": _("lane")})
    line = {"type": "line", "strokeWidth": 1.8, "interpolate": "step-after", "aria": False}
    at_cursor = {"calculate": CURSOR, "as": "x"}
    once = {"aggregate": [{"op": "count", "as": "n"}]}
    rule = {"type": "rule", "color": MARKED, "strokeWidth": 1.6, "aria": False}
    # The dot has the value of the last point before the cursor. A state without a value (the last
    # one has no next choice) has no dot.
    at = f"datum.x <= {CURSOR} && {CURSOR} < datum.until && isValid(datum.value)"
    here = [{"filter": at}, at_cursor]
    dot = {"type": "point", "filled": True, "size": 60, "opacity": 1, "aria": False}
    of_dot = {"value": MARKED} if len(lanes) == 1 else colour
    layers: list[Spec] = [
        _layer(line, x=x, y=y, color=colour, strokeDash=dash, tooltip=tooltip),
        _layer(rule, [once, at_cursor], x=x),
        _layer(dot, here, x=x, y=y, color=of_dot),
    ]
    name = _name(frame)
    data = {name: frame}
    if marks is not None:
        said = marks.assign(what=marks["what"].map({str(what): _(what) for what in LIFE_MARKS}))
        marked = _name(said)
        data[marked] = said
        layers.append({"data": {"name": marked}, **_marks(x, domain[0])})
    exact = len(frame) < MOST_POINTS if marks is not None else len(frame) == len(axis.values)
    if len(lanes) == 1 and exact:
        # Only if no point is left out does the number belong to the state itself.
        text = _field("value", "quantitative", format=number)
        # The number is drawn at the top, on the side of the cursor with more room.
        style = {"type": "text", "color": MARKED, "fontWeight": "bold", "fontSize": 12}
        layers += [
            _layer(
                {**style, "align": align, "dx": dx, "aria": False},
                [*here, {"filter": f"{CURSOR} {side} {last} / 2"}],
                x=x,
                y={"value": 4},
                text=text,
            )
            for align, dx, side in (("left", 8, "<="), ("right", -8, ">"))
        ]
    bind = {"input": "range", "min": first, "max": last}
    return {
        "title": {"text": title, "fontSize": 13, "fontWeight": "normal", "anchor": "start"},
        # Of the lines alone: what is written around them may be large, and takes none of it.
        "height": 70,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 0, "right": 8, "top": 0, "bottom": 0},
        "params": [
            {
                "name": CURSOR,
                "value": start,
                "bind": {**bind, "step": 0.1 if axis.align == "share" else 1},
            }
        ],
        "datasets": data,
        "data": {"name": name},
        "layer": layers,
    }


def _field(name: str, kind: str, **more: Any) -> Spec:
    return {"field": name, "type": kind, **more}


def _layer(mark: Spec, transform: Sequence[Spec] = (), **encoding: Any) -> Spec:
    layer = {"mark": mark, "encoding": encoding}
    return {"transform": [*transform], **layer} if transform else layer


def _name(data: pd.DataFrame) -> str:
    """Return a name for data by its content: with a new name, the browser redraws the chart."""
    digest = hashlib.sha256()
    for name in data:
        values = data[name]
        of_numbers = values.dtype.kind in "if"
        digest.update(values.to_numpy().tobytes() if of_numbers else repr([*values]).encode())
    return "data-" + digest.hexdigest()[:16]


def _marks(x: Spec, low: float) -> Spec:
    said = [_(what) for what in LIFE_MARKS]
    shapes = [shape for shape, _sign in LIFE_MARKS.values()]
    what = _field("what", "nominal")
    point = {"type": "point", "filled": True, "size": 70, "opacity": 1, "color": LANES[0]}
    return _layer(
        {**point, "aria": False},
        x=x,
        y={"datum": low},
        shape={**what, "scale": {"domain": said, "range": shapes}, "legend": None},
        tooltip=[{**what, "title": " "}, _field("x", "quantitative", title=_("at"))],
    )
