"""An expected count worked out in an HTML table: the words in which a piece fits, each with the
share of its segmentations that use it; and the log-probability that EM makes of it. Numbers add up
as they are shown."""

from collections.abc import Sequence
from functools import singledispatch
from html import escape
from typing import NamedTuple

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
from tokviz.pages.lenses.word_sums import MOST_TERMS, word_sums

#: Most words whose lattices are made.
MOST_WORDS = 1000
#: Decimals of a share at least and at most, and of ψ.
DECIMALS, PSI_DECIMALS = (3, 9), 4


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


class Rounded(NamedTuple):
    """Shares and products in units of the last decimal that is shown; `total` is the sum of the
    products."""

    decimals: int
    rows: list[tuple[int, int]]
    total: int


def rounded(terms: Sequence[ExpectedTerm], expected: float) -> Rounded:
    """Round shares to the fewest decimals with which the sum of count × share is the expected count
    in four digits, as in the score table.

    >>> rounded([ExpectedTerm("hug", 10, 0.0541), ExpectedTerm("pug", 5, 0.4812)], 2.947)
    Rounded(decimals=4, rows=[(541, 5410), (4812, 24060)], total=29470)
    """
    least, most = DECIMALS
    for decimals in range(least, most + 1):
        unit = 10**decimals
        shares = [round(term.share * unit) for term in terms]
        rows = [(share, term.count * share) for term, share in zip(terms, shares, strict=True)]
        total = sum(product for _share, product in rows)
        if f"{total / unit:.4g}" == f"{expected:.4g}":
            break
    return Rounded(decimals, rows, total)


def expected_table(state: State, token: str, found: Expectation) -> str:
    """Return the HTML of a heading, sentences and the table."""
    chip, made = state.chip(token), found.estimate
    heading = _("Why {token} is expected {n} times", token=chip, n=f"{made.expected:.4g}")
    if found.terms is None:
        said = _n(
            "It fits into {n} word, too many to be shown one by one.",
            "It fits into {n} words, too many to be shown one by one.",
            found.n_words,
        )
        table = ""
    else:
        said = _(
            "E: each word counts it by the share of its segmentations that use it, the more "
            "probable a segmentation, the greater its share."
        )
        table = _table(state, found.terms, made)
    return (
        f'<div class="tv-why"><h3>{heading}</h3><p class="tv-note">{escape(said)}</p>{table}'
        f'<p class="tv-estimate">{escape(_made(made))}</p></div>'
    )


def _table(state: State, terms: Sequence[ExpectedTerm], made: Estimate) -> str:
    numbers = rounded(terms, made.expected)

    def written(units: int) -> str:
        return f"{units / 10**numbers.decimals:,.{numbers.decimals}f}"

    rows = []
    for term, (share, product) in list(zip(terms, numbers.rows, strict=True))[:MOST_TERMS]:
        filled = f"width: {min(100.0, 100 * term.share):.1f}%"
        bar = f'<span class="tv-share"><span style="{filled}"></span></span>'
        cells = [f"{term.count:,} ×", f"{bar} {written(share)} ="]
        rows.append((drawn(as_word(state.history, term.word)), cells, written(product)))
    others = numbers.rows[MOST_TERMS:]
    return word_sums(
        _("The expected count, word by word"),
        [_("word"), _("count"), _("share of its segmentations"), _("expected")],
        rows,
        (len(others), written(sum(product for _share, product in others))),
        _("together: the expected count"),
        written(numbers.total),
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
