"""The pre-tokenizers of Hugging Face's library.

Source: huggingface/tokenizers, src/pre_tokenizers; versions 0.20 to 0.23.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import regex

from tokviz.formats.aligned_text import (
    BEHAVIORS,
    AlignedText,
    characters_where,
    inverted,
    matches_of,
)
from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief
from tokviz.formats.hf_normalizers import read_pattern
from tokviz.formats.hf_steps import read_steps
from tokviz.formats.hf_unicode import as_known, is_number
from tokviz.language import joined, listed, message
from tokviz.pretokenizers import Gpt2Pretokenizer, byte_level
from tokviz.pretokenizers.bert import is_bert_punctuation
from tokviz.pretokenizers.whitespace import IS_RUST_SPACE

#: One pre-tokenizer: a text becomes parts of it.
Cut: TypeAlias = Callable[[AlignedText], list[AlignedText]]

_W = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
_WHITESPACE = regex.compile(rf"[{_W}]+|[^{_W}\s]+")


class CutStep(NamedTuple):
    """A pre-tokenizer, and how it is described to people. `mark` is what it writes for spaces."""

    shown: str
    kind: str
    cut: Cut
    mark: str = ""


def read_pretokenizers(value: dict[str, Any] | None) -> list[CutStep]:
    """The pre-tokenizers of a file in order.

    Raises TokenizerFileError for those that are not known, or not well described.

    >>> [step] = read_pretokenizers({"type": "Digits", "individual_digits": True})
    >>> step.shown, [part.text for part in step.cut(AlignedText("in 42"))]
    ('Digits (one by one)', ['in ', '4', '2'])
    """
    if value is None:
        return []
    return read_steps(message("pre-tokenizer"), "pretokenizers", value, _KINDS, _described)


def _described(kind: str, fields: Fields) -> CutStep:
    settings, cut = _KINDS[kind](fields)
    mark = fields.text("replacement") if kind == "Metaspace" else ""
    return CutStep(joined([kind, settings]) if settings else kind, kind, cut, mark)


def pretokenized(parts: list[AlignedText], steps: Sequence[CutStep]) -> list[AlignedText]:
    """The parts of a text, each cut by all pre-tokenizers one after the other.

    >>> steps = read_pretokenizers({"type": "WhitespaceSplit"})
    >>> [part.text for part in pretokenized([AlignedText("a b")], steps)]
    ['a', 'b']
    """
    for step in steps:
        parts = [cut for part in parts for cut in step.cut(part) if cut.text]
    return parts


Made: TypeAlias = tuple[str, Cut]


def byte_level_cut(text: AlignedText, add_prefix_space: bool, use_regex: bool) -> list[AlignedText]:
    """ByteLevel: GPT-2's words in the characters that stand for bytes.

    >>> [part.text for part in byte_level_cut(AlignedText("é a"), True, True)]
    ['ĠÃ©', 'Ġa']
    """
    if add_prefix_space and not text.text.startswith(" "):
        text = text.prepended(" ")
    parts = [text]
    if use_regex:
        words = Gpt2Pretokenizer().words(as_known(text.text))
        parts = [text.part(word.start, word.end) for word in words]
    return [part.mapped(byte_level) for part in parts]


def _byte_level(fields: Fields) -> Made:
    add_prefix_space = fields.flag("add_prefix_space")
    use_regex = fields.flag("use_regex", True)
    settings = [
        message("a space in front") if add_prefix_space else "",
        message("GPT-2's pattern") if use_regex else message("no pattern"),
    ]
    shown = message(" ({settings})", settings=listed(filter(None, settings)))
    return shown, partial(byte_level_cut, add_prefix_space=add_prefix_space, use_regex=use_regex)


def _whitespace(_: Fields) -> Made:
    def cut(text: AlignedText) -> list[AlignedText]:
        found = (match.span() for match in _WHITESPACE.finditer(as_known(text.text)))
        return text.split(inverted(matches_of(text.text, found)), "Removed")

    return "", cut


def _is_space(char: str) -> bool:
    return IS_RUST_SPACE.match(char) is not None


def _whitespace_split(_: Fields) -> Made:
    return "", lambda text: text.split(characters_where(text.text, _is_space), "Removed")


def _bert(_: Fields) -> Made:
    def cut(text: AlignedText) -> list[AlignedText]:
        words = text.split(characters_where(text.text, _is_space), "Removed")
        return [
            part
            for word in words
            for part in word.split(characters_where(word.text, is_bert_punctuation), "Isolated")
        ]

    return "", cut


def _punctuation(fields: Fields) -> Made:
    behavior = fields.choice("behavior", BEHAVIORS, "Isolated")

    def cut(text: AlignedText) -> list[AlignedText]:
        return text.split(characters_where(text.text, is_bert_punctuation), behavior)

    return f" ({behavior})", cut


def _digits(fields: Fields) -> Made:
    each = fields.flag("individual_digits")
    behavior = "Isolated" if each else "Contiguous"

    def cut(text: AlignedText) -> list[AlignedText]:
        return text.split(characters_where(text.text, is_number), behavior)

    return message(" (one by one)") if each else message(" (runs)"), cut


def _delimiter(fields: Fields) -> Made:
    delimiter = fields.text("delimiter")
    if len(delimiter) != 1:
        raise TokenizerFileError(
            message("The delimiter of {where} is not one character.", where=fields.where)
        )
    return (
        f" ({brief(delimiter)})",
        lambda text: text.split(characters_where(text.text, delimiter.__eq__), "Removed"),
    )


def _split(fields: Fields) -> Made:
    find, shown = read_pattern(fields)
    behavior, invert = fields.choice("behavior", BEHAVIORS), fields.flag("invert")

    def cut(text: AlignedText) -> list[AlignedText]:
        matches = matches_of(text.text, find(text.text))
        return text.split(inverted(matches) if invert else matches, behavior)

    if invert:
        return message(" ({pattern}, {behavior}, inverted)", pattern=shown, behavior=behavior), cut
    return f" ({shown}, {behavior})", cut


def _metaspace(fields: Fields) -> Made:
    mark = fields.text("replacement")
    if len(mark) != 1:
        raise TokenizerFileError(
            message("The replacement of {where} is not one character.", where=fields.where)
        )
    scheme = fields.choice("prepend_scheme", ("always", "first", "never"), "always")
    if fields.maybe_flag("add_prefix_space") is False:
        if scheme == "first":
            raise TokenizerFileError(
                # As it is told: the name in small letters.
                message(
                    "The pre-tokenizer 'metaspace' has add_prefix_space off, but a prepend_scheme."
                )
            )
        scheme = "never"
    splits = fields.flag("split", True)

    def cut(text: AlignedText) -> list[AlignedText]:
        text = text.mapped(lambda char: mark if char == " " else char)
        prepends = scheme == "always" or (scheme == "first" and text.start == 0)
        if prepends and not text.text.startswith(mark):
            text = text.prepended(mark)
        if not splits:
            return [text]
        return text.split(characters_where(text.text, mark.__eq__), "MergedWithNext")

    shown = message(
        " ({mark}, prepended: {scheme}, {splits})",
        mark=brief(mark),
        scheme=scheme,
        splits=message("split") if splits else message("not split"),
    )
    return shown, cut


_KINDS: dict[str, Callable[[Fields], Made]] = {
    "ByteLevel": _byte_level,
    "Whitespace": _whitespace,
    "WhitespaceSplit": _whitespace_split,
    "BertPreTokenizer": _bert,
    "Metaspace": _metaspace,
    "Digits": _digits,
    "Punctuation": _punctuation,
    "CharDelimiterSplit": _delimiter,
    "Split": _split,
}
