"""From text to words: the first thing a tokenizer does, and the last it can never undo.

A subword tokenizer never merges across the border of two words, so the pre-tokenizer decides what
can become a token at all. Each class here is one published way of cutting a document into `Word`s.
A word keeps its offsets into the document, so that every token can be traced back to its source.

    text --words()--> Word("This", 0, 4), Word(" is", 4, 7), ...

What a trainer sees (`Word.text`) and what a person sees are kept apart: a space is a space here,
and whether it is drawn as `Ġ` or `▁` is decided where it is drawn (`space_mark` says how). A `Ġ`
or a `▁` that somebody typed therefore stays what it is.
"""

import dataclasses
import math
import re
import unicodedata
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

import regex


class Word(NamedTuple):
    """What a trainer sees, and where in the document it came from (in code points).

    `spans` holds the source of every character of `text`; None is the common case in which
    character i is the source character start + i.
    """

    text: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...] | None = None

    def span(self, i: int, j: int) -> tuple[int, int]:
        """The source offsets of `text[i:j]`, empty where those characters have no source.

        >>> Word("hug", 4, 7).span(1, 3)
        (5, 7)
        >>> word = Word(" hug", 4, 7, ((4, 4), (4, 5), (5, 6), (6, 7)))
        >>> word.span(0, 1), word.span(0, 2)
        ((4, 4), (4, 5))
        """
        if self.spans is None:
            return self.start + i, self.start + j
        if i >= j:
            at = self.spans[i][0] if i < len(self.spans) else self.end
            return at, at
        # Not the ends of the outer two: a normalizer may have reordered combining marks.
        covered = self.spans[i:j]
        return min(covered)[0], max(end for _, end in covered)


# GPT-2 trains on bytes but prints characters. Bytes that Latin-1 can print stand for themselves;
# the other 68, in order, take the characters from U+0100 on, which is how the space became Ġ.
_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_HIDDEN = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTE_TO_CHAR: dict[int, str] = {
    byte: chr(byte if byte in _PRINTABLE else 0x100 + _HIDDEN.index(byte)) for byte in range(256)
}
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}


def byte_level(text: str) -> str:
    """The UTF-8 bytes of `text`, each as GPT-2's printable character.

    Lone surrogates have no UTF-8 form; they are written as the three bytes they would have, so
    that no text is refused and `from_byte_level` gives them back.

    >>> byte_level(" hé")
    'ĠhÃ©'
    """
    return text.encode("utf-8", "surrogatepass").decode("latin-1").translate(BYTE_TO_CHAR)


def from_byte_level(chars: str) -> bytes:
    r"""The bytes that `byte_level` wrote; a token may end in the middle of a character.

    >>> from_byte_level("ĠhÃ")
    b' h\xc3'
    """
    try:
        return bytes([CHAR_TO_BYTE[char] for char in chars])
    except KeyError as error:
        raise ValueError(
            f"{error.args[0]!r} is not one of the 256 characters that stand for a byte; "
            "byte_level(text) writes text in them."
        ) from None


@dataclass(frozen=True)
class Pretokenizer(ABC):
    """Cuts a document into words. Its dataclass fields are its settings."""

    name: ClassVar[str]
    label: ClassVar[str]
    help: ClassVar[str]
    source: ClassVar[str]
    space_mark: ClassVar[str]

    @abstractmethod
    def words(self, text: str) -> Iterator[Word]:
        """The words of one document, in text order. Never an empty word."""

    def texts(self, text: str) -> Iterable[str]:
        """The words as `words` gives them, without their offsets: all that counting needs."""
        return (word.text for word in self.words(text))


_GPT2 = regex.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)


@dataclass(frozen=True)
class Gpt2Pretokenizer(Pretokenizer):
    """Letters, digits and the rest apart, each run with the one space before it.

    Nothing of the text is lost: the words joined are the document.

    >>> [word.text for word in Gpt2Pretokenizer().words("I'll see  2 cats!")]
    ['I', "'ll", ' see', ' ', ' 2', ' cats', '!']
    """

    name: ClassVar[str] = "gpt2"
    label: ClassVar[str] = "GPT-2"
    help: ClassVar[str] = (
        "Cuts between letters, digits and punctuation; a space belongs to the word after it."
    )
    source: ClassVar[str] = (
        "Radford et al. 2019, openai/gpt-2 src/encoder.py; "
        "tokenizers pre_tokenizers/byte_level.rs with add_prefix_space=False"
    )
    space_mark: ClassVar[str] = "Ġ"

    def words(self, text: str) -> Iterator[Word]:
        for match in _GPT2.finditer(text):
            yield Word(match.group(), match.start(), match.end())

    def texts(self, text: str) -> Iterable[str]:
        found: list[str] = _GPT2.findall(text)
        return found


def _char_class(ranges: str) -> str:
    r"""Hexadecimal ranges as the inside of a character class.

    >>> _char_class("41-5a 5f")
    '\\U00000041-\\U0000005a\\U0000005f'
    """
    return "".join(
        "-".join(f"\\U{int(end, 16):08x}" for end in item.split("-")) for item in ranges.split()
    )


# Spelled out, since neither engine's \s is Rust's char::is_whitespace for good: `re` also counts
# the separators U+001C to U+001F, as str.split() does, and `regex` follows its Unicode release.
_RUST_SPACE = _char_class("9-d 20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000")

# ASCII symbols and the Unicode categories P* of Unicode 8.0, the release in the crate
# `unicode_categories` that `tokenizers` asks. \p{P} would follow whichever release is installed:
# a rare punctuation mark added since 2015 would then split on one machine and not on another.
_BERT_PUNCTUATION = _char_class("""
    21-2f 3a-40 5b-60 7b-7e a1 a7 ab b6-b7 bb bf 37e 387 55a-55f 589-58a 5be 5c0 5c3 5c6 5f3-5f4
    609-60a 60c-60d 61b 61e-61f 66a-66d 6d4 700-70d 7f7-7f9 830-83e 85e 964-965 970 af0 df4 e4f
    e5a-e5b f04-f12 f14 f3a-f3d f85 fd0-fd4 fd9-fda 104a-104f 10fb 1360-1368 1400 166d-166e
    169b-169c 16eb-16ed 1735-1736 17d4-17d6 17d8-17da 1800-180a 1944-1945 1a1e-1a1f 1aa0-1aa6
    1aa8-1aad 1b5a-1b60 1bfc-1bff 1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 1cd3 2010-2027 2030-2043 2045-2051
    2053-205e 207d-207e 208d-208e 2308-230b 2329-232a 2768-2775 27c5-27c6 27e6-27ef 2983-2998
    29d8-29db 29fc-29fd 2cf9-2cfc 2cfe-2cff 2d70 2e00-2e2e 2e30-2e42 3001-3003 3008-3011 3014-301f
    3030 303d 30a0 30fb a4fe-a4ff a60d-a60f a673 a67e a6f2-a6f7 a874-a877 a8ce-a8cf a8f8-a8fa a8fc
    a92e-a92f a95f a9c1-a9cd a9de-a9df aa5c-aa5f aade-aadf aaf0-aaf1 abeb fd3e-fd3f fe10-fe19
    fe30-fe52 fe54-fe61 fe63 fe68 fe6a-fe6b ff01-ff03 ff05-ff0a ff0c-ff0f ff1a-ff1b ff1f-ff20
    ff3b-ff3d ff3f ff5b ff5d ff5f-ff65 10100-10102 1039f 103d0 1056f 10857 1091f 1093f 10a50-10a58
    10a7f 10af0-10af6 10b39-10b3f 10b99-10b9c 11047-1104d 110bb-110bc 110be-110c1 11140-11143
    11174-11175 111c5-111c9 111cd 111db 111dd-111df 11238-1123d 112a9 114c6 115c1-115d7
    11641-11643 1173c-1173e 12470-12474 16a6e-16a6f 16af5 16b37-16b3b 16b44 1bc9f 1da87-1da8b
""")
_BERT = re.compile(f"[^{_RUST_SPACE}{_BERT_PUNCTUATION}]+|[{_BERT_PUNCTUATION}]")
_METASPACE = re.compile(f"[^{_RUST_SPACE}]+")
_IS_RUST_SPACE = re.compile(f"[{_RUST_SPACE}]")

# The library's table. BERT's own starts the fifth block at U+2B820 and so spaces 256 more.
_CJK = re.compile(
    f"[{_char_class('4e00-9fff 3400-4dbf 20000-2a6df 2a700-2b73f 2b740-2b81f')}"
    f"{_char_class('2b920-2ceaf f900-faff 2f800-2fa1f')}]"
)


@lru_cache(maxsize=1 << 16)
def _normalized_parts(char: str) -> tuple[tuple[int, str], ...]:
    """The parts BERT makes of one character: each part's combining class and its final text.

    No parts if cleaning drops the character; a stripped accent is a part whose text is empty.

    >>> _normalized_parts("É")
    ((0, 'e'), (230, ''))
    """
    # Cn, unassigned, is not here: the library keeps such characters, and a newer Unicode may
    # well have assigned them.
    dropped = unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs") or char == "\ufffd"
    if char in "\t\n\r" or (_IS_RUST_SPACE.match(char) and not dropped):
        return ((0, " "),)
    if dropped:
        return ()
    decomposed = unicodedata.normalize("NFD", char)
    if _CJK.match(char):
        decomposed = f" {decomposed} "
    # Lower-cased one by one, as Rust does: a whole string would get a final sigma.
    return tuple(
        (unicodedata.combining(part), "" if unicodedata.category(part) == "Mn" else part.lower())
        for part in decomposed
    )


def _bert_normalize(text: str) -> tuple[str, list[tuple[int, int]]]:
    """BERT's normalized text, and for each of its characters the source it came from."""
    units: list[tuple[int, int, str, int]] = []
    group, has_marks = 0, False
    for i, char in enumerate(text):
        for combining, final in _normalized_parts(char):
            if combining:
                has_marks = True
            else:
                group += 1
            units.append((group, combining, final, i))
    if has_marks:
        # Unicode's canonical order: the marks after a base character by class, ties as they
        # stood. Stripped accents take part, because some of them are borders of a group.
        units.sort(key=itemgetter(0, 1))
    normalized = "".join([final for _, _, final, _ in units])
    return normalized, [(i, i + 1) for _, _, final, i in units for _ in final]


@dataclass(frozen=True)
class BertPretokenizer(Pretokenizer):
    """Cuts at whitespace, which is dropped, and makes every punctuation mark a word.

    Without `normalize`, word borders are those of the library's BertPreTokenizer for every
    character there is. With it, they are those of BertNormalizer and BertPreTokenizer for the
    characters of Unicode 8.0 (2015), the library's release. Python's is newer: it also strips
    accents and format controls encoded since, and it files five older characters differently
    (U+1734 is an accent no more; U+1885, U+1886, U+A9BD and U+111C9 have become accents).

    >>> [word.text for word in BertPretokenizer().words("Don't panic.")]
    ['Don', "'", 't', 'panic', '.']
    >>> next(BertPretokenizer(normalize=True).words(" É!"))
    Word(text='e', start=1, end=2, spans=((1, 2),))
    """

    name: ClassVar[str] = "bert"
    label: ClassVar[str] = "BERT"
    help: ClassVar[str] = "Cuts at whitespace and makes every punctuation mark a word of its own."
    source: ClassVar[str] = (
        "Devlin et al. 2018, google-research/bert tokenization.py; "
        "tokenizers pre_tokenizers/bert.rs and normalizers/bert.rs"
    )
    space_mark: ClassVar[str] = " "

    normalize: bool = field(
        default=False,
        metadata={
            "label": "Lower-case, strip accents",
            "help": "First cleans the text as uncased BERT does: no control characters, no "
            "accents, lower case, and every Chinese character a word.",
        },
    )

    def words(self, text: str) -> Iterator[Word]:
        if not self.normalize:
            for match in _BERT.finditer(text):
                yield Word(match.group(), match.start(), match.end())
            return
        normalized, sources = _bert_normalize(text)
        for match in _BERT.finditer(normalized):
            spans = tuple(sources[match.start() : match.end()])
            yield Word(match.group(), min(spans)[0], max(spans)[1], spans)


@dataclass(frozen=True)
class MetaspacePretokenizer(Pretokenizer):
    """Cuts at whitespace and puts one space, drawn `▁`, before every word, the first included.

    The offsets are those of the word without that space, which has no source. A `▁` in the text
    is an ordinary character; the library takes it for its own mark and cuts before it.

    >>> [word.text for word in MetaspacePretokenizer().words("a  ▁b.")]
    [' a', ' ▁b.']
    """

    name: ClassVar[str] = "metaspace"
    label: ClassVar[str] = "Metaspace"
    help: ClassVar[str] = "Cuts at whitespace and marks the start of every word with ▁."
    source: ClassVar[str] = (
        "Kudo and Richardson 2018, SentencePiece; tokenizers pre_tokenizers/metaspace.rs "
        'after WhitespaceSplit, prepend_scheme="always"'
    )
    space_mark: ClassVar[str] = "▁"

    def words(self, text: str) -> Iterator[Word]:
        for match in _METASPACE.finditer(text):
            start, end = match.span()
            spans = ((start, start), *((i, i + 1) for i in range(start, end)))
            yield Word(" " + match.group(), start, end, spans)

    def texts(self, text: str) -> Iterable[str]:
        return [" " + found for found in _METASPACE.findall(text)]


_NOT_SPACE = re.compile(r"\S+")


@dataclass(frozen=True)
class WhitespacePretokenizer(Pretokenizer):
    """Exactly `str.split()`: cuts at whitespace and drops it.

    >>> [word.text for word in WhitespacePretokenizer().words(" low  lower. ")]
    ['low', 'lower.']
    """

    name: ClassVar[str] = "whitespace"
    label: ClassVar[str] = "Whitespace"
    help: ClassVar[str] = "Cuts at whitespace and drops it; punctuation stays with its word."
    source: ClassVar[str] = "Sennrich et al. 2016, rsennrich/subword-nmt learn_bpe.py; str.split()"
    space_mark: ClassVar[str] = " "

    def words(self, text: str) -> Iterator[Word]:
        for match in _NOT_SPACE.finditer(text):
            yield Word(match.group(), match.start(), match.end())

    def texts(self, text: str) -> Iterable[str]:
        return text.split()


class PatternError(ValueError):
    """A pattern that cannot be used. The message says what to change."""


# Letter for letter as in tiktoken_ext/openai_public.py.
REGEX_PRESETS: dict[str, str] = {
    "gpt4 (cl100k)": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "gpt4o (o200k)": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}


def _shown(pattern: str) -> str:
    return f'"{pattern}"' if len(pattern) <= 60 else f'"{pattern[:60]}…"'


@dataclass(frozen=True)
class RegexPretokenizer(Pretokenizer):
    """Every match of a pattern of your own is a word.

    As in tiktoken's own loop, text that no match covers is left out, and so are empty matches;
    groups change nothing, the whole match counts. The syntax is that of the `regex` package.

    >>> [word.text for word in RegexPretokenizer(r"\\p{L}+|\\d").words("in 2024, a*b")]
    ['in', '2', '0', '2', '4', 'a', 'b']
    """

    name: ClassVar[str] = "regex"
    label: ClassVar[str] = "Regular expression"
    help: ClassVar[str] = "Every match of the pattern is a word; what it does not match is dropped."
    source: ClassVar[str] = "openai/tiktoken, tiktoken_ext/openai_public.py and _educational.py"
    space_mark: ClassVar[str] = "Ġ"

    pattern: str = field(
        default=REGEX_PRESETS["gpt4 (cl100k)"],
        metadata={
            "label": "Pattern",
            "help": "A regular expression for one word, such as \\p{L}+|\\p{N}+.",
            "presets": REGEX_PRESETS,
        },
    )
    timeout: float = field(
        default=2.0,
        metadata={
            "label": "Time limit (s)",
            "help": "Seconds a document may take, for each million characters begun.",
        },
    )

    def __post_init__(self) -> None:
        if not self.pattern:
            raise PatternError("The pattern is empty; give one that matches a word, such as \\S+.")
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise PatternError(
                f"The time limit is {self.timeout} s; give a number of seconds above 0."
            )
        try:
            regex.compile(self.pattern)
        except regex.error as error:
            raise PatternError(
                f"The pattern {_shown(self.pattern)} cannot be used: {error}; correct it there."
            ) from None
        except (RecursionError, OverflowError, MemoryError):
            raise PatternError(
                f"The pattern {_shown(self.pattern)} is too deeply nested to be used; "
                "give a simpler one."
            ) from None

    def words(self, text: str) -> Iterator[Word]:
        limit = self.timeout * (len(text) // 1_000_000 + 1)
        # All at once, before the first word leaves: the package's clock runs on between matches,
        # and a slow consumer would be taken for a slow pattern.
        borders = array("q")
        try:
            for match in regex.compile(self.pattern).finditer(text, timeout=limit):
                borders.extend(match.span())
        except (TimeoutError, MemoryError):
            raise PatternError(
                f"The pattern {_shown(self.pattern)} was stopped after {limit:g} s on a text of "
                f"{len(text):,} characters: parts of it probably match the same text in very many "
                "ways; simplify its nested repeats, or make them possessive (++ for +), or allow "
                "more time."
            ) from None
        for start, end in zip(borders[::2], borders[1::2], strict=True):
            if start < end:
                yield Word(text[start:end], start, end)


@dataclass(frozen=True)
class NonePretokenizer(Pretokenizer):
    """Cuts nothing: each document, spaces included, is one word.

    >>> list(NonePretokenizer().words("the hug"))
    [Word(text='the hug', start=0, end=7, spans=None)]
    """

    name: ClassVar[str] = "none"
    label: ClassVar[str] = "None"
    help: ClassVar[str] = "Each line is one word, so that tokens may run across spaces."
    source: ClassVar[str] = "karpathy/minbpe basic.py; SentencePiece with split_by_whitespace=false"
    space_mark: ClassVar[str] = "▁"

    def words(self, text: str) -> Iterator[Word]:
        if text:
            yield Word(text, 0, len(text))


PRETOKENIZERS: dict[str, type[Pretokenizer]] = {
    kind.name: kind
    for kind in (
        Gpt2Pretokenizer,
        BertPretokenizer,
        MetaspacePretokenizer,
        WhitespacePretokenizer,
        RegexPretokenizer,
        NonePretokenizer,
    )
}


def make_pretokenizer(choice: str | Pretokenizer, **settings: Any) -> Pretokenizer:
    """The pre-tokenizer of that name with these settings; one made already may be passed too.

    >>> make_pretokenizer("bert", normalize=True)
    BertPretokenizer(normalize=True)
    >>> make_pretokenizer("gpt3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: There is no pre-tokenizer "gpt3"; choose gpt2, bert, ..., regex or none.
    """
    if not isinstance(choice, Pretokenizer) and choice not in PRETOKENIZERS:
        *names, last = PRETOKENIZERS
        raise ValueError(
            f'There is no pre-tokenizer "{choice}"; choose {", ".join(names)} or {last}.'
        )
    kind = type(choice) if isinstance(choice, Pretokenizer) else PRETOKENIZERS[choice]
    known = [setting.name for setting in dataclasses.fields(kind)]
    for setting in settings:
        if setting not in known:
            raise ValueError(
                f'The pre-tokenizer "{kind.name}" has no setting "{setting}"; '
                f"it has {' and '.join(known) or 'none'}."
            )
    if isinstance(choice, Pretokenizer):
        return dataclasses.replace(choice, **settings)
    return kind(**settings)
