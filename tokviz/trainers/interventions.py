"""What if: choices that a run is told to make at some steps, whatever its rule says."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tokviz.symbols import Spelling, Symbol, SymbolTable
from tokviz.trainers.merging import PairIndex
from tokviz.trainers.settings import SettingError

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
        told = [(step, tuple(choice)) for step, choice in pairs if not isinstance(choice, str)]
        fits = len(told) == len(given) and all(
            type(step) is int and step >= 0 and all(isinstance(text, str) for text in choice)
            for step, choice in told
        )
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise SettingError(
            f"interventions={given!r} must map steps, counted from 0, to what is chosen there."
        )
    if len(dict(told)) < len(told):
        raise SettingError(f"interventions={given!r} tells a step twice; tell each only once.")
    return tuple(sorted(told))


def merges_in_order(given: Any) -> Interventions:
    """`in_order` for runs of merges, where each choice is a pair.

    >>> merges_in_order({3: ("a",)})
    Traceback (most recent call last):
    tokviz.trainers.settings.SettingError: interventions tells step 3 to merge ('a',); name two \
tokens, as candidates(3) displays them.
    """
    told = in_order(given)
    for step, choice in told:
        if len(choice) != 2:
            raise SettingError(
                f"interventions tells step {step} to merge {choice!r}; name two tokens, as "
                f"candidates({step}) displays them."
            )
    return told


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
        raise SettingError(
            f'interventions tells step {step} to merge "{left_text}" + "{right_text}", which is '
            f"no candidate in state {step}. The best ones there are {', '.join(named)}; "
            f"candidates({step}) has them all."
        )

    def check_all_made(self, steps: int, stopped: str) -> None:
        """Raises SettingError if a run ended before the last step that is told something."""
        if steps <= self.last:
            raise SettingError(
                f"interventions tells step {self.last} what to choose, and training ends before "
                f"it, in state {steps}. {stopped}"
            )


#: For a run that is told nothing.
NONE_FORCED = ForcedMerges((), Spelling(), ())
