"""What comes from a corpus, made safe to show: escaped, and without what no screen can show."""

import unicodedata
from html import escape


def visible(text: str) -> str:
    """Text that any screen can show: control characters, lone surrogates and unassigned code
    points by their code point, everything else as it is.

    >>> visible("a\\x00\\ud800b"), visible("naïve 日本 👩‍🚀")
    ('a⟨U+0000⟩⟨U+D800⟩b', 'naïve 日本 👩\\u200d🚀')
    """
    if text.isprintable():
        return text
    return "".join(
        f"⟨U+{ord(char):04X}⟩" if unicodedata.category(char) in ("Cc", "Cs", "Cn") else char
        for char in text
    )


def text(value: str) -> str:
    """Escaped for HTML, as text or as an attribute.

    >>> text('<script>"')
    '&lt;script&gt;&quot;'
    """
    return escape(visible(value), quote=True)
