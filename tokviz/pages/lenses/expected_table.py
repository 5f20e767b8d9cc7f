"""An expected count worked out in an HTML table: the words in which a piece fits, each with the
share of its segmentations that use it; and the log-probability that EM makes of it. Numbers add up
as they are shown."""

from collections.abc import Sequence
from functools import singledispatch
from html import escape
from typing import NamedTuple

from tokviz.analysis.added_up import added_up, decimal
from tokviz.analysis.expected_terms import (
    Estimate,
    ExpectedTerm,
    estimate,
    expected_terms,
    words_with,
)
from tokviz.basics.messages import _, _n
from tokviz.encoding.faces import drawn
from tokviz.history.base import History
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.pages.lenses.token_facts import State, as_word
from tokviz.pages.lenses.word_sums import MOST_TERMS, Sums, told, word_sums

#: Most words whose lattices are made.
MOST_WORDS = 1000
#: Decimals of a share at least and at most, and of ψ.
DECIMALS, PSI_DECIMALS = (3, 15), 4


class Expectation(NamedTuple):
    """What the next EM step expects of a piece and makes of it; `terms` is None where the piece
    fits into too many words."""

    terms: list[ExpectedTerm] | None
    n_words: int
    estimate: Estimate


@singledispatch
def expectation(_history: History, _token: str, _t: int) -> Expectation | None:
    """Return the expectation of a token of state t; None unless an EM step comes next."""
    return None


@expectation.register
def _of_em(history: SentencePieceUnigramHistory, token: str, t: int) -> Expectation | None:
    if history.action(t) != "em" or token in history.special_tokens:
        return None
    n = len(words_with(history, token, t))
    terms = expected_terms(history, token, t) if n <= MOST_WORDS else None
    return Expectation(terms, n, estimate(history, token, t))


class ShownCount(NamedTuple):
    """An expected count, `total`, as it is shown everywhere, and what it is the sum of, as it is
    shown: per word its share, and count × share; `rest` is that of all words without a row.
    `adjusted` says that some product is rounded the other way, so that all add up."""

    rows: list[tuple[str, str]]
    rest: str
    total: str
    adjusted: bool


def shown_count(terms: Sequence[ExpectedTerm], expected: float) -> ShownCount:
    """Return an expected count in numbers that add up. Shares have the fewest decimals by which
    count × share is the product.

    >>> shown_count([ExpectedTerm("hug", 10, 0.0541), ExpectedTerm("pug", 5, 0.4812)], 2.947)
    ShownCount(rows=[('0.0541', '0.541'), ('0.4812', '2.406')], rest='0', total='2.947', \
adjusted=False)
    """
    products = [term.count * term.share for term in terms]
    others = [sum(products[MOST_TERMS:])] if len(products) > MOST_TERMS else []
    added = added_up(products[:MOST_TERMS] + others, expected)
    least, most = DECIMALS
    for decimals in range(min(most, max(least, -added.power)), most + 1):
        over = 10 ** max(0, decimals + added.power)
        shares = [round(term.share * 10**decimals) for term in terms[:MOST_TERMS]]
        exact = all(
            (2 * term.count * share + over) // (2 * over) == product
            for term, share, product in zip(terms, shares, added.nearest, strict=False)
        )
        if exact:
            break
    written = [added.written(units) for units in added.terms]
    rows = [
        (decimal(share, decimals), units) for share, units in zip(shares, written, strict=False)
    ]
    adjusted = not exact or added.terms != added.nearest
    return ShownCount(rows, written[-1] if others else "0", f"{expected:.4g}", adjusted)


def expected_table(state: State, token: str, found: Expectation) -> Sums:
    """Return the HTML of a heading, sentences and the table."""
    chip, made = state.chip(token), found.estimate
    heading = _("Why {token} is expected {n} times", token=chip, n=f"{made.expected:.4g}")
    if found.terms is None:
        said = _n(
            "It fits into {n} word, too many to be shown one by one.",
            "It fits into {n} words, too many to be shown one by one.",
            found.n_words,
        )
        table = Sums("")
    else:
        said = _(
            "E: each word counts it by the share of its segmentations that use it, the more "
            "probable a segmentation, the greater its share."
        )
        shown = shown_count(found.terms, made.expected)
        said, table = told(said, shown.adjusted), _table(state, found.terms, shown)
    html = (
        f'<div class="tv-why"><h3>{heading}</h3><p class="tv-note">{escape(said)}</p>{table.html}'
        f'<p class="tv-estimate">{escape(_made(made))}</p></div>'
    )
    return Sums(html, table.rows)


def _table(state: State, terms: Sequence[ExpectedTerm], shown: ShownCount) -> Sums:
    rows = []
    for term, (share, product) in zip(terms, shown.rows, strict=False):
        filled = f"width: {min(100.0, 100 * term.share):.1f}%"
        bar = f'<span class="tv-share-bar"><span style="{filled}"></span></span>'
        cells = [f"{term.count:,} ×", f"{bar} {share} ="]
        rows.append((drawn(as_word(state.history, term.word)), cells, product))
    return word_sums(
        _("The expected count, word by word"),
        [_("word"), _("count"), _("share of its segmentations"), _("expected")],
        rows,
        (len(terms) - len(rows), shown.rest),
        _("together: the expected count"),
        shown.total,
    )


def _made(made: Estimate) -> str:
    """Return the sentence on the M step."""
    if not made.stays:
        return _("M: it is expected too rarely, and goes.")
    unit = 10**PSI_DECIMALS
    psi, psi_of_total = round(made.psi * unit), round(made.psi_of_total * unit)
    one, other, both = (
        f"{units / unit:,.{PSI_DECIMALS}f}".replace("-", "−")
        for units in (psi, psi_of_total, psi - psi_of_total)
    )
    return _(
        "M: its new log-probability is ψ({expected}) − ψ({total}) = {one} − {other} = {both}; "
        "{total} is the sum of all expected counts that stay, and ψ, the digamma function, is a "
        "little less than the logarithm.",
        expected=f"{made.expected:.4g}",
        total=f"{made.total:.4g}",
        one=one,
        other=other,
        both=both,
    )
