"""The decoders of Hugging Face's library: from tokens to text.

Source: huggingface/tokenizers, src/decoders, and the Decoder parts of src/pre_tokenizers.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from tokviz.formats.aligned_text import matches_of
from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief
from tokviz.formats.hf_normalizers import read_pattern
from tokviz.language import listed, message
from tokviz.pretokenizers import CHAR_TO_BYTE

#: One decoder: tokens become texts, which are joined in the end.
Decode: TypeAlias = Callable[[list[str]], list[str]]

_BYTE = re.compile(r"<0x([0-9a-fA-F]{2})>")
_CLEANED = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def read_decoder(value: dict[str, Any] | None) -> tuple[str, Decode] | None:
    """The decoder of a file, and how it is described to people; without one tokens are joined by
    spaces. None if it is of a kind that is not known here.

    Raises TokenizerFileError for one that is not well described.

    >>> shown, decode = read_decoder({"type": "ByteLevel"})
    >>> shown, decode(["Ġa", "Ã", "©"])
    ('ByteLevel', [' aé'])
    """
    if value is None:
        return message("none"), lambda tokens: [" ".join(tokens)]
    return _read(value, 0)


def _read(value: object, depth: int) -> tuple[str, Decode] | None:
    fields = Fields(message("the decoder"), value)
    kind = fields.text("type")
    fields.where = message("the decoder {kind}", kind=brief(kind))
    if kind == "Sequence":
        if depth > 10:
            raise TokenizerFileError(message("The decoders are nested too deeply."))
        steps = [_read(part, depth + 1) for part in fields.items("decoders")]
        known = [step for step in steps if step is not None]
        if len(known) < len(steps):
            return None
        return listed(shown for shown, _ in known), partial(_chain, [step for _, step in known])
    return (kind, _KINDS[kind](fields)) if kind in _KINDS else None


def _chain(steps: list[Decode], tokens: list[str]) -> list[str]:
    for step in steps:
        tokens = step(tokens)
    return tokens


def _byte_level(_: Fields) -> Decode:
    def decode(tokens: list[str]) -> list[str]:
        data = b"".join(
            bytes([CHAR_TO_BYTE[char] for char in token])
            if all(char in CHAR_TO_BYTE for char in token)
            else token.encode("utf-8", "surrogatepass")
            for token in tokens
        )
        return [data.decode("utf-8", "replace")]

    return decode


def _wordpiece(fields: Fields) -> Decode:
    prefix, cleans = fields.text("prefix"), fields.flag("cleanup")

    def one(i: int, token: str) -> str:
        if i:
            token = token.removeprefix(prefix) if token.startswith(prefix) else f" {token}"
        if cleans:
            for before, after in _CLEANED:
                token = token.replace(before, after)
        return token

    return lambda tokens: [one(i, token) for i, token in enumerate(tokens)]


def _metaspace(fields: Fields) -> Decode:
    mark = fields.text("replacement")
    scheme = fields.choice("prepend_scheme", ("always", "first", "never"), "always")
    drops = scheme != "never" and fields.maybe_flag("add_prefix_space") is not False

    def decode(tokens: list[str]) -> list[str]:
        return [
            token.replace(mark, "" if drops and i == 0 else " ") for i, token in enumerate(tokens)
        ]

    return decode


def _bpe(fields: Fields) -> Decode:
    suffix = fields.text("suffix")

    def decode(tokens: list[str]) -> list[str]:
        last = len(tokens) - 1
        return [
            token.replace(suffix, " " if i < last else "") if suffix else token
            for i, token in enumerate(tokens)
        ]

    return decode


def _byte_fallback(_: Fields) -> Decode:
    def decode(tokens: list[str]) -> list[str]:
        done: list[str] = []
        pending = bytearray()
        for token in [*tokens, ""]:
            if found := _BYTE.fullmatch(token):
                pending.append(int(found[1], 16))
                continue
            if pending:
                try:
                    done.append(pending.decode("utf-8"))
                except UnicodeDecodeError:
                    done += ["\ufffd"] * len(pending)
                pending = bytearray()
            done.append(token)
        return done[:-1]

    return decode


def _fuse(_: Fields) -> Decode:
    return lambda tokens: ["".join(tokens)]


def _strip(fields: Fields) -> Decode:
    content = fields.text("content")
    start, stop = fields.number("start", 10_000), fields.number("stop", 10_000)

    def one(token: str) -> str:
        first, last = 0, len(token)
        while first < min(start, len(token)) and token[first] == content:
            first += 1
        while last > max(len(token) - stop, 0) and token[last - 1] == content:
            last -= 1
        return token[first:last]

    return lambda tokens: list(map(one, tokens))


def _replace(fields: Fields) -> Decode:
    find, _ = read_pattern(fields)
    content = fields.text("content")

    def one(token: str) -> str:
        matches = matches_of(token, find(token))
        return "".join(content if matched else token[i:j] for i, j, matched in matches)

    return lambda tokens: list(map(one, tokens))


_KINDS: dict[str, Callable[[Fields], Decode]] = {
    "ByteLevel": _byte_level,
    "WordPiece": _wordpiece,
    "Metaspace": _metaspace,
    "BPEDecoder": _bpe,
    "ByteFallback": _byte_fallback,
    "Fuse": _fuse,
    "Strip": _strip,
    "Replace": _replace,
}
