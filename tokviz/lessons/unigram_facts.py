"""Facts of runs that prune: losses, probabilities, lattices."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, isnan

from tokviz.basics.messages import counted
from tokviz.encoding.word_lattice import Segmentation, WordLattice
from tokviz.history.unigram import UnigramHistory
from tokviz.lessons.facts import (
    FactRequest,
    Part,
    chips,
    fact,
    of_family,
    pruning,
    times,
    with_space,
)
from tokviz.lessons.moments import Absent
from tokviz.text.symbols import Symbol

#: Fractions that are written out.
MOST_FACTORS = 12
#: More ways than that are no number to guess.
MOST_WAYS = 10**9
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@fact("pruned", "the tokens that the last round pruned")
def _pruned(request: FactRequest) -> Sequence[Part]:
    return chips(request.lane, pruning(request, request.t - 1).removed)


@fact("next pruned", "the tokens that the next round prunes")
def _next_pruned(request: FactRequest) -> Sequence[Part]:
    return chips(request.lane, pruning(request, request.t).removed)


@fact("next pruned tokens", "how many tokens the next round prunes")
def _next_number(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} token", "{n} tokens", len(pruning(request, request.t).removed))]


@fact("next tied tokens", "how many tokens tie at the next cut, if more than go")
def _next_tied(request: FactRequest) -> Sequence[Part]:
    step = pruning(request, request.t)
    if step.tied <= step.tied_removed:
        raise Absent("tie")
    return [counted("{n} token", "{n} tokens", step.tied)]


@fact("next cut", "the greatest loss delta that the next round prunes")
def _next_cut(request: FactRequest) -> Sequence[Part]:
    return [_loss(pruning(request, request.t).score)]


@fact("loss", "the loss of the corpus here")
def _corpus_loss(request: FactRequest) -> Sequence[Part]:
    return [_loss_at(request, request.t)]


@fact("published loss", "the loss as the course's notebooks print it: 1 too much for each word")
def _published_loss(request: FactRequest) -> Sequence[Part]:
    return [f"{of_family(request, UnigramHistory).published_loss(request.t):,.2f}"]


@fact("last loss", "the loss of the corpus at the end")
def _last_loss(request: FactRequest) -> Sequence[Part]:
    return [_loss_at(request, len(request.history))]


@fact("loss delta", "by how much the loss would rise without that token", of="a token")
def _delta(request: FactRequest) -> Sequence[Part]:
    table = request.history.candidates(request.t)
    if "loss_delta" not in table:
        raise Absent(request.of)
    found = table.loss_delta[table.token == request.of].dropna()
    if not len(found):
        raise Absent(request.of)
    return [_loss(float(found.iloc[0]))]


@fact("dearest token", "the token whose loss delta is greatest here")
def _dearest(request: FactRequest) -> Sequence[Part]:
    table = request.history.candidates(request.t)
    if "loss_delta" not in table or not table.loss_delta.notna().any():
        raise Absent("loss delta")
    return chips(request.lane, [str(table.token.iloc[int(table.loss_delta.argmax())])])


@fact("probability", "the probability of a token, as a fraction of counts", of="a token")
def _probability(request: FactRequest) -> Sequence[Part]:
    count, total = _share(request, request.of)
    return [f"{count:,}/{total:,}"]


@fact(
    "seed count",
    "how often a token stands in the corpus, whatever the words are cut into",
    "a token",
)
def _seed_count(request: FactRequest) -> Sequence[Part]:
    return [times(_share(request, request.of)[0])]


@fact("product", "the probabilities of the best segmentation, multiplied", of="a word")
def _product(request: FactRequest) -> Sequence[Part]:
    return [_multiplied(request, _best(request).tokens)]


@fact("second product", "the same for the second-best segmentation", of="a word")
def _second_product(request: FactRequest) -> Sequence[Part]:
    return [_multiplied(request, _second(request).tokens)]


@fact("letters", "the probabilities of the letters of a word, multiplied", of="a word")
def _letters(request: FactRequest) -> Sequence[Part]:
    show = request.history.spelling.show
    return [_multiplied(request, [show(Symbol(letter)) for letter in with_space(request)])]


@fact("ways", "in how many ways the vocabulary of this state can cut a word", of="a word")
def _ways(request: FactRequest) -> Sequence[Part]:
    ways = _lattice(request).segmentations
    if ways > MOST_WAYS:
        raise Absent(request.of)
    return [counted("{n} way", "{n} ways", ways)]


@fact("best cut", "the most probable segmentation of a word", of="a word")
def _best_cut(request: FactRequest) -> Sequence[Part]:
    return chips(request.lane, _best(request).tokens)


@fact("second cut", "the second most probable segmentation of a word", of="a word")
def _second_cut(request: FactRequest) -> Sequence[Part]:
    return chips(request.lane, _second(request).tokens)


@fact("best share", "how probable the best segmentation is among all of a word, in %", of="a word")
def _best_share(request: FactRequest) -> Sequence[Part]:
    return [_percent(request, _best(request))]


@fact("second share", "the same for the second-best segmentation, in %", of="a word")
def _second_share(request: FactRequest) -> Sequence[Part]:
    return [_percent(request, _second(request))]


@fact("expected count", "how often a piece is expected in the corpus", of="a piece")
def _expected(request: FactRequest) -> Sequence[Part]:
    table = request.history.candidates(request.t)
    if "reason" not in table:
        raise Absent("expected count")
    found = table["count"][table.token == request.of]
    if not len(found):
        raise Absent(request.of)
    return [f"{float(found.iloc[0]):,.2f}"]


def _lattice(request: FactRequest) -> WordLattice:
    try:
        return request.history.lattice(with_space(request), request.t)
    except (ValueError, TypeError, AttributeError) as error:
        raise Absent(request.of) from error


def _best(request: FactRequest) -> Segmentation:
    best = _lattice(request).best()
    if best is None:
        raise Absent(request.of)
    return best


def _second(request: FactRequest) -> Segmentation:
    found = _lattice(request).n_best(2)
    if len(found) < 2:
        raise Absent(request.of)
    return found[1]


def _percent(request: FactRequest, segmentation: Segmentation) -> str:
    """How probable a segmentation is among all."""
    share = exp(segmentation.log_prob - _lattice(request).log_total())
    return f"{100 * min(1.0, share):.1f} %"


def _multiplied(request: FactRequest, tokens: Sequence[str]) -> str:
    """The probabilities of some tokens as fractions, and their product."""
    factors = [_share(request, token) for token in tokens]
    if not 1 <= len(factors) <= MOST_FACTORS:
        raise Absent(request.of)
    written = " × ".join(f"{count:,}/{total:,}" for count, total in factors)
    if len(factors) == 1:
        return written
    product = Fraction(1)
    for count, total in factors:
        product *= Fraction(count, total)
    return f"{written} ≈ {_decimal(float(product))}"


def _decimal(value: float) -> str:
    """Four digits, however small the number.

    >>> _decimal(0.0013216715), _decimal(0.00000123456)
    ('0.001322', '1.235 × 10⁻⁶')
    """
    if value >= 1e-4:
        return f"{value:.4g}"
    digits, exponent = f"{value:.3e}".split("e")
    return f"{float(digits):g} × 10{str(int(exponent)).translate(_RAISED)}"


def _share(request: FactRequest, token: str) -> tuple[int, int]:
    """The count of a token as displayed, and that of all."""
    history = of_family(request, UnigramHistory)
    if token not in history.strings or token not in history.vocab(request.t):
        raise Absent(token)
    text = history.record.tokens[history.strings.index(token)]
    return history.share(text, request.t)


def _loss_at(request: FactRequest, t: int) -> str:
    loss = float(request.history.curve()["loss"].iloc[t])
    if isnan(loss):
        raise Absent("loss")
    return f"{loss:,.2f}"


def _loss(value: float) -> str:
    return "0" if value == 0 else f"{value:.4g}"
