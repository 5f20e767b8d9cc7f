"""Facts of runs that prune: losses, probabilities, lattices."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp

from tokviz.language import counted
from tokviz.lessons.facts import Asked, Part, chips, fact, pruning
from tokviz.lessons.moments import Absent
from tokviz.unigram_history import UnigramHistory
from tokviz.word_lattice import Segmentation, WordLattice


@fact("pruned", "the tokens that the last round pruned")
def _pruned(asked: Asked) -> Sequence[Part]:
    return chips(asked.lane, pruning(asked, asked.t - 1).removed)


@fact("next pruned", "the tokens that the next round prunes")
def _next_pruned(asked: Asked) -> Sequence[Part]:
    return chips(asked.lane, pruning(asked, asked.t).removed)


@fact("next pruned tokens", "how many tokens the next round prunes")
def _next_number(asked: Asked) -> Sequence[Part]:
    return [counted("{n} token", "{n} tokens", len(pruning(asked, asked.t).removed))]


@fact("next tied tokens", "how many tokens tie at the next cut, if more than go")
def _next_tied(asked: Asked) -> Sequence[Part]:
    step = pruning(asked, asked.t)
    if step.tied <= step.tied_removed:
        raise Absent("tie")
    return [counted("{n} token", "{n} tokens", step.tied)]


@fact("next cut", "the greatest loss delta that the next round prunes")
def _next_cut(asked: Asked) -> Sequence[Part]:
    return [_loss(pruning(asked, asked.t).score)]


@fact("loss", "the loss of the corpus here")
def _corpus_loss(asked: Asked) -> Sequence[Part]:
    loss = asked.history.curve()["loss"].iloc[asked.t]
    return [f"{loss:,.2f}"]


@fact("last loss", "the loss of the corpus at the end")
def _last_loss(asked: Asked) -> Sequence[Part]:
    loss = asked.history.curve()["loss"].iloc[-1]
    return [f"{loss:,.2f}"]


@fact("loss delta", "by how much the loss would rise without that token", of="a token")
def _delta(asked: Asked) -> Sequence[Part]:
    table = asked.history.candidates(asked.t)
    if "loss_delta" not in table:
        raise Absent(asked.of)
    found = table.loss_delta[table.token == asked.of].dropna()
    if not len(found):
        raise Absent(asked.of)
    return [_loss(float(found.iloc[0]))]


@fact("dearest token", "the token whose loss delta is greatest here")
def _dearest(asked: Asked) -> Sequence[Part]:
    table = asked.history.candidates(asked.t)
    if "loss_delta" not in table or not table.loss_delta.notna().any():
        raise Absent("loss delta")
    return chips(asked.lane, [str(table.token.iloc[int(table.loss_delta.argmax())])])


@fact("probability", "the probability of a token, as a fraction of counts", of="a token")
def _probability(asked: Asked) -> Sequence[Part]:
    count, total = _share(asked, asked.of)
    return [f"{count:,}/{total:,}"]


@fact("product", "the probabilities of the best segmentation, multiplied", of="a word")
def _product(asked: Asked) -> Sequence[Part]:
    factors = [_share(asked, token) for token in _best(asked).tokens]
    value = Fraction(1)
    for count, total in factors:
        value *= Fraction(count, total)
    written = " × ".join(f"{count:,}/{total:,}" for count, total in factors)
    return [f"{written} = {float(value):.6f}" if len(factors) > 1 else written]


@fact("letters", "the probabilities of the letters of a word, multiplied", of="a word")
def _letters(asked: Asked) -> Sequence[Part]:
    factors = [_share(asked, letter) for letter in asked.of]
    value = Fraction(1)
    for count, total in factors:
        value *= Fraction(count, total)
    return [f"{' × '.join(f'{c:,}/{n:,}' for c, n in factors)} = {float(value):.6f}"]


@fact("ways", "in how many ways the vocabulary of this state can cut a word", of="a word")
def _ways(asked: Asked) -> Sequence[Part]:
    return [counted("{n} way", "{n} ways", _lattice(asked).segmentations)]


@fact("best cut", "the most probable segmentation of a word", of="a word")
def _best_cut(asked: Asked) -> Sequence[Part]:
    return chips(asked.lane, _best(asked).tokens)


@fact("second cut", "the second most probable segmentation of a word", of="a word")
def _second_cut(asked: Asked) -> Sequence[Part]:
    found = _lattice(asked).n_best(2)
    if len(found) < 2:
        raise Absent(asked.of)
    return chips(asked.lane, found[1].tokens)


@fact("best share", "how probable the best segmentation is among all of a word, in %", of="a word")
def _best_share(asked: Asked) -> Sequence[Part]:
    share = exp(_best(asked).log_prob - _lattice(asked).log_total())
    return [f"{100 * share:.1f} %"]


def _lattice(asked: Asked) -> WordLattice:
    try:
        return asked.history.lattice(asked.of, asked.t)
    except (ValueError, TypeError, AttributeError) as error:
        raise Absent(asked.of) from error


def _best(asked: Asked) -> Segmentation:
    best = _lattice(asked).best()
    if best is None:
        raise Absent(asked.of)
    return best


def _share(asked: Asked, token: str) -> tuple[int, int]:
    if not isinstance(asked.history, UnigramHistory):
        raise Absent(token)
    alive = set(asked.history.vocab(asked.t))
    if token not in alive:
        raise Absent(token)
    return asked.history.share(token, asked.t)


def _loss(value: float) -> str:
    return "0" if value == 0 else f"{value:.4g}"
