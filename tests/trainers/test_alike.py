"""BPE with the words of a file: a file's own text teaches its tokens in the order of its merges."""

import json
from dataclasses import replace

import library_tokenizers
import pytest
from sentencepiece_models import trained_model

import tokviz
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.trainers.alike import is_wordpiece, train_alike

TEXT = tokviz.SAMPLES["course"].corpus


def test_the_text_of_a_file_teaches_it_again():
    own = tokviz.train(TEXT, "bpe", 300, "gpt2", unit="byte", initial_alphabet=("bytes",))
    opened = open_tokenizer(export(own, "tokenizer.json"))
    again = train_alike(opened, TEXT, 999)
    both = [
        [(step.left, step.right, step.count) for step in history.steps] for history in (again, own)
    ]
    assert both[0][: len(own)] == both[1]
    assert len(train_alike(opened, TEXT, 7)) == 7
    assert [step.token for step in train_alike(opened, TEXT, 7).steps] == [
        step.token for step in own.steps[:7]
    ]


def test_a_file_of_wordpiece_is_trained_as_wordpiece():
    own = tokviz.train(TEXT, "wordpiece", 400, "bert", score="frequency")
    opened = open_tokenizer(export(own, "tokenizer.json"))
    assert is_wordpiece(opened)
    history = train_alike(opened, TEXT, len(own))
    assert [step.token for step in history.steps] == [step.token for step in own.steps]
    # Another prefix is none that WordPiece is trained with here.
    file = json.loads(export(own, "tokenizer.json")["tokenizer.json"])
    model = file["model"]
    model["vocab"] = {token.replace("##", "@@"): i for token, i in model["vocab"].items()}
    model["continuing_subword_prefix"] = "@@"
    other = open_tokenizer({"tokenizer.json": json.dumps(file).encode()})
    assert not is_wordpiece(other)
    tokens = [step.token.replace("@@", "##") for step in train_alike(other, TEXT, len(own)).steps]
    assert tokens != [step.token for step in own.steps]


@pytest.mark.parametrize("values", [{}, {"split_by_number": False, "split_digits": True}])
def test_a_model_of_sentencepiece_is_trained_as_its_library_trains_bpe(values):
    lines = tokviz.SAMPLES["alice"].documents
    data = trained_model(lines, model_type="bpe", vocab_size=600, **values)
    opened = open_tokenizer({"alice.model": data})
    pieces = [piece for piece in opened.tokenizer.strings[3:] if len(piece) > 1]
    history = train_alike(opened, [*lines], len(pieces))
    assert [step.token for step in history.steps] == pieces
    # Of Unigram the words and the rules are the same, though a line is encoded as a whole.
    data = trained_model(lines, model_type="unigram", vocab_size=600, **values)
    unigram = open_tokenizer({"alice.model": data})
    assert [word.text for word in unigram.tokenizer.pretokenizer.words("a b")] == [" a b"]
    tokens = [step.token for step in train_alike(unigram, [*lines], len(pieces)).steps]
    assert tokens == pieces


def test_a_model_that_is_not_cut_at_spaces_learns_across_them():
    data = trained_model(["low lot"] * 9, vocab_size=9, split_by_whitespace=False)
    history = train_alike(open_tokenizer({"x.model": data}), "low lot\nlow lot", 99)
    assert any("▁" in step.token[1:] for step in history.steps)


@pytest.mark.parametrize("kind", ["llama2", "bert", "clip", "t5"])
def test_every_kind_of_file_lends_its_words_and_symbols(kind):
    file = getattr(library_tokenizers, kind)().to_str().encode()
    opened = open_tokenizer({"tokenizer.json": file})
    history = train_alike(opened, TEXT, 40)
    known = {*filter(None, opened.tokenizer.symbols)}
    spelling = opened.tokenizer.spelling
    assert replace(history.spelling, space_mark=spelling.space_mark) == spelling
    # The symbols are spelled as those of the file: many that were learned are in it.
    learned = history.symbols[len(history.record.alphabet) :]
    assert sum(symbol in known for symbol in learned) > 5
    words = {word.text for word in opened.tokenizer.pretokenizer.words(TEXT.splitlines()[0])}
    assert words <= {*history.words.words}


def test_what_was_counted_can_be_refused():
    opened = open_tokenizer({"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"a b"})

    def refuse(words):
        raise ValueError(f"{len(words)} words")

    with pytest.raises(ValueError, match="1 words"):
        train_alike(opened, "ab", 3, counted=refuse)
