"""The page How it works: an explanation, the glossary, the libraries tokviz was compared with, and
all limits."""

from pathlib import Path

import streamlit as st

from tokviz.basics.glossary import GLOSSARY
from tokviz.basics.messages import _, here
from tokviz.basics.paragraphs import paragraphs
from tokviz.pages.checked_against import intro, read, table
from tokviz.pages.visit.limit_list import limit_list
from tokviz.pages.widgets.markup import text

TEXT = Path(__file__).with_name("how-it-works.md")


def page() -> None:
    """Draw the page."""
    with st.container(width=760):
        title, *rest = paragraphs(TEXT.read_text(encoding="utf-8"))
        glossary = _("Glossary")
        st.markdown(f"{_(title)}\n\n[{glossary}](#glossary)")
        st.markdown("\n\n".join(map(_, rest)))
        st.header(glossary, anchor="glossary")
        st.html(_terms())
        checked, heading = read(), _("Checked against")
        st.markdown(f"## {heading}\n\n{intro(checked)}\n\n{table(checked)}")
        heading = _("Limits of this server")
        st.markdown(f"## {heading}")
        limit_list()


def _terms() -> str:
    """Return the HTML of the glossary; a term has an anchor, such as `#glossary-token`."""
    terms = "".join(
        f'<dt id="glossary-{name}">{text(here(term.name))}</dt><dd>{text(here(term.meaning))}</dd>'
        for name, term in GLOSSARY.items()
    )
    return f'<dl class="tv-glossary">{terms}</dl>'
