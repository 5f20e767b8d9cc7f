"""Facts of runs in which languages take turns."""

from collections.abc import Iterable, Sequence

import numpy as np

from tokviz.basics.messages import Message, counted
from tokviz.history.parity.history import ParityHistory
from tokviz.history.steps import ParityStep
from tokviz.lessons.facts import FactRequest, Part, Quoted, fact, of_family, step_at, times, tokens
from tokviz.lessons.moments import Absent
from tokviz.narration.parity import turn_said


def _parity(request: FactRequest) -> ParityHistory:
    """The history, if it has languages to tell apart."""
    history = of_family(request, ParityHistory)
    if len(history.languages) < 2:
        raise Absent("languages")
    return history


def _turn(request: FactRequest, at: int) -> ParityStep:
    """A step that was for one of several languages."""
    _parity(request)
    step = step_at(request, at)
    if not isinstance(step, ParityStep) or not step.language:
        raise Absent("turn")
    return step


def _listed(found: Iterable[tuple[str, Message | None]]) -> Sequence[Part]:
    parts: list[Part] = []
    for name, said in found:
        parts += [", ", Quoted(name)] if parts else [Quoted(name)]
        parts += [" ", said] if said else []
    return parts


@fact("languages", "the languages of the corpus, if there are several")
def _languages(request: FactRequest) -> Sequence[Part]:
    return _listed((name, None) for name in _parity(request).languages)


@fact("language tokens", "how many tokens the text of each language is cut into here")
def _language_tokens(request: FactRequest) -> Sequence[Part]:
    history = _parity(request)
    found = history.language_tokens()[request.t].tolist()
    return _listed(zip(history.languages, map(tokens, found), strict=True))


@fact("most language tokens", "how many tokens the language that takes the most has here")
def _most(request: FactRequest) -> Sequence[Part]:
    return [tokens(int(_parity(request).language_tokens()[request.t].max()))]


@fact("least language tokens", "how many tokens the language that takes the fewest has here")
def _least(request: FactRequest) -> Sequence[Part]:
    return [tokens(int(_parity(request).language_tokens()[request.t].min()))]


@fact("turns", "how many of the merges up to here were for each language")
def _turns(request: FactRequest) -> Sequence[Part]:
    history = _parity(request)
    taken = history.record.turn[: request.t]
    if not len(taken) or taken.min() < 0:
        raise Absent("turns")
    found = np.bincount(taken, minlength=len(history.languages)).tolist()
    said = (counted("{n} merge", "{n} merges", n) for n in found)
    return _listed(zip(history.languages, said, strict=True))


@fact("next turn", "the language that the next merge is for")
def _next(request: FactRequest) -> Sequence[Part]:
    return [Quoted(_turn(request, request.t).language)]


@fact("waiting", "the first language that the next merge is not for")
def _waiting(request: FactRequest) -> Sequence[Part]:
    return [Quoted(_others(request)[0])]


@fact("last waiting", "the last language that the next merge is not for")
def _last_waiting(request: FactRequest) -> Sequence[Part]:
    return [Quoted(_others(request)[-1])]


def _others(request: FactRequest) -> list[str]:
    now = _turn(request, request.t).language
    return [name for name in _parity(request).languages if name != now]


@fact("reason", "why the next merge is for that language, as the player says it")
def _reason(request: FactRequest) -> Sequence[Part]:
    _turn(request, request.t)
    return [turn_said(_parity(request), request.t)]


@fact("turn", "the language that the last merge was for")
def _last(request: FactRequest) -> Sequence[Part]:
    return [Quoted(_turn(request, request.t - 1).language)]


@fact("times in turn", "how often that language had the pair that was merged last")
def _times(request: FactRequest) -> Sequence[Part]:
    return [times(_turn(request, request.t - 1).count)]


@fact("times in all", "how often all languages together had the pair that was merged last")
def _overall(request: FactRequest) -> Sequence[Part]:
    return [times(_turn(request, request.t - 1).overall)]
