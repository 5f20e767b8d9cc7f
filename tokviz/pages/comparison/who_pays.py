"""What held-out texts cost in each language, in every lane: below the player of Compare, where the
lanes' text is read in languages."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.analysis.language_costs import DECLARED, who_pays
from tokviz.basics.messages import _
from tokviz.pages.comparison.language_texts import named
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import csv_button, note
from tokviz.server.runs import Corpus, sample_of
from tokviz.text.languages import UNNAMED, joined, shown_name
from tokviz.text.samples import SAMPLES

_SOURCE = "Petrov, La Malfa, Torr and Bibi 2023; Ahia et al. 2023"


def own_held_out(corpus: Corpus) -> str:
    """Return the held-out text that comes with a corpus: that of its sample, or "" if it has none.

    >>> from tokviz.server.runs import sample_corpus
    >>> own_held_out(sample_corpus(SAMPLES["ten-languages"]))[:15]
    '=== English ==='
    >>> own_held_out(Corpus("Mine", "low"))
    ''
    """
    name = sample_of(corpus)
    return joined(SAMPLES[name].held_out) if name else ""


def who_pays_view(table: pd.DataFrame, corpus: Corpus) -> None:
    """Draw a table of `Comparison.held_out_languages`: who pays most in each lane in words, a
    chart, and all numbers. Languages of a sample are named in the language of the page."""
    names = DECLARED if own_held_out(corpus) else {UNNAMED: shown_name(UNNAMED)}
    shown = named(table, names)
    st.html(f'<ul class="tv-payers" role="status">{_findings(shown)}</ul>')
    left, right = st.columns([2, 3], gap="large")
    with left:
        _chart(shown)
    with right:
        st.html(_html(shown))
        note(
            _(
                "Tokens of the held-out text in each language; times (×) those of the language "
                "that is cheapest in the same lane. If all texts say the same, 2 × is twice the "
                "price where tokens are paid for. In brackets tokens ÷ characters. Source: "
                "{source}.",
                source=_SOURCE,
            )
        )
        if table["unknown"].any():
            note(
                _(
                    "An unknown token may hide a whole word, so such a language looks cheaper "
                    "than it is."
                )
            )
        csv_button(_("Download CSV"), "who_pays", lambda: table)


def _findings(table: pd.DataFrame) -> str:
    """Return a sentence for each lane, as HTML."""
    return "".join(
        f"<li>{_finding(row)}</li>" for row in who_pays(table, "lane").to_dict("records")
    )


def _finding(row: Mapping[Hashable, Any]) -> str:
    said: dict[str, Any] = {
        "lane": text(row["lane"]),
        "n": row["dearest_tokens"],
        "total": row["tokens"],
    }
    if row["dearest_tokens"] == row["cheapest_tokens"]:
        return _(
            "{lane}: every language pays the same, {n:,} tokens, and all together {total:,}.",
            **said,
        )
    return _(
        "{lane}: <strong>{language} pays most, {ratio:.2f} times</strong> as many tokens as "
        "{cheapest} ({n:,} and {least:,}); all languages together {total:,}.",
        language=f"<bdi>{text(row['dearest'])}</bdi>",
        cheapest=f"<bdi>{text(row['cheapest'])}</bdi>",
        ratio=row["ratio"],
        least=row["cheapest_tokens"],
        **said,
    )


def _chart(table: pd.DataFrame) -> None:
    # Altair is slow to import.
    from tokviz.pages.comparison.language_chart import lanes_chart

    st.altair_chart(
        lanes_chart(table),
        alt=_(
            "For each language the tokens of its held-out text as a multiple of those of the "
            "language that is cheapest in the same lane; the table has the numbers."
        ),
        key="who_pays_chart",
    )


def _html(table: pd.DataFrame) -> str:
    """Return the HTML of the numbers: a row for each language, a column for each lane."""
    lanes: Sequence[str] = table["lane"].unique().tolist()
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in (_("Language"), *lanes))
    body = ""
    for language, rows in table.groupby("language", sort=False):
        cells = ""
        for row in rows.to_dict("records"):
            bar = (
                f'<span class="tv-share-bar"><span style="width:{100 * row["share"]:.1f}%"></span>'
            )
            more = f"{row['ratio']:.2f} × ({row['tokens_per_character']:.3f})"
            cells += f'<td class="n">{bar}</span>{row["tokens"]:,} <small>{text(more)}</small></td>'
        body += f'<tr><th scope="row"><bdi>{text(str(language))}</bdi></th>{cells}</tr>'
    return (
        '<div class="tv-numbers" tabindex="0" role="region" '
        f'aria-label="{text(_("Held-out tokens in each language"))}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
