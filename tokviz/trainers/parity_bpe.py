"""Parity-aware BPE: each merge is for the language that pays most tokens.

Source: Foroutan, Meister, Paul, Niklaus, Ahmadi, Bosselut and Sennrich (2026), "Parity-Aware
Byte-Pair Encoding: Improving Cross-lingual Fairness in Tokenization", and Hugging Face tokenizers
0.23.3, models/bpe/parity_trainer.rs. docs/algorithms.md defines it exactly.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tokviz.basics.errors import CorpusError, SettingError
from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.parity.history import ParityHistory
from tokviz.history.parity.record import ParityRecord
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.languages import UNNAMED
from tokviz.text.symbols import Spelling, Symbol, SymbolTable
from tokviz.text.word_counts import Languages, WordCounts
from tokviz.trainers.bpe import FromStart, PairTrainer
from tokviz.trainers.interventions import MergeInterventions
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Parity, Start, Task
from tokviz.trainers.parity.turns import Balance
from tokviz.trainers.settings import setting


@dataclass(frozen=True)
class ParityBPE(FromStart, PairTrainer):
    """BPE in which languages take turns.

    A line `=== name ===` begins a language, and `=== name, development ===` a text that only
    measures how many tokens the language takes. Each step is for the language with the most tokens,
    or, with a `ratio`, for the one of the least compression ÷ ratio; it merges the pair that this
    language has most often, in all languages. With a window, none has many of the last turns.

    >>> import tokviz
    >>> texts = {"en": "hug hug hugs", "el": "αβ αβ"}
    >>> history = tokviz.train(texts, "parity-bpe", vocab_size=9, ratio=[1, 2])
    >>> [(step.language, step.token) for step in history.steps]
    [('el', 'αβ'), ('el', 'Ġαβ')]
    """

    __repr__ = short_repr

    name: ClassVar[str] = "parity-bpe"
    label: ClassVar[str] = message("Parity-aware BPE")
    help: ClassVar[str] = message(
        "Like BPE, but languages take turns: each merge is for the one that pays most. A line "
        "=== name === begins a language."
    )
    family: ClassVar[type[History]] = ParityHistory
    default_encoder: ClassVar[str] = "merges"
    by_language: ClassVar[bool] = True

    tie_break: str = setting(
        "largest-pair",
        message("Tie-break"),
        message("Which pair wins when several have the same count."),
        ("largest-pair", "smallest-ids", "shortest"),
    )
    variant: str = setting(
        "base",
        message("Variant"),
        message(
            "base: the language that pays most has the turn; window: unless it had many of the "
            "last turns."
        ),
        ("base", "window"),
    )
    ratio: str = setting(
        "",
        message("Ratios"),
        message(
            "How far each language is to be compressed, beside the others, such as 1, 2.5; empty: "
            "all are to have as few tokens. Development texts go before."
        ),
    )
    window_size: int = setting(
        100,
        message("Window"),
        message("Of window: how many of the last turns are looked at."),
        least=1,
        advanced=True,
    )
    alpha: float = setting(
        2.0,
        message("Alpha"),
        message(
            "Of window: how many times its equal share of these a language may have had, and still "
            "have a turn."
        ),
        least=0.001,
        greatest=1_000_000.0,
        advanced=True,
    )
    global_merges: int = setting(
        0,
        message("Merges before the turns"),
        message("So many first merges count all languages together, as BPE does."),
        least=0,
        advanced=True,
    )

    def __post_init__(self) -> None:
        given: Any = self.ratio
        if isinstance(given, list | tuple):
            object.__setattr__(self, "ratio", ", ".join(map(str, given)))
        super().__post_init__()
        ratios = self.ratios
        if not all(0 < ratio < float("inf") for ratio in ratios):
            raise self._no_ratios()

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratios as numbers."""
        try:
            return tuple(map(float, filter(None, (part.strip() for part in self.ratio.split(",")))))
        except ValueError:
            raise self._no_ratios() from None

    def _no_ratios(self) -> SettingError:
        return SettingError.saying(
            "ratio={ratio!r} must be numbers above 0 with commas between them, one for each "
            "language in their order, such as 1, 2.5.",
            ratio=self.ratio,
        )

    def alphabet(self, words: WordCounts, spelling: Spelling) -> list[Symbol]:
        """As of `PairTrainer`; what only development texts hold has its symbols, too."""
        held = words.languages.development_words if words.languages else ()
        every = words.words + held
        return super().alphabet(WordCounts(every, (1,) * len(every)), spelling)

    def _from_start(
        self, words: WordCounts, pretokenizer: Pretokenizer, progress: ProgressCallback | None
    ) -> ParityHistory:
        spelling = self.spelling(pretokenizer)
        alphabet = self.alphabet(words, spelling)
        table = SymbolTable(spelling, self.special_tokens, alphabet)
        self._check_size(table)
        languages = words.languages or Languages((UNNAMED,), (words.counts,))
        words = replace(words, languages=languages)
        self._check_ratios(languages)
        start = Start.of(words, spelling, alphabet, progress)
        held_words = languages.development_words
        held = Start.of(
            WordCounts(held_words, (1,) * len(held_words)), spelling, alphabet, progress
        )
        parity = Parity(languages, held, self._balance)
        task = Task(
            start, table, self.tie_break, self.vocab_size, self.min_frequency, parity=parity
        )
        told = MergeInterventions(self.interventions, lambda: SymbolTable(spelling, (), alphabet))
        made, stop = run_merges(task, progress, told)
        assert isinstance(made, ParityRecord)
        return ParityHistory(self, pretokenizer, words, stop, made)

    @property
    def _balance(self) -> Balance:
        return Balance(self.variant, self.ratios, self.window_size, self.alpha, self.global_merges)

    def _check_ratios(self, languages: Languages) -> None:
        ratios, names = len(self.ratios), languages.names
        if ratios and len(names) and ratios != len(names) and not languages.development:
            raise CorpusError.saying(
                "There are {ratios} ratios for {n} languages ({names}); give one for each, in this "
                "order, or none.",
                ratios=ratios,
                n=len(names),
                names=", ".join(names),
            )
