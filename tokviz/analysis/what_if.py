"""What if: a run that goes on from one of its states with another choice, and what came of it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tokviz.analysis.alignment import align
from tokviz.analysis.axis import checked_runs
from tokviz.analysis.boundaries import Lane, boundaries, parted_words
from tokviz.basics.arguments import Shown, check_callable, plain
from tokviz.basics.messages import Message, counted, message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History, Ints
from tokviz.trainers import SettingError
from tokviz.trainers.interventions import Choice

if TYPE_CHECKING:
    import pandas as pd


def branch(
    history: History, t: int, choice: Choice, progress: ProgressCallback | None = None
) -> History:
    """The run that had made another choice in state t, for step t + 1, and gone on from there.

    `choice` is the pair to merge, two strings as `history.candidates(t)` displays them, or for
    Unigram "keep" or "drop" and then the tokens. What
    earlier steps were told stays; what later ones were told goes, since their states are no longer
    the same. The result answers every question as a training with the same `interventions` from the
    start does, at the cost of the steps that follow.

    Raises SettingError for a state or choice that cannot be, and Cancelled if the callback stops
    the run before it goes on.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> other = branch(history, 0, ("p", "u"))
    >>> [step.token for step in history.steps], [step.token for step in other.steps]
    (['ug', 'hug'], ['pu', 'hu'])
    >>> other.narrate(1).partition(". ")[2]
    'Forced; "u" + "g" with a count of 20 would have won.'
    """
    if not isinstance(history, History):
        raise SettingError.saying(
            "{run!r} is no run to branch; pass a history, as tokviz.train gives it.",
            run=Shown(history),
        )
    check_callable("progress", progress)
    t = plain(t)
    trainer: Any = history.trainer
    if "interventions" not in trainer.__dataclass_fields__:
        why = trainer.untold
        raise SettingError(why)
    if type(t) is not int or not 0 <= t <= len(history):
        raise SettingError.saying(
            "t={t!r} is no state of this run to go on from; it has states 0 to {last}.",
            t=Shown(t),
            last=len(history),
        )
    told = [(at, what) for at, what in trainer.interventions if at < t]
    trainer = replace(trainer, interventions=(*told, (t, choice)))
    other: History = trainer.resume(history, t, progress)
    return replace(other, text=history.text)


class Branching(NamedTuple):
    """How far two runs on the same words are from each other, state by state.

    `apart` has for every state how many boundaries of the corpus only one of them has; a run that
    has ended stays in its last state. `parted` is the first state in which they cut a word
    differently, None if they never do. `healed` is the first one behind all such states, None if
    they differ to the end. `words` are those that they cut differently at the end, as
    `tokviz.analysis.boundaries.parted_words` lists them. `left` and `right` are the tokens that
    only the original's, and only the branch's, last vocabulary has, in id order.

    >>> import tokviz
    >>> history = tokviz.train("low low lower newest", "bpe", 12, "whitespace")
    >>> found = branching(history, branch(history, 0, ("o", "w")))
    >>> found.parted, found.healed, found.left, found.right
    (1, 2, ['lo'], ['ow'])
    """

    parted: int | None
    healed: int | None
    apart: Ints
    words: "pd.DataFrame"
    left: list[str]
    right: list[str]

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def said(self) -> Message:
        """Where they part and heal, in a sentence."""
        if self.parted is None:
            return message("Both cut every word the same way at every step.")
        if self.healed is not None:
            return message(
                "They part at step {parted:,}, and from step {healed:,} on they cut every word "
                "the same way again.",
                parted=self.parted,
                healed=self.healed,
            )
        return counted(
            "They part at step {parted}; at the end they cut {n} word differently.",
            "They part at step {parted}; at the end they cut {n} words differently.",
            len(self.words),
            parted=f"{self.parted:,}",
        )

    @property
    def vocabularies_said(self) -> Message:
        """Whether both end with the same tokens, in a sentence."""
        left, right = len(self.left), len(self.right)
        if not left and not right:
            return message("Both end with the same tokens.")
        if left == right:
            return counted(
                "Each ends with {n} token that the other does not have.",
                "Each ends with {n} tokens that the other does not have.",
                left,
            )
        return counted(
            "At the end {n} token is only in the original’s vocabulary, and {other} only in "
            "the branch’s.",
            "At the end {n} tokens are only in the original’s vocabulary, and {other} only in "
            "the branch’s.",
            left,
            other=f"{right:,}",
        )


def branching(original: History, branch: History) -> Branching:
    """Where a branch leaves its original, and whether and where it heals: from which state on both
    cut the whole corpus alike again. Those are the cuts alone; vocabularies may still differ.

    Raises AlignmentError if the two have other words.

    >>> import tokviz
    >>> history = tokviz.train({"ab": 3, "cd": 2, "ce": 1}, "bpe", vocab_size=8)
    >>> [step.token for step in history.steps]
    ['ab', 'cd', 'ce']
    >>> other = branch(history, 0, ("c", "d"))                          # cd, ab, ce
    >>> found = branching(history, other)
    >>> found.parted, found.healed, found.apart.tolist()
    (1, 2, [0, 5, 0, 0])
    >>> found.said
    'They part at step 1, and from step 2 on they cut every word the same way again.'
    >>> found.vocabularies_said
    'Both end with the same tokens.'
    """
    original, branch = checked_runs([original, branch])
    found = align([original, branch])[0, 1]
    states = np.arange(max(len(original), len(branch)) + 1)
    left, right = (
        Lane(history, np.minimum(states, len(history)), gaps)
        for history, gaps in ((original, found.left), (branch, found.right))
    )
    counts = boundaries(found, left, right)
    apart = counts.left + counts.right - 2 * counts.both
    differ = np.flatnonzero(apart).tolist()
    words = parted_words(found, left, right, len(states) - 1)
    last = original.vocab(len(original)), branch.vocab(len(branch))
    rest = _without(last[0], last[1]), _without(last[1], last[0])
    if not differ:
        return Branching(None, None, apart, words, *rest)
    healed = differ[-1] + 1
    ends = differ[0], healed if healed < len(states) else None
    return Branching(*ends, apart, words, *rest)


def _without(vocab: list[str], other: list[str]) -> list[str]:
    """The tokens that another vocabulary does not have. No two of one vocabulary look alike."""
    known = set(other)
    return [token for token in vocab if token not in known]
