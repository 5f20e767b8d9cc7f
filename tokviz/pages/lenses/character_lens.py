"""The lens "Characters" of runs that choose them: what each number of merges saves together with
the characters beside it, and what each character saves."""

import hashlib

import numpy as np
import pandas as pd
import streamlit as st

from tokviz.basics.messages import _, counted, here, listed, message
from tokviz.encoding.faces import drawn
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.narration.choosing import chooses
from tokviz.pages.lenses.charts import LANES, MARKED, MOST_POINTS, Spec, legend
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.style import note
from tokviz.trainers.merging.character_choice import CharacterChoice
from tokviz.trainers.sentencepiece_bpe import character_choice

#: Most rows of a table.
MOST_ROWS = 5_000
#: The columns of `character_choice`, and what they are called here.
_COLUMNS = {
    "merges": "merges",
    "saved": "tokens saved",
    "saved_by_merges": "saved by merges",
    "saved_by_characters": "saved by characters",
    "needed": "characters in merges",
    "alone": "other characters",
    "chosen": "chosen",
}
#: The lines of the chart, by the columns of `curve_table`.
LINES = {
    "tokens saved": message("tokens saved"),
    "saved by merges": message("saved by merges"),
    "saved by characters": message("saved by characters"),
}
#: Why the vocabulary has a character.
_KINDS = {
    "merges": message("a merge needs it"),
    "alone": message("chosen for what it saves"),
    "left out": message("left out: it stays bytes"),
}


def character_lens(history: History) -> None:
    """Draw the lens."""
    if not chooses(history):
        note(_("This run did not choose its characters."))
        return
    choice: CharacterChoice = history.trainer.choice(history.words)
    with st.container(key="character_lens"):
        note(_chosen_said(choice))
        left, right = st.columns([1, 1.3], gap="medium")
        with left:
            table = curve_table(history)
            st.html(
                f'<div class="tv-legend">{legend([here(line) for line in LINES.values()], LANES)}'
                "</div>"
            )
            st.vega_lite_chart(
                saving_chart(table, choice.merges), alt=_curve_said(choice), key="character_curve"
            )
            note(
                _(
                    "Merges and characters share a room of {size:,} − {special:,} = {room:,} "
                    "tokens: the vocabulary without special tokens. Of the special tokens 256 are "
                    "bytes; <unk> is another, and counts though bytes spell what is unknown.",
                    size=history.trainer.vocab_size,
                    special=len(history.special_tokens),
                    room=choice.room,
                )
            )
            note(
                _(
                    "A merge saves a token each time that it is counted, and what it is made of "
                    "must be there. The room that is left is for the characters that save most; "
                    "all others stay bytes, a token each; the player shows such a character as "
                    "one, <unk>. Of numbers of merges that save as much, the greatest is taken."
                )
            )
        with right:
            # The criterion is to be seen: the row of the choice is the first.
            _table(table.sort_values(["tokens saved", "merges"], ascending=False))
        note(
            _(
                "A character of n bytes takes n tokens where it is not in the vocabulary, so it "
                "saves its count × (bytes − 1)."
            )
        )
        _table(savings_table(choice))


def curve_table(history: MergeHistory) -> pd.DataFrame:
    """Return what each number of merges saves, a row each: a `character_choice` with the names of
    this page.

    >>> import tokviz
    >>> settings = {"library_version": "0.2.3", "byte_fallback": True}
    >>> settings |= {"auto_character_coverage": True}
    >>> history = tokviz.train("日本 日本 ab ab ab", "sentencepiece-bpe", 259 + 6, **settings)
    >>> curve_table(history).iloc[1].to_dict()  # doctest: +NORMALIZE_WHITESPACE
    {'merges': 1, 'tokens saved': 21, 'saved by merges': 3, 'saved by characters': 18,
    'characters in merges': 2, 'other characters': 3, 'chosen': True}
    """
    return character_choice(history).rename(columns=_COLUMNS)


def savings_table(choice: CharacterChoice) -> pd.DataFrame:
    """Return what each character saves, and why the vocabulary has it, a row each.

    >>> from tokviz.trainers.merging.character_choice import choose_characters
    >>> choice = choose_characters(["ab", "aé"], [5, 2], {"a": 9, "b": 9, "é": 4, "語": 3}, 4)
    >>> table = savings_table(choice)
    >>> table[["character", "count", "bytes", "tokens saved", "reason"]].head(3).values.tolist()
    ... # doctest: +NORMALIZE_WHITESPACE
    [['語', 3, 3, 6, 'chosen for what it saves'], ['é', 4, 2, 4, 'left out: it stays bytes'],
    ['a', 9, 1, 0, 'a merge needs it']]
    """
    rows = [
        (drawn(char), f"U+{ord(char):04X}", count, size, saved, here(_KINDS[kind]))
        for char, count, size, saved, kind in choice.savings()
    ]
    names = ["character", "code point", "count", "bytes", "tokens saved", "reason"]
    return pd.DataFrame(rows, columns=names)


def saving_chart(table: pd.DataFrame, merges: int) -> Spec:
    """Return the chart of a `curve_table`, with a mark at the number of merges that was chosen."""
    last = len(table) - 1
    kept = np.unique(np.append(np.linspace(0, last, min(last + 1, MOST_POINTS)).round(), merges))
    shown = table.iloc[kept.astype(int)]
    points = pd.concat(
        pd.DataFrame({"line": here(label), "x": shown["merges"], "value": shown[column]})
        for column, label in LINES.items()
    )
    name = "data-" + hashlib.sha256(points.to_csv().encode()).hexdigest()[:16]
    names = [here(label) for label in LINES.values()]
    top = int(table["tokens saved"].iloc[merges])
    line = {"field": "line", "type": "nominal", "legend": None}
    x = {
        "field": "x",
        "type": "quantitative",
        "title": _("merges"),
        "scale": {"domain": [0, max(1, last)], "nice": False},
        "axis": {"tickMinStep": 1, "grid": False, "format": ",d"},
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "title": _("tokens saved"),
        "axis": {"grid": False, "format": ",d", "tickCount": 4},
    }
    at = {"x": {"datum": merges}, "y": {"datum": top}}
    side = {"align": "left", "dx": 8} if merges <= last / 2 else {"align": "right", "dx": -8}
    said = [
        counted("chosen: {n} merge", "chosen: {n} merges", merges),
        counted("{n} token saved", "{n} tokens saved", top),
    ]
    mark = {"color": MARKED, "aria": False}
    once: Spec = {"data": {"values": [{}]}}
    tooltip = [
        {"field": "line", "type": "nominal", "title": " "},
        {"field": "x", "type": "quantitative", "title": _("merges"), "format": ",d"},
        {"field": "value", "type": "quantitative", "title": _("tokens saved"), "format": ",d"},
    ]
    return {
        "height": 200,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 0, "right": 8, "top": 20, "bottom": 0},
        "datasets": {name: points},
        "data": {"name": name},
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 1.8, "aria": False},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": {**line, "scale": {"domain": names, "range": LANES[: len(names)]}},
                    "strokeDash": {
                        **line,
                        "scale": {"domain": names, "range": [[1, 0], [7, 4], [2, 3]]},
                    },
                    "tooltip": tooltip,
                },
            },
            {
                **once,
                "mark": {"type": "rule", "strokeWidth": 1.6, **mark},
                "encoding": {"x": at["x"]},
            },
            {
                **once,
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, **mark},
                "encoding": at,
            },
            {
                **once,
                "mark": {
                    **{"type": "text", "fontWeight": "bold", "fontSize": 12},
                    **{"text": here(listed(said)), "dy": -14, **side, **mark},
                },
                "encoding": at,
            },
        ],
    }


def _chosen_said(choice: CharacterChoice) -> str:
    chosen = choice.chosen
    return message(
        "Of {all} {chosen:,} were chosen: {needed:,} for {merges}, and {alone:,} for the bytes "
        "that they save. Together this saves {saved}: the corpus has so many fewer than if every "
        "character were spelled in bytes. No other number of merges saves more.",
        all=counted("{n} character", "{n} characters", len(choice.found)),
        chosen=len(choice.characters),
        needed=chosen.needed,
        merges=counted("{n} merge", "{n} merges", chosen.merges),
        alone=chosen.alone,
        saved=counted("{n} token", "{n} tokens", chosen.saved),
    )


def _curve_said(choice: CharacterChoice) -> str:
    return _(
        "Tokens saved by number of merges, from 0 to {last:,}: most, {saved:,}, with {merges:,}; "
        "the table beside it has the numbers.",
        last=len(choice.saved) - 1,
        saved=choice.chosen.saved,
        merges=choice.merges,
    )


def _table(table: pd.DataFrame) -> None:
    if len(table) > MOST_ROWS:
        note(_("The first {n:,} of {all:,} rows.", n=MOST_ROWS, all=len(table)))
    config = column_labels(table.columns)
    st.dataframe(table.head(MOST_ROWS), hide_index=True, height=292, column_config=config)
