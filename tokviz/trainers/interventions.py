"""What if: choices that a run is told to make at some steps, whatever its rule says."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tokviz.basics.arguments import Shown, plain
from tokviz.basics.errors import SettingError
from tokviz.history.base import Ints
from tokviz.history.stop import Stop
from tokviz.narration.stops import why_ended
from tokviz.text.symbols import Spelling, Symbol, SymbolTable
from tokviz.trainers.merging.pairs import PairIndex

#: What a step is told: a pair of displayed strings; for Unigram "keep" or "drop" and the tokens.
Choice: TypeAlias = tuple[str, ...]
#: Steps and what they are told, in ascending order.
Interventions: TypeAlias = tuple[tuple[int, Choice], ...]

#: Candidates that a sentence names.
_NAMED = 5


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


class ForcedPrunings:
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
        >>> forced = ForcedPrunings(((0, ("keep", "b")), (1, ("drop", "e"))), "abcde")
        >>> [forced.removed(step, tokens, 3).tolist() for step in range(3)]
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


class ForcedMerges:
    """The merges that a run is told to make, found in the state of their step."""

    def __init__(self, told: Interventions, spelling: Spelling, alphabet: Sequence[Symbol]) -> None:
        self._told, self._spelling, self._alphabet = dict(told), spelling, alphabet
        #: The last step that is told something; −1 if none is.
        self.last = max(self._told, default=-1)

    def pair(
        self,
        step: int,
        index: PairIndex,
        merges: Iterable[tuple[int, int]],
        best: Sequence[int],
    ) -> int | None:
        """The pair that a step is told to merge; None if it is told nothing. `merges` are those
        made so far, `best` the best pairs. If several pairs are displayed so, it is the one that
        the corpus has first.

        Raises SettingError if it is no pair of this state.
        """
        if step not in self._told:
            return None
        table = SymbolTable(self._spelling, (), self._alphabet)
        for left, right in merges:
            table.merge(left, right)
        shown = table.shown()
        numbers: dict[str, list[str]] = {text: [] for text in self._told[step]}
        for number, text in enumerate(shown):
            if text in numbers:
                numbers[text].append(chr(number))
        left_text, right_text = self._told[step]
        pairs = (a + b for a in numbers[left_text] for b in numbers[right_text])
        known = (index.number[pair] for pair in pairs if pair in index.number)
        if live := [p for p in known if index.counts[p]]:
            return min(live, key=index.first_seen)
        named = (
            f'"{shown[ord(index.pairs[p][0])]}" + "{shown[ord(index.pairs[p][1])]}"'
            for p in best[:_NAMED]
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
        _check_reached(self.last, steps, stop)


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
NONE_FORCED = ForcedMerges((), Spelling(), ())
