"""Which cuts not all tokenizers make: worked by hand, and against a count place by place."""

import random
from itertools import combinations

import library_tokenizers
import pytest
from opened_texts import lines

import tokviz
from tokviz.analysis.side_by_side import cuts_of, side_by_side
from tokviz.formats.readers.opened import open_tokenizer

KINDS = ("byte_level_bpe", "llama2", "bert", "clip", "t5")


@pytest.fixture(scope="module")
def tokenizers():
    files = [getattr(library_tokenizers, kind)().to_str().encode() for kind in KINDS]
    return [open_tokenizer({"tokenizer.json": file}).tokenizer for file in files]


def cut(text, *tokenizers):
    return side_by_side(text, [(each, each.encode(text)) for each in tokenizers])


def spelled(pretokenizer, **settings):
    return tokviz.train("ab ab cab", "bpe", 99, pretokenizer, **settings).tokenizer(0)


def test_one_tokenizer_has_all_its_cuts():
    [alone] = cut("ab cab", spelled("whitespace"))
    assert (alone.cuts, alone.apart, alone.characters_per_token) == (4, frozenset(), 6 / 5)


def test_a_space_in_front_of_a_word_or_in_none_is_one_cut():
    kept, dropped = cut("ab cab", spelled("gpt2"), spelled("whitespace"))
    assert kept.encoding.tokens == ["a", "b", "Ġ", "c", "a", "b"]
    assert (kept.apart, dropped.apart) == (frozenset(), frozenset())
    joined = tokviz.train({" cab": 2}, "bpe", 7, "gpt2").tokenizer()
    assert joined.encode(" cab").tokens == ["Ġcab"]
    both = cut(" cab", joined, spelled("whitespace"))
    assert [each.apart for each in both] == [frozenset(), {1, 2}]


def test_a_cut_inside_of_a_character_is_at_its_bytes(tokenizers):
    by_bytes, falls_back, whole = tokenizers[0], tokenizers[1], tokenizers[2]
    text = "☃"
    first, second = cut(text, by_bytes, falls_back)
    assert first.encoding.offsets == [(0, 1)] * 3
    assert second.encoding.offsets == [(0, 1)] * 4
    assert [(each.cuts, each.apart) for each in (first, second)] == [(2, set()), (2, set())]
    assert [each.apart for each in cut(text, by_bytes, whole)] == [{1, 2}, set()]


def test_what_a_normalizer_made_of_a_character_is_cut_nowhere_in_the_text():
    # ½ as 1, ⁄, 2.
    file = library_tokenizers.t5().to_str().encode()
    tokenizer = open_tokenizer({"tokenizer.json": file}).tokenizer
    encoding = tokenizer.encode("½a")
    places = [(number, first) for number, first, _ in cuts_of("½a", tokenizer, encoding)]
    assert len(encoding) > 2
    assert (0, 0) in places
    assert all(first in (0, 2, 3) for _, first in places)


def test_every_cut_is_judged_as_place_by_place(tokenizers):
    random_ = random.Random(3)
    for text in lines(120, seed=11):
        chosen = random_.sample(tokenizers, random_.randrange(2, 5))
        found = cut(text, *chosen)
        lanes = [cuts_of(text, each.tokenizer, each.encoding) for each in found]
        size = len(text.encode("utf-8", "surrogatepass"))
        places = [
            {place for _, first, last in lane for place in range(first, last + 1)} for lane in lanes
        ]
        for each, lane in zip(found, lanes, strict=True):
            apart = {
                number
                for number, first, last in lane
                if 0 < number < len(each.encoding)
                and last > 0
                and first < size
                and any(other.isdisjoint(range(first, last + 1)) for other in places)
            }
            assert each.apart == apart, text


def test_the_same_tokenizer_twice_has_nothing_apart(tokenizers):
    for text in lines(40, seed=2):
        for one, other in combinations([*tokenizers[:2], tokenizers[0]], 2):
            both = cut(text, one, other)
            if one is other:
                assert not both[0].apart
                assert not both[1].apart


def test_an_empty_text_is_cut_nowhere():
    [one, other] = cut("", spelled("whitespace"), spelled("gpt2"))
    assert (one.cuts, one.characters_per_token, other.apart) == (0, 0.0, frozenset())
