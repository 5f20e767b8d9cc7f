r"""Opens ranks in JSON: Mistral's tekken.json, and the ranks of js-tiktoken.

Both say how a text is cut into words, and which tokens are special.

Source: mistralai/mistral-common, tokens/tokenizers/tekken.py (1.13); dqbd/tiktoken,
js/src/core.ts (js-tiktoken 1.0).
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from tokviz.basics.messages import message
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import MOST_ID, Fields, TokenizerFileError, brief
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host
from tokviz.formats.readers.ranks import MOST_TOKEN_BYTES, Ranks, open_ranks

#: The special tokens of tekken files that name none, by id.
_TEKKEN_SPECIAL = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
)

#: White space of JavaScript's patterns, which is not that of tiktoken: U+FEFF is, U+0085 is not.
_JS_SPACE = r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}"


def is_tekken(found: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a tekken file.

    >>> is_tekken({"config": {"pattern": "."}, "vocab": []}), is_tekken({"vocab": {}})
    (True, False)
    """
    return isinstance(found.get("config"), dict) and isinstance(found.get("vocab"), list)


def is_js_tiktoken(found: Mapping[str, Any]) -> bool:
    """Whether a JSON object has ranks of js-tiktoken.

    >>> is_js_tiktoken({"pat_str": ".", "special_tokens": {}, "bpe_ranks": ""})
    True
    """
    return {"pat_str", "bpe_ranks"} <= found.keys()


def open_tekken(name: str, found: Mapping[str, Any], host: Host = here) -> OpenedTokenizer:
    """The tokenizer of a tekken file. As mistral-common does, it takes as many tokens as the file
    says by default, and gives special tokens the first ids.

    Raises TokenizerFileError if the file is damaged.

    >>> import base64
    >>> tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc"]
    >>> opened = open_tekken("tekken.json", {
    ...     "config": {"pattern": r"\\S+|\\s+", "default_vocab_size": 260,
    ...                "default_num_special_tokens": 3, "version": "v3"},
    ...     "vocab": [{"rank": i, "token_bytes": base64.b64encode(token).decode(),
    ...                "token_str": None} for i, token in enumerate(tokens)],
    ...     "special_tokens": [{"rank": 0, "token_str": "<s>", "is_control": True}]})
    >>> opened.tokenizer.encode("abc").ids, opened.facts["Special tokens"]
    ([259, 102], '<s>, <SPECIAL_1>, <SPECIAL_2>')
    """
    fields = Fields(message("the file {name}", name=brief(name)), dict(found))
    config = Fields(message("the field 'config'"), fields.object("config"))
    specials = config.number("default_num_special_tokens", MOST_ID)
    words = config.number("default_vocab_size", MOST_ID) - specials
    vocab = fields.items("vocab")
    if not 256 <= words <= len(vocab):
        raise TokenizerFileError.saying(
            "{name} says that it has {words:,} tokens besides the special ones; from 256 to "
            "{n:,}, as many as it lists, are possible.",
            name=brief(name),
            words=words,
            n=len(vocab),
        )
    rank_of: dict[bytes, int] = {}
    for number, item in enumerate(vocab[:words]):
        entry = Fields(message("token {number:,}", number=number), item)
        token = _bytes(name, number, entry.text("token_bytes"))
        if entry.number("rank", MOST_ID) != number or (number < 256 and token != bytes([number])):
            raise TokenizerFileError.saying(
                "Token {number:,} of {name} has another rank, or is not the byte that it should "
                "be.",
                number=number,
                name=brief(name),
            )
        if token in rank_of:
            raise TokenizerFileError.saying(
                "Token {number:,} of {name} is there again.", number=number, name=brief(name)
            )
        rank_of[token] = specials + number
    special = _tekken_special(name, fields, specials)
    notes = [message("Special tokens typed in a text are read as text, as mistral-common does.")]
    if len(vocab) > words:
        notes.append(
            message(
                "Of {n:,} tokens in the file, its default size takes the first {words:,}.",
                n=len(vocab),
                words=words,
            )
        )
    ranks = Ranks(name, rank_of, config.text("pattern"), special)
    return open_ranks(ranks, "tekken.json", notes, host)


def _tekken_special(name: str, fields: Fields, count: int) -> dict[str, int]:
    """The special tokens by text; ids without one have a name made of the id."""
    texts = [f"<SPECIAL_{number}>" for number in range(count)]
    named = dict(enumerate(_TEKKEN_SPECIAL))
    if fields.values.get("special_tokens") is not None:
        entries = [
            Fields(message("a special token"), item) for item in fields.items("special_tokens")
        ]
        named = {entry.number("rank", MOST_ID): entry.text("token_str") for entry in entries}
    for number, text in named.items():
        if number < count:
            texts[number] = text
    if len(set(texts)) < count or max(named, default=0) >= count:
        raise TokenizerFileError.saying(
            "The special tokens of {name} are not {count:,} different ones.",
            name=brief(name),
            count=count,
        )
    return {text: number for number, text in enumerate(texts)}


def open_js_tiktoken(name: str, found: Mapping[str, Any], host: Host = here) -> OpenedTokenizer:
    """The tokenizer of js-tiktoken's ranks: lines of "! rank token token …" in base64, each token
    with the rank after that of the one before.

    Raises TokenizerFileError if the file is damaged.

    >>> import base64
    >>> tokens = [*(bytes([byte]) for byte in range(256)), b"ab"]
    >>> line = " ".join(["! 0", *(base64.b64encode(token).decode() for token in tokens)])
    >>> opened = open_js_tiktoken("a.json", {
    ...     "pat_str": r"\\S+|\\s+", "special_tokens": {"<|end|>": 300}, "bpe_ranks": line})
    >>> opened.tokenizer.encode("abc").ids, opened.tokenizer.decode([256, 300])
    ([256, 99], 'ab<|end|>')
    """
    fields = Fields(message("the file {name}", name=brief(name)), dict(found))
    rank_of: dict[bytes, int] = {}
    for line in filter(None, fields.text("bpe_ranks").split("\n")):
        parts = line.split(" ")
        if len(parts) < 2 or not re.fullmatch("[0-9]{1,7}", parts[1]):
            raise TokenizerFileError.saying(
                "A line of ranks in {name} does not say which rank it begins with.",
                name=brief(name),
            )
        for rank, text in enumerate(parts[2:], int(parts[1])):
            rank_of[_bytes(name, rank, text)] = rank
    where = message("the special tokens")
    special = Fields(where, fields.maybe_object("special_tokens") or {})
    ids = {text: special.number(text, MOST_ID) for text in special.values}
    notes = [
        message(
            "Special tokens typed in a text are read as text; js-tiktoken refuses such a text "
            "unless it is told to allow them."
        )
    ]
    ranks = Ranks(name, rank_of, _as_in_javascript(fields.text("pat_str")), ids)
    return open_ranks(ranks, message("js-tiktoken ranks"), notes, host)


def _as_in_javascript(pattern: str) -> str:
    r"""A pattern for tiktoken whose white space is that of JavaScript.

    >>> _as_in_javascript(r"\s[^\s\\s]") == rf"[{_JS_SPACE}][^{_JS_SPACE}\\s]"
    True
    """
    inside = False
    written = []
    for part in re.findall(r"\\.|[^\\]", pattern, re.DOTALL):
        if part == r"\s":
            written.append(_JS_SPACE if inside else f"[{_JS_SPACE}]")
            continue
        if part == r"\S" and not inside:
            written.append(f"[^{_JS_SPACE}]")
            continue
        inside = (inside or part == "[") and part != "]"
        written.append(part)
    return "".join(written)


def _bytes(name: str, number: int, text: str) -> bytes:
    """The bytes of a token. Raises TokenizerFileError for what is no base64, or too long."""
    try:
        token = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        token = b""
    if not 0 < len(token) <= MOST_TOKEN_BYTES:
        raise TokenizerFileError.saying(
            "Token {number:,} of {name} is not up to {most_token_bytes} bytes in base64.",
            number=number,
            name=brief(name),
            most_token_bytes=MOST_TOKEN_BYTES,
        )
    return token
