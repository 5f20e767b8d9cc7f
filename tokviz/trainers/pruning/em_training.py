"""How a Unigram model is trained by EM: seeds, rounds of EM steps, prunings, the final choice.

The libraries that do so share this loop, with a note of every state; what they compute differs.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.progress import Interrupted, ProgressCallback, Reporter
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.em_record import EMRecorder
from tokviz.history.stop import Stop
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.pruning.em_lattice import Pause
from tokviz.trainers.pruning.em_model import Survey, UnigramEM
from tokviz.trainers.sentencepiece_settings import Prepared
from tokviz.trainers.settings import setting
from tokviz.trainers.trainer import Trainer
from tokviz.trainers.unigram import check_lengths

# --- settings of both trainers; a field belongs to one class, so these make one ------------------


def shrinking_factor_setting() -> Any:
    return setting(
        0.75,
        message("Shrinking factor"),
        message("The share of the pieces that a pruning keeps."),
        least=0.5,
        greatest=0.95,
    )


def em_steps_setting() -> Any:
    return setting(
        2,
        message("EM steps per round"),
        message("EM steps before each pruning."),
        least=1,
        greatest=10,
        advanced=True,
    )


def min_expected_count_setting() -> Any:
    return setting(
        0.5,
        message("Least expected count"),
        message(
            "EM drops what it expects less often; 0 shows small texts better. Fixed in the library."
        ),
        least=0.0,
        greatest=1000.0,
    )


def exact_deltas_setting() -> Any:
    return setting(
        False,
        message("Exact deltas as well"),
        message("Also computes how much the loss would really rise without each piece."),
    )


# --- the loop -------------------------------------------------------------------------------------


class EMTrainer(Trainer):
    """A trainer whose histories are those of SentencePiece's Unigram."""

    family: ClassVar[type[SentencePieceUnigramHistory]]

    min_expected_count: float
    exact_deltas: bool

    @property
    @abstractmethod
    def em_steps(self) -> int:
        """How many EM steps a round makes."""

    @abstractmethod
    def prepared(self, words: WordCounts) -> Prepared:
        """The words as training sees them."""

    @abstractmethod
    def check_size(self, required: dict[str, int]) -> None:
        """Raises SettingError if the vocabulary is too small for what must be in it."""

    @abstractmethod
    def model(self, prepared: Prepared, pause: Pause) -> UnigramEM:
        """The pieces that training starts from."""

    @abstractmethod
    def texts(self, model: UnigramEM) -> list[str]:
        """The seeds as the corpus has them."""

    @property
    def prunes_last(self) -> bool:
        """Whether a round looks at the size before it prunes."""
        return True

    @property
    def losses_per_token(self) -> bool:
        """Whether losses are per token of the best segmentations, and not per word."""
        return False

    @property
    @abstractmethod
    def desired(self) -> int:
        """At how many pieces the rounds end."""

    @abstractmethod
    def after_pruning(self, pieces: int) -> int:
        """How many pieces a pruning may leave."""

    def train(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None = None,
    ) -> SentencePieceUnigramHistory:
        """Trains on words and returns the whole history.

        A cancelled run keeps every state that it finished.

        Raises SettingError if `vocab_size` is too small for the required characters, or a word too
        long, and Cancelled if the callback stops the run before there is a first state.
        """
        check_lengths(words)
        looking = Reporter("words", len(words), progress)
        try:
            looking.check(0)
            prepared = self.prepared(words)
            self.check_size(prepared.required)
            model = self.model(prepared, partial(looking.check, 0))
        except Interrupted:
            raise Cancelled(message("Cancelled while looking for seeds.")) from None
        lengths = [0, *map(len, prepared.words)]
        recorder = EMRecorder(self.texts(model), np.cumsum(lengths))
        reporter = Reporter("steps", self._most_steps(len(model.order)), progress)
        run = _Run(self, model, recorder, reporter, prepared.required)
        try:
            stop = run.to_the_end()
        except Interrupted:
            if not recorder.states:
                raise Cancelled(message("Cancelled before the first state was known.")) from None
            stop = Stop("cancelled", values={"steps": recorder.states - 1})
        return self.family(self, pretokenizer, words, stop, recorder.record())

    def _most_steps(self, pieces: int) -> int:
        """A bound that no run passes; the first EM steps usually drop the most."""
        rounds = 1
        while pieces > self.desired:
            pieces = self.after_pruning(pieces)
            rounds += 1
        return rounds * (self.em_steps + 1) + 1


@dataclass
class _Run:
    """The loop of the library's Train, with a note of every state."""

    trainer: EMTrainer
    model: UnigramEM
    recorder: EMRecorder
    reporter: Reporter
    required: dict[str, int]

    def __post_init__(self) -> None:
        self._count = np.full(
            len(self.model.log_prob) - 1, np.nan, np.float32
        )  # the last expected counts, by token

    def to_the_end(self) -> Stop:
        """Trains until the vocabulary is final; returns why it ended."""
        trainer, model = self.trainer, self.model
        while True:
            for _ in range(trainer.em_steps):
                survey = self._survey(expect=True)
                if not np.isfinite(survey.expected).all():
                    # Pieces that are hardly expected make log-probabilities that single precision
                    # cannot tell apart any more.
                    return self._finalize({"em": "great"})
                if not (survey.expected >= trainer.min_expected_count).any():
                    least = trainer.min_expected_count
                    return self._finalize({"em": "rare", "expected": least})
                model.maximize(survey.expected, trainer.min_expected_count)
                self.recorder.em()
            survey = self._survey(expect=False)
            if trainer.prunes_last and len(model.order) <= trainer.desired:
                return self._finalize({})
            losses = model.losses(survey.frequency, self._pause)
            exact = np.empty(0)
            if trainer.exact_deltas:
                exact = model.exact_deltas(self._pause)
            size = trainer.after_pruning(len(model.order))
            model.prune(survey.frequency, losses, size)
            self.recorder.prune(
                losses.loss, losses.split, exact, losses.alternative, losses.alternative_starts
            )
            if not trainer.prunes_last and len(model.order) <= trainer.desired:
                self._survey(expect=False)
                return self._finalize({})

    def _pause(self) -> None:
        self.reporter.check(self.recorder.states)

    def _survey(self, *, expect: bool) -> Survey:
        """Looks at the corpus and notes the state."""
        model = self.model
        survey = model.survey(self._pause, expect=expect)
        if expect:
            self._count[model.order] = survey.expected
        frequency = survey.frequency.copy()
        frequency[:1] -= survey.credited
        self.recorder.state(
            model.order,
            model.log_prob[model.order],
            self._count[model.order],
            frequency,
            survey.unknown,
            survey.loss,
            survey.path,
        )
        return survey

    def _finalize(self, values: dict[str, int | float | str]) -> Stop:
        """Chooses the final pieces; `values` says why EM ended before its time, if it did."""
        model, trainer = self.model, self.trainer
        before = len(model.order)
        size = trainer.vocab_size - len(trainer.special_tokens)
        # Nothing is known of required characters that come back.
        self._count[np.setdiff1d(np.arange(len(self.required)), model.order)] = np.nan
        lost = model.finalize(self.required, size)
        self.recorder.finalize()
        self._survey(expect=False)
        if len(model.order) == size:
            return Stop("size", trainer.vocab_size, values=values)
        values["special"] = len(trainer.special_tokens)
        return Stop("few_pieces", size, before + len(lost), values)
