"""The models of Hugging Face's library: BPE, WordPiece and Unigram, as a file describes them.

Source: huggingface/tokenizers, src/models/{bpe,wordpiece,unigram}.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from tokviz.encoders import LongestMatchEncoder, WordEncoder
from tokviz.formats.added_tokens import MOST_ID
from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief, check_texts
from tokviz.formats.given_encoders import GivenMergeEncoder, GivenUnigramEncoder
from tokviz.formats.opened_parts import MARK
from tokviz.given_merges import GivenMerges
from tokviz.pretokenizers import CHAR_TO_BYTE, from_byte_level
from tokviz.symbols import Spelling, Symbol

#: WordPiece looks a word up once for each of its parts: longer words than this take too long.
MOST_WORD_CHARACTERS = 1_000


@dataclass
class Model(ABC):
    """A model that has been read. `symbol_of` gives the symbol of each of its tokens that text can
    be (a special token that is not spelled in the model's alphabet is none)."""

    kind: str
    vocabulary: Mapping[str, int]
    size: int  # the library counts tokens that are there twice
    spelling: Spelling
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    symbol_of: dict[str, Symbol] = field(default_factory=dict)
    pairs: list[tuple[str, str]] = field(default_factory=list)

    @abstractmethod
    def encoder(self, shown: list[str]) -> WordEncoder:
        """Its encoder, with the strings that are shown for its ids."""


def check_vocabulary(found: Mapping[str, Any]) -> dict[str, int]:
    """A vocabulary token → id. Raises TokenizerFileError for ids that are none, or there twice.

    >>> check_vocabulary({"a": 0, "b": 1})
    {'a': 0, 'b': 1}
    """
    check_texts("the vocabulary", found)
    if not found:
        raise TokenizerFileError("The vocabulary is empty.")
    for token, number in found.items():
        if type(number) is not int or not 0 <= number <= MOST_ID:
            raise TokenizerFileError(
                f"The id of {brief(token)} is not a whole number from 0 to {MOST_ID:,}."
            )
    if len(set(found.values())) < len(found):
        raise TokenizerFileError("Two tokens of the vocabulary have the same id.")
    return dict(found)


def read_model(value: object, form: str) -> Model:
    """The model of a tokenizer.json whose words have this form (see `OpenedPretokenizer`).

    Raises TokenizerFileError for one of another type, or not well described.

    >>> model = read_model({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},
    ...                     "merges": ["a b"]}, "plain")
    >>> model.kind, [piece.token for piece in model.encoder(["a", "b", "ab"]).encode("abb")]
    ('BPE', ['ab', 'b'])
    """
    fields = Fields("the model", value)
    kind = model_type(fields.values)
    if kind == "BPE":
        found = fields.values.get("merges")
        if not isinstance(found, list):
            raise TokenizerFileError("The field 'merges' of the model BPE should be a list.")
        return BpeModel.read(fields, check_vocabulary(fields.object("vocab")), found, form)
    if kind == "WordPiece":
        return WordPieceModel.read(fields)
    if kind == "Unigram":
        return UnigramModel.read(fields, form)
    raise TokenizerFileError(
        f"The model is of type {brief(kind)}; BPE, WordPiece and Unigram can be opened."
    )


def model_type(values: dict[str, Any]) -> str:
    """The type of a model, which old files do not say.

    >>> model_type({"vocab": {}, "merges": []})
    'BPE'
    """
    if "type" in values:
        return Fields("the model", values).text("type")
    if "merges" in values:
        return "BPE"
    return "Unigram" if isinstance(values.get("vocab"), list) else "WordPiece"


@dataclass
class BpeModel(Model):
    """BPE; `merge_list` are the merges as strings, the first one first."""

    unknown: str | None = None
    fuses: bool = False
    fallback: dict[int, Symbol] = field(default_factory=dict)
    whole: dict[str, int] = field(default_factory=dict)
    form: str = "plain"

    @staticmethod
    def read(
        fields: Fields, vocabulary: dict[str, int], merges: list[Any], form: str
    ) -> "BpeModel":
        """The model of these fields."""
        prefix = fields.maybe_text("continuing_subword_prefix") or ""
        suffix = fields.maybe_text("end_of_word_suffix") or ""
        spelling = Spelling(
            "byte" if form == "bytes" else "char",
            suffix,
            bool(suffix),
            prefix,
            MARK if form == "marks" else " ",
        )
        model = BpeModel("BPE", vocabulary, len(vocabulary), spelling, form=form)
        model.unknown, model.fuses = fields.maybe_text("unk_token"), fields.flag("fuse_unk", False)
        if model.unknown is not None and model.unknown not in vocabulary:
            model.notes.append(
                f"The unknown token {brief(model.unknown)} is not in the vocabulary: the library "
                "fails at characters that need it; here they are left out."
            )
            model.unknown = None
        model.symbol_of = {
            token: symbol for token in vocabulary if (symbol := model._symbol(token)) is not None
        }
        model.pairs = _pairs(merges, vocabulary, prefix)
        if fields.flag("byte_fallback", False):
            model.fallback = {
                byte: Symbol(f"<0x{byte:02X}>")
                for byte in range(256)
                if f"<0x{byte:02X}>" in vocabulary
            }
        if fields.flag("ignore_merges", False):
            known = ((model._word(token), number) for token, number in vocabulary.items())
            model.whole = {word: number for word, number in known if word}
            model.notes.append("A word that is in the vocabulary is taken at once (ignore_merges).")
        if fields.values.get("dropout"):
            model.notes.append("BPE-dropout, which the file has switched on, is left out.")
        model.facts = {
            "Merges": f"{len(model.pairs):,}",
            "Unknown token": model.unknown or "none",
            "Byte fallback": "yes" if fields.flag("byte_fallback", False) else "no",
        }
        if prefix:
            model.facts["Continuing-subword prefix"] = prefix
        if suffix:
            model.facts["End-of-word suffix"] = suffix
        if model.unknown is None and form != "bytes" and not model.fallback:
            model.notes.append("Characters that are not in the vocabulary are left out.")
        return model

    def _symbol(self, token: str) -> Symbol | None:
        """The symbol that a token is; None for one that no word can be spelled with."""
        prefix, suffix = self.spelling.continuing_subword_prefix, self.spelling.end_of_word_suffix
        continuing = bool(prefix) and len(token) > len(prefix) and token.startswith(prefix)
        text = token[len(prefix) :] if continuing else token
        ends = bool(suffix) and len(text) > len(suffix) and text.endswith(suffix)
        text = text.removesuffix(suffix) if ends else text
        if self.form == "bytes" and not all(char in CHAR_TO_BYTE for char in text):
            return None
        if self.form == "marks":
            if " " in text:
                return None
            text = text.replace(MARK, " ")
        return Symbol(text, continuing, ends) if text else None

    def _word(self, token: str) -> str | None:
        """The word that is spelled like a token."""
        if self.form == "bytes":
            try:
                return from_byte_level(token).decode("utf-8")
            except ValueError:
                return None
        if self.form == "marks":
            return None if " " in token else token.replace(MARK, " ")
        return token

    def encoder(self, shown: list[str]) -> GivenMergeEncoder:
        prefix, suffix = self.spelling.continuing_subword_prefix, self.spelling.end_of_word_suffix
        number: dict[Symbol, int] = {}
        for token, token_id in self.vocabulary.items():
            for continuing in {False, bool(prefix)}:
                for ends in {False, bool(suffix)}:
                    before, after = prefix * continuing, suffix * ends
                    size = len(token) - len(before) - len(after)
                    if size == 1 and token.startswith(before) and token.endswith(after):
                        char = token[len(before) : len(before) + 1]
                        if self.form == "marks":
                            if char == " ":
                                continue
                            char = char.replace(MARK, " ")
                        number[Symbol(char, continuing, ends)] = token_id
        number |= {
            symbol: self.vocabulary[f"<0x{byte:02X}>"] for byte, symbol in self.fallback.items()
        }
        unknown = None
        if self.unknown is not None:
            unknown = Symbol("", unknown=True)
            number[unknown] = self.vocabulary[self.unknown]
        prefix_size, ids = len(prefix), self.vocabulary
        ranks = {
            (ids[left], ids[right]): (rank, ids[left + right[prefix_size:]])
            for rank, (left, right) in enumerate(self.pairs)
        }
        return GivenMergeEncoder(
            self.spelling,
            number,
            ranks,
            range(len(shown)),
            shown,
            whole=self.whole,
            fuse_unknown=self.fuses,
            unknown=unknown,
            fallback=self.fallback,
        )

    def merges(self, strings: tuple[str, ...]) -> GivenMerges:
        last = {pair: rank for rank, pair in enumerate(self.pairs)}
        of = self.symbol_of
        pairs = tuple(
            (of[left], of[right])
            for rank, (left, right) in enumerate(self.pairs)
            if last[left, right] == rank and left in of and right in of
        )
        ids = {symbol: self.vocabulary[token] for token, symbol in of.items()}
        return GivenMerges(self.spelling, strings, ids, pairs, reconstructed=False)


def _pairs(merges: list[Any], vocabulary: dict[str, int], prefix: str) -> list[tuple[str, str]]:
    """The merges, which are "left right" or [left, right], checked against the vocabulary."""
    pairs = []
    for number, merge in enumerate(merges, start=1):
        if isinstance(merge, str):
            if merge.startswith("#version"):
                continue
            merge = merge.split(" ")
        if not isinstance(merge, list) or [type(part) for part in merge] != [str, str]:
            raise TokenizerFileError(f"Merge {number:,} is not two tokens.")
        left, right = merge
        whole = left + right[len(prefix) :]
        for token in (left, right, whole):
            if token not in vocabulary:
                raise TokenizerFileError(
                    f"Merge {number:,} needs {brief(token)}, which is not in the vocabulary."
                )
        if not left or len(right) <= len(prefix) or not right.startswith(prefix):
            raise TokenizerFileError(
                f"Merge {number:,} joins an empty token, or one without the prefix "
                f"{brief(prefix)}, which cannot be reproduced exactly."
            )
        pairs.append((left, right))
    return pairs


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
        if model.most > MOST_WORD_CHARACTERS:
            raise TokenizerFileError(
                f"The model's max_input_chars_per_word is more than {MOST_WORD_CHARACTERS:,}."
            )
        if model.unknown not in vocabulary:
            model.notes.append(
                f"The unknown token {brief(model.unknown)} is not in the vocabulary: the library "
                "fails at words that need it; here they have no id."
            )
        continuing = {
            token: Symbol(token[len(prefix) :], True)
            for token in vocabulary
            if prefix and token.startswith(prefix) and len(token) > len(prefix)
        }
        model.symbol_of = {
            token: continuing.get(token) or Symbol(token) for token in vocabulary if token
        }
        model.facts = {
            "Continuing-subword prefix": prefix or "none",
            "Unknown token": model.unknown,
            "Longest word": f"{model.most:,} characters",
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
    def read(fields: Fields, form: str) -> "UnigramModel":
        """The model of these fields."""
        scores = list(_scores(fields.items("vocab")))
        if not scores:
            raise TokenizerFileError("The vocabulary is empty.")
        if len(scores) > MOST_ID:
            raise TokenizerFileError(f"Ids above {MOST_ID:,} are not possible.")
        check_texts("the vocabulary", (token for token, _ in scores))
        vocabulary = {token: i for i, (token, _) in enumerate(scores)}
        spelling = Spelling(space_mark=MARK if form == "marks" else " ")
        model = UnigramModel("Unigram", vocabulary, len(scores), spelling, form=form)
        model.lowest = min(score for _, score in scores)
        if fields.values.get("unk_id") is not None:
            model.unknown_id = fields.number("unk_id", len(scores) - 1)
        else:
            model.notes.append(
                "The model has no unknown token: the library fails at characters that need it; "
                "here they have no id."
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
        unknown = scores[model.unknown_id][0] if model.unknown_id is not None else "none"
        model.facts = {"Unknown token": unknown, "Byte fallback": "yes" if falls_back else "no"}
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
            raise TokenizerFileError(
                f"Entry {number:,} of the vocabulary is no token with a score."
            )
        token, score = item
        try:
            value = float(score) if type(score) in (int, float) else float("nan")
        except OverflowError:
            value = float("nan")
        if not isfinite(value):
            raise TokenizerFileError(f"The score of {brief(token)} is no number.")
        yield token, value
