"""SentencePiece's Unigram: EM over a large seed vocabulary, pruned round after round.

Source: google/sentencepiece 0.2.1, src/unigram_model_trainer.cc, after Kudo (2018), "Subword
Regularization".
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.progress import Interrupted, ProgressCallback, Reporter
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.em_record import EMRecorder
from tokviz.history.stop import Stop
from tokviz.pretokenizers import Pretokenizer
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.text.corpus import Cancelled, WordCounts
from tokviz.trainers.pruning.em_lattice import Pause
from tokviz.trainers.pruning.em_model import Survey, UnigramEM
from tokviz.trainers.pruning.seed_pieces import Seeds, find_seeds
from tokviz.trainers.sentencepiece_settings import Prepared, SentencePieceSettings
from tokviz.trainers.settings import setting
from tokviz.trainers.trainer import Trainer
from tokviz.trainers.unigram import check_lengths


@dataclass(frozen=True)
class SentencePieceUnigram(SentencePieceSettings, Trainer):
    """Unigram as google/sentencepiece 0.2.1 trains it.

    Starts from all required characters and the substrings of great count × length. Each round makes
    `num_sub_iterations` EM steps, which re-estimate all log-probabilities and drop what is expected
    less than `min_expected_count` times; then it keeps the `shrinking_factor` of the pieces whose
    approximate loss is greatest. At 1.1 × `vocab_size` the best are chosen, with all required
    characters among them.

    Expected counts and scores are the library's to the last bit, since every sum is rounded as it
    is there. (Not with `split_by_whitespace` off and a word-count table, or words counted by the
    command `count`: there the library goes through the lines one after the other, and the order in
    which they stand is not known, so that last digits differ.)

    A word-count table is taken for a text with each word on lines of its own, that often (the
    library's own tables count seeds otherwise). `num_threads` has no equivalent: results are
    those of one thread. It does not sample lines (`input_sentence_size`).

    >>> import tokviz
    >>> words = {" hug": 10, " pug": 5, " pun": 12, " bun": 4, " hugs": 5}
    >>> history = tokviz.train(words, "sentencepiece-unigram", vocab_size=14)
    >>> [step.action for step in history.steps]
    ['em', 'em', 'finalize']
    >>> history.vocab(3)[:6]
    ['<unk>', '<s>', '</s>', '▁pu', 'n', '▁hug']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "sentencepiece-unigram"
    label: ClassVar[str] = "SentencePiece Unigram"
    help: ClassVar[str] = message("Re-estimate all probabilities by EM, prune by approximate loss.")
    family: ClassVar[type[History]] = SentencePieceUnigramHistory
    default_encoder: ClassVar[str] = "viterbi"
    untold: ClassVar[str] = message(
        "SentencePiece's Unigram cannot be told what to keep or drop; choose the algorithm "
        "unigram, which can."
    )

    seed_sentencepiece_size: int = setting(
        1_000_000,
        message("Seed pieces"),
        message("How many substrings training starts from at most, besides the characters."),
        least=1,
        greatest=10_000_000,
        advanced=True,
    )
    shrinking_factor: float = setting(
        0.75, message("Shrinking factor"), message("The share of the pieces that a pruning keeps."),
        least=0.5, greatest=0.95,
    )  # fmt: skip
    num_sub_iterations: int = setting(
        2,
        message("EM steps per round"),
        message("EM steps before each pruning."),
        least=1,
        greatest=10,
        advanced=True,
    )
    min_expected_count: float = setting(
        0.5,
        message("Least expected count"),
        message(
            "EM drops what it expects less often; 0 shows small texts better. Fixed in the library."
        ),
        least=0.0,
        greatest=1000.0,
    )
    exact_deltas: bool = setting(
        False,
        message("Exact deltas as well"),
        message("Also computes how much the loss would really rise without each piece."),
    )

    def greatest_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """All seeds and the special pieces."""
        prepared = self.prepared(words)
        return len(self.meta_pieces) + len(self._seeds(prepared, lambda: None)[0])

    def _seeds(self, prepared: Prepared, pause: Pause) -> Seeds:
        return find_seeds(prepared, self.piece_rules, self.seed_sentencepiece_size, pause)

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
            seeds = self._seeds(prepared, partial(looking.check, 0))
            model = UnigramEM(prepared, seeds, partial(looking.check, 0))
        except Interrupted:
            raise Cancelled(message("Cancelled while looking for seeds.")) from None
        lengths = [0, *map(len, prepared.words)]
        recorder = EMRecorder(
            [piece.replace(SPACE, " ") for piece in seeds.pieces], np.cumsum(lengths)
        )
        reporter = Reporter("steps", self._most_steps(len(seeds.pieces)), progress)
        run = _Run(self, model, recorder, reporter, prepared.required)
        try:
            stop = run.to_the_end()
        except Interrupted:
            if not recorder.states:
                raise Cancelled(message("Cancelled before the first state was known.")) from None
            stop = Stop("cancelled", values={"steps": recorder.states - 1})
        return SentencePieceUnigramHistory(self, pretokenizer, words, stop, recorder.record())

    @property
    def desired(self) -> int:
        """At how many pieces the rounds end."""
        return int(self.vocab_size * 1.1)

    def after_pruning(self, pieces: int) -> int:
        """How many pieces a pruning may leave."""
        # The library multiplies in single precision.
        kept = np.float32(self.shrinking_factor) * np.float32(pieces)
        return max(self.desired, int(kept))

    def _most_steps(self, pieces: int) -> int:
        """A bound that no run passes; the first EM steps usually drop the most."""
        rounds = 1
        while pieces > self.desired:
            pieces = self.after_pruning(pieces)
            rounds += 1
        return rounds * (self.num_sub_iterations + 1)


@dataclass
class _Run:
    """The loop of the library's Train, with a note of every state."""

    trainer: SentencePieceUnigram
    model: UnigramEM
    recorder: EMRecorder
    reporter: Reporter
    required: dict[str, int]

    def __post_init__(self) -> None:
        self._count = np.full(
            len(self.model.order), np.nan, np.float32
        )  # the last expected counts, by token

    def to_the_end(self) -> Stop:
        """Trains until the vocabulary is final; returns why it ended."""
        trainer, model = self.trainer, self.model
        while True:
            for _ in range(trainer.num_sub_iterations):
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
            if len(model.order) <= trainer.desired:
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

    def _pause(self) -> None:
        self.reporter.check(self.recorder.states)

    def _survey(self, *, expect: bool) -> Survey:
        """Looks at the corpus and notes the state."""
        model = self.model
        survey = model.survey(self._pause, expect=expect)
        if expect:
            self._count[model.order] = survey.expected
        frequency = survey.frequency.copy()
        frequency[:1] -= survey.unknown
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
        size = trainer.vocab_size - len(trainer.meta_pieces)
        # Nothing is known of required characters that come back.
        self._count[np.setdiff1d(np.arange(len(self.required)), model.order)] = np.nan
        lost = model.finalize(self.required, size)
        self.recorder.finalize()
        self._survey(expect=False)
        if len(model.order) == size:
            return Stop("size", trainer.vocab_size, values=values)
        values["special"] = len(trainer.meta_pieces)
        return Stop("few_pieces", size, before + len(lost), values)
