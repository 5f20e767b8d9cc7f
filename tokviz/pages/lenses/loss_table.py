"""A loss delta worked out in an HTML table: the words that use a token, each with its cost with the
token and without. Numbers add up as they are shown."""

from collections.abc import Sequence
from functools import singledispatch
from html import escape
from typing import NamedTuple

from tokviz.basics.messages import _, _n
from tokviz.encoding.faces import drawn
from tokviz.encoding.word_lattice import Segmentation
from tokviz.history.base import History
from tokviz.history.piece_removal import Removal
from tokviz.history.seeds import SeedHistory
from tokviz.pages.lenses.token_facts import State, as_word
from tokviz.pages.lenses.word_sums import MOST_TERMS, word_sums

#: Decimals that are shown at least and at most: the higher a count, the more a cost needs.
DECIMALS = 2, 12


@singledispatch
def terms_of(_history: History, _token: str, _t: int) -> list[Removal] | None:
    """Return what the loss delta of a token of state t is made of; None where it has none: in runs
    that prune nothing, and for single characters and special tokens, which never go."""
    return None


@terms_of.register
def _seed_terms(history: SeedHistory, token: str, t: int) -> list[Removal] | None:
    if token in history.special_tokens:
        return None
    number = history.strings.index(token)
    return history.loss_terms(token, t) if len(history.record.tokens[number]) > 1 else None


class Rounded(NamedTuple):
    """Costs without and with a token, and the rises that follow from them, in units of the last
    decimal that is shown; `total` is the sum of the rises."""

    decimals: int
    rows: list[tuple[int, int, int]]
    total: int


def rounded(terms: Sequence[Removal]) -> Rounded:
    """Round the costs of words to the fewest decimals with which the rises are exact to two
    decimals, and their sum to four digits, as in the score table; where counts are too high for
    that, to the most decimals.

    >>> from tokviz.encoding.word_lattice import Segmentation, WordLattice
    >>> def term(*costs):
    ...     cut = [Segmentation((), (), -cost) for cost in costs]
    ...     return Removal(WordLattice("ab", ()), *cut, count=1)
    >>> rounded([term(2.0, 4.263), term(1.0, 3.263)])  # 2.26 + 2.26 is not 4.53
    Rounded(decimals=3, rows=[(4263, 2000, 2263), (3263, 1000, 2263)], total=4526)
    """
    rises = [term.rise or 0.0 for term in terms]
    exact = [f"{rise:.2f}" for rise in rises], f"{sum(rises):.4g}"
    least, most = DECIMALS
    for decimals in range(least, most + 1):
        unit = 10**decimals
        costs = [(_cost(term.after, unit), _cost(term.before, unit)) for term in terms]
        rows = [
            (after, before, t.count * (after - before))
            for t, (after, before) in zip(terms, costs, strict=True)
        ]
        total = sum(rise for _after, _before, rise in rows)
        shown = [f"{rise / unit:.2f}" for _after, _before, rise in rows]
        if (shown, f"{total / unit:.4g}") == exact:
            break
    return Rounded(decimals, rows, total)


def _cost(segmentation: Segmentation | None, unit: int) -> int:
    """Return −ln P of a segmentation in units of the last decimal."""
    return round(-segmentation.log_prob * unit) if segmentation else 0


def loss_table(state: State, token: str, terms: Sequence[Removal]) -> str:
    """Return the HTML of a heading, a sentence and the table, for a token that may go."""
    numbers = rounded(terms)

    def written(units: int) -> str:
        return f"{units / 10**numbers.decimals:,.{numbers.decimals}f}"

    chip, total = state.chip(token), written(numbers.total)
    why = _("Why losing {token} costs {delta}", token=chip, delta=total)
    heading = f"<h3>{why}</h3>"
    if not numbers.total:
        return (
            f'<div class="tv-why">{heading}<p class="tv-note">{escape(_no_rise(terms))}</p></div>'
        )
    said = _(
        "Each word that uses it is cut again without it, with the probabilities as they are. −ln P "
        "is the sum over the tokens of a segmentation."
    )
    rows = []
    for term, (after, before, rise) in list(zip(terms, numbers.rows, strict=True))[:MOST_TERMS]:
        cells = [
            f"{term.count:,} × (",
            f"{_chips(state, term.after)} {written(after)} −",
            f"{_chips(state, term.before)} {written(before)} ) =",
        ]
        rows.append((drawn(as_word(state.history, term.lattice.word)), cells, written(rise)))
    others = numbers.rows[MOST_TERMS:]
    table = word_sums(
        _("The loss delta, word by word"),
        [_("word"), _("count"), _("−ln P without it"), _("−ln P now"), _("rise of the loss")],
        rows,
        (len(others), written(sum(rise for _after, _before, rise in others))),
        _("together: the loss delta"),
        total,
    )
    return f'<div class="tv-why">{heading}<p class="tv-note">{escape(said)}</p>{table}</div>'


def _no_rise(terms: Sequence[Removal]) -> str:
    if not terms:
        return _("No word uses it as the words are cut now, so none needs another segmentation.")
    return _n(
        "The word that uses it has another segmentation that is as good.",
        "Each of the {n} words that use it has another segmentation that is as good.",
        len(terms),
    )


def _chips(state: State, segmentation: Segmentation | None) -> str:
    tokens = segmentation.tokens if segmentation else ()
    shown = (state.chip(t) if t in state.ids else escape(drawn(t)) for t in tokens)
    return f'<span class="tv-word">{"".join(shown)}</span>'
