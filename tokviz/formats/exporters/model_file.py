"""SentencePiece's own files: the `.model`, and the `.vocab` that lists its pieces.

The pieces stand in the order of the run's ids. The character rules of a normalization come from the
library.

Source: google/sentencepiece 0.2.1, src/sentencepiece_model.proto, src/trainer_interface.cc
(Serialize, SaveVocab).
"""

import io
from collections.abc import Iterator
from dataclasses import fields
from functools import cache, singledispatch
from importlib import import_module, metadata
from typing import Any, NamedTuple

from tokviz.formats.exporters.strings import ExportError, check_learned, check_text, run_ends
from tokviz.history.base import History
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import SentencePiecePretokenizer
from tokviz.pretokenizers.normalizer import VERSIONS
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.sentencepiece_unigram import SentencePieceUnigram

_KINDS = {
    "unknown": "UNKNOWN",
    "control": "CONTROL",
    "user_defined": "USER_DEFINED",
    "byte": "BYTE",
}

#: The types of pieces that the library looks a text up in.
_LOOKED_UP = ("NORMAL", "USER_DEFINED")


class _Piece(NamedTuple):
    """A piece with its score, and its type by the library's name."""

    piece: str
    score: float
    type: str


def check(history: History) -> None:
    """Raises ExportError if the library cannot load such a model, or would cut otherwise."""
    if not isinstance(history.trainer, SentencePieceBPE | SentencePieceUnigram):
        raise ExportError.saying(
            "A SentencePiece model encodes by rules of its own, and this run is one of "
            "{algorithm}; train with sentencepiece-bpe or sentencepiece-unigram.",
            algorithm=history.algorithm,
        )
    if not isinstance(history.pretokenizer, SentencePiecePretokenizer):
        raise ExportError.saying(
            "A SentencePiece model normalizes and cuts by itself, and this run was trained with "
            "the pre-tokenizer {pretokenizer}; train with sentencepiece.",
            pretokenizer=history.pretokenizer.name,
        )
    trainer = history.trainer
    installed = metadata.version("sentencepiece")
    own_rules = trainer.normalization_rule_name == "identity"
    if trainer.library_version not in (VERSIONS[0], installed) and not own_rules:
        raise ExportError.saying(
            "The character rules of a model come from the installed SentencePiece, which is "
            "{installed}, and this run follows {version}; train with "
            'normalization_rule_name="identity", or choose another format.',
            installed=installed,
            version=trainer.library_version,
        )
    unigram = isinstance(history.trainer, SentencePieceUnigram)
    if history.trainer.user_defined_symbols and not unigram:
        raise ExportError.saying(
            "After a user-defined symbol the library goes on in the same line, where "
            "sentencepiece-bpe starts a new one here; train without user_defined_symbols, or with "
            "sentencepiece-unigram."
        )
    for t in (0, len(history)):
        found = list(_pieces(history, t))
        if unigram:
            check_learned(piece.piece for piece in found if piece.type in _LOOKED_UP)
        pieces = [piece.piece for piece in found]
        check_text(pieces)
        if len(set(pieces)) < len(pieces):
            raise ExportError.saying(
                "A special piece is spelled like one that was learned, and a model holds no piece "
                "twice; train on a text instead of a table of words, or name the symbol otherwise."
            )


def files(history: History, t: int | None = None) -> dict[str, bytes]:
    """The model of state t and the list of its pieces.

    >>> import tokviz, sentencepiece
    >>> history = tokviz.train("low low lower lowest", "sentencepiece-bpe", 14)
    >>> model = files(history)["tokenizer.model"]
    >>> sentencepiece.SentencePieceProcessor(model_proto=model).encode("low", out_type=str)
    ['▁low']
    """
    check(history)
    t = run_ends(history, t)
    trainer = history.trainer
    pieces = list(_pieces(history, t))
    proto = import_module("sentencepiece.sentencepiece_model_pb2").ModelProto
    written = proto.FromString(_normalizing(trainer.normalization_rule_name))
    del written.pieces[:]
    for piece in pieces:
        kind = proto.SentencePiece.Type.Value(piece.type)
        written.pieces.add(piece=piece.piece, score=piece.score, type=kind)
    _fill(written.trainer_spec, trainer, pieces)
    written.normalizer_spec.add_dummy_prefix = trainer.add_dummy_prefix
    written.normalizer_spec.remove_extra_whitespaces = trainer.remove_extra_whitespaces
    listed = "".join(f"{piece.piece}\t{piece.score:g}\n" for piece in pieces)
    return {"tokenizer.model": written.SerializeToString(), "tokenizer.vocab": listed.encode()}


@singledispatch
def _pieces(_history: History, _t: int) -> Iterator[_Piece]:
    """The pieces of state t in the order of its ids."""
    raise NotImplementedError


@_pieces.register
def _unigram_pieces(history: SentencePieceUnigramHistory, t: int) -> Iterator[_Piece]:
    scores = dict(zip(history.ids(t).tolist(), history.log_probs(t).tolist(), strict=True))
    texts = dict(zip(history.ids(t).tolist(), history.alive(t).tolist(), strict=True))
    metas = iter(history.trainer.meta_pieces.values())
    for i in range(history.vocab_size(t)):
        if i in scores:
            text = history.record.tokens[texts[i]].replace(" ", "▁")
            yield _Piece(text, scores[i], "NORMAL")
        else:
            meta = next(metas)
            yield _Piece(meta.piece, 0.0, _KINDS[meta.kind])


@_pieces.register
def _merge_pieces(history: MergeHistory, t: int) -> Iterator[_Piece]:
    for meta in history.trainer.meta_pieces.values():
        yield _Piece(meta.piece, 0.0, _KINDS[meta.kind])
    n_base = len(history.record.alphabet)
    plain = history.spelling.plain
    alphabet = [symbol for symbol in history.record.alphabet if not symbol.unknown]
    # The library gives characters the scores after those of all merges.
    for k, symbol in enumerate(alphabet):
        yield _Piece(plain(symbol), float(-t - k), "NORMAL")
    for k, symbol in enumerate(history.symbols[n_base : n_base + t]):
        yield _Piece(plain(symbol), float(-k), "NORMAL")


def _fill(spec: Any, trainer: Any, pieces: list[_Piece]) -> None:
    """The trainer's settings under the library's names, and the ids as they are in this state."""
    known = {field.name for field in spec.DESCRIPTOR.fields}
    for setting in fields(trainer):
        value = getattr(trainer, setting.name)
        if setting.name not in known or isinstance(value, tuple):
            continue
        setattr(spec, setting.name, value)
    unigram = isinstance(trainer, SentencePieceUnigram)
    spec.model_type = spec.ModelType.Value("UNIGRAM" if unigram else "BPE")
    spec.vocab_size = len(pieces)
    spec.user_defined_symbols[:] = trainer.user_defined_symbols
    ids = {piece.piece: i for i, piece in enumerate(pieces) if piece.type != "NORMAL"}
    for name, piece in (("unk", "<unk>"), ("bos", "<s>"), ("eos", "</s>"), ("pad", "<pad>")):
        setattr(spec, f"{name}_id", ids.get(piece, -1))


@cache
def _normalizing(rule_name: str) -> bytes:
    """A model of the library's own with the character rules of that name in it."""
    file = io.BytesIO()
    import_module("sentencepiece").SentencePieceTrainer.train(
        sentence_iterator=iter(["a"]),
        model_writer=file,
        model_type="char",
        vocab_size=5,
        hard_vocab_limit=False,
        normalization_rule_name=rule_name,
        minloglevel=2,
    )
    return file.getvalue()
