"""What a tokenizer_config.json says of the tokenizer.json that it stands beside.

Source: huggingface/transformers, tokenization_utils_base.py.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tokviz.basics.messages import listed, message
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import Fields, TokenizerFileError, brief, check_texts

#: The special tokens that have a use.
_USES = ("bos_token", "eos_token", "unk_token", "pad_token", "cls_token", "sep_token", "mask_token")


def is_config(name: str, found: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a tokenizer_config.json, by its name or by what only that has.

    >>> is_config("a.json", {"tokenizer_class": "X"}), is_config("a.json", {"model": {}})
    (True, False)
    """
    return name == "tokenizer_config.json" or "tokenizer_class" in found


def with_config(opened: OpenedTokenizer, name: str, found: Mapping[str, Any]) -> OpenedTokenizer:
    """A tokenizer with what its tokenizer_config.json says: special tokens by their use, and the
    template of a chat. Nothing in it changes ids.

    Raises TokenizerFileError if one of them is no text.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> opened = open_tokenizer({"vocab.json": b'{"a": 0}', "merges.txt": b""})
    >>> more = with_config(opened, "tokenizer_config.json", {
    ...     "bos_token": {"content": "<s>"}, "chat_template": "{{ messages }}"})
    >>> more.facts["Special tokens by use"], more.chat_template
    ('bos_token: <s>', '{{ messages }}')
    """
    fields = Fields(message("the file {name}", name=brief(name)), dict(found))
    uses = []
    for use in _USES:
        value = fields.values.get(use)
        if isinstance(value, dict):
            value = Fields(message("the field {name!r}", name=use), value).text("content")
        if value is not None:
            uses.append(f"{use}: {_text(use, value)}")
    facts = {**opened.facts, message("Special tokens by use"): listed(uses) or message("none")}
    return replace(opened, facts=facts, chat_template=_template(fields))


def _template(fields: Fields) -> str:
    """The template of a chat; of several, each below its name."""
    found = fields.values.get("chat_template")
    if found is None:
        return ""
    if not isinstance(found, list):
        return _text("chat_template", found)
    where = message("a template in {where}", where=fields.where)
    several = [Fields(where, one) for one in found]
    return "\n\n".join(f"{{# {one.text('name')} #}}\n{one.text('template')}" for one in several)


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise TokenizerFileError.saying(
            "The field {field!r} of a tokenizer_config.json should be a text.", field=field
        )
    check_texts(field, [value])
    return value
