"""Opens CLIP's merges: with their vocab.json, or alone, as they were first published.

The text is in lower case, and words end in `</w>`. Ids are those of the fast tokenizer that Hugging
Face makes of these files.

Source: openai/CLIP, clip/simple_tokenizer.py; huggingface/transformers,
convert_slow_tokenizer.py (CLIPConverter).
"""

import json
from dataclasses import replace
from typing import Any

from tokviz.basics.messages import message
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief, parse_json, text_of
from tokviz.formats.readers.hf_model import check_vocabulary
from tokviz.formats.readers.hf_tokenizer import open_tokenizer_json
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host
from tokviz.pretokenizers import BYTE_TO_CHAR

_SUFFIX = "</w>"
_SPECIAL = ("<|startoftext|>", "<|endoftext|>")
#: Of the merges in the first release, CLIP uses so many.
_USED = 49_152 - 256 - 2

_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_NORMALIZER = {
    "type": "Sequence",
    "normalizers": [
        {"type": "NFC"},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        {"type": "Lowercase"},
    ],
}
_PRE_TOKENIZER = {
    "type": "Sequence",
    "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": _PATTERN}, "behavior": "Removed", "invert": True},
        _BYTES,
    ],
}


def is_clip(merges: bytes, vocab: bytes | None = None) -> bool:
    """Whether merges end words as those of CLIP, and their vocab.json has its first special token.

    >>> is_clip(b"#version: 0.2\\nl o\\nlo w</w>"), is_clip(b"#version: 0.2\\nl o")
    (True, False)
    """
    if vocab is not None and _SPECIAL[0].encode() not in vocab:
        return False
    return any(line.rstrip().endswith(b"</w>") for line in merges[:20_000].split(b"\n"))


def open_clip(
    name: str,
    merges: tuple[str, bytes],
    vocab: tuple[str, bytes] | None = None,
    host: Host = here,
) -> OpenedTokenizer:
    """The tokenizer of CLIP's merges, given as name and contents, with its vocab.json, or without:
    then the ids are those that CLIP gives its bytes, the same at the end of a word, the merges, and
    two special tokens.

    Raises TokenizerFileError if one is damaged.

    >>> opened = open_clip("merges.txt", ("merges.txt", b"#version: 0.2\\nl o\\nlo w</w>"))
    >>> encoding = opened.tokenizer.encode("Low lo<|endoftext|>")
    >>> encoding.tokens, encoding.ids
    (['low</w>', 'l', 'o</w>', '<|endoftext|>'], [513, 75, 334, 515])
    """
    lines = [line.rstrip("\r") for line in text_of(*merges).split("\n")]
    if "#version" in lines[0]:
        lines = lines[1:]
    pairs = [line.split() for line in lines if line][: None if vocab else _USED]
    for number, pair in enumerate(pairs, start=1):
        if len(pair) != 2:
            raise TokenizerFileError.saying("Merge {number:,} is not two tokens.", number=number)
    ids = check_vocabulary(parse_json(*vocab)) if vocab else _ids(pairs)
    for token in _SPECIAL:
        if token not in ids:
            raise TokenizerFileError.saying(
                "{name} has no token {token}, as CLIP has.",
                name=brief(vocab[0] if vocab else name),
                token=token,
            )
    found = _described(ids, pairs)
    opened = open_tokenizer_json(name, json.dumps(found).encode(), found, host)
    assumed = message(
        "What is done with a text is assumed to be what CLIP’s tokenizers do: lower case, "
        "and their own pattern. These files do not say it. Clean-up by ftfy is left out."
    )
    kind = message("CLIP’s merges")
    return replace(opened, format=kind, notes=(assumed, *opened.notes))


def _ids(pairs: list[list[str]]) -> dict[str, int]:
    """The ids that CLIP gives its tokens."""
    characters = sorted(BYTE_TO_CHAR.values())
    ended = [char + _SUFFIX for char in characters]
    tokens = [*characters, *ended, *map("".join, pairs), *_SPECIAL]
    return {token: number for number, token in enumerate(tokens)}


def _described(ids: dict[str, int], pairs: list[list[str]]) -> dict[str, Any]:
    """The same as a tokenizer.json."""
    return {
        "version": "1.0",
        "added_tokens": [
            {
                "id": ids[token],
                "content": token,
                "special": True,
                "normalized": True,
                **dict.fromkeys(("single_word", "lstrip", "rstrip"), False),
            }
            for token in _SPECIAL
        ],
        "normalizer": _NORMALIZER,
        "pre_tokenizer": _PRE_TOKENIZER,
        "post_processor": None,
        "decoder": _BYTES,
        "model": {
            "type": "BPE",
            "unk_token": _SPECIAL[1],
            "continuing_subword_prefix": "",
            "end_of_word_suffix": _SUFFIX,
            "vocab": ids,
            "merges": [" ".join(pair) for pair in pairs],
        },
    }
