"""Opens tokenizer.json files, and the pair vocab.json + merges.txt that GPT-2 came with.

Source: huggingface/tokenizers, src/tokenizer/mod.rs and serialization.rs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from tokviz.basics.messages import counted, listed, message
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import (
    MOST_ID,
    Fields,
    TokenizerFileError,
    brief,
    parse_json,
    text_of,
)
from tokviz.formats.readers.hf_bpe import BpeModel
from tokviz.formats.readers.hf_described import Step, described
from tokviz.formats.readers.hf_model import Model, check_vocabulary
from tokviz.formats.readers.hf_models import check_model, model_type, read_model
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import MARK, Host
from tokviz.formats.readers.opened_parts import (
    GivenTokenizer,
    OpenedPretokenizer,
    some_tokens,
)
from tokviz.pretokenizers import CHAR_TO_BYTE
from tokviz.text.symbols import Symbol

if TYPE_CHECKING:
    from tokviz.formats.readers.library_tokenizers import AboutTokenizers

#: GPT-2's pre-tokenizer, which vocab.json and merges.txt do not say.
_GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def open_tokenizer_json(
    name: str, data: bytes, found: dict[str, Any] | None = None, host: Host = here
) -> OpenedTokenizer:
    """The tokenizer of a tokenizer.json, which the library runs where `host` lets it. `found` is
    the object in it, if it has been read.

    Raises TokenizerFileError if it is damaged, or of another model than can be shown.

    >>> opened = open_tokenizer_json("tokenizer.json", b'''{
    ...     "version": "1.0", "added_tokens": [], "normalizer": null,
    ...     "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
    ...     "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}''')
    >>> opened.model, opened.tokenizer.encode("ab a").ids, opened.facts["Pre-tokenizer"]
    ('BPE', [2, 0], 'Whitespace')
    """
    fields = Fields(message("the file {name}", name=brief(name)), found or parse_json(name, data))
    if "version" in fields.values and fields.text("version") != "1.0":
        raise TokenizerFileError.saying("{name} is of another version than 1.0.", name=brief(name))
    normalizers = described(message("normalizer"), "normalizers", fields.maybe_object("normalizer"))
    cuts = described(
        message("pre-tokenizer"), "pretokenizers", fields.maybe_object("pre_tokenizer")
    )
    decoders = described(message("decoder"), "decoders", fields.maybe_object("decoder"))
    model = fields.object("model")
    form = _form(fields.values, cuts, model_type(model))
    check_model(model)
    library = host("tokenizers", text_of(name, data), _around(fields.values))
    # The library may be reading meanwhile, in a process of its own; its refusals come first.
    try:
        read = read_model(model, form, lambda: library.about().scores)
    finally:
        about: AboutTokenizers = library.about()
    left_out = [
        what
        for what, key in (
            (message("the post-processor"), "post_processor"),
            (message("truncation"), "truncation"),
            (message("padding"), "padding"),
        )
        if fields.values.get(key) is not None
    ]
    if left_out:
        parts = reduce(lambda a, b: message("{some} and {one}", some=a, one=b), left_out)
        read.notes.append(message("Left out: {parts}.", parts=parts))
    if moved := _moved(fields.values.get("added_tokens"), about):
        read.notes.append(
            counted(
                "{n} added token has another id than the file says: the one that the library "
                "gives it.",
                "{n} added tokens have other ids than the file says: those that the library "
                "gives them.",
                moved,
            )
        )
    read.facts |= {
        message("Normalizer"): listed(step.shown for step in normalizers) or message("none"),
        message("Pre-tokenizer"): listed(step.shown for step in cuts) or message("none"),
        message("Decoder"): listed(step.kind for step in decoders) or message("none"),
    }
    opened = _opened(name, "tokenizer.json", read, OpenedPretokenizer(library, form), about)
    return replace(opened, document=data)


def _around(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a file says besides its model."""
    return {name: value for name, value in values.items() if name != "model"}


def _moved(items: Any, about: "AboutTokenizers") -> int:
    """How many added tokens have another id than the file says: the library gives each that of the
    vocabulary, or the next one, whatever is written."""
    ids = {content: number for number, (content, _) in about.added.items()}
    return sum(ids.get(item["content"]) != item["id"] for item in items or [])


def _form(values: Mapping[str, Any], cuts: Sequence[Step], model: str) -> str:
    """How the library's words become words here (see `OpenedPretokenizer`)."""
    kinds = [step.kind for step in cuts]
    if model == "BPE" and kinds.count("ByteLevel") == 1 and kinds[-1] == "ByteLevel":
        return "plain" if _names(values.get("normalizer"), "ByteLevel") else "bytes"
    if model not in ("BPE", "Unigram"):
        return "plain"
    if any(step.mark == MARK for step in cuts) and "ByteLevel" not in kinds:
        return "marks"
    normalizer = values.get("normalizer")
    if isinstance(normalizer, dict) and normalizer.get("type") == "Sequence" and not kinds:
        steps = normalizer.get("normalizers")
        normalizer = steps[-1] if isinstance(steps, list) and steps else None
    replaces = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
    return "marks" if normalizer == replaces and not kinds else "plain"


def _names(normalizer: Any, kind: str) -> bool:
    if not isinstance(normalizer, dict):
        return False
    parts = normalizer.get("normalizers")
    return normalizer.get("type") == kind or (
        isinstance(parts, list) and any(_names(part, kind) for part in parts)
    )


def open_vocab_and_merges(
    name: str, vocab: tuple[str, bytes], merges: tuple[str, bytes], host: Host = here
) -> OpenedTokenizer:
    """The tokenizer of vocab.json and merges.txt, each given as its name and contents: byte-level
    BPE with GPT-2's pre-tokenizer.

    Raises TokenizerFileError if one is damaged, or the vocabulary is not of bytes.

    >>> opened = open_vocab_and_merges("v", ("vocab.json", b'{"a": 0, "b": 1, "ab": 2}'),
    ...     ("merges.txt", b"#version: 0.2\\na b\\n"))
    >>> opened.tokenizer.encode("abb").ids, opened.facts["Merges"]
    ([2, 1], '1')
    """
    vocabulary = check_vocabulary(parse_json(*vocab))
    strange = next(
        (token for token in vocabulary if not all(char in CHAR_TO_BYTE for char in token)), None
    )
    if strange is not None:
        raise TokenizerFileError.saying(
            "{name} holds {found}, so it is no vocabulary of bytes as GPT-2's; give the "
            "tokenizer.json, which says what is done with words.",
            name=brief(vocab[0]),
            found=brief(strange),
        )
    lines = text_of(*merges).split("\n")
    if lines[-1] == "":
        lines.pop()
    fields = Fields(message("the model"), {})
    pairs = [line.removesuffix("\r") for line in lines]
    read = BpeModel.read(fields, vocabulary, list(pairs), "bytes")
    file = {
        "model": {"type": "BPE", "vocab": vocabulary, "merges": read.pairs},
        "pre_tokenizer": _GPT2,
        "decoder": _GPT2,
    }
    document = json.dumps(file)
    library = host("tokenizers", document, _around(file))
    cuts = described(message("pre-tokenizer"), "pretokenizers", _GPT2)
    read.notes += [
        message(
            "The pre-tokenizer is assumed to be GPT-2's, with no space put in front: these files "
            "do not say it."
        ),
        message(
            "Special tokens typed in a text are read as text: these files do not say which "
            "ones they are."
        ),
    ]
    read.facts |= {message("Normalizer"): message("none"), message("Pre-tokenizer"): cuts[0].shown}
    pretokenizer = OpenedPretokenizer(library, "bytes")
    opened = _opened(name, "vocab.json + merges.txt", read, pretokenizer, library.about())
    return replace(opened, document=document.encode())


def _opened(
    name: str, kind: str, model: Model, pretokenizer: OpenedPretokenizer, about: "AboutTokenizers"
) -> OpenedTokenizer:
    added = {number: content for number, (content, _) in about.added.items()}
    tokens = {number: token for token, number in model.vocabulary.items()} | added
    size = max(tokens) + 1
    if size > MOST_ID + 1:
        raise TokenizerFileError.saying("Ids above {most_id:,} are not possible.", most_id=MOST_ID)
    plain = [tokens.get(number, "") for number in range(size)]
    symbols: list[Symbol | None] = [None] * size
    for token, symbol in model.symbol_of.items():
        number = model.vocabulary[token]
        if number not in added:
            symbols[number] = symbol
    show = model.spelling.show
    strings = [
        string if symbol is None else show(symbol)
        for string, symbol in zip(plain, symbols, strict=True)
    ]
    special = [content for content, is_special in about.added.values() if is_special]
    facts = {
        message("Vocabulary size"): f"{len(tokens):,}",
        **model.facts,
        message("Added tokens"): f"{len(added):,}",
        message("Special tokens"): some_tokens(special),
    }
    ids = {content: number for number, content in added.items()}
    tokenizer = GivenTokenizer(
        strings,
        symbols,
        model.spelling,
        pretokenizer,
        tuple(ids),
        model.encoder(strings),
        added=ids,
    )
    merges = model.merges(tuple(strings)) if isinstance(model, BpeModel) else None
    return OpenedTokenizer(name, kind, model.kind, facts, tuple(model.notes), tokenizer, merges)
