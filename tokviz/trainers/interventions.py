"""What if: choices that a run is told to make at some steps, whatever its rule says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tokviz.basics.arguments import Shown, plain
from tokviz.basics.errors import SettingError
from tokviz.history.base import Ints
from tokviz.history.merge_record import TOP
from tokviz.history.stop import Stop
from tokviz.narration.stops import why_ended
from tokviz.text.symbols import Spelling, SymbolTable
from tokviz.trainers.merging.task import Merging

#: What a step is told: a pair of displayed strings; for Unigram "keep" or "drop" and the tokens.
Choice: TypeAlias = tuple[str, ...]
#: Steps and what they are told, in ascending order.
Interventions: TypeAlias = tuple[tuple[int, Choice], ...]

#: Candidates that a sentence names.
_NAMED = 5
_SIDES = ("left", "right")
_MANY = 2**31 - 1


def in_order(given: Any) -> Interventions:
    """Interventions as trainers keep them, from a mapping step → choice or from pairs of both.

    Raises SettingError for anything else.

    >>> in_order({7: ("a", "b"), 2: ["c", "d"]})
    ((2, ('c', 'd')), (7, ('a', 'b')))
    """
    try:
        pairs = given.items() if isinstance(given, Mapping) else given
        told = [
            (plain(step), tuple(choice)) for step, choice in pairs if not isinstance(choice, str)
        ]
        fits = len(told) == len(given) and all(
            type(step) is int and step >= 0 and all(isinstance(text, str) for text in choice)
            for step, choice in told
        )
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise SettingError.saying(
            "interventions={given!r} must map states to what is chosen in them.", given=Shown(given)
        )
    if len(dict(told)) < len(told):
        raise SettingError.saying(
            "interventions={given!r} tells a state twice; tell each only once.", given=given
        )
    return tuple(sorted(told))


def merges_in_order(given: Any) -> Interventions:
    """`in_order` for runs of merges, where each choice is a pair.

    >>> merges_in_order({3: ("a",)})
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: interventions tells state 3 to merge ('a',); name two \
tokens, as candidates(3) displays them.
    """
    told = in_order(given)
    for step, choice in told:
        if len(choice) != 2:
            raise SettingError.saying(
                "interventions tells state {step} to merge {choice!r}; name two tokens, as "
                "candidates({step}) displays them.",
                step=step,
                choice=choice,
            )
    return told


def prunings_in_order(given: Any) -> Interventions:
    """`in_order` for Unigram, where each choice is "keep" or "drop" and then the tokens.

    >>> prunings_in_order({3: ("go", "a")})
    Traceback (most recent call last):
    tokviz.basics.errors.SettingError: interventions tells state 3 ('go', 'a'); say "keep" or \
"drop" and then the tokens, each once, as candidates(3) displays them.
    """
    told = in_order(given)
    for step, choice in told:
        tokens = choice[1:]
        if choice[:1] not in (("keep",), ("drop",)) or not tokens or len({*tokens}) < len(tokens):
            raise SettingError.saying(
                'interventions tells state {step} {choice!r}; say "keep" or "drop" and then the '
                "tokens, each once, as candidates({step}) displays them.",
                step=step,
                choice=choice,
            )
    return told


class PruningInterventions:
    """The tokens that a Unigram run is told to keep or to drop."""

    def __init__(self, told: Interventions, shown: Sequence[str]) -> None:
        self._told, self._shown = dict(told), shown
        self.last = max(self._told, default=-1)

    def removed(self, step: int, cheapest: Ints, n: int) -> Ints:
        """The tokens that a round removes, cheapest first: the first `n` of `cheapest`, which has
        all that may go. Those told to stay are passed over, and the next ones take their place.
        Those told to go are among the `n`, and the most expensive others stay instead.

        Raises SettingError for a token that is not among `cheapest`, if more are to go than `n`,
        or if so many are to stay that none could go.

        >>> tokens = np.arange(5)
        >>> told = ((0, ("keep", "b")), (1, ("drop", "e")))
        >>> interventions = PruningInterventions(told, "abcde")
        >>> [interventions.removed(step, tokens, 3).tolist() for step in range(3)]
        [[0, 2, 3], [0, 1, 4], [0, 1, 2]]
        """
        if step not in self._told:
            return cheapest[:n]
        action, *tokens = self._told[step]
        number = {self._shown[i]: i for i in cheapest.tolist()}
        for token in tokens:
            if token not in number:
                if token in self._shown:
                    raise SettingError.saying(
                        'interventions tells state {step} to {action} "{token}", which is a single '
                        "character, or went in an earlier round; choose tokens of "
                        "candidates({step}) that have a loss delta.",
                        step=step,
                        action=action,
                        token=token,
                    )
                raise SettingError.saying(
                    'interventions tells state {step} to {action} "{token}", which is in no '
                    "vocabulary of this run; choose tokens of candidates({step}) that have a loss "
                    "delta.",
                    step=step,
                    action=action,
                    token=token,
                )
        named = np.isin(cheapest, [number[token] for token in tokens])
        if action == "keep":
            if named.all():
                raise SettingError.saying(
                    "interventions tells state {step} to keep all tokens that could go; a round "
                    "removes one at least.",
                    step=step,
                )
            return cheapest[~named][:n]
        if len(tokens) > n:
            raise SettingError.saying(
                "interventions tells state {step} to drop {tokens} tokens, and it removes {n}; "
                "name no more, or raise prune_fraction.",
                step=step,
                tokens=len(tokens),
                n=n,
            )
        named |= np.cumsum(~named) <= n - len(tokens)
        return cheapest[named]

    def check_all_made(self, steps: int, stop: Stop) -> None:
        """Raises SettingError if a run ended before the last round that is told something."""
        _check_reached(self.last, steps, stop)


class MergeInterventions:
    """The merges that a run is told to make, found in the state of their step. `begin` makes the
    table of the symbols that the run starts from."""

    def __init__(self, told: Interventions, begin: Callable[[], SymbolTable]) -> None:
        self._told, self._begin = dict(told), begin

    def steps_before(self, step: int) -> int:
        """How many steps there are, from this one on, before the next one that is told something:
        a great many if none is.

        >>> table = lambda: SymbolTable(Spelling(), (), "ab")
        >>> MergeInterventions(((7, ("a", "b")),), table).steps_before(4)
        3
        """
        return min((told - step for told in self._told if told >= step), default=_MANY)

    def pair(self, step: int, run: Merging) -> tuple[int, int] | None:
        """The symbols that a step is told to merge, None if it is told nothing. If several pairs
        are displayed so, it is the one that the corpus has first.

        Raises SettingError if it is no pair of this state.
        """
        if step not in self._told:
            return None
        table = self._begin()
        for left, right in zip(*(run.column(side).tolist() for side in _SIDES), strict=True):
            table.merge(left, right)
        shown = table.shown()
        left_text, right_text = self._told[step]
        lefts, rights = run.column("pair_left"), run.column("pair_right")
        is_left, is_right = (np.asarray([s == told for s in shown]) for told in self._told[step])
        fits = is_left[lefts] & is_right[rights]
        if live := np.flatnonzero(fits & (run.column("pair_counts") > 0)).tolist():
            p = min(live, key=run.first_seen)
            return int(lefts[p]), int(rights[p])
        best = run.column("top_pair")[-TOP:]
        named = (
            f'"{shown[lefts[p]]}" + "{shown[rights[p]]}"' for p in best[best >= 0][:_NAMED].tolist()
        )
        raise SettingError.saying(
            'interventions tells state {step} to merge "{left_text}" + "{right_text}", which is no '
            "candidate in state {step}. The best ones there are {best}; candidates({step}) has "
            "them all.",
            step=step,
            left_text=left_text,
            right_text=right_text,
            best=", ".join(named),
        )

    def check_all_made(self, steps: int, stop: Stop) -> None:
        """Raises SettingError if a run ended before the last step that is told something."""
        _check_reached(max(self._told, default=-1), steps, stop)


def _check_reached(last: int, steps: int, stop: Stop) -> None:
    if steps <= last:
        raise SettingError.saying(
            "interventions tells state {last} what to choose, and training ends before it, in "
            "state {steps}. {stopped}",
            last=last,
            steps=steps,
            stopped=why_ended(stop),
        )


#: For a run that is told nothing.
NO_INTERVENTIONS = MergeInterventions((), lambda: SymbolTable(Spelling(), (), ()))
