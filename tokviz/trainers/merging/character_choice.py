"""Which characters a vocabulary of merges has, where that is left to the library.

Source: google/sentencepiece 0.2.3, src/bpe_model_trainer.cc, PrunePiecesWithGlobalSearch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from tokviz.history.base import Ints
from tokviz.pretokenizers.pieces import is_surrogate


@dataclass(frozen=True)
class CharacterChoice:
    """How many merges and which characters share a vocabulary.

    The columns go over the number of merges, 0 and up, as far as these and their characters have
    room. `saved` is how many tokens all of it saves: `by_merges` their counts, the rest the
    characters that need not be spelled in bytes. `needed` characters are in the merges, and
    `alone` more fill the room that is left. `merges` is the number of the greatest saving (of
    equals the last one), and `characters` are those of it: the needed ones by code point, then
    the others by what they save.
    """

    saved: Ints
    by_merges: Ints
    needed: Ints
    alone: Ints
    merges: int
    characters: list[str]


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
    gains = {
        char: (len(char.encode()) - 1) * n
        for char, n in found.items()
        if char > "\x7f" and not is_surrogate(char)
    }
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
    return CharacterChoice(saved, merged, of_merges, alone, best, characters)
