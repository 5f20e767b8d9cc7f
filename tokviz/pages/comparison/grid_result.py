"""The result of a grid: a chart of a metric, a table of all cells, and selected cells as lanes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.analysis.grid import Grid
from tokviz.analysis.metrics import Metric, metrics_of
from tokviz.basics.messages import _, _n, here, listed, message, sentences
from tokviz.pages.comparison.grid_run import GridRequest, label_of
from tokviz.pages.comparison.metric_table import BETTER
from tokviz.pages.visit.lanes import facts
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import csv_button, fact_line
from tokviz.server import page_limits
from tokviz.server.runs import Run, title_of


def grid_result(
    request: GridRequest, found: Grid, open_lanes: Callable[[tuple[Run, ...]], None]
) -> None:
    """Draw the result. The runs of the selected cells are passed to `open_lanes`."""
    _summary(request, found)
    failed = int((found.table["error"] != "").sum())
    if failed < len(found.table):
        _chart(found.table)
    chosen = _table(found.table)
    with st.container(horizontal=True, vertical_alignment="center", key="grid_actions"):
        cells = found.table.iloc[chosen]
        said = _hint(cells)
        pressed = st.button(_("Open as lanes"), key="grid_open", disabled=bool(said))
        csv_button(_("Download CSV"), "grid", lambda: found.table)
        if said:
            st.html(f'<p class="tv-note">{text(said)}</p>', width="content")
    if pressed and not said:
        open_lanes(_runs(request, cells))


def _summary(request: GridRequest, found: Grid) -> None:
    """Draw what was trained on which corpus, and which cells are missing."""
    rows: dict[str, str] = {message("Corpus"): title_of(request.runs[0])}
    for run in request.runs:
        known = facts(run)
        name = known.pop("Algorithm")
        del known["Vocabulary"]
        words = [here(known.pop("Pre-tokenizer"))] if "Pre-tokenizer" in known else []
        told = [*words, *(f"{here(k)} {here(v)}" for k, v in known.items())]
        rows[name] = listed(told) if told else message("word counts")
    fact_line(rows)
    notes = []
    if found.cancelled:
        total = len(request.runs) * len(request.sizes)
        done = len(found.table)
        notes.append(_("Stopped: {n} of {total} cells were finished.", n=done, total=total))
    if failed := int((found.table["error"] != "").sum()):
        said = _n(
            "{n} cell could not be trained; the last column of the table says why.",
            "{n} cells could not be trained; the last column of the table says why.",
            failed,
        )
        notes.append(said)
    if notes:
        st.html(f'<p class="tv-note">{text(here(sentences(*notes)))}</p>')


def _metric_help(metric: Metric) -> str:
    """Return the formula, source and direction of a metric."""
    said = _("= {formula}.", formula=metric.formula)
    if metric.source:
        said = _("= {formula} ({source}).", formula=metric.formula, source=metric.source)
    return here(sentences(said, BETTER[metric.better]))


def _metrics(table: pd.DataFrame) -> tuple[Metric, ...]:
    """Return the metrics, labelled by the kind of words that figures per word divide by."""
    return metrics_of("pretokens" if "pretokens" in {*table["per_word"]} else "whitespace")


def _chart(table: pd.DataFrame) -> None:
    # Altair is slow to import.
    from tokviz.pages.comparison.grid_chart import grid_chart

    with st.container(horizontal=True, vertical_alignment="bottom", key="grid_metric_row"):
        metrics = {metric.name: metric for metric in _metrics(table)}
        # By name: in another grid, the metrics of that name may divide by other words.
        name = choice(
            _("Metric"),
            list(metrics),
            format_func=lambda name: here(metrics[name].label),
            key="grid_metric",
            persist_state="session",
            width=260,
        )
        metric = metrics[name]
        st.html(f'<p class="tv-note">{text(_metric_help(metric))}</p>')
    names = ", ".join(dict.fromkeys(table["algorithm"]))
    st.altair_chart(
        grid_chart(table, metric),
        alt=_(
            "{metric} by vocabulary size for {names}; the table below has the numbers.",
            metric=metric.label,
            names=names,
        ),
        key="grid_chart",
    )


def _table(table: pd.DataFrame) -> list[int]:
    """Draw the table of all cells and metrics; return the selected rows."""
    why = table["stopped"].where(table["error"] == "", table["error"])
    shown = table.assign(stopped=why.map(here))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "algorithm": st.column_config.TextColumn(_("Algorithm"), pinned=True),
        "vocab_size": number(
            _("Size"),
            help=_("The vocabulary size that was asked for."),
            pinned=True,
            format="localized",
        ),
        "reached": number(
            _("Reached"),
            help=_("The vocabulary size that training ended with."),
            format="localized",
        ),
        "steps": number(
            _("Steps"), help=_("Merges, or rounds of Unigram, up to that size."), format="localized"
        ),
        "stopped": st.column_config.TextColumn(_("Why it ended"), width="large"),
    }
    for metric in _metrics(table):
        whole = metric.name == "corpus_tokens"
        columns[metric.name] = number(
            here(metric.label), help=_metric_help(metric), format="localized" if whole else "%.3f"
        )
    event = st.dataframe(
        shown.drop(columns=["words", "per_word", "error"]),
        hide_index=True,
        column_config=columns,
        key=f"grid_cells_{st.session_state['grid_visit']}",
        on_select="rerun",
        selection_mode="multi-row",
        height=min(330, 37 + 35 * len(shown)),
        alt=_("Every cell of the grid with all its metrics"),
    )
    return [row for row in event["selection"]["rows"] if row < len(table)]


def _hint(cells: pd.DataFrame) -> str:
    """Return why the selected cells cannot be opened as lanes, or "" if they can."""
    most = page_limits.lanes()
    if not len(cells):
        return _("Select 1 to {n} rows of the table to open them as lanes.", n=most)
    if len(cells) > most:
        return _(
            "{n} rows are selected; select up to {most} to open them as lanes.",
            n=len(cells),
            most=most,
        )
    if (cells["error"] != "").any():
        return _("A cell that could not be trained cannot be opened as a lane; deselect it.")
    return ""


def _runs(request: GridRequest, cells: pd.DataFrame) -> tuple[Run, ...]:
    """Return the runs of the selected cells."""
    runs = {label_of(run): run for run in request.runs}
    return tuple(
        replace(runs[name], vocab_size=int(size))
        for name, size in zip(cells["algorithm"], cells["vocab_size"], strict=True)
    )
