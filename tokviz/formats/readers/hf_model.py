"""What all models of Hugging Face's library have: a vocabulary."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tokviz.basics.messages import message
from tokviz.encoding.encoders import WordEncoder
from tokviz.formats.readers.bounded_json import MOST_ID, TokenizerFileError, brief, check_texts
from tokviz.text.symbols import Spelling, Symbol


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

    def note_lacking(self, unknown: str) -> None:
        """Notes that the unknown token has no id."""
        said = message(
            "The unknown token {token} is not in the vocabulary: the library fails on texts "
            "that need it.",
            token=brief(unknown),
        )
        self.notes.append(said)

    @abstractmethod
    def encoder(self, shown: list[str]) -> WordEncoder:
        """Its encoder, with the strings that are shown for its ids."""


def check_vocabulary(found: Mapping[str, Any]) -> dict[str, int]:
    """A vocabulary token → id. Raises TokenizerFileError for ids that are none, or there twice.

    >>> check_vocabulary({"a": 0, "b": 1})
    {'a': 0, 'b': 1}
    """
    check_texts(message("the vocabulary"), found)
    if not found:
        raise TokenizerFileError.saying("The vocabulary is empty.")
    for token, number in found.items():
        if type(number) is not int or not 0 <= number <= MOST_ID:
            raise TokenizerFileError.saying(
                "The id of {token} is not a whole number from 0 to {most_id:,}.",
                token=brief(token),
                most_id=MOST_ID,
            )
    if len(set(found.values())) < len(found):
        raise TokenizerFileError.saying("Two tokens of the vocabulary have the same id.")
    return dict(found)
