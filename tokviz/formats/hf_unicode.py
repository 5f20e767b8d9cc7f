"""What Hugging Face's library knows of Unicode, which is not what the installed Python knows.

Its parts follow releases of their own: marks and normal forms Unicode 12 (the crate
`unicode-normalization-alignments`), `BertNormalizer` Unicode 8 (`unicode_categories`), patterns
Unicode 16 (Oniguruma and the crate `regex`), lower case Unicode 17 (Rust). The tables were read off
version 0.23 of the library, one code point after the other, so that a character that has come since
is cut on every machine as it is there.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal

from tokviz.pretokenizers.whitespace import char_class

#: Characters that have a decomposition or a combining class today, and neither in the library.
_FROZEN = """
    558 58b-58c 5c8-5c9 7fd 897-89f 8ca-8d3 9fe c3c d3b-d3c eba 1715 1abf-1af0 1df6-1dfa 209d-209f
    32ff a7f1-a7f4 a82c ab69 105c9 105e4 10781-10785 10787-107b0 107b2-107bf 10d24-10d27
    10d69-10d6d 10eab-10eac 10ecb-10ecf 10ef0-10efb 10efd-10eff 10f46-10f50 10f82-10f85 11070 1133b
    11383 11385 1138e 11391 113c5 113c7-113c8 113ce-113d0 1145e 11839-1183a 11938 1193d-1193e 11943
    119e0 11a34 11a47 11a99 11d42 11d44-11d45 11d97 11f41-11f42 16121-16128 1612f 16d68-16d6a
    16ff0-16ff1 1b123-1b126 1ccd6-1ccf9 1d127-1d128 1d250-1d252 1d25b-1d25c 1d25f 1d280-1d281 1d6a6
    1df95 1dfcd-1dfff 1e030-1e06d 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3
    1e6e6 1e6ee-1e6ef 1e6f5 1f16c 1fbf0-1fbf9
"""

#: What StripAccents removes.
_MARKS = """
    300-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8
    6ea-6ed 711 730-74a 7a6-7b0 7eb-7f3 816-819 81b-823 825-827 829-82d 859-85b 8d4-8e1 8e3-903
    93a-93c 93e-94f 951-957 962-963 981-983 9bc 9be-9c4 9c7-9c8 9cb-9cd 9d7 9e2-9e3 a01-a03 a3c
    a3e-a42 a47-a48 a4b-a4d a51 a70-a71 a75 a81-a83 abc abe-ac5 ac7-ac9 acb-acd ae2-ae3 b01-b03 b3c
    b3e-b44 b47-b48 b4b-b4d b56-b57 b62-b63 b82 bbe-bc2 bc6-bc8 bca-bcd bd7 c00-c03 c3e-c44 c46-c48
    c4a-c4d c55-c56 c62-c63 c81-c83 cbc cbe-cc4 cc6-cc8 cca-ccd cd5-cd6 ce2-ce3 d01-d03 d3e-d44
    d46-d48 d4a-d4d d57 d62-d63 d82-d83 dca dcf-dd4 dd6 dd8-ddf df2-df3 e31 e34-e3a e47-e4e eb1
    eb4-eb9 ebb-ebc ec8-ecd f18-f19 f35 f37 f39 f3e-f3f f71-f84 f86-f87 f8d-f97 f99-fbc fc6
    102b-103e 1056-1059 105e-1060 1062-1064 1067-106d 1071-1074 1082-108d 108f 109a-109d 135d-135f
    1712-1714 1732-1734 1752-1753 1772-1773 17b4-17d3 17dd 180b-180d 1885-1886 18a9 1920-192b
    1930-193b 1a17-1a1b 1a55-1a5e 1a60-1a7c 1a7f 1ab0-1abe 1b00-1b04 1b34-1b44 1b6b-1b73 1b80-1b82
    1ba1-1bad 1be6-1bf3 1c24-1c37 1cd0-1cd2 1cd4-1ce8 1ced 1cf2-1cf4 1cf8-1cf9 1dc0-1df5 1dfb-1dff
    20d0-20f0 2cef-2cf1 2d7f 2de0-2dff 302a-302f 3099-309a a66f-a672 a674-a67d a69e-a69f a6f0-a6f1
    a802 a806 a80b a823-a827 a880-a881 a8b4-a8c5 a8e0-a8f1 a926-a92d a947-a953 a980-a983 a9b3-a9c0
    a9e5 aa29-aa36 aa43 aa4c-aa4d aa7b-aa7d aab0 aab2-aab4 aab7-aab8 aabe-aabf aac1 aaeb-aaef
    aaf5-aaf6 abe3-abea abec-abed fb1e fe00-fe0f fe20-fe2f 101fd 102e0 10376-1037a 10a01-10a03
    10a05-10a06 10a0c-10a0f 10a38-10a3a 10a3f 10ae5-10ae6 11000-11002 11038-11046 1107f-11082
    110b0-110ba 11100-11102 11127-11134 11173 11180-11182 111b3-111c0 111ca-111cc 1122c-11237 1123e
    112df-112ea 11300-11303 1133c 1133e-11344 11347-11348 1134b-1134d 11357 11362-11363 11366-1136c
    11370-11374 11435-11446 114b0-114c3 115af-115b5 115b8-115c0 115dc-115dd 11630-11640 116ab-116b7
    1171d-1172b 11c2f-11c36 11c38-11c3f 11c92-11ca7 11ca9-11cb6 16af0-16af4 16b30-16b36 16f51-16f7e
    16f8f-16f92 1bc9d-1bc9e 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad 1d242-1d244
    1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1da9f 1daa1-1daaf 1e000-1e006 1e008-1e018 1e01b-1e021
    1e023-1e024 1e026-1e02a 1e8d0-1e8d6 1e944-1e94a e0100-e01ef
"""

#: What BertNormalizer takes for an accent.
_BERT_ACCENTS = """
    300-36f 483-487 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8
    6ea-6ed 711 730-74a 7a6-7b0 7eb-7f3 816-819 81b-823 825-827 829-82d 859-85b 8e3-902 93a 93c
    941-948 94d 951-957 962-963 981 9bc 9c1-9c4 9cd 9e2-9e3 a01-a02 a3c a41-a42 a47-a48 a4b-a4d a51
    a70-a71 a75 a81-a82 abc ac1-ac5 ac7-ac8 acd ae2-ae3 b01 b3c b3f b41-b44 b4d b56 b62-b63 b82 bc0
    bcd c00 c3e-c40 c46-c48 c4a-c4d c55-c56 c62-c63 c81 cbc cbf cc6 ccc-ccd ce2-ce3 d01 d41-d44 d4d
    d62-d63 dca dd2-dd4 dd6 e31 e34-e3a e47-e4e eb1 eb4-eb9 ebb-ebc ec8-ecd f18-f19 f35 f37 f39
    f71-f7e f80-f84 f86-f87 f8d-f97 f99-fbc fc6 102d-1030 1032-1037 1039-103a 103d-103e 1058-1059
    105e-1060 1071-1074 1082 1085-1086 108d 109d 135d-135f 1712-1714 1732-1734 1752-1753 1772-1773
    17b4-17b5 17b7-17bd 17c6 17c9-17d3 17dd 180b-180d 18a9 1920-1922 1927-1928 1932 1939-193b
    1a17-1a18 1a1b 1a56 1a58-1a5e 1a60 1a62 1a65-1a6c 1a73-1a7c 1a7f 1ab0-1abd 1b00-1b03 1b34
    1b36-1b3a 1b3c 1b42 1b6b-1b73 1b80-1b81 1ba2-1ba5 1ba8-1ba9 1bab-1bad 1be6 1be8-1be9 1bed
    1bef-1bf1 1c2c-1c33 1c36-1c37 1cd0-1cd2 1cd4-1ce0 1ce2-1ce8 1ced 1cf4 1cf8-1cf9 1dc0-1df5
    1dfc-1dff 20d0-20dc 20e1 20e5-20f0 2cef-2cf1 2d7f 2de0-2dff 302a-302d 3099-309a a66f a674-a67d
    a69e-a69f a6f0-a6f1 a802 a806 a80b a825-a826 a8c4 a8e0-a8f1 a926-a92d a947-a951 a980-a982 a9b3
    a9b6-a9b9 a9bc a9e5 aa29-aa2e aa31-aa32 aa35-aa36 aa43 aa4c aa7c aab0 aab2-aab4 aab7-aab8
    aabe-aabf aac1 aaec-aaed aaf6 abe5 abe8 abed fb1e fe00-fe0f fe20-fe2f 101fd 102e0 10376-1037a
    10a01-10a03 10a05-10a06 10a0c-10a0f 10a38-10a3a 10a3f 10ae5-10ae6 11001 11038-11046 1107f-11081
    110b3-110b6 110b9-110ba 11100-11102 11127-1112b 1112d-11134 11173 11180-11181 111b6-111be
    111ca-111cc 1122f-11231 11234 11236-11237 112df 112e3-112ea 11300-11301 1133c 11340 11366-1136c
    11370-11374 114b3-114b8 114ba 114bf-114c0 114c2-114c3 115b2-115b5 115bc-115bd 115bf-115c0
    115dc-115dd 11633-1163a 1163d 1163f-11640 116ab 116ad 116b0-116b5 116b7 1171d-1171f 11722-11725
    11727-1172b 16af0-16af4 16b30-16b36 16f8f-16f92 1bc9d-1bc9e 1d167-1d169 1d17b-1d182 1d185-1d18b
    1d1aa-1d1ad 1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1da9f 1daa1-1daaf 1e8d0-1e8d6
    e0100-e01ef
"""

#: What BertNormalizer removes as a control character; of the rest it makes white space a space.
_BERT_CONTROLS = """
    0-8 b-c e-1f 7f-9f ad 600-605 61c 6dd 70f 180e 200b-200f 202a-202e 2060-2064 2066-206f
    e000-f8ff feff fff9-fffb fffd 110bd 1bca0-1bca3 1d173-1d17a e0001 e0020-e007f f0000-ffffd
    100000-10fffd
"""

#: Characters that Oniguruma and Rust's `regex` do not know yet: they are neither letters nor marks
#: nor digits there.
_NEWER = """
    558 58b-58c 5c8-5c9 88f b53-b54 c5c cdc 1acf-1af0 208f 209d-209f 20c1-20c4 2b96 2e60-2e63
    a7ce-a7cf a7d2 a7d4 a7dd a7e2 a7f1 ab6c-ab6d fbc3-fbd2 fd90-fd91 fdc8-fdce 107bb-107bf
    10940-10959 10ec5-10ec7 10ec9-10eee 10ef0-10efb 11b0a 11b60-11b67 11db0-11ddb 11de0-11de9
    11df0-11df1 1246f 12475-1247f 12550-12686 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff
    18cd6-18cda 18d09-18d20 18d80-18df2 18e00-19191 191a0-191d2 1b123-1b128 1b168 1ccfa-1ccfc
    1ceba-1ced0 1ced2-1ced4 1cedd-1cefd 1d127-1d128 1d1eb-1d1ff 1d250-1d281 1d6a6 1db00-1db1c
    1df1f-1df24 1df2b-1df81 1df90-1df96 1dfcd-1dfff 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 1f1ae
    1f6d8-1f6d9 1f777-1f77a 1f7da-1f7db 1f7f1-1f7ff 1f8d0-1f8d8 1fa54-1fa57 1fa8a-1fa8e 1fac8
    1facc-1facd 1fadd 1faea-1faeb 1faef 1faf9-1fafa 1fbfa 2b73a-2b73f 2b81e 2cea2-2cead 323b0-33479
    3d000-3fc3f
"""

#: Numbers of today that Rust does not know yet.
_NEWER_NUMBERS = "1246f 12475-1247f 12550-12686"

#: Numbers that Rust knows and Python does not before version 3.14, or later.
_NEW_NUMBERS = (
    "10d40-10d49 116d0-116e3 11bf0-11bf9 11de0-11de9 11f50-11f59 16130-16139 16d70-16d79 "
    "16ff4-16ff6 1ccf0-1ccf9 1d2c0-1d2d3 1e4f0-1e4f9 1e5f1-1e5fa"
)

#: Capitals that Python does not know before version 3.14, or later.
_NEWER_CAPITALS = {
    "\u1c89": "\u1c8a",
    "\ua7cb": "\u0264",
    "\ua7cc": "\ua7cd",
    "\ua7ce": "\ua7cf",
    "\ua7d2": "\ua7d3",
    "\ua7d4": "\ua7d5",
    "\ua7da": "\ua7db",
    "\ua7dc": "\u019b",
    **{chr(code): chr(code + 0x20) for code in range(0x10D50, 0x10D66)},
    **{chr(code): chr(code + 0x1B) for code in range(0x16EA0, 0x16EB9)},
}


@cache
def one_of(ranges: str) -> re.Pattern[str]:
    """Matches one character of these ranges.

    >>> one_of("41-5a").match("b")
    """
    return re.compile(f"[{char_class(ranges)}]")


def is_accent(char: str) -> bool:
    """What the normalizer StripAccents removes.

    >>> is_accent("\u0301"), is_accent("a")
    (True, False)
    """
    return one_of(_MARKS).match(char) is not None


def is_bert_accent(char: str) -> bool:
    """What BertNormalizer removes when it strips accents."""
    return one_of(_BERT_ACCENTS).match(char) is not None


def is_bert_control(char: str) -> bool:
    """What BertNormalizer removes when it cleans a text."""
    return one_of(_BERT_CONTROLS).match(char) is not None


def is_number(char: str) -> bool:
    """Rust's `char::is_numeric`.

    >>> [is_number(char) for char in "1½Ⅷ一"]
    [True, True, True, False]
    """
    known = one_of(_NEWER_NUMBERS).match(char) is None
    return known and (
        unicodedata.category(char) in ("Nd", "Nl", "No")
        or one_of(_NEW_NUMBERS).match(char) is not None
    )


def lower(char: str) -> str:
    """Rust's `char::to_lowercase` of one character.

    >>> lower("Σ"), len(lower("İ"))
    ('σ', 2)
    """
    return _NEWER_CAPITALS.get(char) or char.lower()


def as_known(text: str) -> str:
    """The text with an unassigned character of the same plane for each one that is newer than the
    library's patterns: those match by property, and so cannot tell the two apart.

    >>> as_known("a\u0558") == "a\u0378"
    True
    """
    if text.isascii() or not one_of(_NEWER).search(text):
        return text
    return one_of(_NEWER).sub(_unassigned, text)


def asks_properties(pattern: str) -> bool:
    """Whether a pattern matches by property anywhere, so that a text is given to it `as_known`.
    Where its classes are written out it may name newer characters, and is given the text itself.

    >>> asks_properties(r"\\p{L}+|[^\\W_]"), asks_properties(r"[a-z\u0558]|\\s")
    (True, False)
    """
    escaped = re.findall(r"\\(.)", pattern, re.DOTALL)
    return bool({*"pPwWdDbB"}.intersection(escaped) or re.search(r"\(\?[a-z]*i|\[:", pattern))


def _unassigned(match: re.Match[str]) -> str:
    plane = ord(match[0]) >> 16
    return chr(plane << 16 | 0xFFF0) if plane else "\u0378"


def decomposed(text: str, compatible: bool) -> Iterator[tuple[str, int]]:
    """NFD, or NFKD if `compatible`: each character with its change (see `AlignedText.rewritten`).

    >>> list(decomposed("é", compatible=False))
    [('e', 0), ('\u0301', 1)]
    """
    form: Literal["NFD", "NFKD"] = "NFKD" if compatible else "NFD"
    pending: list[tuple[int, str, int]] = []
    for char in text:
        for i, part in enumerate(_parts(char, form)):
            combining = _class(part)
            if not combining:
                yield from _in_order(pending)
                pending = []
            pending.append((combining, part, min(i, 1)))
    yield from _in_order(pending)


@cache
def _parts(char: str, form: Literal["NFD", "NFKD"]) -> str:
    return char if one_of(_FROZEN).match(char) else unicodedata.normalize(form, char)


@cache
def _class(char: str) -> int:
    return 0 if one_of(_FROZEN).match(char) else unicodedata.combining(char)


def _in_order(pending: list[tuple[int, str, int]]) -> Iterator[tuple[str, int]]:
    for _, char, change in sorted(pending, key=lambda item: item[0]):
        yield char, change


def composed(text: str, compatible: bool) -> Iterator[tuple[str, int]]:
    """NFC, or NFKC if `compatible`: each character with its change.

    >>> list(composed("e\u0301x", compatible=False))
    [('é', -1), ('x', 0)]
    """
    base: tuple[str, int] | None = None
    after: list[tuple[str, int]] = []
    last = -1  # the combining class of the last one in `after`
    for char, change in decomposed(text, compatible):
        combining = _class(char)
        if base is None:
            if combining:
                yield char, change
            else:
                base = char, change
            continue
        whole = _whole(base[0], char) if not after or last < combining else None
        if whole:
            base = whole, base[1] + change - 1
        elif combining:
            after.append((char, change))
            last = combining
        else:
            yield base
            yield from after
            base, after, last = (char, change), [], -1
    if base:
        yield base
    yield from after


@cache
def _whole(left: str, right: str) -> str | None:
    """What the two compose to."""
    whole = unicodedata.normalize("NFC", left + right)
    if len(whole) > 1 or one_of(_FROZEN).search(left + right + whole):
        return None
    return whole
