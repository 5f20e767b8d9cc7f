"""Escape texts of a corpus for the pages."""

import re

from tokviz.basics.markup import text, visible

__all__ = ["label", "text", "visible"]


#: What Streamlit replaces even if escaped: its icons and logo, addresses, arrows and dashes, and
#: indented code.
_REPLACED = re.compile(
    r":(?=material[/_]|streamlit:|//)|(?i:www)(?=\.)|@|[<~](?=[-=])|>(?==)|-(?=[->])|^(?= {4})"
)
#: An invisible character that breaks up such text.
_JOINER = "\u2060"


def label(value: str) -> str:
    r"""Escape a text for labels and tooltips of widgets, which Streamlit reads as Markdown.

    >>> print(label("![x](y.png) *b*"))
    \!\[x\]\(y\.png\) \*b\*
    >>> label(":material/home:")
    '\\:\u2060material/home\\:'
    """
    parted = _REPLACED.sub(lambda found: found[0] + _JOINER, visible(value))
    return re.sub(r"([\\`*_{}\[\]()#+\-.!:$~<>|&])", r"\\\1", parted)
