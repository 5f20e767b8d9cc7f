"""The normalizers of Hugging Face's library.

Source: huggingface/tokenizers, src/normalizers; versions 0.20 to 0.23.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias

from tokviz.formats.aligned_text import AlignedText, matches_of
from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief, yes
from tokviz.formats.hf_charsmap import Charsmap, read_charsmap
from tokviz.formats.hf_patterns import OnigPattern
from tokviz.formats.hf_steps import read_steps
from tokviz.formats.hf_unicode import (
    composed,
    decomposed,
    is_accent,
    is_bert_accent,
    is_bert_control,
    lower,
    one_of,
)
from tokviz.language import joined, message
from tokviz.pretokenizers import PatternError, byte_level
from tokviz.pretokenizers.whitespace import IS_RUST_SPACE

#: One normalizer: a text becomes another.
Normalize: TypeAlias = Callable[[AlignedText], AlignedText]

_CJK = "3400-4dbf 4e00-9fff f900-faff 20000-2a6df 2a700-2b81f 2b920-2ceaf 2f800-2fa1f"
_NMT_REMOVED = "1-8 b e-1f 7f 8f 9f"
_NMT_SPACES = "9-a c-d 1680 200b-200f 2028-2029 2581 feff fffd"


def read_normalizers(value: dict[str, Any] | None) -> list[tuple[str, Normalize]]:
    """The normalizers of a file in order, each with a description of it for people.

    Raises TokenizerFileError for those that are not known, or not well described.

    >>> [(named, normalize)] = read_normalizers({"type": "Lowercase"})
    >>> named, normalize(AlignedText("ÉT")).text
    ('Lowercase', 'ét')
    """
    if value is None:
        return []
    return read_steps(message("normalizer"), "normalizers", value, _KINDS, _described)


def _described(kind: str, fields: Fields) -> tuple[str, Normalize]:
    settings, normalize = _KINDS[kind](fields)
    return joined([kind, settings]) if settings else kind, normalize


def normalized(text: AlignedText, steps: Sequence[tuple[str, Normalize]]) -> AlignedText:
    """The text after all normalizers.

    >>> normalized(AlignedText(" ﬁ"), read_normalizers({"type": "NFKC"})).text
    ' fi'
    """
    return reduce(lambda text, step: step[1](text), steps, text)


Made: TypeAlias = tuple[str, Normalize]


def _form(rewrites: Callable[..., Any], compatible: bool, _: Fields) -> Made:
    def normalize(text: AlignedText) -> AlignedText:
        return text if text.text.isascii() else text.rewritten(rewrites(text.text, compatible))

    return "", normalize


def _lowercase(_: Fields) -> Made:
    return "", lambda text: text.mapped(lower)


def _strip_accents(_: Fields) -> Made:
    return "", lambda text: text.filtered(lambda char: not is_accent(char))


def _strip(fields: Fields) -> Made:
    left, right = fields.flag("strip_left"), fields.flag("strip_right")

    def normalize(text: AlignedText) -> AlignedText:
        first, last = 0, len(text.text)
        while left and first < last and IS_RUST_SPACE.match(text.text[first]):
            first += 1
        while right and first < last and IS_RUST_SPACE.match(text.text[last - 1]):
            last -= 1
        kept = text.part(first, last)
        return AlignedText(kept.text, text.start, kept.sources()) if first else kept

    shown = message(" (left: {left}, right: {right})", left=yes(left), right=yes(right))
    return shown, normalize


def _replace(fields: Fields) -> Made:
    find, shown = read_pattern(fields)
    content = fields.text("content")
    # What it puts before the first character has no place in the text, and the library then loses
    # its way in the steps that follow.
    if find("") and content:
        raise TokenizerFileError(
            message(
                "The pattern {pattern} of the normalizer Replace matches nothing at the start of a "
                "text, which cannot be reproduced exactly.",
                pattern=shown,
            )
        )

    def normalize(text: AlignedText) -> AlignedText:
        found = list(find(text.text))
        if content and found and found[0] == (0, 0):
            raise PatternError(
                message(
                    "The pattern {pattern} of the normalizer Replace matches nothing at the start "
                    "of a text, where the library does not work; change the pattern.",
                    pattern=shown,
                )
            )
        return text.replaced(matches_of(text.text, found), content) if found else text

    return f" ({shown} → {brief(content)})", normalize


def read_pattern(fields: Fields) -> tuple[Callable[[str], Any], str]:
    """The field `pattern`, {"String": ...} or {"Regex": ...}: what finds it, and how it is shown.

    >>> find, shown = read_pattern(Fields("Split", {"pattern": {"String": "a."}}))
    >>> list(find("aa.")), shown
    ([(1, 3)], "'a.'")
    """
    pattern = fields.object("pattern")
    inner = Fields(message("the pattern of {where}", where=fields.where), pattern)
    if set(pattern) == {"Regex"}:
        source = inner.text("Regex")
        return OnigPattern(source).find, brief(source, 2_000)
    if set(pattern) != {"String"}:
        raise TokenizerFileError(
            message(
                "The pattern of {where} should be a String or a Regex, and nothing else.",
                where=fields.where,
            )
        )
    source = inner.text("String")
    if not source:
        raise TokenizerFileError(
            message("The pattern of {where} is an empty text.", where=fields.where)
        )
    return partial(_occurrences, source), brief(source)


def _occurrences(wanted: str, text: str) -> list[tuple[int, int]]:
    found, at = [], text.find(wanted)
    while at >= 0:
        found.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    return found


def _prepend(fields: Fields) -> Made:
    before = fields.text("prepend")
    return f" ({brief(before)})", lambda text: text.prepended(before)


def _nmt(_: Fields) -> Made:
    removed, spaces = one_of(_NMT_REMOVED), one_of(_NMT_SPACES)

    def normalize(text: AlignedText) -> AlignedText:
        kept = text.filtered(lambda char: removed.match(char) is None)
        return kept.mapped(lambda char: " " if spaces.match(char) else char)

    return "", normalize


def _precompiled(fields: Fields) -> Made:
    charsmap: Charsmap = read_charsmap(fields.maybe_text("precompiled_charsmap") or "")
    return message(" ({n:,} bytes of replacements)", n=len(charsmap)), charsmap.normalize


def _bert(fields: Fields) -> Made:
    cleans, spaces_cjk = fields.flag("clean_text"), fields.flag("handle_chinese_chars")
    lowers, strips = fields.flag("lowercase"), fields.maybe_flag("strip_accents")
    strips = lowers if strips is None else strips
    cjk = one_of(_CJK)

    def normalize(text: AlignedText) -> AlignedText:
        if cleans:
            text = text.filtered(lambda char: char != "\0" and not is_bert_control(char))
            text = text.mapped(lambda char: " " if IS_RUST_SPACE.match(char) else char)
        if spaces_cjk:
            text = text.mapped(lambda char: f" {char} " if cjk.match(char) else char)
        if strips and not text.text.isascii():
            text = text.rewritten(decomposed(text.text, False))
            text = text.filtered(lambda char: not is_bert_accent(char))
        return text.mapped(lower) if lowers else text

    return (
        message(
            " (cleans: {cleans}, spaces around Chinese characters: {spaces}, strips accents: "
            "{strips}, lower case: {lowers})",
            cleans=yes(cleans),
            spaces=yes(spaces_cjk),
            strips=yes(strips),
            lowers=yes(lowers),
        ),
        normalize,
    )


def _byte_level(_: Fields) -> Made:
    return "", lambda text: text.mapped(byte_level)


_KINDS: dict[str, Callable[[Fields], Made]] = {
    "NFC": partial(_form, composed, False),
    "NFD": partial(_form, decomposed, False),
    "NFKC": partial(_form, composed, True),
    "NFKD": partial(_form, decomposed, True),
    "Lowercase": _lowercase,
    "StripAccents": _strip_accents,
    "Strip": _strip,
    "Replace": _replace,
    "Prepend": _prepend,
    "Nmt": _nmt,
    "Precompiled": _precompiled,
    "BertNormalizer": _bert,
    "ByteLevel": _byte_level,
}
