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
from typing import Any

from tokviz.basics.arguments import Shown, check_kind, plain
from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.pretokenizers.base import BlockPretokenizer, Pretokenizer, Word
from tokviz.pretokenizers.bert import BertPretokenizer
from tokviz.pretokenizers.byte_level import (
    BYTE_TO_CHAR,
    CHAR_TO_BYTE,
    byte_level,
    from_byte_level,
)
from tokviz.pretokenizers.gpt2 import Gpt2Pretokenizer
from tokviz.pretokenizers.pattern import REGEX_PRESETS, PatternError, RegexPretokenizer
from tokviz.pretokenizers.runs import RunsPretokenizer
from tokviz.pretokenizers.sentencepiece_words import SentencePiecePretokenizer
from tokviz.pretokenizers.whitespace import (
    MetaspacePretokenizer,
    NonePretokenizer,
    WhitespacePretokenizer,
)

__all__ = [
    "BYTE_TO_CHAR",
    "CHAR_TO_BYTE",
    "PRETOKENIZERS",
    "REGEX_PRESETS",
    "BertPretokenizer",
    "BlockPretokenizer",
    "Gpt2Pretokenizer",
    "MetaspacePretokenizer",
    "NonePretokenizer",
    "PatternError",
    "Pretokenizer",
    "RegexPretokenizer",
    "RunsPretokenizer",
    "SentencePiecePretokenizer",
    "WhitespacePretokenizer",
    "Word",
    "byte_level",
    "from_byte_level",
    "make_pretokenizer",
]

PRETOKENIZERS: dict[str, type[Pretokenizer]] = {
    kind.name: kind
    for kind in (
        Gpt2Pretokenizer,
        BertPretokenizer,
        MetaspacePretokenizer,
        WhitespacePretokenizer,
        RegexPretokenizer,
        NonePretokenizer,
        RunsPretokenizer,
        SentencePiecePretokenizer,
    )
}


def make_pretokenizer(choice: str | Pretokenizer, **settings: Any) -> Pretokenizer:
    """The pre-tokenizer of that name with these settings; one made already may be passed too.

    >>> make_pretokenizer("bert", normalize=True)
    BertPretokenizer(normalize=True)
    >>> make_pretokenizer("gpt3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    tokviz.basics.errors.SettingError: There is no pre-tokenizer "gpt3"; choose gpt2, ..., runs or \
sentencepiece.
    """
    named = isinstance(choice, str) and choice in PRETOKENIZERS
    if not named and not isinstance(choice, Pretokenizer):
        *names, last = PRETOKENIZERS
        raise SettingError.saying(
            'There is no pre-tokenizer "{choice}"; choose {names} or {last}.',
            choice=choice if isinstance(choice, str) else Shown(choice),
            names=", ".join(names),
            last=last,
        )
    kind = type(choice) if isinstance(choice, Pretokenizer) else PRETOKENIZERS[choice]
    known = {setting.name: type(setting.default) for setting in dataclasses.fields(kind)}
    for setting in settings:
        if setting not in known:
            raise SettingError.saying(
                'The pre-tokenizer "{name}" has no setting "{setting}"; it has {known}.',
                name=kind.name,
                setting=setting,
                known=" and ".join(known) or message("none"),
            )
        value = settings[setting] = plain(settings[setting])
        # That nan is out of range, whoever has the range tells.
        nan = isinstance(value, float) and value != value
        if known[setting] in (str, int, float, bool) and not nan:
            check_kind(setting, value, known[setting])
    if isinstance(choice, Pretokenizer):
        return dataclasses.replace(choice, **settings)
    return kind(**settings)
