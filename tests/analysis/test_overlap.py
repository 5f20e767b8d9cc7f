"""Texts of vocabularies, and how many of them two runs share, counted again as sets."""

import re
from itertools import combinations

import numpy as np
import pytest
from effort import each
from export_cases import SENNRICH
from helpers import anything

import tokviz
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.analysis.overlap import jaccard, texts_over, token_texts
from tokviz.pretokenizers import from_byte_level

COURSE = tokviz.SAMPLES["course"].corpus


def test_a_space_before_a_word_is_no_part_of_the_text():
    # lo, low, Ġlow: only the space that is alone stays one.
    history = tokviz.train("low low", "bpe", 7, "gpt2", unit="byte")
    assert history.vocab(3) == ["l", "o", "w", "Ġ", "lo", "low", "Ġlow"]
    assert token_texts(history, 3) == [b"l", b"o", b"w", b" ", b"lo", b"low", b"low"]
    assert token_texts(history, 0) == [b"l", b"o", b"w", b" "]


def test_of_several_spaces_one_goes():
    history = tokviz.train(["a  b  b"], "bpe", 5, "none")
    assert history.vocab(2) == ["a", "b", "▁", "▁▁", "▁▁b"]
    assert token_texts(history, 2) == [b"a", b"b", b" ", b" ", b" b"]


def test_a_metaspace_is_a_space_and_one_from_the_text_is_not():
    history = tokviz.train({" ▁a": 2, "▁": 1}, "unigram", 20, "metaspace")
    found = dict(zip(history.vocab(0), token_texts(history, 0), strict=True))
    assert found["▁"] == b" "
    assert found["⟨▁⟩"] == found["▁⟨▁⟩"] == "▁".encode()
    assert found["▁⟨▁⟩a"] == "▁a".encode()


def test_a_prefix_is_no_text():
    history = tokviz.train({"hug": 2, "a##": 1}, "wordpiece", 30, "whitespace")
    found = dict(zip(history.vocab(len(history)), token_texts(history, len(history)), strict=True))
    assert found["h"] == b"h"
    assert found["##g"] == b"g"
    assert found["hug"] == b"hug"
    # Typed hashes are text.
    assert found["###"] == b"#"
    assert found["a##"] == b"a##"


@pytest.mark.parametrize(
    ("glued", "vocab", "texts"),
    [
        # low </w>: the suffix is a symbol of its own, and stands for no text.
        (False, ["</w>", "l", "o", "w", "lo", "low", "low</w>"], ["", *"low", "lo", "low", "low"]),
        (True, ["l", "o", "w</w>", "lo", "low</w>"], ["l", "o", "w", "lo", "low"]),
    ],
)
def test_a_suffix_is_no_text(glued, vocab, texts):
    history = tokviz.train(
        "low low", "bpe", 99, "whitespace", end_of_word_suffix="</w>", suffix_glued=glued
    )
    assert history.vocab(len(history)) == vocab
    assert token_texts(history, len(history)) == [text.encode() for text in texts]


def test_bytes_of_a_character_are_what_they_are():
    # é is c3 a9; the step joins them. a9 is displayed ©, which comes before Ã.
    history = tokviz.train({"é": 2}, "bpe", 3, unit="byte")
    assert token_texts(history, 1) == [b"\xa9", b"\xc3", b"\xc3\xa9"]


@pytest.mark.parametrize("algorithm", ["sentencepiece-bpe", "sentencepiece-unigram"])
def test_special_pieces_and_those_for_bytes_stand_for_no_text(algorithm):
    history = tokviz.train(COURSE, algorithm, 330, byte_fallback=True)
    for t in (0, len(history)):
        texts = dict(zip(history.vocab(t), token_texts(history, t), strict=True))
        bytes_of = [text for token, text in texts.items() if re.fullmatch("<0x[0-9A-F]{2}>", token)]
        assert bytes_of == [b""] * 256
        assert [texts[token] for token in ("<unk>", "<s>", "</s>")] == [b""] * 3
        assert sum(map(bool, texts.values())) == len(texts) - 259


def test_a_special_token_has_a_text_from_the_merge_on_that_makes_it():
    history = tokviz.train({"ab": 3, "abc": 1}, "bpe", 6, special_tokens=("<s>", "ab"))
    assert history.vocab(2) == ["<s>", "ab", "a", "b", "c", "abc"]
    texts = [token_texts(history, t)[:2] for t in range(3)]
    assert texts == [[b"", b""], [b"", b"ab"], [b"", b"ab"]]
    numbers = {}
    over = texts_over(history, range(len(history) + 1), numbers)
    names = {number: text for text, number in numbers.items()} | {-1: b""}
    for t, ids in over.items():
        assert [names[i] for i in ids.tolist()] == token_texts(history, t)


def test_a_worked_example():
    """Positions 0 to 2 of "low low" to 5 and to 7 tokens, and without the spaces to 6."""
    wide, small = (tokviz.train("low low", "bpe", size) for size in (7, 5))
    bare = tokviz.train("low low", "bpe", 5, "whitespace")
    numbers = {}
    runs = [(wide, [0, 1, 2, 3]), (small, [0, 1, 1, 1]), (bare, [0, 1, 2, 2])]
    texts = [texts_over(history, states, numbers) for history, states in runs]
    # wide: l o w _; + lo; + low; + _low, again "low". small: l o w _; + lo.
    # 4/4, 5/5, 5/6, and still 5/6.
    assert jaccard(texts[0], texts[1], runs[0][1], runs[1][1]).tolist() == [1, 1, 5 / 6, 5 / 6]
    # bare: l o w; + lo; + low: it lacks the space alone. 3/4, 4/5, 5/6, 5/6.
    assert jaccard(texts[0], texts[2], runs[0][1], runs[2][1]).tolist() == [
        3 / 4,
        4 / 5,
        5 / 6,
        5 / 6,
    ]


def test_two_vocabularies_without_a_text_are_alike():
    empty = tokviz.train("", "bpe", 1, counted=anything)
    texts = texts_over(empty, [0], {})
    assert jaccard(texts, texts, [0, 0], [0, 0]).tolist() == [1, 1]


# --- every run against every other ----------------------------------------------------------------

#: Runs by what their displays mean: a function from the displayed token to its text.
RUNS = {
    "bytes": ("bpe", 60, {"unit": "byte", "special_tokens": ("<s>",)}),
    "characters": ("bpe", 60, {"pretokenizer": "gpt2"}),
    "suffix": ("bpe", 60, {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
    "glued": ("bpe", 70, SENNRICH),
    "wordpiece": ("wordpiece", 70, {"special_tokens": ("[UNK]", "is")}),
    "frequency": ("wordpiece", 70, {"score": "frequency"}),
    "unigram": ("unigram", 60, {}),
    "sentencepiece-bpe": ("sentencepiece-bpe", 330, {"byte_fallback": True}),
    "sentencepiece-unigram": ("sentencepiece-unigram", 60, {}),
}


def spelled(history, token, special):
    """The text of a displayed token, from the display alone."""
    if special or re.fullmatch("<(0x..|unk|s|/s)>", token):
        return b""
    if history.spelling.continuing_subword_prefix:
        token = token.removeprefix("##")
    token = token.removesuffix(history.spelling.end_of_word_suffix or "\0")
    if history.spelling.unit == "byte":
        text = from_byte_level(token)
    else:
        text = token.replace(history.spelling.space_mark, " ").encode()
    return text[1:] if text.startswith(b" ") and len(text) > 1 else text


def vocabulary(history, t):
    made = {step.token for step in history.steps[:t] if step.action == "merge"}
    special = set(history.special_tokens) - made
    return {spelled(history, token, token in special) for token in history.vocab(t)} - {b""}


@pytest.fixture(scope="module")
def histories():
    return {
        name: tokviz.train(COURSE, algorithm, size, **more)
        for name, (algorithm, size, more) in RUNS.items()
    }


@pytest.mark.parametrize(("left", "right"), each(list(combinations(RUNS, 2)), 2))
def test_every_two_runs_are_recounted(histories, left, right):
    pair = histories[left], histories[right]
    for align in ALIGNMENTS:
        axis, numbers = make_axis(pair, align), {}
        states = [of.tolist() for of in axis.states]
        texts = [texts_over(h, of, numbers) for h, of in zip(pair, states, strict=True)]
        found = jaccard(*texts, *states)
        known = [{t: vocabulary(h, t) for t in set(of)} for h, of in zip(pair, states, strict=True)]
        expected = [
            len(known[0][t] & known[1][u]) / len(known[0][t] | known[1][u])
            for t, u in zip(*states, strict=True)
        ]
        assert np.array_equal(found, expected)
        assert min(expected) < max(expected)
