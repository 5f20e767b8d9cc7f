"""Opens SentencePiece models: the tokenizer of `read_model`, and what the file says for people."""

from dataclasses import fields

from tokviz.basics.messages import message, told_by
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief, yes
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import MARK, Host
from tokviz.formats.readers.sentencepiece_model import (
    SentencePieceModel,
    SentencePieceModelError,
    read_model,
)
from tokviz.pretokenizers.pieces import PieceRules
from tokviz.text.symbols import Spelling, Symbol

#: What `OpenedTokenizer.format` calls these files; other formats are names of files.
SENTENCEPIECE = message("SentencePiece model")

#: The piece rules that a model tells.
_RULES = [field.name for field in fields(PieceRules) if field.name != "library_version"]


def open_sentencepiece(name: str, data: bytes, host: Host = here) -> OpenedTokenizer:
    """The tokenizer of a `.model` file, which the library runs where `host` lets it.

    Raises TokenizerFileError if it is none, is damaged, or cannot be encoded with.

    >>> import io, sentencepiece
    >>> file = io.BytesIO()
    >>> sentencepiece.SentencePieceTrainer.train(
    ...     sentence_iterator=iter(["low lower lowest"] * 3), model_writer=file, vocab_size=13,
    ...     model_type="bpe", minloglevel=2)
    >>> opened = open_sentencepiece("low.model", file.getvalue())
    >>> opened.tokenizer.encode("slow").tokens, len(opened.merges.pairs)
    (['▁', 's', 'low'], 2)
    """
    try:
        model = read_model(data)
        tokenizer = model.tokenizer(host)
    except SentencePieceModelError as error:
        raise TokenizerFileError.saying(
            "{name}: {error}", name=brief(name), error=told_by(error)
        ) from None
    spec = model.normalizer_spec
    special = [piece.piece for piece in model.pieces if piece.type in ("CONTROL", "UNKNOWN")]
    facts: dict[str, str] = {
        message("Vocabulary size"): f"{len(model.pieces):,}",
        message("Normalizer"): str(spec["name"]) if spec["precompiled_charsmap"] else "identity",
        message("Pre-tokenizer"): message("none: a line is cut as a whole"),
        message("Special tokens"): ", ".join(special) or message("none"),
        message("Byte fallback"): yes(any(p.type == "BYTE" for p in model.pieces)),
        message("Space in front"): yes(spec["add_dummy_prefix"]),
    }
    notes = [message("Control symbols typed in a text are read as text, as in the library.")]
    merges = None
    if model.model_type == "BPE":
        merges = _merges(model, tokenizer)
        facts[message("Merges")] = message("reconstructed")
        notes.append(
            message(
                "The merges are reconstructed: each piece is split into the two parts that better "
                "pieces make of it. The autopsy counts the pieces that have no such parts."
            )
        )
    return OpenedTokenizer(
        name,
        SENTENCEPIECE,
        {"UNIGRAM": "Unigram"}.get(model.model_type, model.model_type),
        facts,
        tuple(notes),
        tokenizer,
        merges,
        piece_rules=PieceRules(**{rule: model.trainer_spec[rule] for rule in _RULES}),
    )


def _merges(model: SentencePieceModel, tokenizer: Tokenizer) -> GivenMerges:
    """The merges, the best score first."""
    made = [
        (i, piece.piece.replace(MARK, " "), piece.score)
        for i, piece in enumerate(model.pieces)
        if piece.type in ("NORMAL", "UNUSED") and " " not in piece.piece
    ]
    made.sort(key=lambda item: (-item[2], item[0]))
    rank_of = {Symbol(text): rank for rank, (_, text, _) in enumerate(made)}
    ids = {symbol: i for i, symbol in enumerate(tokenizer.symbols) if symbol is not None}
    return GivenMerges(Spelling(space_mark=MARK), tuple(tokenizer.strings), ids, rank_of=rank_of)
