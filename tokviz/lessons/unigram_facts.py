"""Facts of runs that prune: losses, probabilities, lattices."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, isnan

from tokviz.basics.messages import counted
from tokviz.encoding.word_lattice import Segmentation, WordLattice
from tokviz.history.unigram import UnigramHistory
from tokviz.lessons.facts import Asked, Part, chips, fact, pruning, times, with_space
from tokviz.lessons.moments import Absent
from tokviz.text.symbols import Symbol

#: Fractions that are written out.
MOST_FACTORS = 12
#: More ways than that are no number to guess.
MOST_WAYS = 10**9
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
    return [_loss_at(asked, asked.t)]


@fact("published loss", "the loss as the course's notebooks print it: too high by one a word")
def _published_loss(asked: Asked) -> Sequence[Part]:
    return [f"{_counted(asked).published_loss(asked.t):,.2f}"]


@fact("last loss", "the loss of the corpus at the end")
def _last_loss(asked: Asked) -> Sequence[Part]:
    return [_loss_at(asked, len(asked.history))]


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


@fact(
    "seed count",
    "how often a token stands in the corpus, whatever the words are cut into",
    "a token",
)
def _seed_count(asked: Asked) -> Sequence[Part]:
    return [times(_share(asked, asked.of)[0])]


@fact("product", "the probabilities of the best segmentation, multiplied", of="a word")
def _product(asked: Asked) -> Sequence[Part]:
    return [_multiplied(asked, _best(asked).tokens)]


@fact("second product", "the same for the second-best segmentation", of="a word")
def _second_product(asked: Asked) -> Sequence[Part]:
    return [_multiplied(asked, _second(asked).tokens)]


@fact("letters", "the probabilities of the letters of a word, multiplied", of="a word")
def _letters(asked: Asked) -> Sequence[Part]:
    show = asked.history.spelling.show
    return [_multiplied(asked, [show(Symbol(letter)) for letter in with_space(asked)])]


@fact("ways", "in how many ways the vocabulary of this state can cut a word", of="a word")
def _ways(asked: Asked) -> Sequence[Part]:
    ways = _lattice(asked).segmentations
    if ways > MOST_WAYS:
        raise Absent(asked.of)
    return [counted("{n} way", "{n} ways", ways)]


@fact("best cut", "the most probable segmentation of a word", of="a word")
def _best_cut(asked: Asked) -> Sequence[Part]:
    return chips(asked.lane, _best(asked).tokens)


@fact("second cut", "the second most probable segmentation of a word", of="a word")
def _second_cut(asked: Asked) -> Sequence[Part]:
    return chips(asked.lane, _second(asked).tokens)


@fact("best share", "how probable the best segmentation is among all of a word, in %", of="a word")
def _best_share(asked: Asked) -> Sequence[Part]:
    return [_percent(asked, _best(asked))]


@fact("second share", "the same for the second-best segmentation, in %", of="a word")
def _second_share(asked: Asked) -> Sequence[Part]:
    return [_percent(asked, _second(asked))]


@fact("expected count", "how often a piece is expected in the corpus", of="a piece")
def _expected(asked: Asked) -> Sequence[Part]:
    table = asked.history.candidates(asked.t)
    if "reason" not in table:
        raise Absent("expected count")
    found = table["count"][table.token == asked.of]
    if not len(found):
        raise Absent(asked.of)
    return [f"{float(found.iloc[0]):,.2f}"]


def _lattice(asked: Asked) -> WordLattice:
    try:
        return asked.history.lattice(with_space(asked), asked.t)
    except (ValueError, TypeError, AttributeError) as error:
        raise Absent(asked.of) from error


def _best(asked: Asked) -> Segmentation:
    best = _lattice(asked).best()
    if best is None:
        raise Absent(asked.of)
    return best


def _second(asked: Asked) -> Segmentation:
    found = _lattice(asked).n_best(2)
    if len(found) < 2:
        raise Absent(asked.of)
    return found[1]


def _percent(asked: Asked, segmentation: Segmentation) -> str:
    """How probable a segmentation is among all."""
    share = exp(segmentation.log_prob - _lattice(asked).log_total())
    return f"{100 * min(1.0, share):.1f} %"


def _multiplied(asked: Asked, tokens: Sequence[str]) -> str:
    """The probabilities of some tokens as fractions, and their product."""
    factors = [_share(asked, token) for token in tokens]
    if not 1 <= len(factors) <= MOST_FACTORS:
        raise Absent(asked.of)
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


def _counted(asked: Asked) -> UnigramHistory:
    """The history, if its probabilities are counts. Raises Absent."""
    if not isinstance(asked.history, UnigramHistory):
        raise Absent("counts")
    return asked.history


def _share(asked: Asked, token: str) -> tuple[int, int]:
    """The count of a token as displayed, and that of all."""
    history = _counted(asked)
    if token not in history.strings or token not in history.vocab(asked.t):
        raise Absent(token)
    text = history.record.tokens[history.strings.index(token)]
    return history.share(text, asked.t)


def _loss_at(asked: Asked, t: int) -> str:
    loss = float(asked.history.curve()["loss"].iloc[t])
    if isnan(loss):
        raise Absent("loss")
    return f"{loss:,.2f}"


def _loss(value: float) -> str:
    return "0" if value == 0 else f"{value:.4g}"
