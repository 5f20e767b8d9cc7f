"""The trace of one word, for every way to cut words."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.encoding.word_trace import MOST_CHARACTERS, word_trace

COURSE = tokviz.SAMPLES["course"].corpus
LETTERS = st.text("This token.é日!", max_size=20)


def told(tokenizer, text, word=0):
    encoding = tokenizer.encode(text)
    return word_trace(tokenizer, encoding, word), encoding


@pytest.fixture(scope="module")
def bpe():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte").tokenizer()


@pytest.fixture(scope="module")
def wordpiece():
    return tokviz.train(COURSE, **tokviz.PRESETS["course-wordpiece"].settings).tokenizer()


@pytest.fixture(scope="module")
def unigram():
    return tokviz.train(COURSE, "unigram", 100).tokenizer()


def test_the_published_sentence_merge_by_merge(bpe):
    trace, _ = told(bpe, "This is not a token.", 4)
    assert trace.word.text == " token"
    assert [(row.event.step + 1, row.left, row.right, row.event.token) for row in trace.rows] == [
        (1, "Ġ", "t", "Ġt"),
        (5, "Ġt", "o", "Ġto"),
        (6, "e", "n", "en"),
        (11, "Ġto", "k", "Ġtok"),
        (12, "Ġtok", "en", "Ġtoken"),
    ]
    stages = [[piece.token for piece in row.pieces] for row in trace.rows]
    assert stages[0] == ["Ġt", "o", "k", "e", "n"]
    assert stages[-1] == ["Ġtoken"]
    assert [piece.token for piece in trace.pieces] == ["Ġ", "t", "o", "k", "e", "n"]


@given(LETTERS)
def test_merges_end_at_the_encoding(bpe, text):
    encoding = bpe.encode(text)
    for number, word in enumerate(encoding.words):
        trace = word_trace(bpe, encoding, number)
        last = trace.rows[-1].pieces if trace.rows else trace.pieces
        assert last == bpe.encoder.encode(word.text)
        assert bool(trace.reason) == any(piece.id is None for piece in last)


def test_the_published_unknown_word(wordpiece):
    trace, encoding = told(wordpiece, "This is the Hugging Face course!", 6)
    assert encoding.tokens[-1] == "[UNK]"
    assert [(row.event.token, row.event.accepted) for row in trace.rows] == [("!", False)]
    assert trace.reason.startswith('"!" is not in the vocabulary, so the whole word is [UNK]')


def test_every_prefix_that_is_refused(wordpiece):
    trace, _ = told(wordpiece, "course")
    tried = [(row.event.token, row.event.accepted) for row in trace.rows]
    assert tried[:7] == [
        *((prefix, False) for prefix in ("course", "cours", "cour", "cou", "co")),
        ("c", True),
        ("##ourse", False),
    ]
    assert [piece.token for piece in trace.rows[-1].pieces] == [
        "c",
        "##o",
        "##u",
        "##r",
        "##s",
        "##e",
    ]
    assert trace.reason == ""
    broken, _ = told(wordpiece, "thé")
    assert broken.reason == (
        '"##é" is not in the vocabulary, so the whole word is [UNK]: WordPiece never keeps a '
        "part of a word."
    )
    long, _ = told(wordpiece, "a" * 101)
    assert "gives up beyond 100" in long.reason


def test_a_longer_rest_is_named_with_its_shortest_prefix(wordpiece):
    trace, _ = told(wordpiece, "théa")
    assert 'Nothing that begins "éa" is in the vocabulary, not even "##é"' in trace.reason


@given(LETTERS)
def test_viterbi_rows_hold_the_best_path(unigram, text):
    encoding = unigram.encode(text)
    for number, word in enumerate(encoding.words):
        rows = word_trace(unigram, encoding, number).rows
        path = [row for row in rows if row.event.accepted]
        assert [row.event[2:4] for row in path] == unigram.encoder.path(word.text)
        assert all(row.best for row in path)
        total = sum(row.log_prob for row in path)
        assert math.isclose(path[-1].total, total, abs_tol=1e-9)
        assert path[-1].total == max(r.total for r in rows if r.event.end == len(word.text))


def test_a_word_without_a_path_says_why():
    tokenizer = tokviz.train(COURSE, **tokviz.PRESETS["course-unigram"].settings).tokenizer()
    trace, encoding = told(tokenizer, "to!")
    assert encoding.tokens == ["<unk>"]
    assert '("!" is no token), so all of it is <unk>' in trace.reason


def test_the_longest_token_and_what_is_left():
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    tokenizer = tokviz.train(words, "bpe", 16, end_of_word_suffix="</w>").tokenizer(
        encoder="longest-token"
    )
    trace, encoding = told(tokenizer, "xlowest")
    assert trace.kind == "longest-token"
    assert [row.event.token for row in trace.rows][-1] == "</u>"
    assert [piece.token for piece in trace.rows[-1].pieces] == encoding.tokens
    assert trace.reason == 'No token is found in "x": it is </u>.'


def test_a_word_that_is_too_long_is_not_told(bpe):
    trace, _ = told(bpe, "t" * (MOST_CHARACTERS + 1))
    assert not trace.rows
    assert trace.reason == "This word has 101 characters; only words of up to 100 are explained."
