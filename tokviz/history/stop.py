"""Why a training ended, as a fact; `tokviz.narration.stops` says it in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

#: What can end a training.
StopKind: TypeAlias = Literal[
    "size",  # the vocabulary size asked for
    "cancelled",
    "no_words",
    "no_pair",  # every word is one token
    "no_valid_pair",  # what could still be merged spells no valid piece
    "no_new_pair",  # what could still be merged makes no token that a file does not have
    "no_pair_across",  # what could still be merged may not be one token, across borders of words
    "no_words_to_join",  # what stands side by side may not be joined, or makes a token there is
    "min_frequency",
    "few_seeds",
    "overshot",  # the last cut removed too many
    "characters",  # nothing else is left
    "few_pieces",
    "replayed",  # every merge of a file that the text can use
    "unknown",  # a file of earlier days says it in words of its own
]


@dataclass(frozen=True)
class Stop:
    """Why a training ended: `asked` is the number of tokens asked for and `reached` the number that
    there were in the end, as far as either matters; `values` is what else its sentence says.

    >>> import tokviz
    >>> tokviz.train("low low", "bpe", 5, "whitespace").stop
    Stop(kind='size', asked=5, reached=0, values={})
    """

    kind: StopKind
    asked: int = 0
    reached: int = 0
    values: Mapping[str, int | float | str] = field(default_factory=dict)
