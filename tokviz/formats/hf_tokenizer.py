"""Opens tokenizer.json files, and the pair vocab.json + merges.txt that GPT-2 came with.

Source: huggingface/tokenizers, src/tokenizer/mod.rs and serialization.rs.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from tokviz.formats.added_tokens import AddedTokens, read_added_tokens
from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief, parse_json, text_of
from tokviz.formats.hf_bpe import BpeModel
from tokviz.formats.hf_decoders import read_decoder
from tokviz.formats.hf_model import Model, check_vocabulary
from tokviz.formats.hf_models import model_type, read_model
from tokviz.formats.hf_normalizers import normalized, read_normalizers
from tokviz.formats.hf_pretokenizers import CutStep, read_pretokenizers
from tokviz.formats.opened_parts import (
    MARK,
    GivenTokenizer,
    OpenedPretokenizer,
    OpenedTokenizer,
)
from tokviz.language import listed, message
from tokviz.pretokenizers import CHAR_TO_BYTE
from tokviz.symbols import Symbol

#: GPT-2's pre-tokenizer, which vocab.json and merges.txt do not say.
_GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def open_tokenizer_json(name: str, data: bytes) -> OpenedTokenizer:
    """The tokenizer of a tokenizer.json.

    Raises TokenizerFileError if it is damaged, or has a part that cannot be reproduced exactly.

    >>> opened = open_tokenizer_json("tokenizer.json", b'''{
    ...     "version": "1.0", "added_tokens": [], "normalizer": null,
    ...     "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
    ...     "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}''')
    >>> opened.model, opened.tokenizer.encode("ab a").ids, opened.facts["Pre-tokenizer"]
    ('BPE', [2, 0], 'Whitespace')
    """
    fields = Fields(message("the file {name}", name=brief(name)), parse_json(name, data))
    if "version" in fields.values and fields.text("version") != "1.0":
        raise TokenizerFileError(
            message("{name} is of another version than 1.0.", name=brief(name))
        )
    normalizers = read_normalizers(fields.maybe_object("normalizer"))
    cuts = read_pretokenizers(fields.maybe_object("pre_tokenizer"))
    model = fields.object("model")
    form = _form(fields.values, cuts, model_type(model))
    read = read_model(model, form)
    added, moved = read_added_tokens(
        fields.items("added_tokens") if fields.values.get("added_tokens") is not None else [],
        read.vocabulary,
        read.size,
        lambda text: normalized(text, normalizers),
    )
    decoder = read_decoder(fields.maybe_object("decoder"))
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
    if moved:
        read.notes.append(
            message(
                "{n:,} added tokens have other ids than the file says: those that the library "
                "gives them.",
                n=moved,
            )
        )
    if decoder is None:
        read.notes.append(
            message(
                "The decoder is of a kind that is not known, so text is put together from the "
                "tokens themselves."
            )
        )
    read.facts |= {
        message("Normalizer"): listed(shown for shown, _ in normalizers) or message("none"),
        message("Pre-tokenizer"): listed(step.shown for step in cuts) or message("none"),
        message("Decoder"): decoder[0] if decoder else message("not known"),
    }
    pretokenizer = OpenedPretokenizer(normalizers, cuts, added, form)
    return _opened(name, "tokenizer.json", read, pretokenizer, decoder and decoder[1])


def _form(values: Mapping[str, Any], cuts: Sequence[CutStep], model: str) -> str:
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
    name: str, vocab: tuple[str, bytes], merges: tuple[str, bytes]
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
        raise TokenizerFileError(
            message(
                "{name} holds {found}, so it is no vocabulary of bytes as GPT-2's; "
                "give the tokenizer.json, which says what is done with words.",
                name=brief(vocab[0]),
                found=brief(strange),
            )
        )
    lines = text_of(*merges).split("\n")
    if lines[-1] == "":
        lines.pop()
    fields = Fields(message("the model"), {})
    pairs = [line.removesuffix("\r") for line in lines]
    read = BpeModel.read(fields, vocabulary, list(pairs), "bytes")
    cuts = read_pretokenizers(_GPT2)
    read.notes += [
        message(
            "The pre-tokenizer is assumed to be GPT-2's, with no space put in front: these files "
            "do not say it."
        ),
        message(
            "Special tokens that are typed in a text are text: these files do not say which they "
            "are."
        ),
    ]
    read.facts |= {message("Normalizer"): message("none"), message("Pre-tokenizer"): cuts[0].shown}
    decoder = read_decoder({"type": "ByteLevel"})
    return _opened(
        name,
        "vocab.json + merges.txt",
        read,
        OpenedPretokenizer(cuts=cuts, form="bytes"),
        decoder and decoder[1],
    )


def _opened(
    name: str, kind: str, model: Model, pretokenizer: OpenedPretokenizer, decoder: Any
) -> OpenedTokenizer:
    added: AddedTokens = pretokenizer.added
    tokens = {number: token for token, number in model.vocabulary.items()}
    tokens |= {number: token.content for number, token in added.by_id.items()}
    size = max(tokens) + 1
    plain = [tokens.get(number, "") for number in range(size)]
    symbols: list[Symbol | None] = [None] * size
    for token, symbol in model.symbol_of.items():
        number = model.vocabulary[token]
        if number not in added.by_id:
            symbols[number] = symbol
    show = model.spelling.show
    strings = [
        string if symbol is None else show(symbol)
        for string, symbol in zip(plain, symbols, strict=True)
    ]
    special = [token.content for token in added.by_id.values() if token.special]
    facts = {
        message("Vocabulary size"): f"{len(tokens):,}",
        **model.facts,
        message("Added tokens"): f"{len(added.by_id):,}",
        message("Special tokens"): _some(special),
    }
    tokenizer = GivenTokenizer(
        strings,
        symbols,
        model.spelling,
        pretokenizer,
        tuple(added.ids),
        model.encoder(strings),
        plain=[added.decoded.get(number, token) for number, token in enumerate(plain)],
        decoder=decoder,
    )
    merges = model.merges(tuple(strings)) if isinstance(model, BpeModel) else None
    return OpenedTokenizer(name, kind, model.kind, facts, tuple(model.notes), tokenizer, merges)


def _some(tokens: list[str]) -> str:
    if not tokens:
        return message("none")
    shown = ", ".join(tokens[:10])
    if len(tokens) <= 10:
        return shown
    return message("{tokens} and {n:,} more", tokens=shown, n=len(tokens) - 10)
