"""SentencePiece's BPE: byte-pair encoding that only makes valid pieces.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/bpe_model_trainer.cc and
src/trainer_interface.cc; Kudo and Richardson (2018), "SentencePiece: A simple and language
independent subword tokenizer and detokenizer for Neural Text Processing". docs/algorithms.md
defines it exactly, and says how the two versions differ.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import Pretokenizer
from tokviz.pretokenizers.normalizer import SPACE, VERSIONS
from tokviz.pretokenizers.pieces import PieceRules
from tokviz.text.corpus import Cancelled
from tokviz.text.symbols import UNKNOWN, Spelling, Symbol, SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.bpe import MergeTrainer
from tokviz.trainers.interventions import Interventions, merges_in_order
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.merging.character_choice import CharacterChoice, choose_characters
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Start, Task
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings
from tokviz.trainers.settings import SettingError, setting

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SentencePieceBPE(SentencePieceSettings, MergeTrainer):
    """BPE as SentencePiece trains it.

    Starts from the characters that make up `character_coverage` of the corpus; all others are
    unknown and never merged. Each step merges the most frequent pair that spells a valid piece (see
    `PieceRules`), ties to the shortest, then to the first by code point. A pair that spells no
    valid piece is rejected: it is no candidate, and `rejected_pairs` lists it.

    The vocabulary is that of the library, piece for piece; `library_pieces` lists it in the
    library's order and with its scores. Ids here are those of any BPE here: special pieces,
    characters, merges; the library puts the characters last. Two things of the library are not
    followed. Every 100 merges it chooses the 5 % (at least 1,000) most frequent candidates and
    looks at no others until the next time, which can matter where more than these share the best
    count (0.2.1; from 0.2.3 on it looks at all). And when nothing is left to merge, it goes on with
    candidates that no longer occur, while training stops here.

    With `auto_character_coverage` (0.2.3) the characters of the vocabulary are those with which it
    saves most tokens, and `character_choice` tells how the room was shared; all others are bytes.

    A tokenizer of its history keeps special pieces whole wherever a text holds them, and treats
    what follows as a new line; the library does so with user-defined symbols only, and goes on in
    the same line. `formats.sentencepiece_model` encodes as the library does there too.

    >>> import tokviz
    >>> history = tokviz.train("low low lower 10th", "sentencepiece-bpe", vocab_size=20)
    >>> [(step.token, step.count) for step in history.steps][:4]
    [('lo', 3), ('low', 3), ('▁low', 3), ('10', 1)]
    >>> rejected_pairs(history, 3)[["token", "count", "reason"]].values.tolist()
    [['0t', 1, 'digits beside letters']]
    """

    __repr__ = short_repr

    name: ClassVar[str] = "sentencepiece-bpe"
    label: ClassVar[str] = "SentencePiece BPE"
    help: ClassVar[str] = message(
        "Like BPE, but a merge must spell a valid piece: one script, no digits."
    )
    default_encoder: ClassVar[str] = "merges"
    tie_break: ClassVar[str] = "shortest"
    unknown: ClassVar[str] = UNKNOWN

    auto_character_coverage: bool = setting(
        False,
        message("Choose the characters"),
        message(
            "Characters and merges share the vocabulary by what they save; with 0.2.3 and byte "
            "fallback."
        ),
        advanced=True,
    )
    interventions: Interventions = field(default=())

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "interventions", merges_in_order(self.interventions))
        if not self.auto_character_coverage:
            return
        if self.library_version == VERSIONS[0]:
            raise SettingError.saying(
                "SentencePiece 0.2.1 cannot choose the characters (auto_character_coverage); "
                "choose library_version 0.2.3."
            )
        if not self.byte_fallback:
            raise SettingError.saying("--auto_character_coverage requires --byte_fallback=true.")
        if self.interventions:
            raise SettingError.saying(
                "The characters are chosen by all merges, so none can be told; turn "
                "auto_character_coverage off."
            )

    @property
    def pseudocode(self) -> str:
        """The lines of its choice of characters, if it makes one."""
        return f"{self.name}-chosen" if self.auto_character_coverage else self.name

    def least_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """The required characters and the special pieces; where characters are chosen, one more
        than the special pieces."""
        if self.auto_character_coverage:
            return len(self.meta_pieces) + 1
        return super().least_vocab_size(words, pretokenizer)

    def greatest_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """A bound that no run can pass."""
        bound = super().greatest_vocab_size(words, pretokenizer)
        return bound + len(set().union(*words.words)) if self.auto_character_coverage else bound

    def train(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None = None,
    ) -> MergeHistory:
        """See `MergeTrainer.train`; the merges by which characters are chosen are reported, too."""
        if self.auto_character_coverage:
            self.choice(words, progress)
        return super().train(words, pretokenizer, progress)

    def resume(
        self, history: MergeHistory, t: int, progress: ProgressCallback | None = None
    ) -> MergeHistory:
        """See `MergeTrainer.resume`; where characters are chosen, it trains from the start, since
        another vocabulary may have others."""
        if self.auto_character_coverage:
            return self.train(history.words, history.pretokenizer, progress)
        return super().resume(history, t, progress)

    def choice(
        self, words: WordCounts, progress: ProgressCallback | None = None
    ) -> CharacterChoice:
        """The characters that `auto_character_coverage` chooses, after merges in which all are
        known; worked out once for the same words.

        Raises SettingError where the library refuses the vocabulary size, and Cancelled if the
        callback stops it.
        """
        known: tuple[WordCounts, CharacterChoice] | None = vars(self).get("_chosen")
        if known is None or known[0] is not words:
            known = words, self._choose(words, progress)
            object.__setattr__(self, "_chosen", known)
        return known[1]

    def _choose(self, words: WordCounts, progress: ProgressCallback | None) -> CharacterChoice:
        room = self.vocab_size - len(self.meta_pieces)
        if room <= 0:
            raise SettingError.saying(
                "Vocabulary size must be larger than the number of meta pieces ({vocab_size} vs "
                "{special}).",
                vocab_size=self.vocab_size,
                special=len(self.meta_pieces),
            )
        found = Counter[str]()
        for word, count in zip(words.words, words.counts, strict=True):
            for char in word:
                found[char.replace(" ", SPACE)] += count
        alphabet = [Symbol(char.replace(SPACE, " ")) for char in found]
        spelling = Spelling(space_mark=SPACE)
        table = SymbolTable(spelling, (), alphabet)
        start, size = Start.of(words, spelling, alphabet), len(table) + room
        task = Task(start, table, self.tie_break, size, candidates=self._candidates(table))
        record, stop = run_merges(task, progress)
        if stop.kind == "cancelled":
            raise Cancelled(message("Cancelled before the first merge."))
        texts = [symbol.text for symbol in alphabet]
        for left, right in zip(record.left.tolist(), record.right.tolist(), strict=True):
            texts.append(texts[left] + texts[right])
        pieces = [text.replace(" ", SPACE) for text in texts[len(alphabet) :]]
        counts = record.top_count[: len(pieces), 0].tolist()
        choice = choose_characters(pieces, counts, found, room)
        if choice.merges < len(pieces) and choice.merges + len(choice.characters) < room:
            raise SettingError.saying(
                "Vocabulary size too high ({vocab_size}). Please set it to a value <= {greatest}.",
                vocab_size=self.vocab_size,
                greatest=len(self.meta_pieces) + choice.merges + len(choice.characters),
            )
        return choice

    def _known(self, words: WordCounts) -> Iterable[str]:
        """The characters of the vocabulary, in order."""
        if self.auto_character_coverage:
            return self.choice(words).characters
        return self.prepared(words).required

    def alphabet(self, words: WordCounts, _spelling: Spelling) -> list[Symbol]:
        """The required characters, the most frequent first, then the unknown ones."""
        required = [Symbol(char.replace(SPACE, " ")) for char in self._known(words)]
        found = {symbol.text for symbol in Spelling().symbols_of(words.words)}
        others = found - {symbol.text for symbol in required}
        return required + [Symbol(char, unknown=True) for char in sorted(others)]

    def _check_size(self, table: SymbolTable) -> None:
        self.check_size({symbol.text: 0 for symbol in table.symbols if not symbol.unknown})

    def _candidates(self, table: SymbolTable) -> Candidates:
        """The pairs that spell valid pieces."""
        return ValidPairs(table.symbols, self.piece_rules.remembered())


def character_choice(history: MergeHistory) -> "pd.DataFrame":
    """How the room of a vocabulary can be shared, for a run with `auto_character_coverage`: merges,
    saved, saved_by_merges, saved_by_characters, needed and alone (see `CharacterChoice`),
    chosen. Savings are tokens fewer than if every character were spelled in bytes.

    >>> import tokviz
    >>> settings = {"library_version": "0.2.3", "byte_fallback": True}
    >>> text = "日本 日本 ab ab ab"
    >>> size = 259 + 6
    >>> history = tokviz.train(
    ...     text, "sentencepiece-bpe", size, auto_character_coverage=True, **settings)
    >>> character_choice(history)[["merges", "saved", "chosen"]].values.tolist()
    [[0, 18, False], [1, 21, True], [2, 20, False]]
    """
    import pandas as pd

    choice = history.trainer.choice(history.words)
    numbers = np.arange(len(choice.saved))
    columns = {
        "merges": numbers,
        "saved": choice.saved,
        "saved_by_merges": choice.by_merges,
        "saved_by_characters": choice.by_characters,
        "needed": choice.needed,
        "alone": choice.alone,
        "chosen": numbers == choice.merges,
    }
    return pd.DataFrame(columns)


class ValidPairs(Candidates):
    """Pairs that spell valid pieces.

    >>> abc = [Symbol("a"), Symbol("b"), Symbol("c", unknown=True)]
    >>> pairs = ValidPairs(abc, lambda spelled: spelled != "ba")
    >>> pairs.allowed(0, 1), pairs.allowed(1, 0), pairs.allowed(0, 2)
    (True, False, False)
    """

    def __init__(self, alphabet: Sequence[Symbol], valid: Callable[[str], bool]) -> None:
        self._valid = valid
        # None: unknown, never part of a piece.
        self._texts = [None if s.unknown else s.text.replace(" ", SPACE) for s in alphabet]

    def allowed(self, left: int, right: int) -> bool:
        spelled = self._spelled(left, right)
        return spelled is not None and self._valid(spelled)

    def join(self, left: int, right: int) -> None:
        self._texts.append(self._spelled(left, right))

    def _spelled(self, left: int, right: int) -> str | None:
        a, b = self._texts[left], self._texts[right]
        return None if a is None or b is None else a + b


def library_pieces(history: MergeHistory, t: int | None = None) -> list[tuple[str, float]]:
    """The vocabulary of state t (the last one if None) as the library would save it: pieces in its
    id order, with their scores. The score of merge k is −k, and the characters go on from there.

    >>> import tokviz
    >>> history = tokviz.train("low low", "sentencepiece-bpe", vocab_size=9)
    >>> library_pieces(history)[3:]
    [('lo', 0.0), ('low', -1.0), ('l', -2.0), ('o', -3.0), ('w', -4.0), ('▁', -5.0)]
    """
    t = len(history) if t is None else t
    history.check_state(t)
    plain, n_base = history.spelling.plain, len(history.record.alphabet)
    merged = map(plain, history.symbols[n_base : n_base + t])
    alphabet = (plain(symbol) for symbol in history.record.alphabet if not symbol.unknown)
    scored = ((piece, float(-k)) for k, piece in enumerate([*merged, *alphabet]))
    meta = {i: (piece.piece, 0.0) for i, piece in history.trainer.meta_pieces.items()}
    return [meta[i] if i in meta else next(scored) for i in range(history.vocab_size(t))]


def rejected_pairs(history: MergeHistory, t: int, k: int | None = None) -> "pd.DataFrame":
    """The pairs of state t that are no candidates, the most frequent first: left, right, token,
    count, reason. They are not in the record, but counted anew in the corpus as segmented then.

    >>> import tokviz
    >>> history = tokviz.train("a1 a1 a1 .b", "sentencepiece-bpe", vocab_size=9)
    >>> rejected_pairs(history, 0)[["token", "count", "reason"]].values.tolist()
    [['a1', 3, 'digits beside letters'], ['.b', 1, 'more than one script']]
    """
    import pandas as pd

    history.check_state(t)
    symbols, starts = history.record.state_symbols(t)
    word = np.searchsorted(history.record.starts, starts, side="right") - 1
    inside = np.flatnonzero(word[1:] == word[:-1])
    codes = symbols[inside].astype(np.int64) * (len(history.symbols) + 1) + symbols[inside + 1]
    unique, rows = np.unique(codes, return_inverse=True)
    counts = np.zeros(len(unique), np.int64)
    np.add.at(counts, rows, np.asarray(history.words.counts, np.int64)[word[inside]])
    found = []
    rules = history.trainer.piece_rules
    for code, count in zip(unique.tolist(), counts.tolist(), strict=True):
        left, right = divmod(code, len(history.symbols) + 1)
        a, b = history.symbols[left], history.symbols[right]
        if reason := _reason(a, b, rules):
            token = history.strings[left] + history.strings[right]
            found.append((history.strings[left], history.strings[right], token, count, reason))
    found.sort(key=lambda row: (-row[3], len(row[2]), row[2]))
    return pd.DataFrame(found[:k], columns=["left", "right", "token", "count", "reason"])


def _reason(left: Symbol, right: Symbol, rules: PieceRules) -> str:
    """Why two symbols may not become a piece; empty if they may."""
    if left.unknown or right.unknown:
        return "unknown character"
    spelled = (left + right).text.replace(" ", SPACE)
    if rules.valid(spelled):
        return ""
    if SPACE in spelled[1:]:
        return "a space that is not in front"
    for reason, relaxed in (
        (
            f"more than {rules.max_sentencepiece_length} characters",
            replace(rules, max_sentencepiece_length=len(spelled)),
        ),
        ("digits are apart", replace(rules, split_digits=False)),
        ("digits beside letters", replace(rules, split_by_number=False)),
        ("more than one script", replace(rules, split_by_unicode_script=False)),
    ):
        if relaxed.valid(spelled):
            return reason
    return "several rules"
