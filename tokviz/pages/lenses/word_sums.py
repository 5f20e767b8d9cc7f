"""An HTML table of words whose numbers are added up."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from tokviz.basics.messages import _, _n, here, sentences

#: Most words in a table, besides a line for all others.
MOST_TERMS = 8


class Sums(NamedTuple):
    """HTML with a table, and how many rows this has between its head and its foot; 0 where there is
    none."""

    html: str
    rows: int = 0


def word_sums(
    region: str,
    names: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str], str]],
    others: tuple[int, str],
    together: str,
    total: str,
) -> Sums:
    """Return a table under column `names`. A row is a word as text, cells as HTML, and
    its number; `others` says how many words have no row, and their sum. `region` is the name that
    readers hear, `together` that of the `total`.

    >>> table = word_sums("R", ["word", "rise"], [("<a>", [], "2.0")], (1, "1.5"), "sum", "3.5")
    >>> table.rows, "&lt;a&gt;" in table.html
    (2, True)
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = ""
    for word, cells, number in rows:
        between = "".join(f'<td class="n">{cell}</td>' for cell in cells)
        body += f'<tr><th scope="row"><bdi>{escape(word)}</bdi></th>{between}{_number(number)}</tr>'
    n, rest = others
    if n:
        body += _over(names, _n("{n} more word", "{n} more words", n), rest)
    html = (
        f'<div class="tv-terms" tabindex="0" role="region" aria-label="{escape(region)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        f"<tfoot>{_over(names, together, total)}</tfoot></table></div>"
    )
    return Sums(html, len(rows) + bool(n))


def told(said: str, adjusted: bool) -> str:
    """Return what is said above a table; besides, if so, that its numbers are adjusted to add
    up."""
    if not adjusted:
        return said
    why = _("The last column is rounded so that it adds up: its last digits may be off by one.")
    return here(sentences(said, why))


def _over(names: Sequence[str], said: str, number: str) -> str:
    """Return a row whose heading stands over all columns but the last."""
    span = len(names) - 1
    return f'<tr><th scope="row" colspan="{span}">{escape(said)}</th>{_number(number)}</tr>'


def _number(number: str) -> str:
    return f'<td class="n"><b>{number}</b></td>'
