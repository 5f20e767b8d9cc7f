"""The page How it works: an explanation, the libraries tokviz was compared with, and all limits."""

from pathlib import Path

import streamlit as st

from tokviz.basics.messages import _
from tokviz.basics.paragraphs import paragraphs
from tokviz.pages.checked_against import intro, read, table
from tokviz.pages.visit.limit_list import limit_list

TEXT = Path(__file__).with_name("how-it-works.md")


def page() -> None:
    """Draw the page."""
    with st.container(width=760):
        st.markdown("\n\n".join(map(_, paragraphs(TEXT.read_text(encoding="utf-8")))))
        checked, heading = read(), _("Checked against")
        st.markdown(f"## {heading}\n\n{intro(checked)}\n\n{table(checked)}")
        heading = _("Limits of this server")
        st.markdown(f"## {heading}")
        limit_list()
