"""The normalizers, pre-tokenizers and decoders of a tokenizer.json, described for people. What they
do is done by the library.

Source: huggingface/tokenizers, src/normalizers, src/pre_tokenizers and src/decoders.
"""

import base64
import binascii
from collections.abc import Iterator
from typing import Any, NamedTuple

from tokviz.basics.messages import joined, listed, message
from tokviz.formats.readers.bounded_json import Fields, TokenizerFileError, brief, yes

#: How many normalizers or pre-tokenizers a file may have.
MOST_STEPS = 100
#: Characters of a pattern that are shown: those of published tokenizers are whole.
MOST_SHOWN = 400


class Step(NamedTuple):
    """A normalizer or pre-tokenizer: its kind, how it is described, what it writes for spaces."""

    kind: str
    shown: str
    mark: str = ""


def described(what: str, inside: str, value: dict[str, Any] | None) -> list[Step]:
    """The normalizers, pre-tokenizers or decoders of a file in order. `what` is what people call
    one of them, `inside` the field of a Sequence that holds its parts.

    Raises TokenizerFileError for too many of them, and for fields that are none.

    >>> [step.shown for step in described("pre-tokenizer", "pretokenizers", {"type": "Sequence",
    ...     "pretokenizers": [{"type": "Digits", "individual_digits": True}, {"type": "Mine"}]})]
    ['Digits (one by one)', 'Mine']
    """
    steps: list[Step] = []
    for fields in _fields(what, inside, value):
        kind = fields.text("type")
        fields.where = message("the {what} {kind}", what=what, kind=brief(kind))
        settings = _settings(kind, fields)
        mark = fields.text("replacement") if kind == "Metaspace" else ""
        steps.append(Step(kind, joined([kind, settings]) if settings else kind, mark))
        if len(steps) > MOST_STEPS:
            raise TokenizerFileError.saying(
                "The file has more than {most_steps} {what}s.", most_steps=MOST_STEPS, what=what
            )
    return steps


def _fields(what: str, inside: str, value: object) -> Iterator[Fields]:
    if value is None:
        return
    fields = Fields(message("the {what}", what=what), value)
    if fields.text("type") != "Sequence":
        yield fields
        return
    for part in fields.items(inside):
        yield from _fields(what, inside, part)


def _settings(kind: str, fields: Fields) -> str:
    """What is said of a part after its kind."""
    if kind in ("Replace", "Split") and "content" not in fields.values:
        behavior, shown = fields.text("behavior"), _pattern(fields)
        if fields.flag("invert"):
            return message(" ({pattern}, {behavior}, inverted)", pattern=shown, behavior=behavior)
        return f" ({shown}, {behavior})"
    if kind == "Replace":
        return f" ({_pattern(fields)} → {brief(fields.text('content'))})"
    if kind == "Prepend":
        return f" ({brief(fields.text('prepend'))})"
    if kind == "CharDelimiterSplit":
        return f" ({brief(fields.text('delimiter'))})"
    if kind == "Punctuation":
        return f" ({fields.text('behavior', 'Isolated')})"
    if kind == "Digits":
        return message(" (one by one)") if fields.flag("individual_digits") else message(" (runs)")
    if kind == "Strip" and "strip_left" in fields.values:
        left, right = yes(fields.flag("strip_left")), yes(fields.flag("strip_right"))
        return message(" (left: {left}, right: {right})", left=left, right=right)
    if kind == "ByteLevel" and "add_prefix_space" in fields.values:
        return _byte_level(fields)
    if kind == "Metaspace":
        return _metaspace(fields)
    if kind == "Precompiled":
        return message(" ({n:,} bytes of replacements)", n=_replacements(fields))
    return _bert(fields) if kind == "BertNormalizer" else ""


def _pattern(fields: Fields) -> str:
    """A pattern as it is shown: {"String": ...} or {"Regex": ...}."""
    pattern = fields.object("pattern")
    inner = Fields(message("the pattern of {where}", where=fields.where), pattern)
    if "Regex" in pattern:
        return brief(inner.text("Regex"), MOST_SHOWN)
    return brief(inner.text("String"))


def _byte_level(fields: Fields) -> str:
    settings = [
        message("a space in front") if fields.flag("add_prefix_space") else "",
        message("GPT-2's pattern") if fields.flag("use_regex", True) else message("no pattern"),
    ]
    return message(" ({settings})", settings=listed(filter(None, settings)))


def _metaspace(fields: Fields) -> str:
    scheme = fields.text("prepend_scheme", "always")
    if fields.maybe_flag("add_prefix_space") is False:
        scheme = "never"
    return message(
        " ({mark}, prepended: {scheme}, {splits})",
        mark=brief(fields.text("replacement")),
        scheme=scheme,
        splits=message("split") if fields.flag("split", True) else message("not split"),
    )


def _replacements(fields: Fields) -> int:
    """How many bytes of replacements stand after the table that finds them."""
    try:
        data = base64.b64decode(fields.maybe_text("precompiled_charsmap") or "")
    except (binascii.Error, ValueError):
        return 0
    return max(0, len(data) - 4 - int.from_bytes(data[:4], "little"))


def _bert(fields: Fields) -> str:
    lowers, strips = fields.flag("lowercase"), fields.maybe_flag("strip_accents")
    return message(
        " (cleans: {cleans}, spaces around Chinese characters: {spaces}, strips accents: "
        "{strips}, lower case: {lowers})",
        cleans=yes(fields.flag("clean_text")),
        spaces=yes(fields.flag("handle_chinese_chars")),
        strips=yes(lowers if strips is None else strips),
        lowers=yes(lowers),
    )
