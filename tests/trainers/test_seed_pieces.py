"""Seeds by hand; test_sentencepiece_unigram.py compares what is trained from them with the library.

Scores are count × length. A substring is a seed if what follows it differs; after a word comes the
end of the line or a space.
"""

import numpy as np
import pytest

from tokviz.pretokenizers.pieces import PieceRules
from tokviz.trainers.pruning.seed_pieces import find_seeds
from tokviz.trainers.sentencepiece_settings import Prepared


def seeds_of(table, most=100, required="▁abcde", rules=None):
    """`table`: word → count, and how often a line ends there."""
    counts, ends = np.asarray(list(table.values()), np.int64).T
    words = Prepared(list(table), counts, ends, np.arange(len(table)), dict.fromkeys(required, 1))
    return find_seeds(words, rules or PieceRules(), most, lambda: None)


def longer(seeds):
    return {p: s for p, s in zip(seeds.pieces, seeds.scores.tolist(), strict=True) if len(p) > 1}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # ▁a is followed by b and c; ▁ab by a space and the end of a line.
        ({"▁ab": (5, 2), "▁ac": (1, 0)}, [("▁ab", 15), ("▁a", 12), ("ab", 10)]),
        # Always by the one or always by the other is no difference.
        ({"▁ab": (5, 5), "▁ac": (1, 0)}, [("▁a", 12)]),
        ({"▁ab": (5, 0), "▁ac": (1, 1)}, [("▁a", 12)]),
        # Equal scores: where the last suffix comes first, then the longer one of one last suffix.
        ({"▁ab": (2, 1), "▁ac": (1, 0)}, [("▁ab", 6), ("▁a", 6), ("ab", 4)]),
        ({"▁ab": (1, 0), "▁ac": (2, 1)}, [("▁ac", 6), ("▁a", 6), ("ac", 4)]),
        ({"ab": (3, 1), "cde": (2, 1)}, [("ab", 6), ("cde", 6), ("de", 4)]),
        # ▁1a and 1a spell no valid piece.
        ({"▁1a": (2, 1)}, []),
    ],
)
def test_seeds_and_their_order(table, expected):
    assert list(longer(seeds_of(table)).items()) == expected


def test_no_more_than_asked_for_and_no_longer():
    table = {"▁ab": (5, 2), "▁ac": (1, 0)}
    assert list(longer(seeds_of(table, most=1))) == ["▁ab"]
    for longest, expected in ((3, ["▁ab", "▁a", "ab"]), (2, ["▁a", "ab"]), (1, [])):
        rules = PieceRules(max_sentencepiece_length=longest)
        assert list(longer(seeds_of(table, rules=rules))) == expected
    # Longer strings that begin alike make no difference of what is as long as a piece may be.
    short = PieceRules(max_sentencepiece_length=2)
    assert list(longer(seeds_of({"▁abc": (5, 2)}, rules=short))) == ["bc"]


def test_edges_are_all_places_in_the_words_once():
    """Token numbers are those of the pieces; a character that is none has the number after them."""
    seeds = seeds_of({"▁ab": (5, 2), "▁aé": (1, 0)}, required="▁ab")
    assert seeds.pieces == ["▁", "a", "b", "▁ab", "▁a", "ab"]
    edges = list(zip(*(column.tolist() for column in seeds.edges), strict=True))
    assert sorted(edges) == [
        *((0, 0, 1, 0), (0, 0, 2, 4), (0, 0, 3, 3), (0, 1, 1, 1), (0, 1, 2, 5), (0, 2, 1, 2)),
        *((1, 0, 1, 0), (1, 0, 2, 4), (1, 1, 1, 1), (1, 2, 1, 6)),
    ]
