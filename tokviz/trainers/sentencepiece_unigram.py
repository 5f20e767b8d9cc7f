"""SentencePiece's Unigram: EM over a large seed vocabulary, pruned round after round.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/unigram_model_trainer.cc, after Kudo (2018),
"Subword Regularization". docs/algorithms.md defines it exactly, and says how the two versions
differ.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.pretokenizers import Pretokenizer
from tokviz.pretokenizers.normalizer import SPACE, VERSIONS
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.pruning.em_lattice import Pause
from tokviz.trainers.pruning.em_model import UnigramEM
from tokviz.trainers.pruning.em_training import (
    EMTrainer,
    em_steps_setting,
    exact_deltas_setting,
    min_expected_count_setting,
    shrinking_factor_setting,
)
from tokviz.trainers.pruning.seed_pieces import Seeds, find_byte_seeds, find_seeds
from tokviz.trainers.sentencepiece_settings import Prepared, SentencePieceSettings
from tokviz.trainers.settings import setting


@dataclass(frozen=True)
class SentencePieceUnigram(SentencePieceSettings, EMTrainer):
    """Unigram as google/sentencepiece 0.2.1 or 0.2.3 (`library_version`) trains it.

    Starts from all required characters and the substrings of great count × length. Each round makes
    `num_sub_iterations` EM steps, which re-estimate all log-probabilities and drop what is expected
    less than `min_expected_count` times; then it keeps the `shrinking_factor` of the pieces whose
    approximate loss is greatest. At 1.1 × `vocab_size` the best are chosen, with all required
    characters among them. 0.2.3 prunes before it looks at the size, and starts from other
    substrings.

    Expected counts and scores are the library's to the last bit, since every sum is rounded as it
    is there. (Not with `split_by_whitespace` off and a word-count table, or words counted by the
    command `count`: there the library goes through the lines one after the other, and the order in
    which they stand is not known, so that last digits differ. Nor for 0.2.3 where words were
    counted by that command or come from a history file: some of its seeds depend on what follows
    each line.)

    A word-count table is taken for a text with each word on lines of its own, that often (the
    tables of 0.2.1 itself count seeds otherwise). `num_threads` has no equivalent: results are
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
    family: ClassVar[type[SentencePieceUnigramHistory]] = SentencePieceUnigramHistory
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
    shrinking_factor: float = shrinking_factor_setting()
    num_sub_iterations: int = em_steps_setting()
    min_expected_count: float = min_expected_count_setting()
    exact_deltas: bool = exact_deltas_setting()

    @property
    def em_steps(self) -> int:
        """How many EM steps a round makes."""
        return self.num_sub_iterations

    @property
    def pseudocode(self) -> str:
        """The lines of its version."""
        return self.name if self.prunes_last else f"{self.name}-{self.library_version}"

    def greatest_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """All seeds and the special pieces."""
        prepared = self.prepared(words)
        return len(self.meta_pieces) + len(self._seeds(prepared, lambda: None)[0])

    def _seeds(self, prepared: Prepared, pause: Pause) -> Seeds:
        find = find_seeds if self.prunes_last else find_byte_seeds
        return find(prepared, self.piece_rules, self.seed_sentencepiece_size, pause)

    @property
    def prunes_last(self) -> bool:
        """Whether a round looks at the size before it prunes, as in 0.2.1."""
        return self.library_version == VERSIONS[0]

    @property
    def losses_per_token(self) -> bool:
        """Whether losses are per token of the best segmentations, as in 0.2.3."""
        return self.library_version != VERSIONS[0]

    def model(self, prepared: Prepared, pause: Pause) -> UnigramEM:
        """The pieces that training starts from."""
        seeds = self._seeds(prepared, pause)
        return UnigramEM(prepared, seeds, self.library_version, pause)

    def texts(self, model: UnigramEM) -> list[str]:
        """The seeds as the corpus has them."""
        return [piece.replace(SPACE, " ") for piece in model.pieces]

    @property
    def desired(self) -> int:
        """At how many pieces the rounds end."""
        return int(self.vocab_size * 1.1)

    def after_pruning(self, pieces: int) -> int:
        """How many pieces a pruning may leave."""
        # The library multiplies in single precision.
        kept = np.float32(self.shrinking_factor) * np.float32(pieces)
        return max(self.desired, int(kept))
