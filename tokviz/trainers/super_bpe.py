"""SuperBPE: byte-pair encoding whose borders between words fall, so that tokens become phrases.

Source: Liu, Hayase, Hofmann, Oh, Smith and Choi (2025), "SuperBPE: Space Travel for Language
Models", and the programs PythonNut/superbpe and alisawuffles/tokenizers-superbpe
(models/bpe/trainer.rs, do_train_extend). docs/algorithms.md defines it exactly.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import regex

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.crossing.history import CrossingHistory, CrossingRecord
from tokviz.pretokenizers import REGEX_PRESETS, Pretokenizer
from tokviz.pretokenizers.gpt2 import PATTERN as GPT2
from tokviz.text.symbols import SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.bpe import RunTrainer
from tokviz.trainers.crossing import Stages
from tokviz.trainers.interventions import Interventions
from tokviz.trainers.settings import (
    initial_alphabet_setting,
    min_frequency_setting,
    setting,
    special_tokens_setting,
    unit_setting,
    vocab_size_setting,
)

#: What cuts runs into words, each a pattern that leaves nothing out. The first is letter for letter
#: that of the program's scripts/train_tokenizer.sh.
WORDS = {
    "superbpe": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "gpt2": GPT2,
    **REGEX_PRESETS,
}


@dataclass(frozen=True)
class SuperBPE(RunTrainer):
    """BPE in two stages, the first within words and the second across them.

    The pre-tokenizer cuts a text into runs, and `words` cuts a run into words. Until the vocabulary
    has `transition_size` tokens (or no pair is left), pairs are counted within words. Then their
    borders fall: pairs are counted in the runs, in which the merges until then are done again. From
    there on no token may have more than `longest` words, nor a space behind a colon.

    `interventions` are as for BPE.

    >>> import tokviz
    >>> text = "by the way\\nby the way\\nby the sea"
    >>> history = tokviz.train(text, "super-bpe", vocab_size=16, transition_size=14)
    >>> [step.token for step in history.steps][-3:]
    ['ay', 'byĠthe', 'byĠtheĠ']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "super-bpe"
    label: ClassVar[str] = "SuperBPE"
    help: ClassVar[str] = message(
        "Like BPE, but from a size on tokens may reach across the borders of words."
    )
    family: ClassVar[type[History]] = CrossingHistory
    default_pretokenizer: ClassVar[str] = "runs"
    default_encoder: ClassVar[str] = "merges"

    vocab_size: int = vocab_size_setting()
    transition_size: int = setting(
        0,
        message("Transition size"),
        message("The vocabulary size at which the borders of words fall."),
        least=0,
        follows=lambda vocab_size: vocab_size * 4 // 5,
    )
    words: str = setting(
        "superbpe",
        message("Words"),
        message("What is a word until their borders fall: as SuperBPE or another model cuts them."),
        tuple(WORDS),
    )
    longest: int = setting(
        4,
        message("Most words"),
        message("No token that is made across a border has more words than this."),
        least=1,
    )
    unit: str = unit_setting()
    tie_break: str = setting(
        "smallest-ids",
        message("Tie-break"),
        message("Which pair wins when several have the same count."),
        ("smallest-ids", "largest-pair", "shortest"),
    )
    min_frequency: int = min_frequency_setting()
    special_tokens: tuple[str, ...] = special_tokens_setting()
    initial_alphabet: tuple[str, ...] = initial_alphabet_setting()
    interventions: Interventions = field(default=())

    def words_in(self, run: str) -> list[str]:
        """The words of a run.

        >>> SuperBPE().words_in("by the way: it's"), SuperBPE(words="gpt2").words_in("it's")
        (['by', ' the', ' way', ':', ' it', "'s"], ['it', "'s"])
        """
        found: list[str] = regex.findall(WORDS[self.words], run)
        return found

    def counted_words(self, runs: WordCounts) -> WordCounts:
        """The different words of all runs with their counts, in the order in which they come."""
        counts: dict[str, int] = {}
        for run, count in zip(runs.words, runs.counts, strict=True):
            for word in self.words_in(run):
                counts[word] = counts.get(word, 0) + count
        return WordCounts(tuple(counts), tuple(counts.values()))

    def _from_start(
        self, words: WordCounts, pretokenizer: Pretokenizer, progress: ProgressCallback | None
    ) -> CrossingHistory:
        spelling = self.spelling(pretokenizer)
        alphabet = self.alphabet(words, spelling)
        self._check_size(SymbolTable(spelling, self.special_tokens, alphabet))
        stages = Stages(self, words, spelling, alphabet)
        within, stop = stages.within(self.counted_words(words), progress)
        full = stop.kind == "size" and stop.asked == self.vocab_size
        if full or stop.kind == "cancelled":
            border, record = -1, stages.in_runs(within)
        else:
            border = len(within.left)
            record, stop = stages.across(within, progress)
        made = CrossingRecord(**vars(record), border=border)
        return CrossingHistory(self, pretokenizer, words, stop, made)
