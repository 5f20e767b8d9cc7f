"""The style sheets of the pages, and elements that several pages share."""

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import pandas as pd
import streamlit as st

from tokviz.basics.messages import _, here
from tokviz.formats.table_files import TABLE_FORMATS, table_bytes
from tokviz.pages.widgets.markup import text
from tokviz.player.assets import CSS

Args = ParamSpec("Args")
Result = TypeVar("Result")


def apply_style() -> None:
    """Add the style sheets to the page."""
    st.html(CSS / "base.css")
    for name in ("style.css", "token_lens.css", "compare.css", "lesson.css"):
        st.html(Path(__file__).with_name(name))
    # Streamlit's button has only an icon.
    menu = text(_("Menu"))
    st.html(f'<style>:root {{ --tv-menu: "{menu}"; }}</style>')


def chip_style() -> None:
    """Add the style sheets of chips to a page without a player, and those of texts in chips."""
    for sheet in (CSS / "chips.css", Path(__file__).with_name("text_chips.css")):
        st.html(sheet)


def in_one_place(function: Callable[Args, Result]) -> Callable[Args, Result]:
    """Draw what a function draws in one container, also if that is nothing. Streamlit tells the
    elements below by their number on the page: if it changed, the browser would make them anew, and
    a text area would lose its focus and caret."""

    @wraps(function)
    def done(*args: Args.args, **kwargs: Args.kwargs) -> Result:
        with st.container():
            return function(*args, **kwargs)

    return done


def sentence(said: str) -> None:
    """Draw an error message as plain text: it may quote a corpus."""
    st.html(f'<div class="tv-error" role="alert">{text(here(said))}</div>')


def note(said: str) -> None:
    """Draw a note as plain text."""
    st.html(f'<p class="tv-note">{text(here(said))}</p>')


def headline(said: str, briefly: str) -> None:
    """Draw the page's heading: a sentence on what the page is for, on phones a shorter one. The
    player leaves it room."""
    st.html(Path(__file__).with_name("headline.css"))
    wide, narrow = f"<span>{text(said)}</span>", f'<span class="tv-briefly">{text(briefly)}</span>'
    st.html(f'<h1 class="tv-headline">{wide}{narrow}</h1>')


def fact_line(rows: Mapping[str, str], heading: str = "") -> None:
    """Draw names and values in a line, below a heading for screen readers only."""
    cells = "".join(
        f"<div><dt>{text(here(name))}</dt><dd><bdi>{text(here(value))}</bdi></dd></div>"
        for name, value in rows.items()
    )
    title = f'<h1 class="tv-unseen">{text(heading)}</h1>' if heading else ""
    st.html(f'{title}<dl class="tv-setup">{cells}</dl>')


def csv_button(label: str, name: str, make: Callable[[], pd.DataFrame]) -> None:
    """Draw a button that saves a table as CSV; the table is made when it is pressed."""
    st.download_button(
        label,
        data=lambda: table_bytes(make(), "csv"),
        file_name=f"tokviz-{name}.csv",
        mime=TABLE_FORMATS["csv"],
        on_click="ignore",
        key=f"{name}_csv",
    )
