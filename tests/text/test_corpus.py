"""Words and their counts, and every table that is refused."""

import io
import sys
import time
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from helpers import ALPHABETS
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.pretokenizers import PRETOKENIZERS, Word, make_pretokenizer
from tokviz.text import corpus as corpus_module
from tokviz.text.corpus import (
    LONGEST_SHOWN,
    CorpusError,
    Piece,
    count_words,
    documents,
    excerpt,
    pieces,
)
from tokviz.text.given_corpus import as_corpus

WHITESPACE = make_pretokenizer("whitespace")
#: Unigram has nothing to remove where no word may be a seed.
SIZES = {"unigram": {"prune_fraction": 0.2}}


def test_first_occurrence_order():
    words = count_words(["b a", "a c b"], WHITESPACE)
    assert (words.words, words.counts, words.total, len(words)) == (
        ("b", "a", "c"),
        (2, 2, 1),
        5,
        3,
    )


def test_line_ends_of_any_kind_end_a_document():
    assert list(documents("a\nb\r\nc\rd\n\n")) == ["a", "b", "c", "d", "", ""]
    assert list(documents(["a\nb\n", "c"])) == ["a", "b", "c"]
    assert count_words("a\u2028b", make_pretokenizer("none")).words == ("a\u2028b",)


def ways():
    """The same two lines, given in every way."""
    return [
        "low b\nlower c",
        ["low b\nlower c"],
        ["low b", "lower c"],
        ["low b\n", "lower c\n"],
        ["low b\r\nlower c\r"],
        [["low b\nlower c"]],
        (line for line in ["low b\n", "lower c"]),
        np.array(["low b\nlower c"]),
        pd.Series(["low b", "lower c\n"]),
        io.StringIO("low b\nlower c\n"),
    ]


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
@pytest.mark.parametrize("pretokenizer", [None, "none"])
def test_lines_are_documents_however_they_are_given(algorithm, pretokenizer):
    whole, *others = (
        tokviz.train(corpus, algorithm, 16, pretokenizer, **SIZES.get(algorithm, {}))
        for corpus in ways()
    )
    assert len(whole) > 0
    for history in others:
        assert (history.words, list(history.steps)) == (whole.words, list(whole.steps))
        assert history.text in (whole.text, None)


@given(st.lists(st.text("ab \n\r", max_size=6), max_size=4))
def test_no_document_holds_a_line_end(texts):
    found = list(documents(texts))
    assert not any(set(document) & set("\n\r") for document in found)
    assert [d for d in found if d] == [d for d in documents("\n".join(texts)) if d]
    assert list(documents(iter([texts]))) == found


def test_a_mapping_is_taken_as_it_is():
    words = count_words({"a b": 2, "": 7, "c": 1}, WHITESPACE)
    assert (words.words, words.counts) == (("a b", "c"), (2, 1))


@pytest.mark.parametrize(
    ("corpus", "sentence"),
    [
        ({"a": 0}, "the count of 'a' is 0; counts start at 1"),
        ({"a": -3}, "counts start at 1"),
        ({"a": 1.5}, "maps words to integers, but it holds 'a': 1.5"),
        ({"a": True}, "maps words to integers"),
        ({1: 1}, "maps words to integers"),
        ({"a": 2**53 + 1}, "more than 2.*53 characters; divide all counts"),
        ({"a" * 2**10: 2**44}, "more than 2.*53 characters"),
        (["a", 7], "but it holds a int"),
        ([b"a"], "but it holds a bytes"),
    ],
)
def test_what_is_no_corpus_is_refused_in_a_sentence(corpus, sentence):
    with pytest.raises(CorpusError, match=sentence):
        count_words(corpus, WHITESPACE)


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
def test_the_greatest_counts_do_not_overflow(algorithm):
    """Every sum of counts fits 64 bits, with bytes and suffixes too."""
    words = {"日日日日": 2**51 - 1, "日": 4}
    settings = {"unit": "byte", "end_of_word_suffix": "_"} if algorithm == "bpe" else {}
    history = tokviz.train(words, algorithm, 6, **settings)
    units = 13 if algorithm == "bpe" else 4
    first = history.segmentation("日日日日", 0)
    assert "unigram" in algorithm or len(first) == units
    assert history.curve().corpus_tokens[0] == len(first) * (2**51 - 1) + 4 * len(
        history.segmentation("日", 0)
    )
    assert (history.token_counts(0) >= 0).all()
    assert (history.candidates(0)["count"] > 0).all()


@given(st.sampled_from(ALPHABETS), st.data())
def test_counting_gives_the_words_that_encoding_gives(alphabet, data):
    text = data.draw(st.text(alphabet + " ", max_size=20))
    special = tuple(data.draw(st.lists(st.sampled_from(["a", "a ", "aa", "#a"]), unique=True)))
    # "sentencepiece" learns from a line without its special tokens and encodes it with them.
    for name in sorted(PRETOKENIZERS.keys() - {"sentencepiece"}):
        pretokenizer = make_pretokenizer(name)
        counted = count_words([text], pretokenizer, special)
        found = list(pieces(text, pretokenizer, special))
        words = [piece.word.text for piece in found if not piece.special]
        assert counted.words == tuple(dict.fromkeys(words))
        assert counted.total == len(words)
        for piece in found:
            assert 0 <= piece.word.start <= piece.word.end <= len(text)
            if piece.special:
                assert text[piece.word.start : piece.word.end] == piece.word.text
                assert piece.word.text in special


def test_the_longest_special_token_is_found_first():
    found = pieces("a<s><s>x b", WHITESPACE, ("<s>", "<s>x"))
    assert [(p.word.text, p.word.start, p.special) for p in found] == [
        ("a", 0, False),
        ("<s>", 1, True),
        ("<s>x", 4, True),
        ("b", 9, False),
    ]


def shown(text, name="whitespace", special=(), most=(100, 1000), **settings):
    lines = excerpt(text, make_pretokenizer(name, **settings), special, *most)
    return [[piece.word.text for piece in line] for line in lines]


def test_an_excerpt_ends_with_its_words_its_characters_or_its_lines():
    assert shown("a b\nc d", most=(3, 1000)) == [["a", "b"], ["c"]]
    assert shown("aa bb cc dd\nee", most=(100, 5)) == [["aa", "bb", "cc"]]
    assert shown("a\n" + "\n" * 1000 + "b", most=(10, 1000)) == [["a"]] + [[]] * 9


@pytest.mark.parametrize("name", PRETOKENIZERS)
def test_of_a_line_like_a_book_no_more_is_cut_than_may_be_shown(name, monkeypatch):
    monkeypatch.setattr(corpus_module, "LONGEST_SHOWN", 50)
    book = "ab cd " * 10_000
    whole = [word.text for word in make_pretokenizer(name).words(book)]
    cut = []
    kind = type(make_pretokenizer(name))
    words = kind.words
    monkeypatch.setattr(
        kind, "words", lambda self, text: cut.append(len(text)) or words(self, text)
    )
    [found] = shown(book, name, most=(1000, 1000))
    assert cut == [62]
    assert found == whole[: len(found)]
    assert len(found) > 15 or name in ("none", "runs"), "these have one word, which is too long"


def test_a_word_that_is_too_long_to_be_shown_ends_its_line():
    long = "x" * (LONGEST_SHOWN + 1)
    assert shown(f"a {long} b\nc d", most=(100, 10**6)) == [["a"], ["c", "d"]]


def test_a_slow_pattern_ends_an_excerpt(monkeypatch):
    monkeypatch.setattr(corpus_module, "EXCERPT_SECONDS", 0.3)
    lines = "ab cd\n" + "\n".join(["a" * 40 + "c"] * 1000)
    begin = time.monotonic()
    assert shown(lines, "regex", pattern=r"(a|a?)+$|\w+", timeout=60.0)[0] == ["ab", "cd"]
    assert time.monotonic() - begin < 30


def test_many_special_tokens_are_made_ready_once():
    special = tuple(f"<{i}-of-many>" for i in range(500))
    before = corpus_module.any_of.cache_info().misses
    counted = count_words("a <3-of-many> b\n" * 50, make_pretokenizer("none"), special)
    assert counted.words == ("a ", " b")
    assert corpus_module.any_of.cache_info().misses == before + 1


@pytest.mark.parametrize("pandas", [None, ModuleType("pandas")], ids=["not", "half"])
def test_a_corpus_is_read_where_pandas_is_not_imported_or_not_wholly(monkeypatch, pandas):
    """Another thread may be importing it."""
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert as_corpus({"low": 2}) == {"low": 2}
    assert as_corpus(["low", "lower"]) == ["low", "lower"]
    with pytest.raises(CorpusError, match="document 2 of the corpus is missing"):
        count_words(["low", None], WHITESPACE)


def test_a_piece_is_shown_short():
    shown = repr(Piece(Word("a" * 5000, 0, 5000), False))
    assert shown.startswith("Piece(word=Word(text='aaa")
    assert len(shown) < 300
