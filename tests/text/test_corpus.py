"""Words and their counts, and every table that is refused."""

import io
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from helpers import ALPHABETS
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.basics.errors import CorpusError
from tokviz.pretokenizers import PRETOKENIZERS, make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import as_corpus, documents
from tokviz.text.pieces import pieces

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


@pytest.mark.parametrize("pandas", [None, ModuleType("pandas")], ids=["not", "half"])
def test_a_corpus_is_read_where_pandas_is_not_imported_or_not_wholly(monkeypatch, pandas):
    """Another thread may be importing it."""
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert as_corpus({"low": 2}) == {"low": 2}
    assert as_corpus(["low", "lower"]) == ["low", "lower"]
    with pytest.raises(CorpusError, match="document 2 of the corpus is missing"):
        count_words(["low", None], WHITESPACE)
