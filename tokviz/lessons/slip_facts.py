"""Facts of runs whose loss has a flaw: what it does to the next pruning."""

from collections.abc import Sequence
from typing import NamedTuple

from tokviz.basics.messages import counted
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.lessons.facts import Chip, FactRequest, Part, fact, of_family, tokens
from tokviz.lessons.moments import Absent
from tokviz.narration.values import loss


class _Mistake(NamedTuple):
    """A token with the library's loss and the right one."""

    token: str
    wrong: float
    right: float


def _pruning(request: FactRequest) -> HuggingFaceUnigramHistory:
    """The history, if its next step is a pruning. Raises Absent."""
    history, t = of_family(request, HuggingFaceUnigramHistory), request.t
    if t >= len(history) or history.action(t) != "prune":
        raise Absent("pruning")
    return history


def _mistake(request: FactRequest, goes: bool) -> _Mistake:
    """The clearest mistake of the next pruning: the token of the greatest right loss that goes, or
    that of the least that stays. Raises Absent if it makes none."""
    history, t = _pruning(request), request.t
    slip = history.slip(t)
    if not len(slip.lost):
        raise Absent("mistake")
    row = int(slip.lost[0] if goes else slip.kept[-1])
    token = history.strings[history.alive(t)[row]]
    wrong, right = history.approximate_deltas(t), history.right_losses(t)
    return _Mistake(token, float(wrong[row]), float(right[row]))


@fact("wrongly pruned", "the token that goes next only for its wrong loss; the dearest of these")
def _pruned(request: FactRequest) -> Sequence[Part]:
    return [Chip(request.lane, _mistake(request, True).token)]


@fact("wrongly pruned loss", "the library's loss of that token")
def _pruned_loss(request: FactRequest) -> Sequence[Part]:
    return [loss(_mistake(request, True).wrong)]


@fact("wrongly pruned right loss", "the right loss of that token")
def _pruned_right(request: FactRequest) -> Sequence[Part]:
    return [loss(_mistake(request, True).right)]


@fact("wrongly kept", "the token that stays next only for its wrong loss; the cheapest of these")
def _kept(request: FactRequest) -> Sequence[Part]:
    return [Chip(request.lane, _mistake(request, False).token)]


@fact("wrongly kept loss", "the library's loss of that token")
def _kept_loss(request: FactRequest) -> Sequence[Part]:
    return [loss(_mistake(request, False).wrong)]


@fact("wrongly kept right loss", "the right loss of that token")
def _kept_right(request: FactRequest) -> Sequence[Part]:
    return [loss(_mistake(request, False).right)]


@fact("going tokens", "how many tokens the next pruning removes")
def _going(request: FactRequest) -> Sequence[Part]:
    history = _pruning(request)
    return [tokens(int(history.goes(request.t).sum()))]


@fact("counted pieces", "how many pieces the library's loss counts where a few are meant")
def _counted(request: FactRequest) -> Sequence[Part]:
    n = _pruning(request).slip(request.t).counted
    return [counted("{n} piece", "{n} pieces", n)]


@fact("wrong choices", "how many tokens prunings up to here removed that the right loss keeps")
def _wrong(request: FactRequest) -> Sequence[Part]:
    history = of_family(request, HuggingFaceUnigramHistory)
    prunings = (t for t in range(request.t) if history.action(t) == "prune")
    return [tokens(sum(len(history.slip(t).lost) for t in prunings))]
