"""Facts of runs that take tokens back."""

from collections.abc import Sequence

from tokviz.history.picking.history import PickyHistory
from tokviz.history.steps import RemovalStep
from tokviz.lessons.facts import Chip, FactRequest, Part, fact, of_family, step_at, times, tokens
from tokviz.lessons.moments import Absent
from tokviz.narration.picky import share


def _removal(request: FactRequest, at: int) -> RemovalStep:
    step = step_at(request, at)
    if not isinstance(step, RemovalStep):
        raise Absent("removal")
    return step


@fact("next taken back", "the token that the next step takes back")
def _next(request: FactRequest) -> Sequence[Part]:
    return [Chip(request.lane, _removal(request, request.t).token)]


@fact("next share", "how much of the token that goes next went into a merge")
def _next_share(request: FactRequest) -> Sequence[Part]:
    step = _removal(request, request.t)
    return [share(of_family(request, PickyHistory), step)]


@fact("next left over", "how often the token that goes next still stands in the corpus")
def _left_over(request: FactRequest) -> Sequence[Part]:
    step = _removal(request, request.t)
    return [times(int(of_family(request, PickyHistory).times[step.index]))]


@fact("taken back", "the token that the last step took back")
def _taken(request: FactRequest) -> Sequence[Part]:
    return [Chip(request.lane, _removal(request, request.t - 1).token)]


@fact("taken apart", "what the token that the last step took back came apart into")
def _parts(request: FactRequest) -> Sequence[Part]:
    found: list[Part] = []
    for part in _removal(request, request.t - 1).parts:
        found += [" ", Chip(request.lane, part)] if found else [Chip(request.lane, part)]
    return found


@fact("removals", "how many tokens the training takes back, some of them more than once")
def _removals(request: FactRequest) -> Sequence[Part]:
    return [tokens(int(of_family(request, PickyHistory).removals.sum()))]


@fact(
    "threshold",
    "the share of its uses above which a token is taken back; with BoundlessBPE, at which or above",
)
def _threshold(request: FactRequest) -> Sequence[Part]:
    return [repr(of_family(request, PickyHistory).trainer.threshold)]
