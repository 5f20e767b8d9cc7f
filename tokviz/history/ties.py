"""Which of several candidates with equal counts wins: the four rules and whose they are.

Ties are the rule, not the exception: two libraries that agree on every count still learn different
vocabularies because they break ties differently.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tokviz.basics.messages import message
from tokviz.text.symbols import Spelling, Symbol

#: left symbol, right symbol, id of left, id of right → what is compared, smallest first.
PairKey: TypeAlias = Callable[[Symbol, Symbol, int, int], tuple[Any, ...]]


@dataclass(frozen=True)
class TieBreak:
    """A rule: what it prefers, in words, and who uses it. `key` makes what it compares; it is None
    for first-seen, which asks the corpus instead of the pair."""

    name: str
    help: str
    source: str
    key: Callable[[Spelling], PairKey] | None


def _greatest_first(text: str) -> tuple[int, ...]:
    """Sorts strings in descending order: "b" < "ab" < "a"."""
    return (*(-ord(char) for char in text), 1)


def _largest_pair(spelling: Spelling) -> PairKey:
    def key(left: Symbol, right: Symbol, _left: int, _right: int) -> tuple[Any, ...]:
        return (_greatest_first(spelling.order(left)), _greatest_first(spelling.order(right)))

    return key


def _smallest_ids(_spelling: Spelling) -> PairKey:
    return lambda _left, _right, left_id, right_id: (left_id, right_id)


def _shortest(spelling: Spelling) -> PairKey:
    def key(left: Symbol, right: Symbol, _left: int, _right: int) -> tuple[Any, ...]:
        merged = spelling.plain(left + right)
        # Code points sort like UTF-8 bytes.
        return (len(merged), merged)

    return key


def _first_in_order(spelling: Spelling) -> PairKey:
    def key(left: Symbol, right: Symbol, _left: int, _right: int) -> tuple[Any, ...]:
        return (spelling.bytes_of(left), spelling.bytes_of(right))

    return key


TIE_BREAKS = {
    rule.name: rule
    for rule in (
        TieBreak(
            "first-seen",
            message("the pair that comes first in the corpus as it is cut now"),
            "Hugging Face course, minbpe, tiktoken's educational code",
            None,
        ),
        TieBreak(
            "largest-pair",
            message("the greatest pair in alphabetical order (bytes compared as bytes)"),
            "Stanford CS336, subword-nmt",
            _largest_pair,
        ),
        TieBreak(
            "smallest-ids",
            message("the pair with the smallest ids"),
            "Hugging Face tokenizers",
            _smallest_ids,
        ),
        TieBreak(
            "shortest",
            message("the shortest merged token, then the first in alphabetical order"),
            "SentencePiece",
            _shortest,
        ),
    )
}

#: All rules: these, and those of one algorithm that has no choice.
RULES = {
    **TIE_BREAKS,
    "across-first": TieBreak(
        "across-first",
        message("a pair of whole words before others, then the first in alphabetical order"),
        "kensho-technologies/boundlessbpe",
        _first_in_order,
    ),
}
