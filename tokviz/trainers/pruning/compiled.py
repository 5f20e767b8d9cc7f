"""Unigram by the compiled trainer (`tokviz.core`): what `plain` says, only faster."""

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.progress import Pause
from tokviz.core.host import Core
from tokviz.history.base import Ints
from tokviz.trainers.pruning.task import Looked, Seeding, State, too_many_substrings

#: Numbers of the enum in `core/c/unigram.c`; any other answer than "" comes with a state.
_ROUNDS = ("", "state", "size", "few_seeds", "overshot", "characters", "many_substrings")
#: Looks at an edge or a sum that take a few milliseconds.
LOOKS = 2_000_000
_MANY = 2**31 - 1
#: How much of what is called done is done when all substrings are found.
_FINDING = 0.2


class CompiledPruning:
    """A `Pruning`. `looked` is called now and then while its seeds are found.

    Raises SettingError if there are too many substrings.
    """

    def __init__(self, seeding: Seeding, looked: Looked) -> None:
        words = seeding.words
        asked = message(
            "To train from {seeds:,} tokens on {words:,} different words",
            seeds=seeding.size,
            words=len(words),
        )
        self._core = core = Core(asked)
        text = "".join(words.words)
        lengths = np.fromiter(map(len, words.words), np.int64, len(words))
        core.give("symbols", np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4"))
        core.give("starts", np.concatenate([[0], np.cumsum(lengths)]))
        core.give_counts(words.counts)
        # What goes, and when that ends, is the caller's.
        core.call(
            "begin_unigram",
            min(seeding.size, _MANY),
            seeding.longest,
            not seeding.whole_words,
            0,
            0.0,
            False,
        )
        while not len(at := core.ints("seed_at")):
            if self._slice() == "many_substrings":
                raise too_many_substrings()
            if not text:
                break
            looked(int(core.number("unigram_progress") / _FINDING * len(words)))
        places = zip(at.tolist(), core.ints("seed_length").tolist(), strict=True)
        tokens = (text[i : i + n] for i, n in places)
        self.seeds = dict(zip(tokens, core.counts("seed_counts").tolist(), strict=True))
        self.tied = core.call("tied_seeds")
        self._size = len(self.seeds)

    def _slice(self) -> str:
        return _ROUNDS[self._core.call("go_on_unigram", LOOKS)]

    def state(self, pause: Pause) -> State:
        while not self._slice():
            pause()
        [loss] = self._core.last("loss", 1).tolist()
        deltas = self._core.last("delta", self._size)
        return State(loss, deltas, self._core.ints("cheapest"), self._core.ints("path"))

    def remove(self, tokens: Ints) -> None:
        self._core.take_out(tokens)
        self._size -= len(tokens)
