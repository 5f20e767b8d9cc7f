"""BoundlessBPE: byte-pair encoding that also merges whole words, as soon as that pays more.

Source: Schmidt, Reddy, Tanner and Pinter (2025), "Boundless Byte Pair Encoding: Breaking the
Pre-tokenization Barrier", and kensho-technologies/boundlessbpe, boundlessbpetrain.py.
docs/algorithms.md defines it exactly, and says where it differs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import ClassVar

import regex

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.boundless.history import BoundlessHistory, BoundlessRecord
from tokviz.history.boundless.removals import BoundlessRemovalHistory, BoundlessRemovalRecord
from tokviz.pretokenizers import REGEX_PRESETS, Pretokenizer
from tokviz.pretokenizers.gpt2 import PATTERN as GPT2
from tokviz.text.symbols import SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.boundless.cut_runs import CutRuns
from tokviz.trainers.boundless.words import boundless_words
from tokviz.trainers.bpe import RunTrainer
from tokviz.trainers.interventions import Interventions
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Boundless, Start, Task
from tokviz.trainers.picky_bpe import PickyInterventions
from tokviz.trainers.settings import (
    initial_alphabet_setting,
    min_frequency_setting,
    setting,
    special_tokens_setting,
    unit_setting,
    vocab_size_setting,
)

#: What cuts runs into words and leaves nothing out.
WORDS: dict[str, Callable[[str], list[str]]] = {
    "boundless": boundless_words,
    "gpt2": partial(regex.findall, GPT2),
    **{name: partial(regex.findall, pattern) for name, pattern in REGEX_PRESETS.items()},
}

#: The threshold that takes nothing back, as the authors' program writes it.
NEVER = 1.1


@dataclass(frozen=True)
class BoundlessBPE(RunTrainer):
    """BPE whose pairs are of two kinds: those within words, as ever, and those of whole words.

    The pre-tokenizer cuts a text into runs, and `words` cuts a run into words. A word that has
    become one token, and has letters enough, may be joined with such a word beside it, and what
    that makes may be joined again. Each step merges the most frequent pair of both kinds; of equal
    ones, one of whole words, and then the first in alphabetical order. No token is made twice.

    With a `threshold` up to 1 tokens are taken back, as PickyBPE does: after a merge within words,
    each of the two tokens of which at least that share went into it leaves the vocabulary, and
    comes apart into what training started from, but for where it has become a part of a token
    across words. A removal is a step of its own. Symbols of the alphabet and tokens that were made
    across words always stay.

    `interventions` are as for BPE; in a state that takes a token back nothing can be told.

    >>> import tokviz
    >>> history = tokviz.train("by the way\\nby the way\\nby the sea", "boundless-bpe", 14)
    >>> [step.token for step in history.steps]
    ['▁t', '▁th', '▁the', 'by', 'by▁the']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "boundless-bpe"
    label: ClassVar[str] = "BoundlessBPE"
    help: ClassVar[str] = message(
        "Like BPE, but two words that are one token each may become one, whenever that pair is the "
        "most frequent."
    )
    family: ClassVar[type[History]] = BoundlessHistory
    default_pretokenizer: ClassVar[str] = "none"
    default_encoder: ClassVar[str] = "merges"
    #: The rule of the authors' program.
    tie_break: ClassVar[str] = "across-first"

    vocab_size: int = vocab_size_setting()
    words: str = setting(
        "boundless",
        message("Words"),
        message("What is a word: as BoundlessBPE or another model cuts them."),
        tuple(WORDS),
    )
    threshold: float = setting(
        NEVER,
        message("Threshold"),
        message(
            "A token is taken back if at least this share of its uses went into a merge within "
            "words; more than 1 takes none back."
        ),
        least=0.0,
        greatest=NEVER,
    )
    unit: str = unit_setting()
    min_frequency: int = min_frequency_setting()
    special_tokens: tuple[str, ...] = special_tokens_setting()
    initial_alphabet: tuple[str, ...] = initial_alphabet_setting()
    interventions: Interventions = field(default=())

    @property
    def takes_back(self) -> bool:
        return self.threshold <= 1

    @property
    def exact_threshold(self) -> Fraction:
        """The threshold as it is written: 0.9 is nine tenths."""
        return Fraction(repr(self.threshold))

    @property
    def makes(self) -> type[History]:
        return BoundlessRemovalHistory if self.takes_back else BoundlessHistory

    @property
    def pseudocode(self) -> str:
        return "boundless-bpe-removals" if self.takes_back else self.name

    def words_in(self, run: str) -> list[str]:
        """The words of a run.

        >>> BoundlessBPE().words_in("by the 1234 ways"), BoundlessBPE(words="gpt2").words_in("it's")
        (['by', ' the', ' ', '1', '234', ' ways'], ['it', "'s"])
        """
        return WORDS[self.words](run)

    def _from_start(
        self, words: WordCounts, pretokenizer: Pretokenizer, progress: ProgressCallback | None
    ) -> BoundlessHistory:
        spelling = self.spelling(pretokenizer)
        alphabet = self.alphabet(words, spelling)
        table = SymbolTable(spelling, self.special_tokens, alphabet)
        self._check_size(table)
        cut = CutRuns.of(words, self.words_in)
        start = Start.of(words, spelling, alphabet, progress)
        boundless = Boundless(Start.of(cut.words, spelling, alphabet, progress), cut)
        bounds = self.vocab_size, self.min_frequency
        least = self.exact_threshold if self.takes_back else None
        task = Task(start, table, self.tie_break, *bounds, threshold=least, boundless=boundless)
        told = PickyInterventions(self.interventions, lambda: SymbolTable(spelling, (), alphabet))
        made, stop = run_merges(task, progress, told)
        assert isinstance(made, BoundlessRecord)
        if isinstance(made, BoundlessRemovalRecord):
            return BoundlessRemovalHistory(self, pretokenizer, words, stop, made)
        return BoundlessHistory(self, pretokenizer, words, stop, made)
