"""The models of Hugging Face's library: which one a file describes; WordPiece and Unigram.

Source: huggingface/tokenizers, src/models/{wordpiece,unigram}.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from tokviz.basics.messages import counted, message
from tokviz.encoding.encoders import LongestMatchEncoder
from tokviz.formats.readers.bounded_json import (
    MOST_ID,
    Fields,
    TokenizerFileError,
    brief,
    check_texts,
    yes,
)
from tokviz.formats.readers.given_encoders import GivenUnigramEncoder
from tokviz.formats.readers.hf_bpe import BpeModel
from tokviz.formats.readers.hf_model import Model, check_vocabulary
from tokviz.formats.readers.library import MARK
from tokviz.text.symbols import Spelling, Symbol

#: WordPiece looks a word up once for each of its parts: longer words than this take too long.
MOST_WORD_CHARACTERS = 1_000


def check_model(values: dict[str, Any]) -> None:
    """Raises TokenizerFileError for a model that is not shown here, or that takes too long.

    >>> check_model({"type": "BPE"})
    """
    fields = Fields(message("the model"), values)
    kind = model_type(values)
    if kind not in ("BPE", "WordPiece", "Unigram"):
        raise TokenizerFileError.saying(
            "The model is of type {kind}; BPE, WordPiece and Unigram can be opened.",
            kind=brief(kind),
        )
    if kind != "WordPiece":
        return
    if fields.number("max_input_chars_per_word", 2**63, 100) > MOST_WORD_CHARACTERS:
        raise TokenizerFileError.saying(
            "The model's max_input_chars_per_word is more than {most_word_characters:,}.",
            most_word_characters=MOST_WORD_CHARACTERS,
        )


def read_model(
    value: object, form: str, scores: Callable[[], list[float] | None] = lambda: None
) -> Model:
    """The model of a tokenizer.json whose words have this form (see `OpenedPretokenizer`). `scores`
    gives those of Unigram as the library has read them.

    Raises TokenizerFileError for one that is not well described.

    >>> model = read_model({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},
    ...                     "merges": ["a b"]}, "plain")
    >>> model.kind, [piece.token for piece in model.encoder(["a", "b", "ab"]).encode("abb")]
    ('BPE', ['ab', 'b'])
    """
    fields = Fields(message("the model"), value)
    kind = model_type(fields.values)
    if kind == "BPE":
        found = fields.values.get("merges")
        if not isinstance(found, list):
            raise TokenizerFileError.saying("The field 'merges' of the model BPE should be a list.")
        return BpeModel.read(fields, check_vocabulary(fields.object("vocab")), found, form)
    if kind == "WordPiece":
        return WordPieceModel.read(fields)
    return UnigramModel.read(fields, form, scores())


def model_type(values: dict[str, Any]) -> str:
    """The type of a model, which old files do not say.

    >>> model_type({"vocab": {}, "merges": []})
    'BPE'
    """
    if "type" in values:
        return Fields(message("the model"), values).text("type")
    if "merges" in values:
        return "BPE"
    return "Unigram" if isinstance(values.get("vocab"), list) else "WordPiece"


@dataclass
class WordPieceModel(Model):
    """WordPiece: the longest token first."""

    unknown: str = "[UNK]"
    most: int = 100

    @staticmethod
    def read(fields: Fields) -> "WordPieceModel":
        """The model of these fields."""
        vocabulary = check_vocabulary(fields.object("vocab"))
        prefix = fields.text("continuing_subword_prefix")
        model = WordPieceModel(
            "WordPiece",
            vocabulary,
            len(vocabulary),
            Spelling(continuing_subword_prefix=prefix),
        )
        model.unknown = fields.text("unk_token")
        model.most = fields.number("max_input_chars_per_word", 2**63)
        if model.unknown not in vocabulary:
            model.note_lacking(model.unknown)
        continuing = {
            token: Symbol(token[len(prefix) :], True)
            for token in vocabulary
            if prefix and token.startswith(prefix) and len(token) > len(prefix)
        }
        model.symbol_of = {
            token: continuing.get(token) or Symbol(token) for token in vocabulary if token
        }
        model.facts = {
            message("Continuing-subword prefix"): prefix or message("none"),
            message("Unknown token"): model.unknown,
            message("Longest word"): counted("{n} character", "{n} characters", model.most),
        }
        return model

    def encoder(self, shown: list[str]) -> LongestMatchEncoder:
        """See `Model.encoder`."""
        unknown_id = self.vocabulary.get(self.unknown)
        unknown = shown[unknown_id] if unknown_id is not None else self.unknown
        prefix = self.spelling.continuing_subword_prefix
        id_of = {Symbol(token): number for token, number in self.vocabulary.items()}
        id_of |= {
            Symbol(token[len(prefix) :], True): number
            for token, number in self.vocabulary.items()
            if token.startswith(prefix)
        }
        return LongestMatchEncoder(self.spelling, id_of, unknown_id, unknown, self.most)


@dataclass
class UnigramModel(Model):
    """Unigram: the most probable path."""

    costs: dict[str, float] = field(default_factory=dict)
    lowest: float = 0.0
    unknown_id: int | None = None
    byte_ids: dict[int, int] = field(default_factory=dict)
    form: str = "plain"

    @staticmethod
    def read(fields: Fields, form: str, read_scores: list[float] | None) -> "UnigramModel":
        """The model of these fields."""
        scores = list(_scores(fields.items("vocab")))
        if read_scores is not None:
            known = zip(scores, read_scores, strict=True)
            scores = [(token, score) for (token, _), score in known]
        if not scores:
            raise TokenizerFileError.saying("The vocabulary is empty.")
        if len(scores) > MOST_ID:
            raise TokenizerFileError.saying(
                "Ids above {most_id:,} are not possible.", most_id=MOST_ID
            )
        check_texts(message("the vocabulary"), (token for token, _ in scores))
        vocabulary = {token: i for i, (token, _) in enumerate(scores)}
        spelling = Spelling(space_mark=MARK if form == "marks" else " ")
        model = UnigramModel("Unigram", vocabulary, len(scores), spelling, form=form)
        model.lowest = min(score for _, score in scores)
        if fields.values.get("unk_id") is not None:
            model.unknown_id = fields.number("unk_id", len(scores) - 1)
        else:
            model.notes.append(
                message("The model has no unknown token: the library fails on texts that need one.")
            )
        texts = {token: _spaced(token, form) for token in vocabulary if token}
        model.symbol_of = {token: Symbol(text) for token, text in texts.items() if text}
        model.costs = {
            symbol.text: -scores[vocabulary[token]][1] for token, symbol in model.symbol_of.items()
        }
        falls_back = fields.flag("byte_fallback", False)
        if falls_back:
            named = {byte: vocabulary.get(f"<0x{byte:02X}>") for byte in range(256)}
            model.byte_ids = {byte: found for byte, found in named.items() if found is not None}
        unknown = message("none") if model.unknown_id is None else scores[model.unknown_id][0]
        model.facts = {
            message("Unknown token"): unknown,
            message("Byte fallback"): yes(falls_back),
        }
        return model

    def encoder(self, shown: list[str]) -> GivenUnigramEncoder:
        return GivenUnigramEncoder(
            self.spelling,
            {symbol.text: self.vocabulary[token] for token, symbol in self.symbol_of.items()},
            self.costs,
            False,
            self.unknown_id,
            shown[self.unknown_id] if self.unknown_id is not None else "<unk>",
            unknown_cost=-(self.lowest - 10.0),
            byte_ids=self.byte_ids,
        )


def _spaced(token: str, form: str) -> str | None:
    if form != "marks":
        return token
    return None if " " in token else token.replace(MARK, " ")


def _scores(items: list[Any]) -> Iterable[tuple[str, float]]:
    for number, item in enumerate(items):
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
            raise TokenizerFileError.saying(
                "Entry {number:,} of the vocabulary is no token with a score.", number=number
            )
        token, score = item
        try:
            value = float(score) if type(score) in (int, float) else float("nan")
        except OverflowError:
            value = float("nan")
        if not isfinite(value):
            raise TokenizerFileError.saying(
                "The score of {token} is no number.", token=brief(token)
            )
        yield token, value
