"""How Hugging Face `tokenizers` is told to cut a text into the words of a run.

Each pre-tokenizer of tokviz becomes a normalizer and a pre-tokenizer of the library that give the
same words, spelled as in the vocabulary, for every text there is.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tokviz.formats.exporters.patterns import chars_set, class_of, portable
from tokviz.formats.exporters.strings import ExportError
from tokviz.pretokenizers import (
    BertPretokenizer,
    Gpt2Pretokenizer,
    MetaspacePretokenizer,
    NonePretokenizer,
    Pretokenizer,
    RegexPretokenizer,
    RunsPretokenizer,
    SentencePiecePretokenizer,
    WhitespacePretokenizer,
)
from tokviz.pretokenizers.bert import CJK
from tokviz.pretokenizers.gpt2 import PATTERN as GPT2_PATTERN
from tokviz.pretokenizers.runs import ALONE
from tokviz.text.symbols import Spelling

Part = dict[str, Any]

#: Unassigned in every release of Unicode so far, and left alone by every step of the library.
_UNASSIGNED = "\u0378"

#: What BERT's normalizer would change on its own: an accent that is none any more, and composed
#: characters that are newer than the library's tables.
_NO_ACCENT = "\u1734"
_NEWER_COMPOSED = (
    "\U00011938\U000105c9\U000105e4\U00011383\U00011385\U0001138e\U00011391\U000113c5\U000113c7"
    "\U000113c8\U00016121\U00016122\U00016123\U00016124\U00016125\U00016126\U00016127\U00016128"
)


@dataclass
class Words:
    """The parts of a tokenizer.json that cut a text, in order."""

    normalizers: list[Part] = field(default_factory=list)
    pre_tokenizers: list[Part] = field(default_factory=list)

    def replace(self, what: Part, by: str) -> None:
        """Adds a normalizer that replaces every match."""
        self.normalizers.append({"type": "Replace", "pattern": what, "content": by})

    def hide(self, char: str, alphabet: set[str]) -> None:
        """Where a text holds this character, it is some unknown one from the start."""
        if char != " ":
            # What BERT's normalizer leaves alone comes first.
            by = _UNASSIGNED if _UNASSIGNED not in alphabet else stand_in(alphabet)
            part = {"type": "Replace", "pattern": {"String": char}, "content": by}
            self.normalizers.insert(0, part)

    def split(self, what: Part, behavior: str, invert: bool = False) -> None:
        """Adds a pre-tokenizer that splits at every match."""
        self.pre_tokenizers.append(
            {"type": "Split", "pattern": what, "behavior": behavior, "invert": invert}
        )

    def drop(self, characters: str) -> None:
        """Before anything else cuts, the text is cut at these characters, which are in no word."""
        part = {"type": "Split", "pattern": {"Regex": f"{chars_set(characters)}+"}}
        self.pre_tokenizers.insert(0, part | {"behavior": "Removed", "invert": False})

    def byte_level(self, add_prefix_space: bool = False) -> None:
        """Adds the pre-tokenizer that writes words in byte-level characters."""
        self.pre_tokenizers.append(
            {
                "type": "ByteLevel",
                "add_prefix_space": add_prefix_space,
                "trim_offsets": True,
                "use_regex": False,
            }
        )

    def metaspace(self, mark: str, prepend: str) -> None:
        """Adds the pre-tokenizer that writes spaces as a mark; it cuts nothing here."""
        self.pre_tokenizers.append(
            {"type": "Metaspace", "replacement": mark, "prepend_scheme": prepend, "split": False}
        )


def words_of(pretokenizer: Pretokenizer, spelling: Spelling, alphabet: set[str]) -> Words:
    """The library's parts for a run whose vocabulary holds these characters.

    Raises ExportError where the library cannot give the same words.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> words = words_of(make_pretokenizer("metaspace"), Spelling(space_mark="▁"), {"a"})
    >>> [part["type"] for part in words.pre_tokenizers]
    ['WhitespaceSplit', 'Metaspace']
    """
    words, in_bytes = Words(), spelling.unit == "byte"
    mark = spelling.space_mark
    if isinstance(pretokenizer, Gpt2Pretokenizer | RegexPretokenizer | RunsPretokenizer):
        pattern = portable(pattern_of(pretokenizer))
        if not in_bytes:
            # A mark that is typed is an unknown character, but of the same kind.
            other = stand_in(alphabet, lambda char: pattern.alike(mark, char))
            words.replace({"String": mark}, other)
        if isinstance(pretokenizer, RunsPretokenizer):
            words.split({"Regex": pattern.text}, "Isolated")
        else:
            words.split({"Regex": pattern.text}, "Removed", invert=True)
        if not in_bytes:
            words.metaspace(mark, "never")
    elif isinstance(pretokenizer, BertPretokenizer):
        if pretokenizer.normalize:
            if in_bytes:
                raise ExportError.saying(
                    "The library's normalizer for BERT changes letters that are newer than its "
                    'tables, which bytes would show; train with unit="char", or with the '
                    "pre-tokenizer bert without normalize."
                )
            _bert_normalizer(words, alphabet)
        words.pre_tokenizers.append({"type": "BertPreTokenizer"})
        words.hide(mark, alphabet)
    elif isinstance(pretokenizer, WhitespacePretokenizer):
        words.split({"Regex": f"{white_space()}+"}, "Removed")
        words.hide(mark, alphabet)
    elif isinstance(pretokenizer, MetaspacePretokenizer | NonePretokenizer):
        cuts = isinstance(pretokenizer, MetaspacePretokenizer)
        if cuts:
            words.pre_tokenizers.append({"type": "WhitespaceSplit"})
        if not in_bytes:
            words.hide(mark, alphabet)
            words.metaspace(mark, "always" if cuts else "never")
    elif isinstance(pretokenizer, SentencePiecePretokenizer):
        _sentencepiece(words, pretokenizer)
        if not in_bytes:
            words.metaspace(mark, "never")
    if in_bytes:
        words.byte_level(isinstance(pretokenizer, MetaspacePretokenizer))
    return words


def pattern_of(pretokenizer: Gpt2Pretokenizer | RegexPretokenizer | RunsPretokenizer) -> str:
    """The pattern of a word, or of what stands alone between runs.

    >>> pattern_of(RegexPretokenizer("a+"))
    'a+'
    """
    if isinstance(pretokenizer, RunsPretokenizer):
        return ALONE
    return GPT2_PATTERN if isinstance(pretokenizer, Gpt2Pretokenizer) else pretokenizer.pattern


def stand_in(taken: Iterable[str], alike: Callable[[str], bool] = lambda _: True) -> str:
    """A character that no token holds, for one that must not be taken for a mark.

    >>> stand_in({"a"})
    '�'
    """
    taken = set(taken)
    some = ["\ufffd", *map(chr, range(0xA1, 0xD800))]
    return next(char for char in some if char not in taken and char.isprintable() and alike(char))


@cache
def white_space(negated: bool = False) -> str:
    """What `str.split` cuts at, or all else, as a set."""
    every = map(chr, range(sys.maxunicode + 1))
    return chars_set((char for char in every if char.isspace()), negated)


def _sentencepiece(words: Words, pretokenizer: SentencePiecePretokenizer) -> None:
    """The normalization of SentencePiece without character rules, with a space for `▁`."""
    if pretokenizer.normalization_rule_name != "identity":
        raise ExportError.saying(
            "The rules {rules} cannot be written in this format: the library applies them to whole "
            "clusters of characters, so that combining marks come out otherwise. Train with "
            'normalization_rule_name="identity", or choose the format sentencepiece.',
            rules=pretokenizer.normalization_rule_name,
        )
    if pretokenizer.remove_extra_whitespaces:
        words.replace({"Regex": r"\A\x20+"}, "")
        words.replace({"Regex": r"\x20{2,}"}, " ")
    words.replace({"String": "▁"}, " ")
    if pretokenizer.add_dummy_prefix:
        words.normalizers.append({"type": "Prepend", "prepend": " "})
    if pretokenizer.remove_extra_whitespaces:
        words.replace({"Regex": r"\x20+\z"}, "")
    if pretokenizer.split_by_whitespace:
        words.split({"String": " "}, "MergedWithNext")


def _bert_normalizer(words: Words, alphabet: set[str]) -> None:
    """BERT's normalizer. The library's tables are those of Unicode 8.0, so what is newer is settled
    before it sees them: dropped, decomposed, or replaced by an unknown character."""
    if found := sorted(_left_alone("".join(alphabet))):
        raise ExportError.saying(
            "The corpus holds U+{code:04X}, which the library's normalizer for BERT does not leave "
            "as it is; take it out of the corpus, or train with the pre-tokenizer bert without "
            "normalize.",
            code=ord(found[0]),
        )
    words.replace({"Regex": _left_alone_set()}, _UNASSIGNED)
    for char in _NEWER_COMPOSED:
        if (decomposed := unicodedata.normalize("NFD", char)) != char:
            words.replace({"String": char}, decomposed)
    words.replace({"Regex": _dropped()}, "")
    words.normalizers.append(
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": True,
            "lowercase": True,
        }
    )


@cache
def _dropped() -> str:
    """What BERT's cleaning and stripping leaves nothing of, as a set."""
    return chars_set(char for char in _of("Mn", "Cc", "Cf", "Co") if char not in "\t\n\r")


def _left_alone(chars: str) -> str:
    """What tokviz keeps as it is and the library may not: it knows newer letters with two cases.
    Chinese characters have their blocks, known or not."""
    unassigned = "".join(char for char in chars if unicodedata.category(char) == "Cn")
    return CJK.sub("", unassigned) + _NO_ACCENT * (_NO_ACCENT in chars)


@cache
def _left_alone_set() -> str:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    return chars_set(_left_alone(every).replace(_UNASSIGNED, ""))


def _of(*categories: str) -> list[str]:
    every = map(chr, range(sys.maxunicode + 1))
    return [char for char in every if unicodedata.category(char) in categories]


def white_space_of_rust() -> str:
    """What the library's WhitespaceSplit cuts at, as a set.

    >>> white_space_of_rust()[:20]
    '[\\\\x09-\\\\x0d\\\\x20\\\\x{85}'
    """
    from tokviz.pretokenizers.whitespace import RUST_SPACE

    return class_of(f"[{RUST_SPACE}]")
