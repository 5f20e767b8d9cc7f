"""Encoding and decoding whole texts."""

import pytest
from effort import some
from hypothesis import given, settings
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


# --- line breaks ------------------------------------------------------------------------------


def offsets_rise(encoding, text):
    """Every token covers a part of the text that begins where the one before it does, or later."""
    starts = [0, *(start for start, _end in encoding.offsets)]
    return starts == sorted(starts) and all(a <= b <= len(text) for a, b in encoding.offsets)


@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("pretokenizer", tokviz.PRETOKENIZERS)
def test_a_line_break_is_between_two_documents(pretokenizer, unit):
    tokenizer = tokviz.train("low b\nlower", "bpe", 14, pretokenizer, unit=unit).tokenizer()
    text = "\nlow b\r\n\r\nlower\rlow\n"
    encoding = tokenizer.encode(text)
    lines = [tokenizer.encode(line) for line in ("low b", "lower", "low")]
    assert encoding.ids == [i for line in lines for i in line.ids]
    assert None not in encoding.ids
    spelled = "".join(text[start:end] for start, end in encoding.offsets)
    # For SentencePiece a line break is a space, of the word after it.
    assert "".join(spelled.split()) == "lowblowerlow"
    assert pretokenizer == "sentencepiece" or not set(spelled) & set("\r\n")


def test_a_line_break_that_has_an_id_has_it():
    """As in what reads the exported tokenizer."""
    in_bytes = {"unit": "byte", "initial_alphabet": ["bytes"]}
    tokenizer = tokviz.train("low low", "bpe", 260, **in_bytes).tokenizer()
    assert tokenizer.encode("low\nlow").tokens == ["low", "Ċ", "low"]
    table = tokviz.train({"low\n": 2, "low": 1}, "bpe", 9, "none").tokenizer()
    assert table.encode("low\n").tokens == ["low\n"]
    assert table.encode("low\rlow\n").tokens == ["low", "low\n"]
    unknown = tokviz.train("low low", "unigram", 9, "gpt2", special_tokens=["<unk>"]).tokenizer()
    assert unknown.encode("low\nlow").tokens.count("<unk>") == 1


def test_a_special_token_may_hold_a_line_break():
    tokenizer = tokviz.train("low b", "bpe", 9, special_tokens=["<s>\n"]).tokenizer()
    encoding = tokenizer.encode("low<s>\nb\nlow")
    assert encoding.ids[encoding.tokens.index("<s>\n")] == 0
    assert None not in encoding.ids
    assert encoding.offsets[-1][1] == len("low<s>\nb\nlow")


@settings(max_examples=some(200))
@given(
    text=st.text(st.sampled_from("ab A1.'\t\n\r\x0b\x85\u2028\xa0éß日👩\u200d\u0301\ud800")),
    size=st.integers(1, 40),
    pretokenizer=st.sampled_from([None, *tokviz.PRETOKENIZERS]),
    more=st.sampled_from(
        [{}, {"unit": "byte"}, {"end_of_word_suffix": "</w>"}, {"min_frequency": 3}]
    ),
)
def test_bpe_has_an_id_for_all_that_it_was_trained_on(text, size, pretokenizer, more):
    try:
        least = tokviz.train(text, "bpe", 1000, pretokenizer, **more).vocab_size(0)
    except tokviz.CorpusError:
        return
    tokenizer = tokviz.train(text, "bpe", least + size, pretokenizer, **more).tokenizer()
    encoding = tokenizer.encode(text)
    assert None not in encoding.ids
    # SentencePiece's normalizer may reorder combining marks.
    assert pretokenizer == "sentencepiece" or offsets_rise(encoding, text)
