"""Facts of runs whose merges may reach across the borders of words."""

from collections.abc import Sequence

from tokviz.basics.messages import counted
from tokviz.history.boundless.history import BoundlessHistory
from tokviz.history.crossing.history import CrossingHistory
from tokviz.history.merges import MergeHistory
from tokviz.lessons.facts import FactRequest, Part, chips, fact, of_family
from tokviz.lessons.moments import Absent


def _across(request: FactRequest) -> tuple[MergeHistory, list[int]]:
    """The history, and the steps up to here that reach across words. Raises Absent for runs that
    never do."""
    history: MergeHistory = of_family(request, CrossingHistory, BoundlessHistory)
    return history, [step for step in range(request.t) if history.reaches_across(step)]


@fact("merges across words", "how many of the merges up to here reach across words")
def _merges(request: FactRequest) -> Sequence[Part]:
    _history, steps = _across(request)
    return [counted("{n} merge", "{n} merges", len(steps))]


@fact("tokens across words", "the tokens that merges across words have made up to here")
def _tokens(request: FactRequest) -> Sequence[Part]:
    history, steps = _across(request)
    if not steps:
        raise Absent("across words")
    # A merge may make a token that was there already.
    found = dict.fromkeys(history.steps[step].token for step in steps)
    return chips(request.lane, [*found])
