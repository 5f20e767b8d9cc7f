"""Chips, words and score tables as HTML. Everything that comes from a corpus is escaped here."""

import unicodedata
from collections.abc import Iterable
from html import escape
from zlib import crc32

import pandas as pd

from tokviz.symbols import Spelling, Symbol

_COLOURS = 8
#: Longer tokens may break over lines.
_LONG = 24


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


def colour(token: str) -> int:
    """The colour number of a token: by identity, the same in every step and session.

    >>> colour("the") == colour("the")
    True
    """
    return crc32(token.encode("utf-8", "surrogatepass")) % _COLOURS


def chip(spelling: Spelling, symbol: Symbol, kind: str = "", title: str = "") -> str:
    """A token as a chip, its markers set apart from its text.

    >>> chip(Spelling(space_mark="▁"), Symbol(" a"), title="id 7")
    '<span class="chip h1" data-token="▁a" title="id 7"><span class="m">▁</span>a</span>'
    """
    parts = spelling.parts(symbol)
    shown = "".join(part for part, _ in parts)
    inner = "".join(f'<span class="m">{text(p)}</span>' if m else text(p) for p, m in parts)
    return _chip(shown, inner, kind, title)


def plain_chip(shown: str, kind: str = "") -> str:
    """A displayed string as a chip, where its parts are not known.

    >>> plain_chip("</s>")
    '<span class="chip h6" data-token="&lt;/s&gt;">&lt;/s&gt;</span>'
    """
    return _chip(shown, text(shown), kind, "")


def _chip(shown: str, inner: str, kind: str, title: str) -> str:
    classes = f"chip h{colour(shown)}" + (f" {kind}" if kind else "")
    classes += " long" if len(shown) > _LONG else ""
    titled = f' title="{text(title)}"' if title else ""
    return f'<span class="{classes}" data-token="{text(shown)}"{titled}>{inner}</span>'


def merge_rows(rows: pd.DataFrame, algorithm: str) -> str:
    """The candidate table of a merge algorithm: pair, count or fraction, bar, next or tied."""
    fraction = "left_count" in rows
    greatest = float(rows["score"].iloc[0]) if len(rows) else 1.0
    body = []
    for rank, row in enumerate(rows.to_dict("records"), start=1):
        number = f"{row['count']:,}"
        if fraction:
            parts = f"{row['count']:,}/({row['left_count']:,}×{row['right_count']:,})"
            number = f"<small>{parts} =</small> {row['score']:.3g}"
        note = "next" if row["chosen"] else ""
        if row["tied"]:
            note = f"{note}, tied" if note else "tied"
        body.append(
            _row(
                "chosen" if row["chosen"] else "",
                f'<td class="rank">{rank}</td>',
                f'<td>{plain_chip(row["left"])}<span class="plus">+</span>'
                f"{plain_chip(row['right'])}</td>",
                f'<td class="n">{number}</td>',
                _bar(float(row["score"]), greatest),
                f'<td class="note">{note}</td>',
            )
        )
    score = "Score" if fraction else "Count"
    return _table(["", "Pair", score, "", ""], body, f"Candidates of {algorithm}")


def prune_rows(rows: pd.DataFrame) -> str:
    """The candidate table of Unigram: tokens, next to go first, and where the cut is."""
    body = []
    greatest = float(rows["loss_delta"].max()) or 1.0 if rows["loss_delta"].notna().any() else 1.0
    before = True
    for rank, row in enumerate(rows.to_dict("records"), start=1):
        delta, chosen = row["loss_delta"], row["chosen"]
        kept = pd.isna(delta)
        note = "goes" if chosen else "never" if kept else "tied" if row["tied"] else ""
        cut = before and not chosen and rank > 1
        before = bool(chosen)
        body.append(
            _row(
                "chosen" if chosen else "cut" if cut else "",
                f'<td class="rank">{rank}</td>',
                f"<td>{plain_chip(row['token'])}</td>",
                f'<td class="n">{row["count"]:,}</td>',
                f'<td class="n">{"–" if kept else f"{delta:.4g}"}</td>',
                _bar(0.0 if kept else float(delta), greatest),
                f'<td class="note">{note}</td>',
            )
        )
    return _table(["", "Token", "Count", "Loss delta", "", ""], body, "Candidates of Unigram")


def _row(kind: str, *cells: str) -> str:
    return f'<tr class="{kind}">{"".join(cells)}</tr>'


def _bar(value: float, greatest: float) -> str:
    return (
        f'<td class="bar"><span style="--value:{value:.9g};--greatest:{greatest:.9g}"></span></td>'
    )


def _table(head: Iterable[str], body: Iterable[str], label: str) -> str:
    numbers = ("Count", "Score", "Loss delta")
    cells = "".join(
        f'<th scope="col"{" class=n" if h in numbers else ""}>{h}</th>' if h else "<td></td>"
        for h in head
    )
    return (
        f'<table aria-label="{label}"><thead><tr>{cells}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )
