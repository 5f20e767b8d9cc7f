"""The settings that all trainers of google/sentencepiece share, and what follows from them.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/sentencepiece_model.proto (names, defaults),
src/trainer_interface.cc (ranges in VerifySpec, ids in InitMetaPieces).
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints
from tokviz.pretokenizers import Pretokenizer, SentencePiecePretokenizer
from tokviz.pretokenizers.normalizer import RULE_NAMES, SPACE, VERSIONS
from tokviz.pretokenizers.pieces import PieceRules, required_characters, with_unknowns
from tokviz.text.symbols import Spelling
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.settings import SettingError, check, check_vocab_size, setting


class MetaPiece(NamedTuple):
    """A piece that the vocabulary has whatever the corpus: `kind` is `unknown`, `control`,
    `user_defined` or `byte`."""

    piece: str
    kind: str


class Prepared(NamedTuple):
    """The words that training works on, spelled as the library spells them: `▁` for a space, `▅`
    for what is not required. Words that became equal are one; `number` is where each word of the
    corpus went. `line_ends` says how often each was the last of its line, and `order` which word
    each line of the corpus is, -1 for none, if each is one (None: that is not so, or not known).
    `borders` are the words that end lines, each with every character that the next line begins
    with ("" after the last line), if that is known."""

    words: list[str]
    counts: Ints
    line_ends: Ints
    number: Ints
    required: dict[str, int]
    order: Ints | None = None
    borders: frozenset[tuple[int, str]] = frozenset()

    @property
    def total(self) -> int:
        """How many sentences the library counts."""
        return int(self.counts.sum()) if self.order is None else len(self.order)


@dataclass(frozen=True)
class SentencePieceSettings:
    """What a trainer of the library is told, by the library's own names and defaults.

    >>> SentencePieceSettings(user_defined_symbols=("<sep>",), pad_id=4).special_tokens
    ('<unk>', '<s>', '</s>', '<sep>', '<pad>')
    """

    __repr__ = short_repr

    default_pretokenizer: ClassVar[str] = "sentencepiece"
    vocab_size: int = setting(
        8000,
        message("Vocabulary size"),
        message("Special pieces included."),
        least=1,
    )
    character_coverage: float = setting(
        0.9995,
        message("Character coverage"),
        message(
            "The share of the corpus that the required characters make up; the others are unknown."
        ),
        least=0.98,
        greatest=1.0,
    )
    max_sentencepiece_length: int = setting(
        16,
        message("Longest piece"),
        message("In characters, the ▁ included."),
        least=1,
        greatest=512,
        advanced=True,
    )
    split_by_unicode_script: bool = setting(
        True,
        message("Split by script"),
        message("A piece has characters of one Unicode script."),
        advanced=True,
    )
    split_by_number: bool = setting(
        True,
        message("Split by number"),
        message("A piece has digits or letters, not both."),
        advanced=True,
    )
    split_by_whitespace: bool = setting(
        True,
        message("Split by white space"),
        message("A ▁ is only at the start of a piece."),
        advanced=True,
    )
    split_digits: bool = setting(
        False, message("Split digits"), message("Every digit is a piece of its own."), advanced=True
    )
    normalization_rule_name: str = setting(
        "nmt_nfkc",
        message("Normalization"),
        message("Which character rules are applied first; cf also folds case."),
        RULE_NAMES,
        advanced=True,
    )
    add_dummy_prefix: bool = setting(
        True, message("Dummy prefix"), message("Every line starts with a ▁."), advanced=True
    )
    remove_extra_whitespaces: bool = setting(
        True, message("Remove extra spaces"), message("Runs of spaces become one."), advanced=True
    )
    max_sentence_length: int = setting(
        4192,
        message("Longest line"),
        message("In bytes; longer lines are left out, as in the library."),
        least=10,
        greatest=2**30,
        advanced=True,
    )
    byte_fallback: bool = setting(
        False,
        message("Byte fallback"),
        message("Unknown characters become bytes, 256 pieces more."),
        advanced=True,
    )
    user_defined_symbols: tuple[str, ...] = setting(
        (),
        message("User-defined symbols"),
        message("Pieces of their own wherever they occur."),
        advanced=True,
    )
    unk_id: int = setting(
        0, message("Id of <unk>"), message("Where <unk> stands."), least=0, advanced=True
    )
    bos_id: int = setting(
        1, message("Id of <s>"), message("-1: there is none."), least=-1, advanced=True
    )
    eos_id: int = setting(
        2, message("Id of </s>"), message("-1: there is none."), least=-1, advanced=True
    )
    pad_id: int = setting(
        -1, message("Id of <pad>"), message("-1: there is none."), least=-1, advanced=True
    )
    library_version: str = setting(
        VERSIONS[0],
        message("Version of SentencePiece"),
        message("Which version of the library is followed."),
        VERSIONS,
        advanced=True,
    )

    def __post_init__(self) -> None:
        check(self)
        # Raises for ids that cannot be.
        _ = self.meta_pieces

    @cached_property
    def meta_pieces(self) -> dict[int, MetaPiece]:
        """The special pieces by id, in the order of their ids.

        Raises SettingError if two have the same id or the same name.
        """
        placed: dict[int, MetaPiece] = {}
        ids = {"<unk>": self.unk_id, "<s>": self.bos_id, "</s>": self.eos_id, "<pad>": self.pad_id}
        for piece, number in ids.items():
            if number in placed:
                raise SettingError.saying(
                    "{piece} and {other} both have the id {number}; give each its own.",
                    piece=piece,
                    other=placed[number].piece,
                    number=number,
                )
            if number >= 0:
                placed[number] = MetaPiece(piece, "unknown" if piece == "<unk>" else "control")
        byte_pieces = [f"<0x{byte:02X}>" for byte in range(256)] if self.byte_fallback else []
        for piece in self.user_defined_symbols:
            if piece == "<unk>" or piece in byte_pieces:
                raise SettingError.saying(
                    "user_defined_symbols holds {piece!r}, which is a special piece already.",
                    piece=piece,
                )
        free = 0
        for kind, pieces in (("user_defined", self.user_defined_symbols), ("byte", byte_pieces)):
            for piece in pieces:
                if ids.get(piece, -1) >= 0:
                    placed[ids[piece]] = MetaPiece(piece, kind)
                    continue
                while free in placed:
                    free += 1
                placed[free] = MetaPiece(piece, kind)
        return dict(sorted(placed.items()))

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The special pieces in id order."""
        return tuple(meta.piece for meta in self.meta_pieces.values())

    @property
    def piece_rules(self) -> PieceRules:
        """Which strings may be pieces."""
        return PieceRules(**{f.name: getattr(self, f.name) for f in fields(PieceRules)})

    def configured(self, pretokenizer: Pretokenizer) -> Pretokenizer:
        """The pre-tokenizer with the settings of this trainer, if it is the library's own."""
        if not isinstance(pretokenizer, SentencePiecePretokenizer):
            return pretokenizer
        return replace(
            pretokenizer,
            normalization_rule_name=self.normalization_rule_name,
            add_dummy_prefix=self.add_dummy_prefix,
            remove_extra_whitespaces=self.remove_extra_whitespaces,
            split_by_whitespace=self.split_by_whitespace,
            max_sentence_length=self.max_sentence_length,
            version=self.library_version,
        )

    def spelling(self, _pretokenizer: Pretokenizer) -> Spelling:
        """How words are split into symbols and symbols are shown."""
        return Spelling(space_mark=SPACE)

    def least_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """The required characters and the special pieces."""
        return len(self._required(words)) + len(self.meta_pieces)

    def check_size(self, required: dict[str, int]) -> None:
        """Raises SettingError if the vocabulary is too small for what must be in it."""
        check_vocab_size(
            self.vocab_size,
            len(required) + len(self.meta_pieces),
            message(
                "{special} special pieces and the required characters ({n})",
                special=len(self.meta_pieces),
                n=len(required),
            ),
        )
        if (last := max(self.meta_pieces)) >= self.vocab_size:
            raise SettingError.saying(
                "vocab_size={vocab_size} has no id {last}, which is that of {piece}; ask for at "
                "least {least}.",
                vocab_size=self.vocab_size,
                last=last,
                piece=self.meta_pieces[last].piece,
                least=last + 1,
            )

    def _required(self, words: WordCounts) -> dict[str, int]:
        spelled = [word.replace(" ", SPACE) for word in words.words]
        return required_characters(
            spelled, words.counts, self.character_coverage, self.library_version
        )

    def prepared(self, words: WordCounts) -> Prepared:
        """The words as training sees them.

        >>> words = WordCounts((" a", " aé"), (5000, 1))
        >>> SentencePieceSettings().prepared(words).words
        ['▁a', '▁a▅']
        """
        required = self._required(words)
        spelled = with_unknowns([word.replace(" ", SPACE) for word in words.words], required)
        return prepared_words(words, spelled, required)


def prepared_words(words: WordCounts, spelled: Iterable[str], required: dict[str, int]) -> Prepared:
    """Words as they are spelled in training, with what the corpus knows of them."""
    numbers: dict[str, int] = {}
    number = np.empty(len(words), np.int64)
    for i, word in enumerate(spelled):
        number[i] = numbers.setdefault(word, len(numbers))
    ends = words.counts if words.line_ends is None else words.line_ends
    return Prepared(
        list(numbers),
        _sums(number, words.counts, len(numbers)),
        _sums(number, ends, len(numbers)),
        number,
        required,
        None if words.order is None else _numbers(number, words.order),
        _borders(words, number.tolist(), required),
    )


def _borders(
    words: WordCounts, number: list[int], required: dict[str, int]
) -> frozenset[tuple[int, str]]:
    """The ends of the lines, by the words as they are spelled."""
    borders = set(words.borders or ())
    if words.line_ends is None:
        # Every word is a line of its own, as often as it is counted.
        lines = [(i, word[0]) for i, word in enumerate(words.words) if word]
        nexts = [begin for _, begin in lines[1:]] + [""]
        borders = {(i, begin) for (i, _), begin in zip(lines, nexts, strict=False)}
        borders |= {(i, begin) for i, begin in lines if words.counts[i] > 1}

    def spelled(char: str) -> str:
        return char and with_unknowns([char.replace(" ", SPACE)], required)[0]

    return frozenset((number[word], spelled(begin)) for word, begin in borders)


def _numbers(number: Ints, order: tuple[int, ...]) -> Ints:
    """The words of all lines, none (-1) being none."""
    return np.append(number, -1)[np.asarray(order, np.int64)]


def _sums(group: Ints, values: tuple[int, ...], groups: int) -> Ints:
    """The values of each group added up, in whole numbers."""
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, group, np.asarray(values, np.int64))
    return sums
