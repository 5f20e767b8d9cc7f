"""What Unigram is asked to do, and what can do it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tokviz.basics.errors import SettingError
from tokviz.basics.progress import Pause
from tokviz.history.base import Floats, Ints
from tokviz.text.word_counts import WordCounts

#: More substrings than this do not fit into a sensible amount of memory.
MAX_SUBSTRINGS = 3_000_000

#: Called with how many words were looked through for seeds.
Looked = Callable[[int], None]


@dataclass(frozen=True)
class Seeding:
    """Which substrings of the words training starts from: `size` tokens in all, of `longest`
    characters at most, whole words among them or not."""

    words: WordCounts
    size: int
    longest: int = 64
    whole_words: bool = True


class State(NamedTuple):
    """What is known before a round.

    `loss` is that of the corpus, `deltas` says by how much it rises without each token that is
    left (nan: a character), `cheapest` are those that may go, the least delta first, and `path`
    the tokens of all words, one word after the other."""

    loss: float
    deltas: Floats
    cheapest: Ints
    path: Ints


class Pruning(Protocol):
    """A training of Unigram, which its caller tells what goes."""

    #: The seed vocabulary with its counts, and how many substrings tied with the last seed.
    seeds: dict[str, int]
    tied: int

    def state(self, pause: Pause) -> State:
        """Segments all words, and once more without each token that they use."""

    def remove(self, tokens: Ints) -> None:
        """Tokens go; those that are left share their probability."""


def too_many_substrings() -> SettingError:
    """What is said where they would fill the memory."""
    return SettingError.saying(
        "the words have more than {max_substrings:,} different substrings; set a "
        "smaller max_token_length, or a pre-tokenizer that makes shorter words.",
        max_substrings=MAX_SUBSTRINGS,
    )
