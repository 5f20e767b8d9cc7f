"""A table of all metrics of all lanes at the player's position, with formulas and sources."""

from contextlib import suppress

import numpy as np
import pandas as pd
import streamlit as st

from tokviz.analysis.alignment import AlignmentError
from tokviz.analysis.comparison import PAIR_METRICS, Comparison
from tokviz.analysis.metrics import PER_WORD, metrics_of
from tokviz.basics.messages import _, here, message, sentences
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import csv_button

#: Formats of metrics; the others have four significant digits.
_FORMATS = {
    "corpus_tokens": "{:,}",
    "words": "{:,}",
    "vocab_size": "{:,}",
    "step": "{:,}",
}
_SHARES = ("whole_words", "unused", "jaccard")
_FORMATS |= dict.fromkeys(_SHARES, "{:.1f} %")
#: Sentences for the `better` of a metric.
BETTER = {"more": message("More is better."), "less": message("Less is better."), "": ""}


def metric_table(comparison: Comparison, position: int) -> None:
    """Draw a table of the lanes, one of every two lanes, and buttons for all positions as CSV."""
    at = np.asarray([position])
    table = comparison.metrics_at(at)
    rows = [(_("Step"), "step", "", ""), (_("Vocabulary size"), "vocab_size", "", "")]
    metrics = metrics_of(comparison.per_word)
    rows += [(here(m.label), m.name, here(m.formula), _source(m.source, m.better)) for m in metrics]
    rows.append(
        (
            here(PER_WORD[comparison.per_word]),
            "words",
            _("what the figures per word are divided by"),
            "",
        )
    )
    head = [("", name) for name in comparison.names]
    st.html(_html(_("Metrics of each lane, of its own training corpus"), head, rows, table))
    pairs = pd.DataFrame()
    # Lanes without a common text have no common boundaries.
    with suppress(AlignmentError):
        pairs = comparison.pairs_at(at)
    if len(pairs):
        both = zip(pairs["left"], pairs["right"], strict=True)
        counts = (
            (_("Boundaries of the first"), "left_boundaries", "", ""),
            (_("Boundaries of the second"), "right_boundaries", "", ""),
            (_("Shared boundaries"), "shared_boundaries", "", ""),
        )
        rows = [
            (here(m.label), m.name, here(m.formula), _source(m.source, "")) for m in PAIR_METRICS
        ]
        head = [(_("{lane} and", lane=left), right) for left, right in both]
        st.html(_html(_("Metrics of every two lanes"), head, [*rows, *counts], pairs))
    with st.container(horizontal=True):
        csv_button(_("Metrics as CSV"), "metrics", lambda: comparison.metrics)
        if len(pairs):
            csv_button(_("Pairs as CSV"), "pairs", lambda: comparison.pairs)


def _source(source: str, better: str) -> str:
    from_where = _("Source: {source}.", source=source) if source else ""
    return here(sentences(from_where, BETTER[better]))


def _html(
    caption: str,
    head: list[tuple[str, str]],
    rows: list[tuple[str, str, str, str]],
    table: pd.DataFrame,
) -> str:
    """Return an HTML table; each row has a label, a column of `table`, a formula and a note."""
    names = "".join(
        f'<th scope="col"><small>{text(above)}</small> {text(name)}</th>' for above, name in head
    )
    body = "".join(
        f'<tr title="{text(f"{label} = {formula}. {note}" if formula else label)}">'
        f'<th scope="row">{text(label)}</th>'
        + "".join(f"<td>{written(name, value)}</td>" for value in table[name].tolist())
        + f'<td class="tv-formula">{text(formula)} <i>{text(note)}</i></td></tr>'
        for label, name, formula, note in rows
    )
    heads = f'<tr><th scope="col">{text(_("Metric"))}</th>{names}'
    heads += f'<th scope="col">{text(_("Formula"))}</th></tr>'
    return (
        f'<div class="tv-numbers" tabindex="0" role="region" aria-label="{text(caption)}"><table>'
        f"<caption>{text(caption)}</caption><thead>{heads}</thead><tbody>{body}</tbody></table></div>"
    )


def written(name: str, value: float) -> str:
    """Format a number of a metric for the page.

    >>> written("corpus_tokens", 1234), written("unused", 0.25), written("entropy", 4.56789)
    ('1,234', '25.0 %', '4.568')
    """
    usual = "{:,}" if isinstance(value, int) else "{:.4g}"
    return _FORMATS.get(name, usual).format(100 * value if name in _SHARES else value)
