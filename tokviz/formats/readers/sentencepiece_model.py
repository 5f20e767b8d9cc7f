"""SentencePiece's model files (`.model`): what is in them, and their tokenizer, which the library
runs.

What is in them is read with the library's own definition of the format
(`sentencepiece_model.proto`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from tokviz.basics.errors import FileError
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import WordEncoder
from tokviz.encoding.sentencepiece_encoders import (
    USER_DEFINED_COST,
    MergeLineEncoder,
    UnigramLineEncoder,
)
from tokviz.formats.readers.libraries import here
from tokviz.formats.readers.library import Host, Library
from tokviz.formats.readers.opened_parts import GivenTokenizer, OpenedPretokenizer
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.text.symbols import Spelling, Symbol

#: Bytes of a model; the largest that is in use has 5 million.
MOST_BYTES = 20_000_000

#: Pieces of a model; the largest that is in use has 900,000.
MOST_PIECES = 1_000_000

#: From a piece to the text that it stands for. A literal space stands for none, since every space
#: of a line has become ▁ before it is cut; in words of tokviz there is no ▁, so nothing finds it.
_AS_TEXT = str.maketrans({SPACE: " ", " ": SPACE})


class SentencePieceModelError(FileError):
    """A model file that cannot be read or used; the message says why."""


@dataclass(frozen=True)
class ModelPiece:
    """One entry of the vocabulary: the piece as written in the file, its score (Unigram: natural
    log-probability; BPE: minus the rank of its merge) and its type: NORMAL, UNKNOWN, CONTROL,
    USER_DEFINED, UNUSED or BYTE."""

    piece: str
    score: float
    type: str


@dataclass(frozen=True)
class SentencePieceModel:
    """The contents of a `.model` file. Made by `read_model`.

    `trainer_spec` and `normalizer_spec` hold every field of the format under the library's own
    name, defaults included; choices are names, such as UNIGRAM. `pieces` are in id order.
    """

    __repr__ = short_repr

    trainer_spec: dict[str, Any]
    normalizer_spec: dict[str, Any]
    pieces: tuple[ModelPiece, ...]
    data: bytes = field(repr=False)

    @property
    def model_type(self) -> str:
        """UNIGRAM, BPE, WORD or CHAR."""
        return str(self.trainer_spec["model_type"])

    def tokenizer(self, host: Host = here) -> GivenTokenizer:
        """The tokenizer of the model, which the library runs where `host` lets it. A line is one
        word here.

        Control symbols that are typed in a text are text, as in the library, and a piece with a
        literal space, such as the user-defined symbol "a b", is never found. n-best lists and
        samples are drawn from the model of a line, but the numbers that the library draws are its
        own.

        Raises SentencePieceModelError for models of type WORD and CHAR, and for those that do not
        write ▁ before a word.
        """
        texts = [piece.piece.translate(_AS_TEXT) for piece in self.pieces]
        kinds = [piece.type for piece in self.pieces]
        spelling = Spelling(space_mark=SPACE)
        text_kinds = ("NORMAL", "USER_DEFINED", "UNUSED")
        symbols = [
            Symbol(text) if kind in text_kinds and SPACE not in text else None
            for text, kind in zip(texts, kinds, strict=True)
        ]
        shown = [
            piece.piece if symbol is None else spelling.show(symbol)
            for piece, symbol in zip(self.pieces, symbols, strict=True)
        ]
        encoder = self._encoder(texts, spelling)
        library = self._library(host)
        # What it refuses it refuses here.
        library.about()
        return GivenTokenizer(
            shown,
            symbols,
            spelling,
            OpenedPretokenizer(library, "marks"),
            (),
            encoder,
            {i: bytes([byte]) for byte, i in enumerate(self._byte_ids())},
        )

    def _encoder(self, texts: list[str], spelling: Spelling) -> WordEncoder:
        numbered = list(enumerate(zip(texts, self.pieces, strict=True)))
        unknown_id = next(i for i, (_, piece) in numbered if piece.type == "UNKNOWN")
        usable = {
            text: (i, piece)
            for i, (text, piece) in numbered
            if piece.type in ("NORMAL", "USER_DEFINED", "UNUSED")
        }
        if self.model_type == "UNIGRAM":
            usable = {t: found for t, found in usable.items() if found[1].type != "UNUSED"}
            cost = {
                text: USER_DEFINED_COST if piece.type == "USER_DEFINED" else -piece.score
                for text, (_, piece) in usable.items()
            }
            ids = {text: i for text, (i, _) in usable.items()}
            return UnigramLineEncoder(
                spelling, ids, cost, False, unknown_id, byte_ids=self._byte_ids()
            )
        if self.model_type == "BPE":
            of_type = {
                kind: frozenset(text for text, (_, piece) in usable.items() if piece.type == kind)
                for kind in ("USER_DEFINED", "UNUSED")
            }
            return MergeLineEncoder(
                spelling,
                {text: i for text, (i, _) in usable.items()},
                {text: piece.score for text, (_, piece) in usable.items()},
                unknown_id,
                self._byte_ids(),
                of_type["USER_DEFINED"],
                of_type["UNUSED"],
            )
        raise SentencePieceModelError.saying(
            "The model is of type {model_type}; only UNIGRAM and BPE can be encoded with.",
            model_type=self.model_type,
        )

    def _byte_ids(self) -> list[int]:
        ids = {piece.piece: i for i, piece in enumerate(self.pieces) if piece.type == "BYTE"}
        return [ids[f"<0x{byte:02X}>"] for byte in range(256)] if ids else []

    def _library(self, host: Host) -> Library:
        spec = self.normalizer_spec
        if not spec["escape_whitespaces"] or self.trainer_spec["treat_whitespace_as_suffix"]:
            raise SentencePieceModelError.saying(
                "The model does not write ▁ before a word (escape_whitespaces is off, or "
                "treat_whitespace_as_suffix is on); such models cannot be encoded with."
            )
        return host("sentencepiece", self.data, spec["add_dummy_prefix"])


def read_model(source: str | Path | bytes) -> SentencePieceModel:
    """Reads a `.model` file, given by its path or as its bytes.

    Raises SentencePieceModelError if the file is no model, damaged or too large, and OSError if it
    cannot be read.

    >>> import io, sentencepiece
    >>> file = io.BytesIO()
    >>> sentencepiece.SentencePieceTrainer.train(
    ...     sentence_iterator=iter(["low lower lowest"] * 3), model_writer=file, vocab_size=13,
    ...     model_type="bpe", minloglevel=2)
    >>> model = read_model(file.getvalue())
    >>> model.model_type, model.pieces[3], model.tokenizer().encode("slow").tokens
    ('BPE', ModelPiece(piece='lo', score=-0.0, type='NORMAL'), ['▁', 's', 'low'])
    """
    name = message("The model") if isinstance(source, bytes) else str(source)
    data = source if isinstance(source, bytes) else _limited(Path(source))
    from google.protobuf.message import DecodeError
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    parsed = ModelProto()
    if len(data) > MOST_BYTES or _holds_too_many(data):
        raise SentencePieceModelError.saying(
            "{name} is too large: a model has up to {most_bytes:,} bytes and {most_pieces:,} "
            "pieces.",
            name=name,
            most_bytes=MOST_BYTES,
            most_pieces=MOST_PIECES,
        )
    try:
        parsed.ParseFromString(data)
        pieces = tuple(_pieces(ModelProto, parsed))
        specs = _spec(parsed.trainer_spec), _spec(parsed.normalizer_spec)
    except (DecodeError, UnicodeDecodeError) as error:
        raise SentencePieceModelError.saying(
            "{name} is not a SentencePiece model, or it is damaged.", name=name
        ) from error
    _check(name, pieces)
    return SentencePieceModel(*specs, pieces, data)


def _pieces(proto: Any, parsed: Any) -> Iterator[ModelPiece]:
    kinds = proto.SentencePiece.Type
    return (ModelPiece(p.piece, p.score, kinds.Name(p.type)) for p in parsed.pieces)


def _limited(path: Path) -> bytes:
    """The file, or as much of it as tells that it is too large."""
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _holds_too_many(data: bytes) -> bool:
    """True if more pieces follow each other than a model may have: parsed, an empty piece needs
    far more memory than its two bytes."""
    at = count = 0
    while count <= MOST_PIECES and at + 1 < len(data) and data[at] == 0x0A:
        size = shift = 0
        at += 1
        while at < len(data) and shift < 35:
            size |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if not data[at - 1] & 0x80:
                break
        at += size
        count += 1
    return count > MOST_PIECES


def _check(name: str, pieces: tuple[ModelPiece, ...]) -> None:
    """Raises SentencePieceModelError for a vocabulary that the library would not load either."""
    if not pieces:
        raise SentencePieceModelError.saying(
            "{name} is not a SentencePiece model: it holds no pieces.", name=name
        )
    if sum(piece.type == "UNKNOWN" for piece in pieces) != 1:
        raise SentencePieceModelError.saying(
            "{name} is damaged: a model has exactly one unknown piece.", name=name
        )
    # Of a text that is no UTF-8 the package gives the bytes.
    if not all(isinstance(piece.piece, str) for piece in pieces):
        raise SentencePieceModelError.saying(
            "{name} is damaged: one of its pieces is no text.", name=name
        )
    if not all(isfinite(piece.score) for piece in pieces):
        raise SentencePieceModelError.saying(
            "{name} is damaged: one of its scores is no number.", name=name
        )
    if not all(piece.piece for piece in pieces):
        raise SentencePieceModelError.saying(
            "{name} is damaged: one of its pieces is empty.", name=name
        )
    if len({piece.piece for piece in pieces}) < len(pieces):
        raise SentencePieceModelError.saying(
            "{name} is damaged: it holds a piece twice.", name=name
        )
    in_bytes = {piece.piece for piece in pieces if piece.type == "BYTE"}
    if in_bytes and in_bytes != {f"<0x{byte:02X}>" for byte in range(256)}:
        raise SentencePieceModelError.saying(
            "{name} is damaged: byte fallback needs a piece for every byte.", name=name
        )


def _spec(parsed: Any) -> dict[str, Any]:
    """All fields of a message, those that are not set with their defaults."""
    spec: dict[str, Any] = {}
    for each in parsed.DESCRIPTOR.fields:
        value = getattr(parsed, each.name)
        if each.enum_type is not None:
            value = each.enum_type.values_by_number[value].name
        elif isinstance(value, str | bytes | bool | int | float):
            pass
        else:
            value = list(value)
        spec[each.name] = value
    return spec
