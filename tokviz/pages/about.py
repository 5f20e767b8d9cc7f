"""The page that says where the numbers come from: the project's own document."""

from pathlib import Path

import streamlit as st

TEXT = Path(__file__).parents[2] / "docs" / "how-it-works.md"


def page() -> None:
    """Draws the page."""
    with st.container(width=760):
        st.markdown(TEXT.read_text(encoding="utf-8"))
