"""WordPiece: merge the pair that is most surprising for how common its parts are.

Sources: Schuster and Nakajima (2012), "Japanese and Korean Voice Search"; the score as in the
Hugging Face LLM course, chapter 6.6; `frequency` as in Hugging Face tokenizers,
`models/wordpiece/trainer.rs`, which wraps the BPE trainer. docs/algorithms.md defines it exactly.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.symbols import Spelling, Symbol
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.bpe import MergeTrainer, bare_first
from tokviz.trainers.interventions import Interventions, merges_in_order
from tokviz.trainers.settings import (
    SettingError,
    check,
    setting,
    special_tokens_setting,
    vocab_size_setting,
)

PREFIX = "##"


@dataclass(frozen=True)
class WordPiece(MergeTrainer):
    """WordPiece with its published score, or with the one that Hugging Face really trains.

    `likelihood`: count(ab) / (count(a) × count(b)), exactly, ties first-seen. `frequency`: plain
    pair counts, ties by smallest ids; that is BPE with ##. Many people train this one and believe
    it is the other. `interventions` are as for BPE.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> [step.token for step in tokviz.train(words, "wordpiece", vocab_size=10).steps]
    ['##gs', 'hu', 'hugs']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "wordpiece"
    label: ClassVar[str] = "WordPiece"
    help: ClassVar[str] = message(
        "Like BPE, but a pair's count is divided by the counts of its parts."
    )
    default_pretokenizer: ClassVar[str] = "bert"
    default_encoder: ClassVar[str] = "longest-match"

    vocab_size: int = vocab_size_setting()
    score: str = setting(
        "likelihood",
        message("Score"),
        message(
            "likelihood is the published WordPiece; frequency is what Hugging Face's trainer does."
        ),
        ("likelihood", "frequency"),
    )
    min_frequency: int = setting(
        1,
        message("Least frequency"),
        message(
            "Stop when the best pair occurs less often than this; for the score frequency only."
        ),
        least=1,
        advanced=True,
    )
    special_tokens: tuple[str, ...] = special_tokens_setting()
    initial_alphabet: tuple[str, ...] = setting(
        (),
        message("Initial alphabet"),
        message("Characters that get an id even if they do not occur."),
        advanced=True,
    )
    interventions: Interventions = field(default=())

    def __post_init__(self) -> None:
        check(self)
        object.__setattr__(self, "interventions", merges_in_order(self.interventions))
        if self.min_frequency > 1 and self.score != "frequency":
            raise SettingError.saying(
                'min_frequency={min_frequency} needs score="frequency": the best pair by '
                "likelihood is often one that occurs once.",
                min_frequency=self.min_frequency,
            )
        for symbol in self.initial_alphabet:
            if len(symbol) != 1:
                raise SettingError.saying(
                    "initial_alphabet holds {symbol!r}; each entry is one character.", symbol=symbol
                )

    @property
    def tie_break(self) -> str:
        """The rule that the score's own source uses."""
        return "first-seen" if self.score == "likelihood" else "smallest-ids"

    @property
    def pseudocode(self) -> str:
        return self.name if self.score == "likelihood" else "bpe"

    def spelling(self, pretokenizer: Pretokenizer) -> Spelling:
        """How words are split into symbols and symbols are shown."""
        return Spelling(continuing_subword_prefix=PREFIX, space_mark=pretokenizer.space_mark)

    def alphabet(self, words: WordCounts, spelling: Spelling) -> list[Symbol]:
        """The symbols that occur, by code point as displayed. With `frequency`, all characters
        bare first, as in the library, then those that occur with ##."""
        symbols = spelling.symbols_of(words.words)
        symbols |= set(map(Symbol, self.initial_alphabet))
        if self.score == "frequency":
            return bare_first(symbols)
        return sorted(symbols, key=lambda s: (spelling.show(s), s))

    @property
    def _rule(self) -> str:
        return "likelihood" if self.score == "likelihood" else self.tie_break
