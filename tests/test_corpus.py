"""Words and their counts, and every table that is refused."""

import pytest
from helpers import ALPHABETS
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.corpus import CorpusError, count_words, documents, pieces
from tokviz.pretokenizers import PRETOKENIZERS, make_pretokenizer

WHITESPACE = make_pretokenizer("whitespace")


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
    assert list(documents(["a\nb"])) == ["a\nb"]
    assert count_words("a\u2028b", make_pretokenizer("none")).words == ("a\u2028b",)


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
