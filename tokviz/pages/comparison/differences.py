"""Show where two lanes differ: the first position where they do, and the words they cut differently
at the player's position."""

from itertools import combinations
from typing import Any

import regex
import streamlit as st

from tokviz.analysis.axis import Axis
from tokviz.analysis.comparison import Comparison
from tokviz.analysis.parting import Parting
from tokviz.basics.messages import _, _n, here, message, sentences
from tokviz.encoding.faces import drawn
from tokviz.pages.visit.lanes import pair_name
from tokviz.pages.visit.open_lanes import go
from tokviz.pages.widgets import markup
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import csv_button
from tokviz.player.chips import shown

#: Most words that are drawn; the CSV file has all.
MOST_WORDS = 60
#: Most pairs of lanes that are shown as buttons; more are a list.
MOST_BUTTONS = 3
#: Most characters of a word that are drawn.
MOST_CHARACTERS = 60
_UNITS = {
    "step": message("step {n:,.0f}"),
    "size": message("vocabulary size {n:,.0f}"),
    "share": message("{n:g} % of training"),
}


def parted(comparison: Comparison, position: int) -> None:
    """Draw the differences of two lanes, with a choice if there are more. Raises AlignmentError for
    lanes that cannot be aligned."""
    pairs = list(combinations(range(len(comparison.names)), 2))
    names = comparison.names
    i, j = pairs[_chosen([pair_name(names[i], names[j]) for i, j in pairs])]
    found = comparison.parting(i, j)
    if found is None:
        parted_note(_("These two lanes cut every word the same way, at every position."))
        return
    left, right = st.columns([2, 3], gap="large")
    with left:
        _first(comparison, found, i, j)
    with right:
        _words(comparison, position, i, j)


def _chosen(names: list[str]) -> int:
    """Draw the choice of a pair of lanes, and return its number."""
    key = f"parted_{len(names)}"
    if len(names) > MOST_BUTTONS:
        numbers = range(len(names))
        return st.selectbox(
            _("Pair of lanes"), numbers, format_func=names.__getitem__, key=key, width=420
        )
    if len(names) == 1:
        return 0
    picked = st.segmented_control(
        _("Pair of lanes"),
        range(len(names)),
        format_func=lambda k: markup.label(names[k]),
        default=0,
        key=key,
        required=True,
        label_visibility="collapsed",
    )
    return picked or 0


def parted_note(said: str) -> None:
    """Draw a note in place of the differences."""
    st.html(f'<p class="tv-note" role="status">{text(said)}</p>')


def _first(comparison: Comparison, found: Parting, i: int, j: int) -> None:
    axis, names = comparison.axis, (comparison.names[i], comparison.names[j])
    where = place(axis, found.position)
    states = _(
        "{left} is at step {here:,}, {right} at step {there:,} there.",
        left=names[0],
        here=found.left_state,
        right=names[1],
        there=found.right_state,
    )
    if found.left_state == found.right_state:
        states = _("Both are at step {n:,} there.", n=found.left_state)
    cut = comparison.words(found.position, i, j, 1).iloc[0].to_dict()
    word = _n(
        "The most frequent word that they cut differently, once in the corpus:",
        "The most frequent word that they cut differently, {n} times in the corpus:",
        found.times,
    )
    heading = _("They first part at {where}", where=where)
    st.html(
        f'<div class="tv-parting"><h3>{text(heading)}</h3>'
        f'<p class="tv-why">{text(here(found.why))}</p>'
        f'<p class="tv-note">{text(here(sentences(states, word)))}</p>{cuts_html(cut, names)}'
        f"{_line(names[0], found.left_said, i)}{_line(names[1], found.right_said, j)}</div>"
    )
    st.button(_("Go there"), on_click=go, args=(found.position,), key="go_there")


def _line(name: str, said: str, lane: int) -> str:
    mark = f'<i class="tv-mark" data-lane="{lane}" aria-hidden="true"></i>'
    return f'<p class="tv-difference">{mark}<b>{text(name)}</b> {text(here(said))}</p>'


def place(axis: Axis, position: int) -> str:
    """Return a position in words.

    >>> import numpy as np
    >>> place(Axis("size", np.array([30.0, 31.0]), []), 1)
    'vocabulary size 31'
    >>> place(Axis("size", np.array([30.0, 31.0]), [], beyond=True), 1)
    'the end of every lane'
    """
    if axis.is_beyond(position):
        return _("the end of every lane")
    return _(_UNITS[axis.align], n=float(axis.values[position]))


def _words(comparison: Comparison, position: int, i: int, j: int) -> None:
    names = (comparison.names[i], comparison.names[j])
    table = comparison.words(position, i, j)
    where = place(comparison.axis, position)
    if table.empty:
        parted_note(_("At {where} they cut every word the same way.", where=where))
        return
    times, kinds = int(table["count"].sum()), len(table)
    said = _n(
        "At {where} they cut {n} word differently; it occurs in the corpus {times}.",
        "At {where} they cut {n} different words differently; together, these occur in the corpus "
        "{times}.",
        kinds,
        where=where,
        times=_n("once", "{n} times", times),
    )
    if kinds > MOST_WORDS:
        said = here(sentences(said, _("The {n} most frequent:", n=MOST_WORDS)))
    rows = "".join(
        f'<tr><td class="n">{row["count"]:,}</td><td>{cuts_html(row, names)}</td>'
        f'<td class="n">{row["shared"]}</td><td class="n">{row["only_left"]}</td>'
        f'<td class="n">{row["only_right"]}</td></tr>'
        for row in table.head(MOST_WORDS).to_dict("records")
    )
    heads = (
        (_("Count"), _("How often the word occurs in the corpus.")),
        (
            _("{lane} above {other}", lane=names[0], other=names[1]),
            _("A bar is a boundary between two tokens."),
        ),
        (_("Shared"), _("Boundaries that both have.")),
        (_("Only above"), _("Boundaries that only {lane} has.", lane=names[0])),
        (_("Only below"), _("Boundaries that only {lane} has.", lane=names[1])),
    )
    head = "".join(
        f'<th scope="col" title="{text(note)}">{text(name)}</th>' for name, note in heads
    )
    st.html(
        f'<p class="tv-note tv-apart-said">{text(said)}</p>'
        '<div class="tv-numbers tv-words" tabindex="0" role="region" '
        f'aria-label="{text(_("Words cut differently"))}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
    columns = ["word", "count", "left", "right", "shared", "only_left", "only_right"]
    csv_button(_("Words as CSV"), "words", lambda: table[columns])


def cuts_html(row: dict[Any, Any], names: tuple[str, str]) -> str:
    """Return the HTML of a word with both cuts, one above the other, aligned by character. A
    boundary of both is a thin line, one of a single lane thick, one inside a character dotted.

    >>> row = {"word": "ab", "left": ["a", "b"], "right": ["ab"]}
    >>> html = cuts_html(row | {"left_cuts": (1,), "right_cuts": ()}, ("BPE", "Unigram"))
    >>> html.count('class="own"'), html.count("aria-label=\\"BPE: a, b\\"")
    (1, 1)
    """
    cells, at = [], 0
    for cluster in regex.findall(r"\X", row["word"][:MOST_CHARACTERS]):
        size = len(cluster.encode("utf-8", "surrogatepass"))
        cells.append((cluster, at, at + size))
        at += size
    sides = (("left", names[0]), ("right", names[1]))
    all_cuts = {side: set(row[f"{side}_cuts"]) for side in ("left", "right")}
    lines = []
    for (side, name), other in zip(sides, ("right", "left"), strict=True):
        mine, theirs = all_cuts[side], all_cuts[other]
        inside = "".join(_cell(*cell, mine, theirs) for cell in cells)
        said = f"{name}: {', '.join(map(drawn, row[side]))}"
        more = "…" if len(row["word"]) > MOST_CHARACTERS else ""
        lines.append(
            f'<div class="tv-cut" role="img" aria-label="{text(said)}">{inside}{more}</div>'
        )
    return f'<div class="tv-cuts" dir="auto">{"".join(lines)}</div>'


def _cell(cluster: str, start: int, end: int, mine: set[int], theirs: set[int]) -> str:
    kinds = []
    if start in mine:
        kinds.append("both" if start in theirs else "own")
    if any(start < cut < end for cut in mine):
        kinds.append("inside")
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f"<span{kind}>{shown(cluster)}</span>"
