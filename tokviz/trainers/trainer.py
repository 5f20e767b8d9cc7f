"""What every algorithm is: a class with a name, settings as dataclass fields, and a family."""

from abc import ABC, abstractmethod
from dataclasses import Field
from typing import Any, ClassVar

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.history.base import History
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.symbols import Spelling
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.interventions import Interventions


class Trainer(ABC):
    """An algorithm with its settings, which are the fields of a dataclass (see `setting`).

    `family` is the class of the histories that it makes: what is known of a family is not asked of
    an algorithm's name. `label` and `help` are for people.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    name: ClassVar[str]
    label: ClassVar[str]
    help: ClassVar[str]
    family: ClassVar[type[History]]
    default_pretokenizer: ClassVar[str]
    default_encoder: ClassVar[str]
    #: Whether training to the greatest size does nothing: it starts from all tokens.
    starts_full: ClassVar[bool] = False
    #: Whether its words are counted in each language by itself (see `tokviz.text.languages`).
    by_language: ClassVar[bool] = False
    #: Why a run cannot be told what to choose, if there is no setting `interventions`.
    untold: ClassVar[str] = message("This algorithm cannot be told what to choose.")

    vocab_size: int
    #: Algorithms that can be told have it as a setting, and a method `resume`.
    interventions: Interventions = ()

    @property
    @abstractmethod
    def special_tokens(self) -> tuple[str, ...]: ...

    @property
    def makes(self) -> type[History]:
        """The class of the histories that it makes with these settings: its family, or one of
        it."""
        return self.family

    @property
    def pseudocode(self) -> str:
        """The name of its lines in `tokviz.trainers.pseudocode`, which may have none."""
        return self.name

    @abstractmethod
    def spelling(self, pretokenizer: Pretokenizer) -> Spelling:
        """How words are split into symbols and symbols are shown."""

    @abstractmethod
    def least_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """The least size that can be asked for."""

    @abstractmethod
    def greatest_vocab_size(self, words: WordCounts, pretokenizer: Pretokenizer) -> int:
        """A size that no run can pass."""

    @abstractmethod
    def train(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None = None,
    ) -> History:
        """Trains on words and returns the whole history; one of the `family`."""

    def configured(self, pretokenizer: Pretokenizer) -> Pretokenizer:
        """The pre-tokenizer as the trainer wants it, which may have settings for it."""
        return pretokenizer
