"""Boundaries that two runs share, counted again by cutting the text word by word."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from effort import each, some
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.alignment import AlignmentError, align
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.analysis.boundaries import Lane, boundaries, first_parting, parted_words, parts
from tokviz.analysis.stretches import Texts, words_at_once, words_of
from tokviz.pretokenizers import make_pretokenizer
from tokviz.pretokenizers.blocks import encoded
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import pieces

GPT2_BYTES = {"pretokenizer": "gpt2", "unit": "byte"}
UNCASED = {"pretokenizer": make_pretokenizer("bert", normalize=True)}
#: One run of each kind that spells or cuts words in its own way.
KINDS = {
    "gpt2": ("bpe", GPT2_BYTES),
    "gpt2, other ties": ("bpe", GPT2_BYTES | {"tie_break": "largest-pair"}),
    "gpt2, characters": ("bpe", {"pretokenizer": "gpt2"}),
    "bert": ("wordpiece", {"pretokenizer": "bert"}),
    "bert, lower case": ("wordpiece", UNCASED),
    "metaspace": ("unigram", {"pretokenizer": "metaspace"}),
    "suffix": ("bpe", {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
    "special": ("bpe", {"pretokenizer": "gpt2", "special_tokens": ("b 1",)}),
    "gpt4": ("bpe", {"pretokenizer": "regex", "unit": "byte"}),
    "whole lines": ("bpe", {"pretokenizer": "none", "unit": "byte"}),
    "sentencepiece": ("sentencepiece-unigram", {}),
}
TEXT = "Élan, e\u0301ab É\u037e don't: abab 1234\nabab  ½ día élan b 1 ab\u00a0ab\n\n漢字 ab1b ab"


@lru_cache(maxsize=100)
def run_of(kind, text, size):
    """The run, with a vocabulary that is `size` tokens larger than the smallest possible one."""
    algorithm, more = KINDS[kind]
    if algorithm.endswith("unigram"):
        size += len(set(text)) + 8
        return tokviz.train(text, algorithm, size, **more)
    least = tokviz.train(text, algorithm, 10**4, **more).vocab_size(0)
    return tokviz.train(text, algorithm, least + size, **more)


def symbol_places(history, word, text):
    """The places in a document of the starting symbols of one of its words; None has no place."""
    places, first = [], history.spelling.split(word.text)
    i, inside = 0, 0
    for symbol in first:
        size = len(history.spelling.bytes_of(symbol))
        if not size:
            places.append(None)
            continue
        char = word.text[i]
        start, end = word.span(i, i + 1)
        before = len(encoded(text[:start]))
        if inside:
            places.append(before + inside if text[start:end] == char else None)
        elif i and not (word.span(i - 1, i)[1] == start < end):
            places.append(None)
        else:
            places.append(before if start < end else None)
        inside += size
        if inside == len(encoded(char)):
            i, inside = i + 1, 0
    return places


@lru_cache(maxsize=2000)
def cut_text(history, t, text):
    """Of one document: where the run cuts, where its words end, and which places it knows."""
    cut, rims, known = set(), set(), set()
    number = {word: i for i, word in enumerate(history.words.words)}
    for word, special in pieces(text, history.pretokenizer, history.special_tokens):
        if special or word.text not in number:
            continue
        start, end = (len(encoded(text[:at])) for at in (word.start, word.end))
        rims |= {start, end}
        places = symbol_places(history, word, text)
        cut |= {places[i] for i in history.cuts(number[word.text], t).tolist()} - {None}
        for i, char in enumerate(word.text):
            begin, stop = word.span(i, i + 1)
            at = len(encoded(text[:begin]))
            if i and word.span(i - 1, i)[1] == begin < stop:
                known.add(at)
            if text[begin:stop] == char:
                known |= set(range(at + 1, at + len(encoded(char))))
    return cut | rims, rims, known | rims


def recount(left, right, t, u, text):
    """Left, right and shared boundaries of a text, one place after the other."""
    counts = [0, 0, 0]
    for document in documents(text):
        of_left, of_right = cut_text(left, t, document), cut_text(right, u, document)
        space = np.concatenate(
            [np.full(len(encoded(char)), bool(char.isspace())) for char in document] or [[]]
        )
        for place in range(1, len(space)):
            if space[place - 1] or space[place]:
                continue
            if place not in of_left[2] or place not in of_right[2]:
                continue
            if place in of_left[1] and place in of_right[1]:
                continue
            mine, theirs = place in of_left[0], place in of_right[0]
            counts = [a + b for a, b in zip(counts, (mine, theirs, mine and theirs), strict=True)]
    return counts


def recount_words(left, right, t, u):
    """The same for two runs that have the same words and spell them alike."""
    counts = [0, 0, 0]
    for i, (word, count) in enumerate(zip(left.words.words, left.words.counts, strict=True)):
        j = right.words.words.index(word)
        mine, theirs = set(left.cuts(i, t).tolist()), set(right.cuts(j, u).tolist())
        found = (len(mine) - 1, len(theirs) - 1, len(mine & theirs) - 1)
        counts = [a + count * b for a, b in zip(counts, found, strict=True)]
    return counts


def lanes_of(left, right, alignment, align_by):
    axis = make_axis([left, right], align_by)
    return (
        Lane(left, axis.states[0], alignment.left),
        Lane(right, axis.states[1], alignment.right),
    )


def check(left, right, text, align_by="size"):
    found = align([left, right], text)[0, 1]
    lanes = lanes_of(left, right, found, align_by)
    counted = boundaries(found, *lanes)
    alike = (left.spelling, left.pretokenizer) == (right.spelling, right.pretokenizer)
    for p, (t, u) in enumerate(zip(lanes[0].states, lanes[1].states, strict=True)):
        if alike and left.words == right.words:
            expected = recount_words(left, right, int(t), int(u))
        else:
            expected = recount(left, right, int(t), int(u), text)
        assert [int(counts[p]) for counts in counted] == expected, (p, t, u)
        table = parted_words(found, *lanes, p)
        apart = expected[0] + expected[1] - 2 * expected[2]
        assert (table["count"] * (table["only_left"] + table["only_right"])).sum() == apart
        for side in ("left", "right"):
            for word, pieces_of in zip(table["word"], table[side], strict=True):
                assert "".join(pieces_of) == word or any("\\x" in piece for piece in pieces_of)
        if p < (first_parting(counted) or 0):
            assert apart == 0
    return counted


@pytest.mark.parametrize(("left", "right"), each(list(combinations(KINDS, 2)), 2))
def test_every_two_kinds_are_recounted(left, right):
    check(run_of(left, TEXT, 9), run_of(right, TEXT, 6), TEXT)


@pytest.mark.parametrize("align_by", ALIGNMENTS)
def test_every_alignment_is_recounted(align_by):
    text = tokviz.SAMPLES["course"].corpus
    runs = [run_of(kind, text, 12) for kind in ("gpt2", "bert", "metaspace")]
    for left, right in combinations(runs, 2):
        check(left, right, text, align_by)


@settings(max_examples=some(60))
@given(
    st.text("ab1é\u0301' ,\n\u00a0漢", min_size=1, max_size=40).filter(str.strip),
    st.sampled_from(list(combinations(KINDS, 2))),
)
def test_any_text_is_recounted(text, kinds):
    try:
        left, right = (run_of(kind, text, 4) for kind in kinds)
    except ValueError:
        return  # too small a corpus for that kind
    check(left, right, text)


def test_a_worked_example():
    """hugs ×3 and pug ×2: after one step "ug" is one token in both, then "hug" in one only."""
    words = {"hugs": 3, "pug": 2}
    runs = [tokviz.train(words, "bpe", size) for size in (6, 7)]
    found = align(runs)[0, 1]
    lanes = lanes_of(*runs, found, "step")
    counted = boundaries(found, *lanes)
    # State 1: h|ug|s has 2 boundaries, p|ug 1: 3 × 2 + 2. State 2: hug|s has 1.
    assert [counts.tolist() for counts in counted] == [[13, 8, 8], [13, 8, 5], [13, 8, 5]]
    assert counted.f1.tolist() == [1, 1, 10 / 13]
    assert first_parting(counted) == 2
    assert parted_words(found, *lanes, 1).empty
    assert parted_words(found, *lanes, 2).to_dict("records") == [
        {
            "word": "hugs",
            "count": 3,
            "left": ["h", "ug", "s"],
            "right": ["hug", "s"],
            "shared": 1,
            "only_left": 1,
            "only_right": 0,
            "left_cuts": (1, 3),
            "right_cuts": (3,),
        }
    ]


def test_the_place_before_a_suffix_counts_where_both_have_it():
    """ab</w> ×3 is a b </w>; both take a + b, then the second one ab + </w>."""
    more = {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}
    runs = [tokviz.train({"ab": 3}, "bpe", size, **more) for size in (4, 5)]
    found = align(runs)[0, 1]
    lanes = lanes_of(*runs, found, "step")
    assert [counts.tolist() for counts in boundaries(found, *lanes)] == [
        [6, 3, 3],
        [6, 3, 0],
        [6, 3, 0],
    ]
    assert parted_words(found, *lanes, 2).values.tolist() == [
        ["ab</w>", 3, ["ab", "</w>"], ["ab</w>"], 0, 1, 0, (2,), ()]
    ]
    # Against a run without suffixes only the place between the letters counts.
    plain = tokviz.train({"ab": 3}, "bpe", 3, "whitespace")
    found = align([plain, runs[1]])[0, 1]
    lanes = lanes_of(plain, runs[1], found, "step")
    assert [counts.tolist() for counts in boundaries(found, *lanes)] == [[3, 0, 0]] * 3


def test_the_most_frequent_words_come_first_and_may_be_all_that_is_asked():
    text = tokviz.SAMPLES["course"].corpus
    runs = [run_of(kind, text, 12) for kind in ("gpt2", "bert")]
    found = align(runs, text)[0, 1]
    lanes = lanes_of(*runs, found, "size")
    everything = parted_words(found, *lanes, len(lanes[0].states) - 1)
    assert len(everything) > 5
    assert everything["count"].is_monotonic_decreasing
    assert parted_words(found, *lanes, -1, 3).equals(everything.head(3))


def test_runs_with_other_words_need_the_text():
    runs = [run_of(kind, TEXT, 4) for kind in ("gpt2", "bert")]
    for corpus in (None, {"a": 1}):
        with pytest.raises(AlignmentError, match="pass the text that all were trained on"):
            align(runs, corpus)


def test_a_word_without_its_space_is_none_of_the_text():
    """A table may hold words that its pre-tokenizer never gives: ab is not ▁ab, and not b."""
    run = tokviz.train({" b": 1, "ab": 2}, "bpe", 9, "metaspace")
    found = words_at_once(Texts(("b ab",), (1,)), run)
    assert [column.tolist() for column in found] == [[0], [1], [0], [1]]


def test_a_special_token_is_no_word_of_the_text():
    """Not even where a table has it as a word, too."""
    run = tokviz.train({"ab": 2, "b": 1}, "bpe", 9, "whitespace", special_tokens=("ab",))
    assert [word.text for word in words_of("ab b", run)] == ["b"]


def test_bytes_that_are_no_character_are_written_as_bytes():
    assert parts("\ud800a", (3,)) == ["\\xed\\xa0\\x80", "a"]
    assert parts("漢", (1,)) == ["\\xe6", "\\xbc\\xa2"]


def test_words_that_are_cut_differently_may_hold_lone_surrogates():
    runs = [tokviz.train({"a\ud800": 2, "aaa": 1}, "bpe", size) for size in (2, 3)]
    found = align(runs)[0, 1]
    lanes = [Lane(runs[0], np.array([0]), found.left), Lane(runs[1], np.array([1]), found.right)]
    table = parted_words(found, *lanes, 0)
    assert table.word.tolist() == ["a\ud800"]
    assert table["count"].sum() == 2
