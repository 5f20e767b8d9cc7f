"""Encoding and decoding whole texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz

SPECIAL = ("<s>", "<s>!", "<unk>", "[UNK]")
TEXT = "low lower lowest <s> newest newer widest"


@pytest.fixture(scope="module")
def byte_bpe():
    return tokviz.train(
        TEXT, vocab_size=300, unit="byte", initial_alphabet=("bytes",), special_tokens=SPECIAL
    ).tokenizer()


@given(st.text())
def test_bytes_lose_nothing(byte_bpe, text):
    encoding = byte_bpe.encode(text)
    assert byte_bpe.decode(encoding.ids) == text
    assert all(start <= end for start, end in encoding.offsets)


def test_offsets_and_specials(byte_bpe):
    text = "é<s>!<s> low"
    encoding = byte_bpe.encode(text)
    assert [text[start:end] for start, end in encoding.offsets] == [
        "é",
        "é",
        "<s>!",
        "<s>",
        " lo",
        "w",
    ]
    assert encoding.tokens[2:4] == ["<s>!", "<s>"]
    assert encoding.ids[2:4] == [1, 0]
    assert [word.text for word, _ in encoding.trace] == ["é", " low"]
    assert len(encoding) == 6


def test_bytes_that_are_no_text_and_ids_that_are_none(byte_bpe):
    half = byte_bpe.encode("é").ids[:1]
    assert byte_bpe.decode(half) == "\ufffd"
    assert byte_bpe.decode([]) == ""
    for wrong in (-1, len(byte_bpe.strings)):
        with pytest.raises(IndexError, match="is not in the vocabulary"):
            byte_bpe.decode([wrong])


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("bpe", {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
        ("bpe", {"pretokenizer": "whitespace", "end_of_word_suffix": "_", "suffix_glued": True}),
        ("bpe", {"pretokenizer": "bert", "continuing_subword_prefix": "##"}),
        ("wordpiece", {}),
        ("unigram", {}),
    ],
)
def test_markers_become_spaces_again(algorithm, settings):
    history = tokviz.train("low lower newest widest", algorithm, 40, **settings)
    for t in (0, len(history)):
        tokenizer = history.tokenizer(t)
        for text in ("low lower newest", "newest", ""):
            assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_what_is_unknown_has_no_id_or_that_of_the_special_token():
    words = {"low": 2}
    without = tokviz.train(words, "wordpiece", 5).tokenizer().encode("high low")
    assert (without.tokens[0], without.ids[0]) == ("[UNK]", None)
    named = tokviz.train(words, "wordpiece", 9, special_tokens=SPECIAL).tokenizer()
    assert named.encode("high").ids == [3]
    unigram = tokviz.train(words, "unigram", 12, special_tokens=SPECIAL).tokenizer()
    assert (unigram.encode("x").tokens, unigram.encode("x").ids) == (["<unk>", "<unk>"], [2, 2])


def test_ranks_of_equal_special_tokens_do_not_move_ids():
    """A special token that is a symbol as well has one id, the special one."""
    history = tokviz.train({"low": 3, "l": 1}, vocab_size=4, special_tokens=("l",))
    assert history.vocab(0) == ["l", "o", "w"]
    assert history.tokenizer(0).encoder.encode("low")[0].id == 0
    assert history.tokenizer(0).decode([0, 1]) == "lo"
