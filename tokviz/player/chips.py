"""HTML of tokens as chips, and of visible text, in the same form as the player's."""

import unicodedata
from collections.abc import Iterable
from html import escape

from tokviz.encoding.faces import drawn, face
from tokviz.text.symbols import Spelling, Symbol

__all__ = ["MOST_SHOWN", "chip", "drawn", "parts_shown", "shown"]

#: Most characters of a token in a chip.
MOST_SHOWN = 60


def shown(text: str) -> str:
    """Return the HTML of a text: a space as a dimmed sign, an initial combining mark on a dotted
    circle.

    >>> shown("a <"), shown("\\u0301")
    ('a<span class="m">␣</span>&lt;', '◌\\u0301')
    """
    based = "◌" + text if text and unicodedata.category(text[0])[0] == "M" else text
    return escape(drawn(based)).replace(" ", '<span class="m">␣</span>')


def parts_shown(parts: Iterable[tuple[str, str]]) -> str:
    """Return the HTML of the parts of a token, as `face` gives them.

    >>> parts_shown([("m", "Ġ"), ("", "a"), ("b", "C3")])
    '<span class="m">Ġ</span>a<span class="b">C3</span>'
    """
    kinds = (("m long" if kind == "m" and len(part) > 1 else kind, part) for kind, part in parts)
    return "".join(
        f'<span class="{kind}">{escape(drawn(part))}</span>' if kind else shown(part)
        for kind, part in kinds
    )


def chip(spelling: Spelling, string: str, symbol: Symbol | None, colour: int) -> str:
    """Return the HTML of a token's chip, with markers and bytes apart from its text; without a
    symbol it is a special token, which has no colour. `string` is the token as displayed.

    >>> chip(Spelling(unit="byte"), "Ã", Symbol("Ã"), 0)
    '<span class="chip h0" data-token="Ã"><span class="b">C3</span></span>'
    """
    exact = escape(drawn(string[:MOST_SHOWN]), quote=True)
    more = '<span class="m">…</span>' if len(string) > MOST_SHOWN else ""
    if symbol is None:
        inside = shown(string[:MOST_SHOWN]) + more
        return f'<span class="chip special" data-token="{exact}">{inside}</span>'
    symbol = symbol._replace(text=symbol.text[:MOST_SHOWN])
    found = face(spelling, symbol)
    inside = parts_shown(found)
    text = "".join(part for kind, part in found if not kind)
    turned = any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    kinds = f"chip h{colour}{' long' if len(string) > 24 else ''}{' rtl' if turned else ''}"
    way = ' dir="rtl"' if turned else ""
    return f'<span class="{kinds}"{way} data-token="{exact}">{inside}{more}</span>'
