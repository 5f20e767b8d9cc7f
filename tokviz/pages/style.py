"""The look of the pages: one style sheet for both themes, and sentences about bad input."""

from pathlib import Path

import streamlit as st

from tokviz.pages.markup import text


def apply_style() -> None:
    """Puts the style sheets on the page."""
    for name in ("style.css", "token_lens.css", "compare.css"):
        st.html(Path(__file__).with_name(name))


def sentence(said: str) -> None:
    """Says what is wrong, as text and nothing else: it may quote a corpus."""
    st.html(f'<div class="tv-error" role="alert">{text(said)}</div>')
