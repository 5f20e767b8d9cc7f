"""A loss delta worked out in an HTML table: the words that use a token, each with its cost with the
token and without. Numbers add up as they are shown."""

from collections.abc import Sequence
from functools import singledispatch
from html import escape
from math import isnan

from tokviz.analysis.shown_losses import shown_loss
from tokviz.basics.messages import _, _n
from tokviz.encoding.faces import drawn
from tokviz.encoding.word_lattice import Segmentation
from tokviz.history.base import Floats, History
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.piece_removal import Removal
from tokviz.history.seeds import SeedHistory
from tokviz.history.unigram import UnigramHistory
from tokviz.pages.lenses.token_facts import State, as_word
from tokviz.pages.lenses.word_sums import MOST_TERMS, Sums, told, word_sums


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


@singledispatch
def delta_of(_history: History, _token: str, _t: int) -> float | None:
    """Return the exact loss delta of a token of state t, as other places show it; None where they
    show none."""
    return None


@delta_of.register
def _unigram_delta(history: UnigramHistory, token: str, t: int) -> float | None:
    return _of_alive(history, history.loss_deltas(t), token, t)


@delta_of.register
def _em_delta(history: SentencePieceUnigramHistory, token: str, t: int) -> float | None:
    return _of_alive(history, history.exact_deltas(t), token, t)


def _of_alive(history: SeedHistory, deltas: Floats, token: str, t: int) -> float | None:
    """Return the number of a token among those of `alive(t)`; None for nan."""
    number = history.strings.index(token)
    found = float(deltas[history.alive(t).tolist().index(number)])
    return None if isnan(found) else found


def loss_table(state: State, token: str, terms: Sequence[Removal]) -> Sums:
    """Return the HTML of a heading, a sentence and the table, for a token that may go."""
    shown = shown_loss(terms, delta_of(state.history, token, state.t), MOST_TERMS)
    why = _("Why losing {token} costs {delta}", token=state.chip(token), delta=shown.total)
    heading = f"<h3>{why}</h3>"
    if not shown.rows:
        return Sums(
            f'<div class="tv-why">{heading}<p class="tv-note">{escape(_no_rise(terms))}</p></div>'
        )
    said = _(
        "Each word that uses it is cut again without it, with the probabilities as they are. −ln P "
        "is the sum over the tokens of a segmentation."
    )
    said = told(said, shown.adjusted)
    rows = []
    for term, (after, before, rise) in zip(terms, shown.rows, strict=False):
        cells = [
            f"{term.count:,} × (",
            f"{_chips(state, term.after)} {after} −",
            f"{_chips(state, term.before)} {before} ) =",
        ]
        rows.append((drawn(as_word(state.history, term.lattice.word)), cells, rise))
    table = word_sums(
        _("The loss delta, word by word"),
        [_("word"), _("count"), _("−ln P without it"), _("−ln P now"), _("rise of the loss")],
        rows,
        (len(terms) - len(rows), shown.rest),
        _("together: the loss delta"),
        shown.total,
    )
    html = f'<div class="tv-why">{heading}<p class="tv-note">{escape(said)}</p>{table.html}</div>'
    return Sums(html, table.rows)


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
