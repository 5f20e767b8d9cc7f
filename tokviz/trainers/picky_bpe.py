"""PickyBPE: byte-pair encoding that takes back tokens which hardly stand by themselves any more.

Source: Chizhov, Arnett, Korotkova and Yamshchikov (2024), "BPE Gets Picky: Efficient Vocabulary
Refinement During Tokenizer Training", and pchizhov/picky_bpe, bpe_trainer.py. docs/algorithms.md
defines it exactly, and says where the two differ.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.picking.history import PickyHistory
from tokviz.history.picking.record import PickyRecord
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.symbols import SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.boundless.run import BoundlessMerges
from tokviz.trainers.bpe import FromStart, PairTrainer
from tokviz.trainers.interventions import MergeInterventions
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Merging, Start, Task
from tokviz.trainers.picking.run import PickyMerges
from tokviz.trainers.settings import setting


@dataclass(frozen=True)
class PickyBPE(FromStart, PairTrainer):
    """BPE that takes tokens back.

    Each merge is followed by a look at the two tokens that it joined, first the left one: if more
    than `threshold` of what it was used for went into the merge, it leaves the vocabulary, and
    where it still stands it comes apart into what it was made of. A token that was taken back may
    be made once more. Symbols of the alphabet and special tokens always stay. With a threshold of 1
    nothing is taken back: that is BPE.

    Removals are steps of their own. `interventions` says which pairs to merge in some states, as of
    BPE; in a state that takes a token back nothing can be told.

    >>> import tokviz
    >>> history = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", vocab_size=6, threshold=0.8)
    >>> [(step.action, step.token) for step in history.steps][:5]
    [('merge', 'hu'), ('merge', 'hug'), ('remove', 'hu'), ('merge', 'hugs'), ('remove', 'hug')]
    >>> history.vocab(5), history.segmentation("hug", 5)
    (['g', 'h', 's', 'u', 'hugs'], ['h', 'u', 'g'])
    """

    __repr__ = short_repr

    name: ClassVar[str] = "picky-bpe"
    label: ClassVar[str] = "PickyBPE"
    help: ClassVar[str] = message(
        "Like BPE, but a token that hardly stands by itself after a merge is taken back."
    )
    family: ClassVar[type[History]] = PickyHistory
    default_encoder: ClassVar[str] = "events"

    threshold: float = setting(
        0.9,
        message("Threshold"),
        message(
            "A token is taken back if more than this share of its uses went into a merge; 1 takes "
            "none back."
        ),
        least=0.0,
        greatest=1.0,
    )

    def greatest_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """A bound that no run can pass: each token is a part of a distinct word."""
        spelling = self.spelling(pretokenizer)
        lengths = (len(spelling.split(word)) for word in words.words)
        return self.least_vocab_size(words, pretokenizer) + sum(n * (n - 1) // 2 for n in lengths)

    @property
    def exact_threshold(self) -> Fraction:
        """The threshold as it is written: 0.9 is nine tenths."""
        return Fraction(repr(self.threshold))

    def _from_start(
        self, words: WordCounts, pretokenizer: Pretokenizer, progress: ProgressCallback | None
    ) -> PickyHistory:
        spelling = self.spelling(pretokenizer)
        alphabet = self.alphabet(words, spelling)
        table = SymbolTable(spelling, self.special_tokens, alphabet)
        self._check_size(table)
        start = Start.of(words, spelling, alphabet, progress)
        bounds = self.vocab_size, self.min_frequency
        task = Task(start, table, self._rule, *bounds, threshold=self.exact_threshold)
        told = PickyInterventions(self.interventions, lambda: SymbolTable(spelling, (), alphabet))
        made, stop = run_merges(task, progress, told)
        assert isinstance(made, PickyRecord)
        return PickyHistory(self, pretokenizer, words, stop, made)


class PickyInterventions(MergeInterventions):
    """The merges that a run is told to make; none where a token is taken back."""

    def pair(self, step: int, run: Merging) -> tuple[int, int] | None:
        assert isinstance(run, PickyMerges | BoundlessMerges)
        if step in self._told and run.going is not None:
            raise SettingError.saying(
                "interventions tells state {step} what to merge, and there a token is taken back; "
                "tell an earlier or a later state.",
                step=step,
            )
        return super().pair(step, run)
