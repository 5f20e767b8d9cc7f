"""What came of a grid: a chart of any metric, all cells as a table, and cells as lanes."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.grid import Grid
from tokviz.metrics import METRICS, Metric
from tokviz.pages.grid_run import Asked, label_of
from tokviz.pages.lanes import MOST_LANES, facts
from tokviz.pages.markup import text
from tokviz.pages.run import Run
from tokviz.pages.style import csv_button, fact_line


def grid_result(asked: Asked, found: Grid, open_lanes: Callable[[tuple[Run, ...]], None]) -> None:
    """Draws it. The runs of the cells that somebody chose go to `open_lanes`."""
    _summary(asked, found)
    failed = int((found.table["error"] != "").sum())
    if failed < len(found.table):
        _chart(found.table)
    chosen = _table(found.table)
    with st.container(horizontal=True, vertical_alignment="center", key="grid_actions"):
        cells = found.table.iloc[chosen]
        said = _hint(cells)
        pressed = st.button("Open as lanes", key="grid_open", disabled=bool(said))
        csv_button("Download CSV", "grid", lambda: found.table)
        if said:
            st.html(f'<p class="tv-note">{text(said)}</p>', width="content")
    if pressed and not said:
        open_lanes(_runs(asked, cells))


def _summary(asked: Asked, found: Grid) -> None:
    """What was trained on what, and what of it is missing."""
    rows = {"Corpus": asked.runs[0].title}
    for run in asked.runs:
        known = facts(run)
        name, _ = known.pop("Algorithm"), known.pop("Vocabulary")
        words = [known.pop("Words")] if "Words" in known else []
        rows[name] = ", ".join([*words, *(f"{k} {v}" for k, v in known.items())]) or "word counts"
    fact_line(rows)
    notes = []
    if found.cancelled:
        total = len(asked.runs) * len(asked.sizes)
        notes.append(f"Stopped: {len(found.table)} of {total} cells were finished.")
    if failed := int((found.table["error"] != "").sum()):
        cells = "1 cell" if failed == 1 else f"{failed} cells"
        notes.append(f"{cells} could not be trained; the last column of the table says why.")
    if notes:
        st.html(f'<p class="tv-note">{text(" ".join(notes))}</p>')


def _told(metric: Metric) -> str:
    """What a metric is, in a line."""
    better = {"more": "More is better.", "less": "Less is better."}.get(metric.better, "")
    source = f" ({metric.source})" if metric.source else ""
    return f"= {metric.formula}{source}. {better}".strip()


def _chart(table: pd.DataFrame) -> None:
    # Altair takes its time to load.
    from tokviz.pages.grid_chart import grid_chart

    with st.container(horizontal=True, vertical_alignment="bottom", key="grid_metric_row"):
        metric = st.selectbox(
            "Metric",
            METRICS,
            format_func=lambda metric: metric.label,
            key="grid_metric",
            persist_state="session",
            width=260,
        )
        st.html(f'<p class="tv-note">{text(_told(metric))}</p>')
    names = ", ".join(dict.fromkeys(table["algorithm"]))
    st.altair_chart(
        grid_chart(table, metric),
        alt=f"{metric.label} by vocabulary size for {names}; the table below has the numbers.",
        key="grid_chart",
    )


def _table(table: pd.DataFrame) -> list[int]:
    """All cells with all metrics; returns the rows that are selected."""
    shown = table.assign(stopped=table["stopped"].where(table["error"] == "", table["error"]))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "algorithm": st.column_config.TextColumn("Algorithm", pinned=True),
        "vocab_size": number(
            "Size", help="The vocabulary size that was asked for.", pinned=True, format="localized"
        ),
        "reached": number(
            "Reached", help="The vocabulary size that training ended with.", format="localized"
        ),
        "steps": number(
            "Steps", help="Merges, or rounds of Unigram, until there.", format="localized"
        ),
        "stopped": st.column_config.TextColumn("Why it ended", width="large"),
    }
    for metric in METRICS:
        whole = metric.name == "corpus_tokens"
        columns[metric.name] = number(
            metric.label, help=_told(metric), format="localized" if whole else "%.3f"
        )
    event = st.dataframe(
        shown.drop(columns="error"),
        hide_index=True,
        column_config=columns,
        key=f"grid_cells_{st.session_state['grid_visit']}",
        on_select="rerun",
        selection_mode="multi-row",
        height=min(330, 37 + 35 * len(shown)),
        alt="Every cell of the grid with all its metrics",
    )
    return [row for row in event["selection"]["rows"] if row < len(table)]


def _hint(cells: pd.DataFrame) -> str:
    """Why cells cannot be opened as lanes, and what to select; empty if they can."""
    if not len(cells):
        return f"Select 1 to {MOST_LANES} rows of the table to open them as lanes."
    if len(cells) > MOST_LANES:
        return f"{len(cells)} rows are selected; select up to {MOST_LANES} to open them as lanes."
    if (cells["error"] != "").any():
        return "A cell that could not be trained opens no lane; take it out of the selection."
    return ""


def _runs(asked: Asked, cells: pd.DataFrame) -> tuple[Run, ...]:
    """The runs that some cells are."""
    runs = {label_of(run): run for run in asked.runs}
    return tuple(
        runs[name]._replace(vocab_size=int(size))
        for name, size in zip(cells["algorithm"], cells["vocab_size"], strict=True)
    )
