"""What comes from a corpus, made safe for the pages."""

import re

from tokviz.basics.markup import text, visible

__all__ = ["label", "text", "visible"]


#: What Streamlit replaces even where it is escaped: its icons and its logo, addresses, arrows and
#: dashes, and what is indented like code.
_REPLACED = re.compile(
    r":(?=material[/_]|streamlit:|//)|(?i:www)(?=\.)|@|[<~](?=[-=])|>(?==)|-(?=[->])|^(?= {4})"
)
#: Takes no room, and parts what would be replaced.
_JOINER = "\u2060"


def label(value: str) -> str:
    r"""Escaped for the labels and tooltips of widgets, which Streamlit reads as Markdown.

    >>> print(label("![x](y.png) *b*"))
    \!\[x\]\(y\.png\) \*b\*
    >>> label(":material/home:")
    '\\:\u2060material/home\\:'
    """
    parted = _REPLACED.sub(lambda found: found[0] + _JOINER, visible(value))
    return re.sub(r"([\\`*_{}\[\]()#+\-.!:$~<>|&])", r"\\\1", parted)
