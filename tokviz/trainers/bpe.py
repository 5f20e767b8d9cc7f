"""Byte-pair encoding: merge the most frequent pair, again and again.

Source: Sennrich, Haddow and Birch (2016), "Neural Machine Translation of Rare Words with Subword
Units", and the libraries named in `tokviz.history.ties`. docs/algorithms.md defines it exactly.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.merge_record import MergeRecord
from tokviz.history.merges import MergeHistory
from tokviz.history.ties import TIE_BREAKS
from tokviz.pretokenizers import BYTE_TO_CHAR, Pretokenizer
from tokviz.text.symbols import Spelling, Symbol, SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.interventions import Interventions, MergeInterventions, merges_in_order
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Start, Task
from tokviz.trainers.settings import (
    SettingError,
    alphabet_of,
    check,
    check_vocab_size,
    initial_alphabet_setting,
    min_frequency_setting,
    setting,
    special_tokens_setting,
    unit_setting,
    vocab_size_setting,
)
from tokviz.trainers.trainer import Trainer


class MergeTrainer(Trainer):
    """What all share that merge: sizes known before a run begins, and the run itself."""

    family: ClassVar[type[History]] = MergeHistory

    min_frequency: int = 1

    @property
    @abstractmethod
    def tie_break(self) -> str: ...

    @abstractmethod
    def alphabet(self, words: WordCounts, spelling: Spelling) -> list[Symbol]: ...

    def least_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """The alphabet and the special tokens: the size with no merge at all."""
        spelling = self.spelling(pretokenizer)
        shown = map(spelling.show, self.alphabet(words, spelling))
        return len({*shown, *self.special_tokens})

    def greatest_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """A bound that no run can pass: each merge closes at least one gap of a distinct word."""
        spelling = self.spelling(pretokenizer)
        gaps = sum(max(0, len(spelling.split(word)) - 1) for word in words.words)
        return self.least_vocab_size(words, pretokenizer) + gaps

    def train(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None = None,
    ) -> MergeHistory:
        """Trains on words and returns the whole history.

        A cancelled run is a history of the merges made until then.

        Raises SettingError if `vocab_size` is smaller than the alphabet or if one of the
        `interventions` cannot be, and Cancelled if the callback stops the run before the first
        merge.
        """
        return self._run(words, pretokenizer, progress)

    def resume(
        self, history: MergeHistory, t: int, progress: ProgressCallback | None = None
    ) -> MergeHistory:
        """Goes on from state t of a run that had the same settings, but for `vocab_size` and what
        is told to the steps from t on: the same history as from the start, at the cost of the rest.

        Raises SettingError and Cancelled as `train` does.
        """
        return self._run(history.words, history.pretokenizer, progress, history.record, t)

    def _run(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None,
        record: MergeRecord | None = None,
        state: int = 0,
    ) -> MergeHistory:
        """Trains; the first `state` merges are those of a record."""
        spelling = self.spelling(pretokenizer)
        alphabet = self.alphabet(words, spelling) if record is None else record.alphabet
        table = SymbolTable(spelling, self.special_tokens, alphabet)
        self._check_size(table)
        start = Start.of(words, spelling, alphabet, progress)
        rule, candidates = self._rule, self._candidates(table)
        task = Task(start, table, rule, self.vocab_size, self.min_frequency, candidates)
        interventions = MergeInterventions(
            self.interventions, lambda: SymbolTable(spelling, (), alphabet)
        )
        made, stop = run_merges(task, progress, interventions, record, state)
        return MergeHistory(self, pretokenizer, words, stop, made)

    def _check_size(self, table: SymbolTable) -> None:
        """Raises SettingError if the first vocabulary is larger than what is asked for."""
        special = len(self.special_tokens)
        what = alphabet_of(len(table) - special, special)
        check_vocab_size(self.vocab_size, len(table), what)

    @property
    def _rule(self) -> str:
        """What makes a pair the best one (see `Task`)."""
        return self.tie_break

    def _candidates(self, _table: SymbolTable) -> Candidates | None:
        """The pairs that may be merged; None for all."""
        return None


class FromStart(MergeTrainer):
    """What those share that go on from no state: they train from the start, where they make the
    same steps."""

    @abstractmethod
    def _from_start(
        self, words: WordCounts, pretokenizer: Pretokenizer, progress: ProgressCallback | None
    ) -> MergeHistory:
        """Trains."""

    def _run(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None,
        _record: MergeRecord | None = None,
        _state: int = 0,
    ) -> MergeHistory:
        return self._from_start(words, pretokenizer, progress)


class RunTrainer(FromStart):
    """What those share whose words are runs of text, which they cut into words themselves."""

    unit: str
    initial_alphabet: tuple[str, ...]

    def __post_init__(self) -> None:
        check(self)
        object.__setattr__(self, "interventions", merges_in_order(self.interventions))
        check_alphabet(self.initial_alphabet, self.unit)

    @abstractmethod
    def words_in(self, run: str) -> list[str]:
        """The words of a run, which leave nothing of it out."""

    def spelling(self, pretokenizer: Pretokenizer) -> Spelling:
        """How runs are split into symbols and symbols are shown."""
        return Spelling(self.unit, space_mark=pretokenizer.space_mark)

    def alphabet(self, words: WordCounts, spelling: Spelling) -> list[Symbol]:
        """The symbols that training starts from, by code point as displayed."""
        symbols = spelling.symbols_of(words.words)
        return by_display(with_initial(symbols, self.initial_alphabet, spelling), spelling)


@dataclass(frozen=True)
class PairTrainer(MergeTrainer):
    """What all share that merge pairs of any characters or bytes: their settings."""

    __repr__ = short_repr

    default_pretokenizer: ClassVar[str] = "gpt2"

    vocab_size: int = vocab_size_setting()
    unit: str = unit_setting()
    tie_break: str = setting(
        "first-seen",
        message("Tie-break"),
        message("Which pair wins when several have the same count."),
        tuple(TIE_BREAKS),
    )
    min_frequency: int = min_frequency_setting()
    end_of_word_suffix: str = setting(
        "",
        message("End-of-word suffix"),
        message("Marks where a word ends, for example </w>."),
        advanced=True,
    )
    suffix_glued: bool = setting(
        False,
        message("Suffix glued"),
        message("The suffix is part of the last symbol, not a symbol of its own."),
        advanced=True,
    )
    continuing_subword_prefix: str = setting(
        "",
        message("Continuing prefix"),
        message("Marks symbols inside a word, for example ##."),
        advanced=True,
    )
    special_tokens: tuple[str, ...] = special_tokens_setting()
    initial_alphabet: tuple[str, ...] = initial_alphabet_setting()
    interventions: Interventions = field(default=())

    def __post_init__(self) -> None:
        check(self)
        object.__setattr__(self, "interventions", merges_in_order(self.interventions))
        if self.suffix_glued and not self.end_of_word_suffix:
            raise SettingError.saying(
                "suffix_glued needs an end_of_word_suffix; give one, such as </w>."
            )
        check_alphabet(self.initial_alphabet, self.unit)

    def spelling(self, pretokenizer: Pretokenizer) -> Spelling:
        """How words are split into symbols and symbols are shown."""
        return Spelling(
            self.unit,
            self.end_of_word_suffix,
            self.suffix_glued,
            self.continuing_subword_prefix,
            pretokenizer.space_mark,
        )

    def alphabet(self, words: WordCounts, spelling: Spelling) -> list[Symbol]:
        """The symbols that training starts from, in id order: by code point as displayed; with
        smallest ids as the library numbers them (see `bare_first`)."""
        symbols = with_initial(spelling.symbols_of(words.words), self.initial_alphabet, spelling)
        if self.tie_break == "smallest-ids" and (
            self.suffix_glued or self.continuing_subword_prefix
        ):
            return bare_first(symbols)
        return by_display(symbols, spelling)


@dataclass(frozen=True)
class BPE(PairTrainer):
    """Byte-pair encoding over characters or bytes.

    Starts from single symbols; each step merges the pair with the highest count, everywhere, left
    to right. Stops at `vocab_size` (special tokens and alphabet included), when no pair is left,
    or when the best count is below `min_frequency`.

    `interventions` says which pairs to merge in some states instead (in state t, pairs as
    `history.candidates(t)` displays them): a mapping, kept as sorted pairs. No rule for stopping
    changes: what the run does not come to is an error.

    >>> import tokviz
    >>> history = tokviz.train("aaabdaaabac", "bpe", vocab_size=7, pretokenizer="none")
    >>> [(step.token, step.count) for step in history.steps]
    [('aa', 4), ('aaa', 2), ('aaab', 2)]
    """

    __repr__ = short_repr

    name: ClassVar[str] = "bpe"
    label: ClassVar[str] = "BPE"
    help: ClassVar[str] = message(
        "Start from single symbols; each step merges the most frequent pair."
    )
    default_encoder: ClassVar[str] = "merges"


def check_alphabet(initial: Sequence[str], unit: str) -> None:
    """Raises SettingError for an initial alphabet that cannot be."""
    for symbol in initial:
        if symbol != "bytes" and len(symbol) != 1:
            raise SettingError.saying(
                'initial_alphabet holds {symbol!r}; each entry is one character (or "bytes" '
                'for all 256 bytes, with unit="byte").',
                symbol=symbol,
            )
    if "bytes" in initial and unit != "byte":
        raise SettingError.saying('initial_alphabet "bytes" needs unit="byte".')


def with_initial(symbols: set[Symbol], initial: Sequence[str], spelling: Spelling) -> set[Symbol]:
    """Symbols, and those of an initial alphabet.

    >>> len(with_initial(set(), ("é", "bytes"), Spelling("byte")))
    256
    """
    found = {*symbols}
    for entry in initial:
        if entry == "bytes":
            found.update(map(Symbol, BYTE_TO_CHAR.values()))
        else:
            found.update(Spelling(spelling.unit).split(entry))
    return found


def by_display(symbols: Iterable[Symbol], spelling: Spelling) -> list[Symbol]:
    """Symbols by code point as displayed."""
    return sorted(symbols, key=lambda symbol: (spelling.show(symbol), symbol))


def bare_first(symbols: Iterable[Symbol]) -> list[Symbol]:
    """The starting symbols as Hugging Face tokenizers numbers them (`models/bpe/trainer.rs`,
    compute_alphabet and tokenize_words): every character bare, whether it occurs so or not, and
    then the forms with a prefix or suffix. These come there in the order of a hash table, another
    one in each run; here by code point.

    >>> bare_first([Symbol("b"), Symbol("a", continuing=True)])[-1]
    Symbol(text='a', continuing=True, ends_word=False, unknown=False)
    """
    forms = {*symbols}
    forms |= {Symbol(symbol.text) for symbol in forms if symbol.text}
    return sorted(forms, key=lambda symbol: (symbol.continuing or symbol.ends_word, symbol))
