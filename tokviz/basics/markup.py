"""What comes from a corpus, made safe to show: escaped, and without what no screen can show."""

import unicodedata
from html import escape

#: What turns the letters after it round, those of the sentence that quotes it too.
_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str) -> str:
    """Text that any screen can show: control characters, lone surrogates, unassigned code points
    and what turns the text after it round by their code point, everything else as it is.

    >>> visible("a\\x00\\ud800b\\u202ec"), visible("naïve 日本 👩‍🚀")
    ('a⟨U+0000⟩⟨U+D800⟩b⟨U+202E⟩c', 'naïve 日本 👩\\u200d🚀')
    """
    if text.isprintable():
        return text
    return "".join(
        f"⟨U+{ord(char):04X}⟩"
        if char in _TURNS or unicodedata.category(char) in ("Cc", "Cs", "Cn")
        else char
        for char in text
    )


def text(value: str) -> str:
    """Escaped for HTML, as text or as an attribute.

    >>> text('<script>"')
    '&lt;script&gt;&quot;'
    """
    return escape(visible(value), quote=True)
