"""The look of the pages: one style sheet for both themes, and what several pages draw alike."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
import streamlit as st

from tokviz.basics.messages import here
from tokviz.formats.table_files import TABLE_FORMATS, table_bytes
from tokviz.pages.widgets.markup import text
from tokviz.player.assets import CSS


def apply_style() -> None:
    """Puts the style sheets on the page."""
    st.html(CSS / "base.css")
    for name in ("style.css", "token_lens.css", "compare.css"):
        st.html(Path(__file__).with_name(name))


def sentence(said: str) -> None:
    """Says what is wrong, as text and nothing else: it may quote a corpus."""
    st.html(f'<div class="tv-error" role="alert">{text(here(said))}</div>')


def note(said: str) -> None:
    """Says something quietly, as text."""
    st.html(f'<p class="tv-note">{text(here(said))}</p>')


def fact_line(rows: Mapping[str, str], heading: str = "") -> None:
    """Names and their values in a line, below a heading that is heard and not seen."""
    cells = "".join(
        f"<div><dt>{text(here(name))}</dt><dd><bdi>{text(here(value))}</bdi></dd></div>"
        for name, value in rows.items()
    )
    title = f'<h1 class="tv-unseen">{text(heading)}</h1>' if heading else ""
    st.html(f'{title}<dl class="tv-setup">{cells}</dl>')


def csv_button(label: str, name: str, make: Callable[[], pd.DataFrame]) -> None:
    """A button that saves a table as CSV, which is written only once it is pressed."""
    st.download_button(
        label,
        data=lambda: table_bytes(make(), "csv"),
        file_name=f"tokviz-{name}.csv",
        mime=TABLE_FORMATS["csv"],
        on_click="ignore",
        key=f"{name}_csv",
    )
