"""White-space words: `str.split()`, however a text is read, cut and counted."""

from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_counting import block_size, odd_text, sizes

import tokviz
from tokviz.pretokenizers import PRETOKENIZERS, make_pretokenizer
from tokviz.text import white_space
from tokviz.text.corpus import count_words, documents
from tokviz.text.white_space import WhiteSpaceWords, count_white_space_words

THAI = "ภาษาไทยไม่มีช่องว่าง ระหว่างคำ"
CHINESE = "中文没有空格。\n你好　世界"


@settings(max_examples=200, deadline=None)
@given(odd_text, sizes)
def test_they_are_those_of_split(text, size):
    with block_size(size), patch.object(white_space, "BLOCK_SIZE", size):
        assert count_white_space_words(text) == len(text.split())


@settings(max_examples=200, deadline=None)
@given(odd_text, st.lists(st.integers(0, 40)))
def test_a_text_may_be_cut_anywhere(text, cuts):
    bounds = [0, *sorted(cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(bounds)]
    seen = WhiteSpaceWords()
    assert "".join(seen.parts(parts)) == text
    assert seen.total == len(text.split())
    # Another text begins anew.
    list(seen.parts(["x"]))
    assert seen.total == len(text.split()) + 1


@pytest.mark.parametrize("name", PRETOKENIZERS)
@settings(max_examples=60, deadline=None)
@given(st.lists(odd_text, max_size=4), sizes)
def test_every_pretokenizer_counts_the_same(name, texts, size):
    cutter = make_pretokenizer(name, **({"pattern": r"\S"} if name == "regex" else {}))
    lines = list(documents("\n".join(texts)))
    # What SentencePiece does not read has no tokens either.
    read = [line for line in lines if name != "sentencepiece" or cutter.takes(line)]
    wanted = sum(len(line.split()) for line in read)
    with block_size(size):
        of_text = count_words("\n".join(texts), cutter, ("<s>",))
        assert of_text.white_space_words == wanted
        assert count_words(iter(lines), cutter).white_space_words == wanted
    if name == "whitespace":
        assert count_words(iter(lines), cutter).total == wanted


@pytest.mark.parametrize(("text", "words"), [(THAI, 2), (CHINESE, 3), ("", 0), (" \u3000\n", 0)])
def test_scripts_without_spaces_have_few(text, words):
    for name in ("gpt2", "bert", "sentencepiece"):
        assert count_words(text, make_pretokenizer(name)).white_space_words == words


def test_a_line_that_is_not_read_has_none():
    cutter = make_pretokenizer("sentencepiece", max_sentence_length=10)
    assert count_words("one two\nthree four five\nsix", cutter).white_space_words == 3


def test_a_table_has_no_such_number():
    assert count_words({"low": 2}, make_pretokenizer("gpt2")).white_space_words is None


def test_a_run_keeps_the_number_in_its_file(tmp_path):
    path = tmp_path / "run.npz"
    for name in ("bpe", "unigram", "sentencepiece-unigram"):
        run = tokviz.train("don't stop, low lower", name, 20)
        assert run.words.white_space_words == 4
        run.save(path)
        assert tokviz.load(path).words.white_space_words == 4
    tokviz.train({"low": 5}, "bpe", 4).save(path)
    assert tokviz.load(path).words.white_space_words is None
