"""What comes from a corpus, made safe for the pages."""

import re

from tokviz.markup import text, visible

__all__ = ["label", "text", "visible"]


def label(value: str) -> str:
    r"""Escaped for the labels of widgets, which Streamlit reads as Markdown.

    >>> print(label("![x](http://y) *b*"))
    \!\[x\]\(http\://y\) \*b\*
    """
    return re.sub(r"([\\`*_{}\[\]()#+\-.!:$~<>|&])", r"\\\1", visible(value))
