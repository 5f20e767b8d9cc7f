"""Which characters a vocabulary of merges has, where that is left to the library.

Source: google/sentencepiece 0.2.3, src/bpe_model_trainer.cc, PrunePiecesWithGlobalSearch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from tokviz.history.base import Ints
from tokviz.pretokenizers.pieces import is_surrogate


class Saving(NamedTuple):
    """What a character of the corpus saves: `times` × (`bytes` − 1) tokens. `kind` says whether the
    vocabulary has it because `merges` need it, or `alone`, for what it saves, or it was `left out`.
    """

    character: str
    times: int
    bytes: int
    saved: int
    kind: str


class Shares(NamedTuple):
    """So many `merges`, with the characters that they `needed` and others `alone`, `saved` so many
    tokens."""

    merges: int
    saved: int
    needed: int
    alone: int


@dataclass(frozen=True)
class CharacterChoice:
    """How many merges and which characters share the `room` of a vocabulary.

    The columns go over the number of merges, 0 and up, as far as these and their characters have
    room. `saved` is how many tokens fewer the corpus has than if every character were spelled in
    bytes: `by_merges` their counts, `by_characters` what need not be spelled in bytes. `needed`
    characters are in the merges, and `alone` more fill the room that is left. `merges` is the
    number of the greatest saving (of equals the last one), and `characters` are those of it: the
    needed ones by code point, then the others by what they save. The corpus has the characters of
    `found`, each so often, and `tried` merges were made in which all of them are known.
    """

    room: int
    saved: Ints
    by_merges: Ints
    needed: Ints
    alone: Ints
    merges: int
    characters: list[str]
    found: Mapping[str, int]
    tried: int

    @property
    def by_characters(self) -> Ints:
        """What the characters save, for each number of merges."""
        return self.saved - self.by_merges

    @property
    def chosen(self) -> "Shares":
        """The numbers of what was chosen.

        >>> found = {"a": 9, "b": 9, "é": 4, "語": 3}
        >>> choose_characters(["ab", "aé"], [5, 2], found, 4).chosen
        Shares(merges=1, saved=11, needed=2, alone=1)
        """
        columns = self.saved, self.needed, self.alone
        return Shares(self.merges, *(int(column[self.merges]) for column in columns))

    def savings(self) -> list[Saving]:
        """All characters of the corpus, those that save most first.

        >>> found = {"a": 9, "b": 9, "é": 4, "語": 3}
        >>> for saving in choose_characters(["ab", "aé"], [5, 2], found, 4).savings():
        ...     print(*saving)
        語 3 3 6 alone
        é 4 2 4 left out
        a 9 1 0 merges
        b 9 1 0 merges
        """
        needed = {*self.characters[: self.chosen.needed]}
        kinds = {char: "merges" if char in needed else "alone" for char in self.characters}
        rows = [
            Saving(char, n, byte_length(char), bytes_saved(char, n), kinds.get(char, "left out"))
            for char, n in self.found.items()
        ]
        return sorted(rows, key=lambda row: (-row.saved, -row.times, row.character))


def choose_characters(
    pieces: Sequence[str], counts: Sequence[int], found: Mapping[str, int], room: int
) -> CharacterChoice:
    """Shares `room` among the first of some merges (their `pieces` and `counts`) and characters,
    which were `found` so often.

    Every character of a merge that is taken is taken. Another one saves its bytes but one each time
    it stands in the corpus; so one of a single byte saves nothing, and is never taken for itself.

    >>> found = {"a": 9, "b": 9, "é": 4, "語": 3}
    >>> choice = choose_characters(["ab", "aé"], [5, 2], found, 4)
    >>> choice.merges, choice.characters, choice.saved.tolist()
    (1, ['a', 'b', '語'], [10, 11])
    """
    every = {char: bytes_saved(char, n) for char, n in found.items()}
    gains = {char: gain for char, gain in every.items() if gain}
    ranked = sorted(gains, key=lambda char: (-gains[char], -found[char], char))
    rank = {char: i for i, char in enumerate(ranked)}
    # The characters alone are the best `limit` of those that are still `open`.
    open_ = [True] * len(ranked)
    limit = taken = min(room, len(ranked))
    gain_alone = sum(gains[char] for char in ranked[:limit])
    gain_needed, needed = 0, set[str]()
    rows = []
    for k, by_merges in enumerate(accumulate(counts, initial=0)):
        left = room - k - len(needed)
        if left < 0:
            break
        while taken > left:
            limit -= 1
            if open_[limit]:
                taken -= 1
                gain_alone -= gains[ranked[limit]]
        rows.append((by_merges + gain_needed + gain_alone, by_merges, len(needed), taken))
        for char in set(pieces[k] if k < len(pieces) else "") - needed:
            needed.add(char)
            if char not in rank:
                continue
            gain_needed += gains[char]
            open_[rank[char]] = False
            if rank[char] < limit:
                taken -= 1
                gain_alone -= gains[char]
    saved, merged, of_merges, alone = np.array(rows, np.int64).T
    best = len(saved) - 1 - int(np.argmax(saved[::-1]))
    within = set("".join(pieces[:best]))
    others = [char for char in ranked if char not in within]
    characters = sorted(within) + others[: int(alone[best])]
    return CharacterChoice(
        *(room, saved, merged, of_merges, alone, best, characters), found=found, tried=len(pieces)
    )


def bytes_saved(char: str, times: int) -> int:
    """How many tokens a character saves that stands in the corpus so often: what would be its bytes
    is one.

    >>> bytes_saved("語", 3), bytes_saved("a", 9)
    (6, 0)
    """
    return 0 if is_surrogate(char) else (byte_length(char) - 1) * times


def byte_length(char: str) -> int:
    """How many bytes of UTF-8 a character has; half a surrogate pair as many as it is written
    in."""
    return len(char.encode("utf-8", "surrogatepass"))
