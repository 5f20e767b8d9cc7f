"""Curves of runs as Altair charts for paper: white ground, colours that are told apart by the
colour-blind and dashes that are told apart without any, axis titles with units, no cursor.

`chart.save("curve.pdf")`, .svg or .png with `ppi=300` needs the package vl-convert-python (the
extra `figures`). Sizes are in points, 72 to the inch, or text with a unit: "85mm".
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from tokviz.analysis.axis import make_axis
from tokviz.basics.messages import _, message
from tokviz.history.base import History
from tokviz.pictures.files import points

if TYPE_CHECKING:
    import pandas as pd

    from tokviz.pictures.print_chart import PrintChart

Value = TypeVar("Value")
#: Points: a column of a paper in two columns, and half of it.
WIDTH, HEIGHT = 240.0, 150.0
#: The palette of Okabe and Ito (2008) without its yellow, which is lost on white, dark ones first.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [10, 4], [4, 2], [1, 3]]

#: What a curve may show: its column, and its title with the unit.
MEASURES = {
    "corpus_tokens": message("Corpus tokens"),
    "characters_per_token": message("Characters per token"),
    "bytes_per_token": message("Bytes per token"),
    "fertility": message("Fertility (tokens per white-space word)"),
    "whole_words": message("White-space words kept whole (share)"),
    "unused": message("Unused tokens (share of the vocabulary)"),
    "entropy": message("Entropy (bits)"),
    "renyi_efficiency": message("Rényi efficiency (α = 2.5)"),
    "vocab_size": message("Vocabulary size (tokens)"),
    "loss": message("Loss (−ln P, nats)"),
}
#: The same of a table that divides by other words.
_OWN = {
    "fertility": message("Fertility (tokens per own pre-token)"),
    "whole_words": message("Pre-tokens kept whole (share)"),
}
#: What the states of runs are counted by.
_PLACES = {
    "step": message("Step"),
    "size": message("Vocabulary size (tokens)"),
    "share": message("Share of training (%)"),
}


def chart(
    table: "pd.DataFrame",
    measure: str,
    align: str,
    width: float | str = WIDTH,
    height: float | str = HEIGHT,
) -> "PrintChart":
    """A line for each lane of a table with the columns lane, x and `measure`; `align` says what x
    counts: "step", "size" or "share". `width` and `height` are those of all of it, in points or
    with a unit. A column `per_word` says which words figures per word are of: see
    `tokviz.analysis.metrics.metrics`.

    Raises ValueError for a measure that the table does not have, or that has no value in it, and
    for a size that cannot be.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"lane": ["bpe", "bpe"], "x": [0, 1], "corpus_tokens": [9, 7]})
    >>> chart(table, "corpus_tokens", "step").to_dict()["encoding"]["y"]["title"]
    'Corpus tokens'
    """
    import altair as alt

    from tokviz.pictures.print_chart import PrintChart

    wide, high = points(width), points(height, "height")
    shown = measures(table)
    if measure not in shown:
        raise ValueError(
            message(
                "There is no curve of {measure!r} here; choose {choices}.",
                measure=measure,
                choices=", ".join(shown),
            )
        )
    title = MEASURES[measure]
    if "per_word" in table and "pretokens" in {*table["per_word"]}:
        title = _OWN.get(measure, title)
    lanes = [*dict.fromkeys(table["lane"])]
    legend = (
        alt.Legend(title=None, orient="top", offset=4, symbolSize=260) if len(lanes) > 1 else None
    )
    colour = alt.Scale(domain=lanes, range=_repeated(COLOURS, len(lanes)))
    dash = alt.Scale(domain=lanes, range=_repeated(DASHES, len(lanes)))
    # Altair writes no NaN, and a state without a value has no point.
    states = table[["lane", "x", measure]].dropna()
    made: PrintChart = (
        PrintChart(states)
        .mark_line(interpolate="step-after", strokeWidth=1.5)
        .encode(
            x=alt.X("x:Q", title=_(_PLACES[align]), scale=alt.Scale(nice=False)),
            y=alt.Y(f"{measure}:Q", title=_(title), scale=alt.Scale(zero=False)),
            color=alt.Color("lane:N", scale=colour, legend=legend),
            strokeDash=alt.StrokeDash("lane:N", scale=dash, legend=legend),
        )
        .properties(width=wide, height=high, background="white", padding=2)
        .properties(autosize=alt.AutoSizeParams(type="fit", contains="padding"))
        .configure_view(stroke=None)
        .configure_axis(
            **{"labelColor": "black", "titleColor": "black", "domainColor": "black"},
            **{"tickColor": "black", "gridColor": "#e6e6e6", "titleFontWeight": "normal"},
            **{"labelFontSize": 8, "titleFontSize": 8, "tickCount": 5},
        )
        .configure_legend(labelFontSize=8, labelColor="black", labelLimit=0)
    )
    return made


def curves_chart(
    histories: Sequence[History],
    names: Sequence[str],
    measure: str,
    align: str = "step",
    width: float | str = WIDTH,
    height: float | str = HEIGHT,
) -> "PrintChart":
    """A curve of `History.curve` for each of some runs, by their names, along one axis: "step",
    "size" or "share". Raises as `chart` does, and ValueError for another axis.

    >>> import tokviz
    >>> runs = [tokviz.train("low lower", "bpe", size) for size in (7, 8)]
    >>> [*curves_chart(runs, ["7", "8"], "corpus_tokens").data["corpus_tokens"]]
    [9, 7, 7, 9, 7, 5]
    """
    import pandas as pd

    axis = make_axis(histories, align)
    tables = [
        history.curve().iloc[states].assign(lane=name, x=axis.values)
        for history, name, states in zip(histories, names, axis.states, strict=True)
    ]
    return chart(pd.concat(tables, ignore_index=True), measure, align, width, height)


def measures(table: "pd.DataFrame") -> list[str]:
    """The measures of which there is a curve."""
    return [name for name in MEASURES if name in table and table[name].notna().any()]


def _repeated(values: Sequence[Value], n: int) -> list[Value]:
    return [values[i % len(values)] for i in range(n)]
