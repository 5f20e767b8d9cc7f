"""What if: a run that goes on from one of its states with another choice, and what came of it."""

from dataclasses import replace
from typing import Any

from tokviz.history import History
from tokviz.merge_history import MergeHistory
from tokviz.progress import ProgressCallback
from tokviz.replay_history import ReplayHistory
from tokviz.trainers import TRAINERS, SettingError
from tokviz.trainers.interventions import Choice


def branch(
    history: History, step: int, choice: Choice, progress: ProgressCallback | None = None
) -> History:
    """The run that had made another choice at a step, counted from 0, and gone on from there.

    `choice` is the pair to merge, two strings as `history.candidates(step)` displays them. What
    earlier steps were told stays; what later ones were told goes, since their states are no longer
    the same. The result answers every question as a training with the same `interventions` from the
    start does, at the cost of the steps that follow.

    Raises SettingError for a step or choice that cannot be, and Cancelled if the callback stops the
    run before it goes on.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> other = branch(history, 0, ("p", "u"))
    >>> [step.token for step in history.steps], [step.token for step in other.steps]
    (['ug', 'hug'], ['pu', 'ug'])
    >>> other.narrate(1)
    'Step 1: merged "p" + "u" into "pu" (5 times). Forced; "u" + "g" with 20 would have won.'
    """
    if isinstance(history, ReplayHistory) or history.algorithm not in TRAINERS:
        raise SettingError(
            "A replay cannot take another merge: the order is that of its file. Train on the text "
            "instead."
        )
    if type(step) is not int or not 0 <= step <= len(history):
        raise SettingError(
            f"step={step!r} is not a step of this run; choose one from 0 to {len(history) - 1}."
        )
    told = [(at, what) for at, what in history.trainer.interventions if at < step]
    trainer: Any = replace(history.trainer, interventions=(*told, (step, choice)))
    assert isinstance(history, MergeHistory)
    other: History = trainer.resume(history, step, progress)
    other.text = history.text
    return other
