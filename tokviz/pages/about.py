"""The page that says where the numbers come from: the project's own document; and what this server
allows."""

from pathlib import Path

import streamlit as st

from tokviz.language import _
from tokviz.pages.limit_list import limit_list
from tokviz.paragraphs import paragraphs

TEXT = Path(__file__).with_name("how-it-works.md")


def page() -> None:
    """Draws the page."""
    with st.container(width=760):
        st.markdown("\n\n".join(map(_, paragraphs(TEXT.read_text(encoding="utf-8")))))
        st.markdown(f"## {_('Limits of this server')}")
        limit_list()
