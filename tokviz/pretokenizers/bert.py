"""BERT's words: between whitespace, with every punctuation mark a word of its own."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import ClassVar

import regex

from tokviz.basics.messages import message
from tokviz.pretokenizers.base import PUNCTUATION_CUTS, BlockPretokenizer, Word
from tokviz.pretokenizers.blocks import END, JOINT, decoded, encoded
from tokviz.pretokenizers.whitespace import IS_RUST_SPACE, RUST_SPACE, char_class

# ASCII symbols and the Unicode categories P* of Unicode 8.0, the release in the crate
# `unicode_categories` that `tokenizers` asks. \p{P} would follow whichever release is installed:
# a rare punctuation mark added since 2015 would then split on one machine and not on another.
_BERT_PUNCTUATION = char_class("""
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
_BERT = re.compile(f"[^{RUST_SPACE}{_BERT_PUNCTUATION}]+|[{_BERT_PUNCTUATION}]")
_IS_PUNCTUATION = re.compile(f"[{_BERT_PUNCTUATION}]")


def is_bert_punctuation(char: str) -> bool:
    """A character that is a word of its own.

    >>> is_bert_punctuation("$"), is_bert_punctuation("€")
    (True, False)
    """
    return _IS_PUNCTUATION.match(char) is not None


# The library's table. BERT's own starts the fifth block at U+2B820 and so spaces 256 more.
CJK = re.compile(
    f"[{char_class('4e00-9fff 3400-4dbf 20000-2a6df 2a700-2b73f 2b740-2b81f')}"
    f"{char_class('2b920-2ceaf f900-faff 2f800-2fa1f')}]"
)

# What is put around each of them, until it is known whether it is a space. A normalized text has no
# such character: BERT drops those for private use.
_APART = "\ue000"


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
    if char in "\t\n\r" or (IS_RUST_SPACE.match(char) and not dropped):
        return ((0, " "),)
    if dropped:
        return ()
    decomposed = unicodedata.normalize("NFD", char)
    if CJK.match(char):
        decomposed = _APART + decomposed + _APART
    # Lower-cased one by one, as Rust does: a whole string would get a final sigma.
    return tuple(
        (unicodedata.combining(part), "" if unicodedata.category(part) == "Mn" else part.lower())
        for part in decomposed
    )


def bert_normalize(text: str) -> tuple[str, list[tuple[int, int]]]:
    """BERT's normalized text, and for each of its characters the source it came from. The spaces
    that it puts around a Chinese character are `_APART`."""
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


class _ReorderedError(Exception):
    """A mark that is kept may have to change places with its neighbours."""


class _FinalTexts(dict[int, str]):
    """The final text of each character, for texts in which no mark that is kept needs its place."""

    def __missing__(self, code_point: int) -> str:
        parts = _normalized_parts(chr(code_point))
        if any(combining and final for combining, final in parts):
            raise _ReorderedError
        if len(self) == 1 << 16:
            self.clear()
        self[code_point] = "".join(final for _, final in parts)
        return self[code_point]


_FINAL_TEXTS = _FinalTexts()


def _normalized(text: str) -> str:
    """The text of `bert_normalize` alone, which is far faster found.

    >>> _normalized("Ça, ÉTÉ")
    'ca, ete'
    """
    try:
        return text.translate(_FINAL_TEXTS)
    except _ReorderedError:
        return bert_normalize(text)[0]


def _normalized_block(data: bytes) -> bytes:
    """A block of normalized texts. A space that the text itself does not have is a joint."""
    # An end of a document is whitespace here as good as any.
    parts = data.replace(END, b"\n").split(JOINT)
    data = JOINT.join(encoded(_normalized(decoded(part))) for part in parts)
    apart = encoded(_APART)
    if apart in data:
        # At a border of the block, or beside a space, there is white space anyway.
        data = (b" " + data + b" ").replace(b" " + apart, b"  ").replace(apart + b" ", b"  ")
    return data.replace(apart, JOINT)


@dataclass(frozen=True)
class BertPretokenizer(BlockPretokenizer):
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
    help: ClassVar[str] = message(
        "Cuts at whitespace and makes every punctuation mark a word of its own."
    )
    source: ClassVar[str] = (
        "Devlin et al. 2018, google-research/bert tokenization.py; "
        "tokenizers pre_tokenizers/bert.rs and normalizers/bert.rs"
    )
    space_mark: ClassVar[str] = " "
    safe_cuts: ClassVar[regex.Pattern[str]] = PUNCTUATION_CUTS

    normalize: bool = field(
        default=False,
        metadata={
            "label": message("Lower-case, strip accents"),
            "help": message(
                "First cleans the text as uncased BERT does: no control characters, no "
                "accents, lower case, and every Chinese character a word."
            ),
        },
    )

    def words(self, text: str) -> Iterator[Word]:
        if not self.normalize:
            for match in _BERT.finditer(text):
                yield Word(match.group(), match.start(), match.end())
            return
        normalized, sources = bert_normalize(text)
        for match in _BERT.finditer(normalized.replace(_APART, " ")):
            spans = tuple(sources[match.start() : match.end()])
            yield Word(match.group(), min(spans)[0], max(spans)[1], spans)

    def leaves_out(self, char: str) -> bool:
        return self.normalize and not any(final for _, final in _normalized_parts(char))

    def prepared(self, data: bytes) -> bytes:
        return _normalized_block(data) if self.normalize else data
