"""`tokenizer.json`: the one file that Hugging Face `tokenizers` and `transformers` load.

It holds the normalizer, the pre-tokenizer, the model, the decoder and the special tokens. Source:
huggingface/tokenizers, tokenizers/src/tokenizer/serialization.rs, src/models/*/serialization.rs.
"""

import json
from functools import singledispatch

from tokviz.encoding.encoders import MAX_INPUT_CHARS_PER_WORD
from tokviz.formats.exporters.continued import check_document, document_files
from tokviz.formats.exporters.hf_unigram import hf_model, hf_words
from tokviz.formats.exporters.strings import (
    ExportError,
    check_strings,
    merge_pairs,
    plain_strings,
    run_ends,
    unknown_of,
)
from tokviz.formats.exporters.unigram import unigram_model, unigram_words
from tokviz.formats.exporters.words import Part, Words, words_of
from tokviz.history.base import History
from tokviz.history.boundless.history import BoundlessHistory
from tokviz.history.boundless.removals import BoundlessRemovalHistory
from tokviz.history.continued import ContinuedHistory
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.unigram import UnigramHistory
from tokviz.pretokenizers import BertPretokenizer, SentencePiecePretokenizer
from tokviz.text.symbols import Symbol
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.wordpiece import WordPiece

#: The decoder of bytes.
BYTE_LEVEL: Part = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}


@singledispatch
def check(history: History) -> object:
    """Raises ExportError if the library cannot encode as the run does."""
    return _words(history)


@singledispatch
def files(history: History, t: int | None = None) -> dict[str, bytes]:
    """The file, as of state t.

    >>> import tokviz, tokenizers
    >>> history = tokviz.train("low low lower", "bpe", 9)
    >>> text = files(history)["tokenizer.json"].decode()
    >>> tokenizers.Tokenizer.from_str(text).encode("low lower").tokens
    ['low', 'Ġlow', 'e', 'r']
    """
    words, t = _words(history), run_ends(history, t)
    document: Part = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": i,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i, token in enumerate(history.special_tokens)
        ],
        "normalizer": _sequence(words.normalizers, "normalizers"),
        "pre_tokenizer": _sequence(words.pre_tokenizers, "pretokenizers"),
        "post_processor": None,
        "decoder": _sequence(_decoders(history), "decoders"),
    }
    head = json.dumps(document, ensure_ascii=False)
    return {"tokenizer.json": f'{head[:-1]}, "model": {_model(history, t)}}}'.encode()}


check.register(ContinuedHistory, check_document)
files.register(ContinuedHistory, document_files)


@singledispatch
def _model(_history: History, _t: int) -> str:
    """The model of state t as JSON."""
    raise NotImplementedError


_model.register(UnigramHistory, unigram_model)
_model.register(HuggingFaceUnigramHistory, hf_model)


@_model.register
def _merge_model(history: MergeHistory, t: int) -> str:
    return json.dumps(merge_parts(history, t), ensure_ascii=False)


def merge_parts(history: MergeHistory, t: int) -> Part:
    """The model of a run of merges, as the library writes it."""
    vocab, unknown = plain_strings(history, t), unknown_of(history)
    if unknown and not unknown.own:
        vocab[unknown.string] = len(vocab)
    spelling = history.spelling
    if isinstance(history.trainer, WordPiece):
        return {
            "type": "WordPiece",
            "unk_token": unknown.string if unknown else None,
            "continuing_subword_prefix": spelling.continuing_subword_prefix,
            "max_input_chars_per_word": MAX_INPUT_CHARS_PER_WORD,
            "vocab": vocab,
        }
    sentencepiece = isinstance(history.trainer, SentencePieceBPE)
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown.string if unknown else None,
        "continuing_subword_prefix": spelling.continuing_subword_prefix or None,
        "end_of_word_suffix": spelling.end_of_word_suffix or None,
        # SentencePiece makes one token of unknown characters that stand side by side.
        "fuse_unk": sentencepiece,
        "byte_fallback": sentencepiece and history.trainer.byte_fallback,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": [list(pair) for pair in merge_pairs(history, t)],
    }


@singledispatch
def _words(history: History) -> Words:
    """What makes words of a text. Raises ExportError if the library cannot encode as the run does:
    every family that it can write registers here, and with `_model`."""
    raise ExportError.saying(
        "tokenizer.json holds merges or a Unigram model, and this run is one of {algorithm}; train "
        "with another algorithm.",
        algorithm=history.algorithm,
    )


_words.register(UnigramHistory, unigram_words)
_words.register(HuggingFaceUnigramHistory, hf_words)


@_words.register
def _near_ties(_history: SentencePieceUnigramHistory) -> Words:
    raise ExportError.saying(
        "SentencePiece adds log-probabilities up in single precision and this library in double, "
        "so that near-ties would be cut otherwise; choose the format sentencepiece, or train with "
        "the algorithm unigram."
    )


@_words.register
def _no_words(_history: PickyHistory) -> Words:
    raise ExportError.saying(
        "A tokenizer.json has merges, and nothing that takes a token back; choose the format "
        "picky-bpe."
    )


@_words.register(BoundlessRemovalHistory)
@_words.register
def _no_borders(_history: BoundlessHistory) -> Words:
    raise ExportError.saying(
        "A tokenizer.json has merges of one kind, and this run has some within words and some of "
        "whole words; train with super-bpe, whose merges cross all borders of words."
    )


@_words.register
def _merge_words(history: MergeHistory) -> Words:
    spelling = history.spelling
    if getattr(history.trainer, "byte_fallback", False) and not isinstance(
        history.pretokenizer, SentencePiecePretokenizer
    ):
        raise ExportError.saying(
            'A typed "▁" is unknown to this run and becomes bytes, and the library knows it as a '
            "space; train with the pre-tokenizer sentencepiece, or without byte_fallback."
        )
    alphabet = {symbol.text for symbol in history.record.alphabet if not symbol.unknown}
    words = words_of(history.pretokenizer, spelling, alphabet)
    if ends := history.tokenizer(0).line_ends:
        words.drop(ends)
    if isinstance(history.trainer, WordPiece) and not isinstance(
        history.pretokenizer, BertPretokenizer
    ):
        _hide(words, spelling.continuing_subword_prefix, alphabet)
        if "[UNK]" not in history.special_tokens:
            _hide(words, "[UNK]", alphabet)
    check_strings(history)
    _check_normalized(history)
    return words


def _hide(words: Words, string: str, alphabet: set[str]) -> None:
    """Where a text spells a string that is in the vocabulary for another reason, the library must
    not find it. (BERT's words never do: `#` and `[` are words of their own.)"""
    if string[0] in alphabet:
        raise ExportError.saying(
            'The corpus holds "{character}", and the library would take a word that begins with '
            '"{string}" for a piece that it is not. Take it out of the corpus, train with the '
            "pre-tokenizer bert, or make [UNK] a special token if it is that.",
            character=string[0],
            string=string,
        )
    words.hide(string[0], alphabet)


def _check_normalized(history: MergeHistory) -> None:
    """Raises ExportError if normalization can make a word of what spells a special token."""
    pretokenizer, known = history.pretokenizer, set(history.symbols)
    if not (isinstance(pretokenizer, BertPretokenizer) and pretokenizer.normalize):
        return
    for token in history.special_tokens:
        words = [word.text for word in pretokenizer.words(token)]
        if words == [token] and Symbol(token) not in known:
            raise ExportError.saying(
                'The special token "{token}" is what other words become when they are lower-cased, '
                "and the library would find it there. Name it with a capital letter or brackets, "
                "such as [UNK].",
                token=token,
            )


def _decoders(history: History) -> list[Part]:
    """What joins tokens to a text again. (No decoder knows a prefix and a suffix together.)"""
    spelling, pretokenizer = history.spelling, history.pretokenizer
    prefix, suffix = spelling.continuing_subword_prefix, spelling.end_of_word_suffix
    in_bytes, mark = spelling.unit == "byte", spelling.space_mark
    # What bytes are decoded from has no space.
    space = "Ġ" if in_bytes else " "
    parts: list[Part] = []
    if prefix:
        parts.append({"type": "WordPiece", "prefix": prefix, "cleanup": False})
    ends = suffix and mark == " "
    replaced = {suffix: space if ends else "", **({" ": space} if in_bytes else {mark: " "})}
    for what, by in replaced.items():
        if what and what != by:
            parts.append({"type": "Replace", "pattern": {"String": what}, "content": by})
    parts.append(BYTE_LEVEL if in_bytes else {"type": "Fuse"})
    starts = getattr(pretokenizer, "add_dummy_prefix", pretokenizer.name == "metaspace")
    if starts or ends:
        strip = {"type": "Strip", "content": " ", "start": int(starts), "stop": int(bool(ends))}
        parts.append(strip)
    return parts


def _sequence(parts: list[Part], name: str) -> Part | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "Sequence", name: parts}
