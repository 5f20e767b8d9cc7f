"""One algorithm trained to several vocabulary sizes.

Where training merges, a smaller vocabulary is a state of the training towards a larger one: the
size decides when merging ends and nothing else. So one training, to the greatest size, answers for
all, unless a setting follows the size. What takes tokens back has a size several times; training
ends in the first state with it in which none is due to go. Unigram prunes towards its size; each of
its sizes is a training.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tokviz.basics.messages import message, told_by
from tokviz.basics.progress import Progress
from tokviz.history.base import History, Ints
from tokviz.history.stop import Stop
from tokviz.narration.stops import why_ended
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError, Trainer
from tokviz.trainers.training import make_trainer

#: Called with the size that is trained to, how many sizes that answers for, and a `Progress`;
#: return False to stop.
SizeCallback: TypeAlias = Callable[[int, int, Progress], bool | None]


class Sized(NamedTuple):
    """A size, and the state of a history in which training to it ends; `stop` says why it does.
    If it cannot be trained to, there is no history, and `error` says why."""

    vocab_size: int
    history: History | None = None
    state: int = 0
    stop: Stop | None = None
    error: str = ""

    @property
    def stopped(self) -> str:
        """Why training ended; empty if it could not begin."""
        return "" if self.stop is None else why_ended(self.stop)


def trained_to(
    sizes: Iterable[int],
    algorithm: str,
    settings: Mapping[str, Any],
    words: WordCounts,
    pretokenizer: Pretokenizer,
    progress: SizeCallback = lambda *_: None,
) -> Iterator[Sized]:
    """Every size as soon as it is known, first those that cannot be.

    Raises Cancelled if the callback stopped it, after the sizes that were reached.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> words = WordCounts(("hug", "pug"), (2, 1))
    >>> small, *others = trained_to([3, 5, 6], "bpe", {}, words, make_pretokenizer("none"))
    >>> small.error.split(":")[0]
    'A vocabulary size of 3 is too small'
    >>> [sized.history.vocab(sized.state) for sized in others]
    [['g', 'h', 'p', 'u', 'ug'], ['g', 'h', 'p', 'u', 'ug', 'hug']]
    """
    trainers: dict[int, Trainer] = {}
    for size in sorted(set(sizes)):
        try:
            trainer = make_trainer(algorithm, size, **settings)
            if trainer.family.merges:
                _begin(trainer, words, pretokenizer)
        except SettingError as error:
            yield Sized(size, error=told_by(error))
        else:
            trainers[size] = trainer
    for some in _together(trainers):
        trainer = trainers[some[-1]]
        try:
            yield from _by_one(trainer, some, words, pretokenizer, progress)
        except SettingError as error:
            yield Sized(some[-1], error=told_by(error))


def _together(trainers: Mapping[int, Trainer]) -> list[list[int]]:
    """The sizes that one training answers for, where a setting may follow the size.

    >>> sizes = {n: make_trainer("bpe", n) for n in (20, 40)}
    >>> _together(sizes), _together({n: make_trainer("super-bpe", n) for n in sizes})
    ([[20, 40]], [[20], [40]])
    """
    found: dict[Any, list[int]] = {}
    for size, trainer in trainers.items():
        merges: Any = trainer
        alike = replace(merges, vocab_size=max(trainers)) if trainer.family.merges else size
        found.setdefault(alike, []).append(size)
    return [*found.values()]


def _begin(trainer: Trainer, words: WordCounts, pretokenizer: Pretokenizer) -> None:
    """Raises SettingError if training to that size cannot begin, which is all that a training does
    if it is cancelled at once."""
    with suppress(Cancelled):
        trainer.train(words, pretokenizer, lambda _: False)


def _by_one(
    trainer: Trainer,
    sizes: list[int],
    words: WordCounts,
    pretokenizer: Pretokenizer,
    progress: SizeCallback,
) -> Iterator[Sized]:
    """The sizes that one training to the greatest of them answers for."""
    greatest, cancelled = sizes[-1], False

    def note(report: Progress) -> bool:
        nonlocal cancelled
        cancelled = cancelled or progress(greatest, len(sizes), report) is False
        return not cancelled

    history = trainer.train(words, pretokenizer, note)
    last = len(history)
    ends = _ends(history) if history.merges else np.zeros(0, np.int64)
    for size in sizes:
        state = int(np.searchsorted(ends, size))
        # What merging has reached is known; Unigram has reached nothing before its end.
        if state < len(ends) or not cancelled:
            state = state if state < len(ends) else last
            yield Sized(size, history, state, _stop(history, size, state))
    if cancelled:
        raise Cancelled(message("Cancelled before all sizes were reached."))


def _ends(history: History) -> Ints:
    """For each state the greatest size with which a training could have ended until then: in no
    state that takes a token back next. Where it was cancelled, the last one may be such a state."""
    sizes = history.sizes()[0].copy()
    if history.takes_back:
        sizes[np.append(history.removals, history.stop.kind == "cancelled")] = 0
    ends: Ints = np.maximum.accumulate(sizes)
    return ends


def _stop(history: History, size: int, state: int) -> Stop:
    """Why a training to that size ends in a state of the one to the greatest size."""
    if history.vocab_size(state) == size:
        return Stop("size", size)
    # Merging has not enough for this size either.
    return replace(history.stop, asked=size) if history.merges else history.stop
