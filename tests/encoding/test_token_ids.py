"""Tokens and their ids are those of the library `tokenizers`, by the names that it has for them."""

import pytest
import tokenizers
from library_tokenizers import KINDS, opened, unescaped

import tokviz
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer

TEXT = "the cat sat on the mat, and the bat sat too\nlow lower lowest: newer ▁ é\n" * 3
SPECIAL = ["<s>", "[UNK]"]
RUNS = {
    "bpe": ("bpe", {"special_tokens": SPECIAL}),
    "bytes": ("bpe", {"unit": "byte", "initial_alphabet": ["bytes"]}),
    "suffix": (
        "bpe",
        {"end_of_word_suffix": "</w>", "suffix_glued": True, "special_tokens": SPECIAL},
    ),
    "wordpiece": ("wordpiece", {"special_tokens": SPECIAL}),
    "unigram": ("unigram", {"special_tokens": ["<unk>"]}),
}


def assert_same_ids(ours: Tokenizer, library: tokenizers.Tokenizer):
    vocabulary = library.get_vocab()
    told = {unescaped([token])[0]: number for token, number in ours.get_vocab().items()}
    assert told == vocabulary
    assert ours.vocab_size == library.get_vocab_size() == len(vocabulary)
    assert [*ours.get_vocab().values()] == sorted(vocabulary.values())
    for number in range(-1, max(vocabulary.values()) + 3):
        token = ours.id_to_token(number)
        known = library.id_to_token(number) if number >= 0 else None
        assert (token and unescaped([token])[0]) == known, number
        assert token is None or ours.token_to_id(token) == number
    for token in ("not a token", "", "Ġnoot", "zzzz"):
        assert ours.token_to_id(token) is library.token_to_id(token) is None


@pytest.mark.parametrize("name", RUNS)
def test_the_tokenizer_of_a_run_and_its_export(name):
    algorithm, settings = RUNS[name]
    size = 300 if name == "bytes" else 60
    history = tokviz.train(TEXT.replace("▁", "-"), algorithm, size, **settings)
    for t in {0, len(history) // 2, len(history)}:
        file = export(history, "tokenizer.json", t)["tokenizer.json"]
        library, ours = tokenizers.Tokenizer.from_str(file.decode()), history.tokenizer(t)
        if name == "unigram":
            # The file also has the characters of <unk>, behind all others.
            more = {*library.get_vocab()} - {*ours.get_vocab()}
            assert more <= {*"<unk>"}
            assert {*library.get_vocab().items()} >= {*ours.get_vocab().items()}
        else:
            assert_same_ids(ours, library)
        lines = TEXT.replace("▁", "-").splitlines()
        batch = ours.encode_batch(iter(lines))
        assert [encoding.ids for encoding in batch] == [
            encoding.ids for encoding in library.encode_batch(lines)
        ]
        again = open_tokenizer({"tokenizer.json": file}).tokenizer
        assert_same_ids(again, library)
        assert [encoding.ids for encoding in again.encode_batch(lines)] == [
            encoding.ids for encoding in batch
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_opened_tokenizers(kind):
    made = KINDS[kind]()
    assert_same_ids(opened(made).tokenizer, made)


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
def test_tokens_and_ids_are_those_of_encodings(algorithm):
    history = tokviz.train(TEXT, algorithm, 60)
    tokenizer = history.tokenizer()
    assert [*tokenizer.get_vocab()] == history.vocab(len(history))
    for encoding in tokenizer.encode_batch([TEXT, "", "high ▁"]):
        for token, number in zip(encoding.tokens, encoding.ids, strict=True):
            assert number is None or tokenizer.id_to_token(number) == token
            assert tokenizer.token_to_id(token) == number
    tokenizer.get_vocab().clear()
    assert tokenizer.vocab_size == len(history.vocab(len(history)))


def test_one_text_is_no_batch():
    tokenizer = tokviz.train(TEXT, "bpe", 60).tokenizer()
    assert tokenizer.encode_batch([]) == []
    with pytest.raises(ValueError, match="takes a list of texts, and this is a single one"):
        tokenizer.encode_batch("low")
